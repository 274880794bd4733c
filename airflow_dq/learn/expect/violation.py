"""Whether a value violates bounds: decided here for training, evaluation, recall and row counts alike."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from airflow_dq.learn.array import BoolArray, FloatArray
from airflow_dq.learn.history.series import ABSENT
from airflow_dq.metrics.descriptor import MetricValue, Reason


def violations(
    values: Sequence[MetricValue | None], lower: FloatArray, upper: FloatArray, *, may_be_absent: bool = False
) -> BoolArray:
    """Which bounds (rows) which values (columns) violate.

    A number violates bounds that it lies outside of.  A metric that has no value for a reason in the data violates all
    bounds, for it had one in the past; what could not be measured (an error of the engine, statistics that are not
    kept) violates none: it is for the caller to say that it was not judged, see :func:`is_unknown`.

    :param lower: lower bounds, minus infinity for none
    :param upper: upper bounds, infinity for none
    :param may_be_absent: partitions without anything to measure have been there before, and are no violation
    """
    numbers = np.array([value if isinstance(value, float | int) else math.nan for value in values])
    with np.errstate(invalid="ignore"):
        outside = (numbers < lower[:, None]) | (numbers > upper[:, None])
    absent = [
        isinstance(value, Reason) and not is_unknown(value) and not (may_be_absent and value in ABSENT)
        for value in values
    ]
    return np.asarray(outside | np.array(absent, dtype=bool))


def violates(
    value: MetricValue | None, lower: float | None, upper: float | None, *, may_be_absent: bool = False
) -> bool:
    """The same of one value and one pair of bounds; None for a side without a bound."""
    bounds = np.array([-math.inf if lower is None else lower]), np.array([math.inf if upper is None else upper])
    return bool(violations([value], *bounds, may_be_absent=may_be_absent)[0, 0])


def excludes_nothing(lower: float | None, upper: float | None, natural: tuple[float, float]) -> bool:
    """Whether every number that there can be (from the lowest to the highest) lies within bounds."""
    lowest, highest = natural
    return (lower is None or lower <= lowest) and (upper is None or upper >= highest)


def is_unknown(value: MetricValue | None) -> bool:
    """Whether a metric could not be measured, for no reason in the data."""
    return value is None or value is Reason.ENGINE_ERROR
