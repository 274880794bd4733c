"""Numbers that are partly those of before, and partly others."""

from __future__ import annotations

import numpy as np

from airflow_dq.explain.comparison import sampling_noise
from airflow_dq.learn.distribution import QuantilePoints

_FEW = 20
"""Fewer numbers beyond all of before have no distribution to speak of."""
_ALIKE = 0.05
"""Kolmogorov-Smirnov distance, beside chance, of what is distributed alike: the next factor may be near."""


def mixture(now: QuantilePoints, before: QuantilePoints, other: QuantilePoints) -> tuple[float, float]:
    """The share of another distribution that explains most of a change, and the distance that it leaves.

    :return: the share, 0 to 1, by least squares over the distribution functions, and a Kolmogorov-Smirnov distance
    """
    places = np.concatenate([now.values, before.values, other.values])
    is_now, was, theirs = (side.share_up_to(places) for side in (now, before, other))
    change, way = is_now - was, theirs - was
    size = float(way @ way)
    share = float(np.clip(change @ way / size, 0.0, 1.0)) if size else 0.0
    return share, float(np.abs(change - share * way).max())


def lies_as(now: QuantilePoints, before: QuantilePoints, other: QuantilePoints) -> bool:
    """Whether the numbers beyond all of those before lie as those of another distribution do that are beyond them.

    Of a small share the distance of the whole says little: what was never there before is that share by itself.
    """
    low, high = before.values[0], before.values[-1]
    beyond, theirs = (side.where((side.values < low) | (side.values > high)) for side in (now, other))
    if beyond is None or len(beyond.values) < _FEW:
        return True
    if theirs is None:
        return False
    return beyond.ks_distance(theirs) <= _ALIKE + sampling_noise(len(beyond.values), len(theirs.values))
