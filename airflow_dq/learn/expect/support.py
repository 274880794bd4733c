"""How much data a partition has: the table's row count as a constraint, and the sizes behind a column's metrics."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from airflow_dq.learn.array import BoolArray
from airflow_dq.learn.choose.candidate import Candidates
from airflow_dq.learn.choose.training import Training
from airflow_dq.learn.expect.calibration import Calibration, Size
from airflow_dq.learn.expect.transform import base_of
from airflow_dq.learn.history.series import ColumnHistory
from airflow_dq.learn.history.timeline import Timeline
from airflow_dq.metrics.descriptor import Metric
from airflow_dq.metrics.registry import get_metric
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind, State
from airflow_dq.states.number import NumberDistribution

_ROW_COUNT = "row_count"
RANK_ERRORS = 3.0
"""Number of standard errors by which the rank of a quantile may be off by chance."""


def volume_constraints(
    history: Sequence[Profile], timeline: Timeline, budget: float, *, moving: bool
) -> Candidates | None:
    """The constraints on the row count of the table; None when it cannot be bounded."""
    metric = get_metric(_ROW_COUNT, Kind.NUMERIC)
    assert metric is not None
    rows = np.array([profile.row_count for profile in history], dtype=np.float64)
    if np.count_nonzero(rows == 0.0) == 1:
        # One partition without rows was an accident, and says nothing of how many rows there are; two are a habit.
        rows[rows == 0.0] = np.nan
    size = Size(max(1.0, float(np.nanmedian(rows))))
    found = Calibration.of(metric, timeline.spread(rows), size, moving=moving, week=timeline.week)
    return None if isinstance(found, str) else found.constraints(budget)


def affordable(volume: Candidates) -> int:
    """The tightest constraint on the number of rows, which takes the whole budget: nothing else competes for it."""
    return int(np.argmax(volume.fpr))


def caught_by(volume: Candidates, past: ColumnHistory, training: Training) -> BoolArray:
    """Which injected errors the table's row count gives away."""
    slots, index = past.timeline.slots, training.index
    earlier = zip(slots[:index], past.profiles, strict=False)
    base = base_of(
        volume.transform, {slots[index] - slot: float(profile.row_count) for slot, profile in earlier}, volume.center
    )
    rows = [variant.metrics.get(_ROW_COUNT) for variant in training.variants]
    values = np.array([row if isinstance(row, float | int) else np.nan for row in rows], dtype=np.float64)
    violations = volume.violations(values, np.nan if base is None else base)
    caught: BoolArray = violations[affordable(volume)] & np.isfinite(values)
    return caught


def size_of(past: ColumnHistory, metric: Metric) -> Size:
    """The typical number of values behind a column's metric, how they spread, and what another draw of them may do."""
    complete = past.typical("complete_ratio") if metric.name != "complete_ratio" else 1.0
    values, std = max(1.0, past.rows * complete), past.typical("std")
    if metric.level is None:
        return Size(values, std)
    if metric.level in (0.0, 1.0):
        # A new extreme is news.  That nothing came near the old one is not, unless all values stay far from it.
        return Size(values, std, *((0.0, std) if metric.level == 0.0 else (std, 0.0)))
    newest = past.columns[-1]
    state = None if newest is None else newest.states.get(NumberDistribution.key)
    return Size(values, std, *_rank_noise(state, metric, values))


def _rank_noise(state: State | None, metric: Metric, values: float) -> tuple[float, float]:
    """How far a quantile moves down and up when as many values are drawn anew from the newest distribution.

    The rank of a quantile has the standard error of a binomial share; what lies within RANK_ERRORS of them may be the
    quantile of the next partition.  Where the distribution is not kept, nothing is known.
    """
    if not isinstance(state, NumberDistribution) or not state.total or metric.level is None:
        return 0.0, 0.0
    error = RANK_ERRORS * math.sqrt(metric.level * (1.0 - metric.level) / values)
    low, high = max(0.0, metric.level - error), min(1.0, metric.level + error)
    middle = state.quantile(metric.level)
    return middle - state.quantile(low), state.quantile(high) - middle
