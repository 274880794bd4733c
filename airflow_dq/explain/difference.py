"""Two partitions beside each other: what came and went, and which metrics moved most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from airflow_dq.explain.change import changes_of
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.previous import PreviousPartition
from airflow_dq.explain.wording import metric_words, number_words
from airflow_dq.metrics.descriptor import Metric, MetricValue, Reason, Unit
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind

_ROUNDING = 1e-9
"""A metric that moved by less has not: sums of the same numbers in another order differ by that."""


@dataclass(frozen=True, slots=True)
class MovedMetric:
    """One metric of one column in both partitions."""

    column: str
    metric: str
    before: float | None
    """None where it has no value: there is no row, say."""
    after: float | None
    before_text: str | None
    after_text: str | None
    moved: float
    """By how much, from 0 to 1: a share by its points, all else relative to the larger of both values, or to how widely
    the column's values are spread where that is more.  It orders metrics of different units, and is no evidence."""
    learned: bool
    """Whether a gate learns ranges of it: what it does not look at (a kurtosis) moves by itself."""

    @property
    def words(self) -> str:
        """What it measures."""
        return metric_words(self.metric, pair=False)


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """What is notable about one column, in sentences."""

    column: str
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """How a partition differs from another one."""

    rows: tuple[int, int]
    appeared: tuple[str, ...]
    """Columns of the second that the first lacks."""
    vanished: tuple[str, ...]
    retyped: tuple[tuple[str, str, str], ...]
    """Columns of another type: name, type before, type after."""
    moved: tuple[MovedMetric, ...]
    """The metrics that are not equal, those that a gate learns first, of these those that moved most; not the places of
    timestamps, which move every day and are told in ``columns``."""
    columns: tuple[ColumnChange, ...]
    """Values and patterns that came and went, quantiles that moved, and the like; only where the states are kept."""
    unkept: tuple[str, ...]
    """Columns whose states are not kept of both partitions: of these only metrics are compared."""


def difference(before: Profile, after: Profile) -> Difference:
    """Compare two partitions."""
    shared = [name for name in after.columns if name in before.columns]
    pairs = [(before.columns[name], after.columns[name]) for name in shared]
    moved = [one for a, b in pairs if a.kind is b.kind for one in _moved(a, b)]
    changed = (ColumnChange(name, tuple(_changes(name, before, after))) for name in shared)
    return Difference(
        rows=(before.row_count, after.row_count),
        appeared=tuple(name for name in after.columns if name not in before.columns),
        vanished=tuple(name for name in before.columns if name not in after.columns),
        retyped=tuple((a.name, a.data_type, b.data_type) for a, b in pairs if a.data_type != b.data_type),
        moved=tuple(sorted(moved, key=lambda one: (not one.learned, -one.moved))),
        columns=tuple(one for one in changed if one.changes),
        unkept=tuple(a.name for a, b in pairs if not (a.states and b.states)),
    )


def _changes(name: str, before: Profile, after: Profile) -> Iterator[str]:
    comparison = Comparison.of(name, after, [before], PreviousPartition(before))
    if comparison is not None:
        # The number of rows is told once, for the table.
        yield from (change.words for change in changes_of(comparison) if change.aspect != "rows")


def _moved(before: ColumnProfile, after: ColumnProfile) -> Iterator[MovedMetric]:
    for metric in metrics_for(after.kind, pair=False):
        values = before.metrics.get(metric.name), after.metrics.get(metric.name)
        if metric.of_table or values[0] == values[1] or _is_date(metric, after.kind):
            continue
        a, b = (_number(value) for value in values)
        known = [value for value in (a, b) if value is not None]
        texts = iter(number_words(metric.name, after.kind, known))
        shown = [None if value is None else next(texts) for value in (a, b)]
        size = 1.0 if a is None or b is None else _size(metric, a, b, before, after)
        if size > _ROUNDING:
            yield MovedMetric(after.name, metric.name, a, b, shown[0], shown[1], size, metric.learned(named=False))


def _size(metric: Metric, before: float, after: float, *columns: ColumnProfile) -> float:
    change = abs(after - before)
    if metric.unit is Unit.SHARE:
        return min(1.0, change)
    spread = [0.0, *(_number(column.metrics.get("std")) or 0.0 for column in columns)]
    # A skewness of 0.01 is as good as one of -0.01.
    least = spread if metric.unit is Unit.COLUMN else [1.0 if metric.unit is Unit.NUMBER else 0.0]
    return min(1.0, change / max(abs(before), abs(after), *least))


def _is_date(metric: Metric, kind: Kind) -> bool:
    return metric.unit is Unit.COLUMN and kind is Kind.TIMESTAMP


def _number(value: MetricValue | None) -> float | None:
    return None if value is None or isinstance(value, Reason) else float(value)
