"""What a program is: a conjunction of constraints per column, and the verdict it gives on a partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Literal

from airflow_dq.metrics.registry import Bound, MetricValue
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.states.base import Kind

Severity = Literal["fail", "warn"]
"""What an alert does to the gate: stop it, or be recorded only."""


class Status(StrEnum):
    """A verdict in one word; only ``pass`` passes."""

    PASS = "pass"
    FAIL = "fail"
    WARMING_UP = "warming_up"
    NOT_EVALUATED = "not_evaluated"
    ERROR = "error"


class TransformKind(StrEnum):
    """How a metric's series is made stationary before it is bounded (AVH, Algorithm 5)."""

    IDENTITY = "identity"
    DIFF = "diff"
    LOG_DIFF = "log_diff"


@dataclass(frozen=True, slots=True)
class Transform:
    """The value itself, or its (log) difference to the value ``lag`` partitions before.

    With several ``cycles`` it is compared with the median of the values ``lag``, ``2 * lag``, ... partitions before,
    as far as the history reaches: one unusual week must not make the next one look unusual.
    """

    kind: TransformKind = TransformKind.IDENTITY
    lag: int = 0
    cycles: int = 1


@dataclass(frozen=True, slots=True)
class Clause:
    """One constraint: ``lower <= transform(metric) <= upper``; a missing side is None."""

    metric: str
    column: str | None
    """None for a clause about the whole table."""
    pair: bool
    """True for a two-distribution metric, measured against the partition before."""
    transform: Transform
    lower: float | None
    upper: float | None
    fpr: float
    """Bound on this clause's false-positive rate."""
    bound: Bound
    """The inequality that ``fpr`` comes from."""
    center: float
    """Mean of the transformed history."""
    spread: float
    """Standard deviation of the transformed history."""
    samples: int
    """Number of historical values behind ``center`` and ``spread``."""
    catches: tuple[str, ...] = ()
    """Labels of the injected variants that violate this clause: what it is expected to catch."""


@dataclass(frozen=True, slots=True)
class CalendarPart:
    """What a column has told of its partition's date, see :mod:`airflow_dq.learn.constraint.date_column`."""

    name: str
    """``year``, ``day of the month``, ``date as YYYY-MM-DD`` ..."""
    days: int
    """Which day's it is: this many after the one that the partition key names."""
    varied: bool
    """Whether it has changed often enough not to agree by chance; otherwise it explains a value and demands none."""


@dataclass(frozen=True, slots=True)
class ColumnProgram:
    """The conjunction of one column."""

    name: str
    kind: Kind
    clauses: tuple[Clause, ...]
    variants: int
    """Number of injected variants the program was trained on."""
    coverage: int
    """How many of them violate at least one clause."""
    ignored: Mapping[str, str] = field(default_factory=dict)
    """Metrics that could not be bounded, and why (``not stationary``, ``missing in the history``)."""
    reason: str | None = None
    """Why there are no clauses, when there are none."""
    calendar: tuple[CalendarPart, ...] = ()
    """Everything about its partitions' dates that the column's only value has been, if it has been anything."""

    @property
    def fpr(self) -> float:
        """Sum of the clauses' bounds: an upper bound on the program's false-positive rate (AVH, section 4.3)."""
        return sum(clause.fpr for clause in self.clauses)


@dataclass(frozen=True, slots=True)
class TableProgram:
    """Clauses about the whole table, judged once per partition: its schema, and its row count where a mode has one."""

    clauses: tuple[Clause, ...] = ()
    schema: Mapping[str, Kind] = field(default_factory=dict)
    """Expected columns and their kinds, in order."""


@dataclass(frozen=True)
class Program:
    """A validation program for the partition that follows its history."""

    format: ClassVar[str] = "program/1"
    """How its JSON document is named; another number when an older reader could not read it."""
    options: SynthesisOptions
    partitions: tuple[str | None, ...]
    """Keys of the partitions it was learned from, oldest first."""
    table: TableProgram
    columns: Mapping[str, ColumnProgram]
    missing: int = 0
    """How many more partitions are needed before it judges; 0 when it does."""


@dataclass(frozen=True, slots=True)
class ClauseResult:
    """One clause evaluated on one partition."""

    clause: Clause
    status: Status
    observed: MetricValue
    """The metric's value on the partition, before the transform."""
    transformed: float | None
    """The value that the bounds were applied to."""
    expected: tuple[float | None, float | None]
    """Lowest and highest value of the metric itself that would have passed (None: no bound on that side)."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a reader should know about what an alert is about, for the list below its sentence."""

    aspect: str
    """What it is about: ``history`` (the values before), ``rows``, ``missing``, ``quantile``, ``value``, ``pattern``
    or ``text``."""
    words: str
    """In words: ``'us' appeared: 12% of the values``."""
    subject: str | None = None
    """The value, pattern or metric it is about; None where there is none, or where values are hidden."""
    before: float | None = None
    """Number or share in the partition before."""
    now: float | None = None
    """The same in this partition."""


@dataclass(frozen=True, slots=True)
class Alert:
    """One reason why a partition did not pass, in words for the person who is paged.

    ``rule`` is ``metric`` for a violated clause, ``column_missing``, ``column_added``, ``column_renamed`` or
    ``column_retyped`` for a changed schema, ``calendar`` for a column that does not tell the partition's date as it
    always has, ``partition_repeated`` for an earlier partition over again, ``values_unheard`` for values of a sort that
    the column has never held.
    """

    rule: str
    column: str | None
    message: str
    """The sentence: what was seen, what was expected, from how many partitions, how unusual."""
    metric: str | None = None
    observed: MetricValue | None = None
    lower: float | None = None
    upper: float | None = None
    """Bounds on the metric itself (the transform undone)."""
    fpr: float | None = None
    """Chance of a false alarm, as bounded."""
    bound: Bound | None = None
    history: tuple[tuple[str | None, float | None], ...] = ()
    """(partition, value) of the metric over the history, oldest first: what a chart shows."""
    kind: Kind | None = None
    """Kind of the column: how its values are written (a timestamp's are seconds)."""
    changes: tuple[Change, ...] = ()
    """The metric's last values, and on the column's first alert what changed in the column."""
    cause: str | None = None
    """What it looks like (``change of unit, x60``), when one type of error explains it clearly best."""
    group: str | None = None
    """What alerts with one cause have in common; None for an alert that stands alone."""
    root: bool = True
    """Whether it speaks for its group: the others only moved with it."""
    severity: Severity = "fail"
    """What it does to the gate; see :mod:`airflow_dq.judge.severity`."""


@dataclass(frozen=True, slots=True)
class ScopeVerdict:
    """The verdict on one column, or on the table as a whole."""

    status: Status
    results: tuple[ClauseResult, ...] = ()
    reason: str | None = None
    """Why the status is neither pass nor fail."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on one partition; ``status`` is ``pass`` only if everything that was asked for was checked."""

    format: ClassVar[str] = "verdict/1"
    """How its JSON document is named; another number when an older reader could not read it."""
    partition: str | None
    status: Status
    table: ScopeVerdict
    columns: Mapping[str, ScopeVerdict]
    alerts: tuple[Alert, ...] = ()
    reason: str | None = None
    """One sentence when the status is neither pass nor fail (how many partitions are missing, what went wrong)."""
