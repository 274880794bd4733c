"""How a change that an error makes to a metric of a sample carries over to the metric of the whole partition.

A metric's decorator says which of these rules suits it; :mod:`airflow_dq.corruption` applies them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SampleChange:
    """What a rule sees: a metric of the whole partition, and of the sample before and after the error."""

    full: float
    clean: float
    injected: float
    scale: float = 1.0
    """Rows of the partition per row of the sample."""


Rule = Callable[[SampleChange], float]
LinearRule = Callable[[SampleChange, float, float], float]
"""The rule, the positive factor that multiplies every number, and the offset that is then added to it."""


def shifted(change: SampleChange) -> float:
    """The sample's shift, applied to the partition; a fall towards zero is taken as a ratio, and never passes it."""
    if _falls(change):
        return change.full * (change.injected / change.clean)
    return change.full + (change.injected - change.clean)


def scaled(change: SampleChange) -> float:
    """The sample's relative change, applied to the partition; what the sample shows where there is no ratio."""
    if change.clean == 0.0 or change.injected == 0.0 or (change.clean < 0) != (change.injected < 0):
        return change.injected
    return change.full * (change.injected / change.clean)


def of_share(change: SampleChange) -> float:
    """A ratio from 0 to 1: what is there falls, or what is missing falls, in the sample's proportion."""
    if change.injected < change.clean:
        return change.full * (change.injected / change.clean)
    return 1.0 - (1.0 - change.full) * ((1.0 - change.injected) / (1.0 - change.clean))


def of_total(change: SampleChange) -> float:
    """A sum over rows: each row of the sample stands for several."""
    if _falls(change):
        return change.full * (change.injected / change.clean)
    return change.full + (change.injected - change.clean) * change.scale


def of_count(change: SampleChange) -> float:
    """The sample's relative change, in whole things."""
    return float(round(scaled(change)))


def of_distinct_share(change: SampleChange) -> float:
    """The sample's relative change, at most 1."""
    return min(1.0, scaled(change))


def unchanged(change: SampleChange) -> float:
    """The partition's own value."""
    return change.full


def unmoved(change: SampleChange, factor: float, offset: float) -> float:
    """The partition's own value: it depends neither on the unit nor on where zero lies."""
    return change.full


def moved(change: SampleChange, factor: float, offset: float) -> float:
    """A value of the column, which changes as all values do."""
    return change.full * factor + offset


def stretched(change: SampleChange, factor: float, offset: float) -> float:
    """A width in the column's unit: the offset takes nothing from it."""
    return change.full * factor


def share_after(change: SampleChange, factor: float, offset: float) -> float:
    """A share of the values that a linear change may make any other: as the sample shows."""
    return of_share(change)


def _falls(change: SampleChange) -> bool:
    same_side = change.full * change.clean > 0.0 and change.injected * change.clean >= 0.0
    return same_side and abs(change.injected) < abs(change.clean)


@dataclass(frozen=True, slots=True)
class Extrapolation:
    """The rules of one metric, one for each way in which an error reaches a partition."""

    replaced: Rule = shifted
    """Some values became others."""
    thinned: Rule = unchanged
    """Fewer rows of the same distribution arrived."""
    linear: LinearRule = unmoved
    """Every number was multiplied, and an offset added."""
    extreme: Callable[[float, float], float] | None = None
    """Picks the outer of two, for the smallest and the largest value: where rows at the old one stay, the new one can
    only lie further out, and no rule is asked."""
    derived: Callable[[Mapping[str, Any]], float | None] | None = None
    """Makes the metric from the column's others, by name, once these are known; None where one has no value."""


SHIFT = Extrapolation()
"""Averages, and whatever no other rule suits."""
COUNT = Extrapolation(replaced=of_count)
ROWS = Extrapolation(replaced=of_count, thinned=of_count)
"""Counts that fall with the number of rows."""
SHARE = Extrapolation(replaced=of_share)
SHARE_OF_NUMBERS = Extrapolation(replaced=of_share, linear=share_after)
DISTINCT_SHARE = Extrapolation(replaced=of_distinct_share, thinned=of_distinct_share)
TOTAL = Extrapolation(replaced=of_total, thinned=scaled, linear=stretched)
LEVEL = Extrapolation(linear=moved)
"""Means and quantiles."""
WIDTH = Extrapolation(linear=stretched)
SMALLEST = Extrapolation(linear=moved, extreme=min)
LARGEST = Extrapolation(linear=moved, extreme=max)
