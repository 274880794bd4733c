"""Whether a value violates bounds: decided here for training, evaluation, recall and row counts alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from airflow_dq.learn.array import BoolArray, FloatArray
from airflow_dq.learn.history.series import ABSENT
from airflow_dq.metrics.descriptor import MetricValue, Reason


@dataclass(frozen=True, slots=True)
class Observed:
    """Values of a metric, ready to be held against bounds: again and again, for as many bounds as there are."""

    numbers: FloatArray
    """NaN where there is none."""
    unexplained: BoolArray
    """Where there is none for a reason in the data that is not usual."""
    absent: BoolArray
    """Where there was nothing to measure."""

    @classmethod
    def of(cls, values: Sequence[MetricValue | None]) -> Observed:
        """Take the values."""
        numbers = np.array([value if isinstance(value, float | int) else math.nan for value in values])
        others = np.isnan(numbers)
        absent, known = others.copy(), others.copy()
        for place in np.flatnonzero(others).tolist():
            absent[place] = values[place] in ABSENT
            known[place] = isinstance(values[place], Reason) and not is_unknown(values[place])
        return cls(numbers, known & ~absent, absent)

    def __len__(self) -> int:
        """Number of values."""
        return len(self.numbers)


def violations(
    values: Sequence[MetricValue | None] | Observed,
    lower: FloatArray,
    upper: FloatArray,
    *,
    may_be_absent: bool = False,
) -> BoolArray:
    """Which bounds (rows) which values (columns) violate.

    A number violates bounds that it lies outside of.  A metric that has no value for a reason in the data violates all
    bounds, for it had one in the past; what could not be measured (an error of the engine, statistics that are not
    kept) violates none: it is for the caller to say that it was not judged, see :func:`is_unknown`.

    :param lower: lower bounds, minus infinity for none
    :param upper: upper bounds, infinity for none
    :param may_be_absent: partitions without anything to measure have been there before, and are no violation
    """
    seen = values if isinstance(values, Observed) else Observed.of(values)
    outside = (seen.numbers < lower[:, None]) | (seen.numbers > upper[:, None])
    return np.asarray(outside | (seen.unexplained if may_be_absent else seen.unexplained | seen.absent))


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
    """Whether a metric could not be measured, for no reason in the data that would be an error."""
    return value is None or value in (Reason.ENGINE_ERROR, Reason.NOT_COUNTED)
