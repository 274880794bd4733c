"""What a profile answers that is kept anyway: no row is read again for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from airflow_dq.check.model import Check, closest
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.registry import get_metric, metrics_for
from airflow_dq.profile.check.measured import NO_ROWS, NO_VALUES, Measured
from airflow_dq.profile.model import ColumnProfile
from airflow_dq.states.base import Kind
from airflow_dq.states.count import Counts
from airflow_dq.states.moment import Moments
from airflow_dq.states.number import NumberDistribution
from airflow_dq.states.written import WrittenNumbers

GONE = "the statistics that it is read from are no longer kept; profile the partition again"
_METRICS = {
    "mean": "mean",
    "sum": "sum",
    "std": "std",
    "range": "range",
    "skewness": "skewness",
    "kurtosis": "kurtosis",
    "median": "median",
    "min": "min",
    "max": "max",
    "mean_length": "str_len",
}
"""Name of a check's metric -> the metric of a column that is kept."""
_BESIDE = {"variance": "std", "quantile": "median", "iqr": "median"}
"""The same of those that are computed of what is kept: a metric of the same kinds of columns."""
_KINDS = {"mean_length": "texts"}
_OF_SHAPE = ("skewness", "kurtosis")
"""Metrics that values which are all equal do not have."""
_ALIKE = "all values in scope are equal, so that there is none"
_REASONS = {Reason.EMPTY_BATCH: NO_ROWS, Reason.NO_VALUES: NO_VALUES}


def of_column(check: Check, column: ColumnProfile) -> Measured:
    """What one column's profile says to a check of a ``stored`` metric."""
    if column.kind is Kind.NULL:
        rows = column.metrics.get("row_count")
        return Measured(nothing=NO_VALUES if rows else NO_ROWS)
    if check.metric != "profiled" and not applies(check, column.kind):
        return Measured(problem=wrong_kind(check, column.kind, _KINDS.get(check.metric, "numbers")))
    exact = _EXACT.get(check.metric)
    found = None if exact is None else exact(check, column)
    if found is not None:
        return found
    name = check.name if check.metric == "profiled" else _METRICS.get(check.metric)
    value = None if name is None else column.metrics.get(name)
    if isinstance(value, float | int):
        return Measured(value)
    if value in _REASONS:
        return Measured(nothing=_REASONS[value])
    if value is Reason.NOT_APPLICABLE and name in _OF_SHAPE:
        return Measured(nothing=_ALIKE)
    if value is not None:
        return Measured(problem=f"its value is not known: {value}")
    if check.metric == "profiled" and name not in column.metrics and column.metrics:
        known = ", ".join(sorted(column.metrics))
        return Measured(problem=f"the profile has no metric {name!r} of column {column.name!r}; it has {known}")
    return Measured(problem=GONE)


def applies(check: Check, kind: Kind) -> bool:
    """Whether columns of a kind have what a check of a stored metric is answered by.

    What is kept of the numbers in a text is for who names that metric itself: a check of numbers on a text is a mistake
    more often than not, and is told before any row is read.
    """
    name = metric_of(check)
    if name is None:
        return True
    metric = get_metric(name, kind)
    return metric is not None and (check.metric == "profiled" or WrittenNumbers not in metric.states)


def metric_of(check: Check) -> str | None:
    """The metric of a column that a check of a ``stored`` metric is answered by; None where it is none that is kept."""
    if check.metric == "profiled":
        return check.name
    return _METRICS.get(check.metric) or _BESIDE.get(check.metric)


def wrong_kind(check: Check, kind: Kind, wanted: str) -> str:
    """``column 'status' is string, and mean is of numbers``."""
    name = f"metric {check.name!r}" if check.metric == "profiled" else check.metric
    return f"column {check.columns[0]!r} is {kind}, and {name} is of {wanted}"


def require_measured(checks: Iterable[Check]) -> None:
    """Refuse a check of a metric that no profile has, whatever the kind of its column.

    :raises ConfigurationError: naming the check, and what there is
    """
    known = tuple(sorted({entry.name for kind in Kind for entry in metrics_for(kind, pair=False)}))
    for check in checks:
        if check.metric == "profiled" and check.name not in known:
            raise ConfigurationError(
                f"Check {check.id!r}: no metric {check.name!r} is registered; {closest(check.name, known)}."
            )


def completeness(column: ColumnProfile, rows: int) -> Measured:
    """The share of rows with a value, from counts where they are kept."""
    counts = column.states.get(Counts.key)
    if isinstance(counts, Counts):
        return Measured.share(counts.rows - counts.missing, counts.rows, NO_ROWS)
    value = column.metrics.get("complete_ratio")
    if isinstance(value, float):
        return Measured.share(round(value * rows), rows, NO_ROWS)
    return Measured(nothing=NO_ROWS) if value is Reason.EMPTY_BATCH else Measured(problem=GONE)


def _moments(column: ColumnProfile) -> Moments | None:
    found = column.states.get(Moments.key)
    return found if isinstance(found, Moments) and found.count else None


def _extreme(check: Check, column: ColumnProfile) -> Measured | None:
    """Whole numbers beyond 2**53 to the last digit, which a metric's float does not tell."""
    moments = _moments(column)
    if moments is None or not moments.long:
        return None
    low = check.metric == "min"
    value, rest = (moments.low, moments.low_rest) if low else (moments.high, moments.high_rest)
    return Measured(int(value) + rest)


def _variance(check: Check, column: ColumnProfile) -> Measured | None:
    value = column.metrics.get("std")
    return Measured(value * value) if isinstance(value, float) else _none_of("std", column)


def _quantiles(*shares: float) -> Callable[[Check, ColumnProfile], Measured | None]:
    """The quantile that the check names, or the distance between two."""

    def measure(check: Check, column: ColumnProfile) -> Measured | None:
        numbers = column.states.get(NumberDistribution.key)
        if not isinstance(numbers, NumberDistribution):
            return _none_of("median", column)
        if not numbers.total:
            return Measured(nothing=NO_VALUES)
        if shares:
            low, high = (numbers.quantile(one) for one in shares)
            return Measured(high - low)
        return Measured(numbers.quantile(check.quantile or 0.0))

    return measure


def _none_of(metric: str, column: ColumnProfile) -> Measured | None:
    """Why there is nothing to compute with."""
    value = column.metrics.get(metric)
    if value in _REASONS:
        return Measured(nothing=_REASONS[value])
    if metric not in column.metrics and column.metrics:
        return Measured(problem=f"column {column.name!r} is {column.kind}, and this is of numbers")
    return Measured(problem=GONE)


_EXACT: dict[str, Callable[[Check, ColumnProfile], Measured | None]] = {
    "min": _extreme,
    "max": _extreme,
    "variance": _variance,
    "quantile": _quantiles(),
    "iqr": _quantiles(0.25, 0.75),
}
