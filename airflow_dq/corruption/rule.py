"""How one metric of a whole partition changes with an error that was observed on a sample of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from airflow_dq.metrics.registry import MetricValue, Reason


@dataclass(frozen=True, slots=True)
class Change:
    """What a rule sees: a metric of the whole partition, and of the sample before and after the error."""

    full: float
    clean: float
    injected: float
    scale: float = 1.0
    """Rows of the partition per row of the sample."""


Rule = Callable[[Change], float]


def shifted(change: Change) -> float:
    """The sample's shift, applied to the partition; a fall towards zero is carried as a ratio, and never passes it."""
    if _falls(change):
        return change.full * (change.injected / change.clean)
    return change.full + (change.injected - change.clean)


def scaled(change: Change) -> float:
    """The sample's relative change, applied to the partition; what the sample shows where there is no ratio."""
    if change.clean == 0.0 or change.injected == 0.0 or (change.clean < 0) != (change.injected < 0):
        return change.injected
    return change.full * (change.injected / change.clean)


def _share(change: Change) -> float:
    """A ratio from 0 to 1: what is there falls, or what is missing falls, in the sample's proportion."""
    if change.injected < change.clean:
        return change.full * (change.injected / change.clean)
    return 1.0 - (1.0 - change.full) * ((1.0 - change.injected) / (1.0 - change.clean))


def _total(change: Change) -> float:
    if _falls(change):
        return change.full * (change.injected / change.clean)
    return change.full + (change.injected - change.clean) * change.scale


def _falls(change: Change) -> bool:
    same_side = change.full * change.clean > 0.0 and change.injected * change.clean >= 0.0
    return same_side and abs(change.injected) < abs(change.clean)


def _count(change: Change) -> float:
    return float(round(scaled(change)))


def _unique(change: Change) -> float:
    return min(1.0, scaled(change))


def unchanged(change: Change) -> float:
    """The partition's own value."""
    return change.full


RULES: dict[str, Rule] = {
    "row_count": _count,
    "dist_val_count": _count,
    "unique_ratio": _unique,
    "complete_ratio": _share,
    "true_ratio": _share,
    "mode_ratio": _share,
    "zero_ratio": _share,
    "negative_ratio": _share,
    "integer_ratio": _share,
    "infinite_ratio": _share,
    "leading_blank_ratio": _share,
    "trailing_blank_ratio": _share,
    "non_ascii_ratio": _share,
    "control_ratio": _share,
    "numeric_ratio": _share,
    "midnight_ratio": _share,
    "pat_count": _count,
    "sum": _total,
}
"""How metrics are carried that a plain shift does not suit."""

THINNED: dict[str, Rule] = {"row_count": _count, "sum": scaled, "dist_val_count": _count, "unique_ratio": _unique}
"""The metrics that change when fewer rows of the same distribution arrive."""


def scale_rules(factor: float, offset: float) -> dict[str, Rule]:
    """How metrics change when every number is multiplied by ``factor`` (positive) and ``offset`` is added."""

    def linear(change: Change) -> float:
        return change.full * factor + offset

    def stretched(change: Change) -> float:
        return change.full * factor

    rules: dict[str, Rule] = {"integer_ratio": _share, "midnight_ratio": _share}
    rules |= dict.fromkeys(("min", "max", "mean", "median", "p05", "p25", "p75", "p95"), linear)
    return rules | dict.fromkeys(("range", "std", "sum"), stretched)


def finite(value: float) -> MetricValue:
    """The value, or the reason why a metric cannot take it."""
    return value if math.isfinite(value) else Reason.OVERFLOW
