"""Bounds as a reader takes them: how far outside a value lies, and which of them say nothing."""

from __future__ import annotations

import math
from dataclasses import replace

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.history import Points
from airflow_dq.explain.wording import natural_range
from airflow_dq.learn.constraint.base import Finding
from airflow_dq.learn.constraint.range import Range
from airflow_dq.metrics.descriptor import Reason, Unit
from airflow_dq.metrics.registry import find_metric
from airflow_dq.states.base import Kind

_ROUNDING = 1e-6
"""A bound of a count that is closer to a whole number than this is that number."""


def widths_outside(metric: str, kind: Kind | None, finding: Finding | Alert) -> float:
    """By how many widths of its range a value lies outside, 0 or more; infinite where the range is a single value.

    A range that is open at one side ends there at what the metric can be at all, or else is as wide as its bound is
    large.
    """
    if isinstance(finding.observed, Reason | None):
        return math.inf
    lowest, highest = natural_range(metric, kind)
    lower = lowest if finding.lower is None else max(lowest, finding.lower)
    upper = highest if finding.upper is None else min(highest, finding.upper)
    beyond = max(lower - finding.observed, finding.observed - upper, 0.0)
    width = upper - lower
    if math.isinf(width):
        width = abs(upper if math.isinf(lower) else lower)
    return beyond / width if width > 0.0 else math.inf


def as_read(constraint: Range, finding: Finding, past: Points) -> Finding:
    """The finding with the bounds that a reader is shown, which admit the same values.

    :param past: the metric's past values
    """
    lower, upper = in_whole_numbers(constraint.metric, constraint.kind, finding.lower, finding.upper)
    return _without_idle_bound(replace(finding, lower=lower, upper=upper), past)


def in_whole_numbers(
    metric: str, kind: Kind | None, lower: float | None, upper: float | None
) -> tuple[float | None, float | None]:
    """Bounds of a count as counts, which admit the same: at least 807.2 rows are at least 808."""
    known = find_metric(metric, kind)
    if known is None or known.unit is not Unit.COUNT:
        return lower, upper
    low = None if lower is None else float(math.ceil(lower - _ROUNDING))
    high = None if upper is None else float(math.floor(upper + _ROUNDING))
    return (lower, upper) if low is not None and high is not None and low > high else (low, high)


def _without_idle_bound(finding: Finding, past: Points) -> Finding:
    """Without a lower bound below zero, where nothing was ever negative and the value is too large.

    ``expected -450 to 1,625`` of a positive quantity makes a reader wonder about its wrong end.
    """
    if finding.lower is None or finding.lower >= 0.0 or finding.upper is None:
        return finding
    known = [value for _, value in past if value is not None]
    too_large = isinstance(finding.observed, float | int) and finding.observed > finding.upper >= 0.0
    return replace(finding, lower=None) if too_large and known and min(known) >= 0.0 else finding
