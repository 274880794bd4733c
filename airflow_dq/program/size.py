"""How much data a partition has: the table's row count as a constraint, and the sizes behind a column's metrics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from airflow_dq.metrics.registry import Metric, get_metric
from airflow_dq.profile.model import Profile
from airflow_dq.program.array import BoolArray
from airflow_dq.program.calibration import Size, calibrated
from airflow_dq.program.constraint import Candidates
from airflow_dq.program.training import Training
from airflow_dq.program.transform import base_of
from airflow_dq.states.base import Kind

_ROW_COUNT = "row_count"


def volume_constraints(history: Sequence[Profile], budget: float, *, moving: bool) -> Candidates | None:
    """The constraints on the number of rows, which the whole table has once; None when it cannot be bounded."""
    metric = get_metric(_ROW_COUNT, Kind.NUMERIC)
    assert metric is not None
    rows = np.array([profile.row_count for profile in history], dtype=np.float64)
    found = calibrated(metric, rows, budget, Size(max(1.0, float(np.median(rows)))), moving=moving)
    return None if isinstance(found, str) else found


def affordable(volume: Candidates) -> int:
    """The tightest constraint on the number of rows, which takes the whole budget: nothing else competes for it."""
    return int(np.argmax(volume.fpr))


def caught_by(volume: Candidates, history: Sequence[Profile], training: Training) -> BoolArray:
    """Which injected errors the table's row count gives away."""
    base = base_of(volume.transform, [float(profile.row_count) for profile in history[: training.index]])
    rows = [variant.metrics.get(_ROW_COUNT) for variant in training.variants]
    values = np.array([row if isinstance(row, float | int) else np.nan for row in rows], dtype=np.float64)
    violations = volume.violations(values, np.nan if base is None else base)
    caught: BoolArray = violations[affordable(volume)] & np.isfinite(values)
    return caught


def size_of(history: Sequence[Profile], column: str, metric: Metric) -> Size:
    """The typical number of values behind a column's metric, and the column's typical standard deviation."""
    rows = float(np.median([profile.row_count for profile in history]))
    complete = _typical(history, column, "complete_ratio") if metric.name != "complete_ratio" else 1.0
    return Size(max(1.0, rows * complete), _typical(history, column, "std"))


def _typical(history: Sequence[Profile], column: str, metric: str) -> float:
    found = [profile.columns[column].metrics.get(metric) for profile in history if column in profile.columns]
    numbers = [value for value in found if isinstance(value, float | int)]
    return float(np.median(numbers)) if numbers else 0.0
