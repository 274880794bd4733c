"""Numbers that are partly those of before, and partly others."""

from __future__ import annotations

import numpy as np

from airflow_dq.learn.distribution import QuantilePoints


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
