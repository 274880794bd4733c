"""A dataset's partitions as points of a plane: those that are alike lie together, an odd one lies apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airflow_dq.novelty import calibrated
from airflow_dq.novelty.feature import FEATURES, ROWS, Features, Key
from airflow_dq.states.base import Kind

FARTHEST = 12.0
"""Standard deviations at which one feature stops to pull a partition further away: it would flatten all others."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a partition lies."""

    x: float
    """From -1 to 1."""
    y: float
    times: float
    """How many times as far off it is as is usual, with all others as its history; above 1 it is odd."""


def placed(values: Mapping[Key, Sequence[float | None]], kinds: Mapping[str, Kind]) -> tuple[Place, ...]:
    """The places of some partitions, in their order; none where fewer than three can be compared.

    :param values: by column and metric the value in each partition; the number of rows has no column
    :param kinds: the kinds of the columns; others are left out
    """
    read = {key: each for key, each in values.items() if _is_feature(key, kinds)}
    number = max((len(each) for each in read.values()), default=0)
    if number < 3:
        return ()
    rows = np.array([[np.nan if one is None else one for one in each] for each in read.values()], np.float64).T
    features = Features.of_values(tuple(read), kinds, rows)
    model = calibrated.fit(features)
    off = np.clip(model.standard(features.past), -FARTHEST, FARTHEST) * features.emphasis
    # The two directions in which they differ most.
    left, size, _ = np.linalg.svd(off - off.mean(axis=0), full_matrices=False)
    plane = np.zeros((number, 2))
    plane[:, : min(2, left.shape[1])] = (left * size)[:, :2]
    # Near ones keep apart though one lies far away.
    plane = np.arcsinh(plane)
    plane /= np.maximum(np.abs(plane).max(axis=0), 1e-9)
    return tuple(Place(float(x), float(y), float(far)) for (x, y), far in zip(plane, model.past, strict=True))


def _is_feature(key: Key, kinds: Mapping[str, Kind]) -> bool:
    column, metric = key
    if column is None:
        return metric == ROWS
    return column in kinds and metric in FEATURES[kinds[column]]


def map_metrics() -> tuple[str, ...]:
    """The metrics that places are made of, as far as each profile has them by itself."""
    return tuple(dict.fromkeys(metric for metrics in FEATURES.values() for metric in metrics))
