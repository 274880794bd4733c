"""What a backtest finds: the verdict on each past partition, and what they say about the gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.problem import Problem, problems_of
from airflow_dq.judge.verdict import Decision, Status
from airflow_dq.options.learning import SynthesisOptions

JUDGED = (Status.PASS, Status.FAIL)
"""The statuses of a partition that was checked; the others are counted apart."""


@dataclass(frozen=True, slots=True)
class FailedPartition:
    """Stands in for the profile of a partition that could not be profiled."""

    partition: str
    reason: str
    """One sentence."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of partitions with its exact 95% confidence interval (Clopper and Pearson)."""

    count: int
    of: int
    low: float
    high: float

    @property
    def value(self) -> float | None:
        """The share itself; None when there was nothing to count."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class PartitionOutcome:
    """What the gate would have said about one partition."""

    partition: str | None
    rows: int | None
    """None when it could not be profiled."""
    status: Status
    alerts: tuple[Alert, ...] = ()
    reason: str | None = None
    """One sentence when the status is neither pass nor fail."""
    decision: Decision | None = None
    """What a person has decided about it."""
    columns: int = 0
    """Number of columns that were judged."""
    untrained: int = 0
    """How many of them were judged by an untrained program: the injected errors to train it on are no longer kept."""
    without_distances: bool = False
    """True when distances to the partition before were left out: the statistics to measure them are not kept."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What happened, the worst first."""
        return problems_of(self.alerts)

    @property
    def only_warns(self) -> bool:
        """Whether all of its alerts only warn, as declared checks may: it is learned from like one that passes."""
        return self.status is Status.FAIL and {alert.severity for alert in self.alerts} == {"warn"}


@dataclass(frozen=True, slots=True)
class ColumnOutcome:
    """How often one column would have alarmed (None: the table as a whole, its row count and schema)."""

    column: str | None
    alarms: Rate


@dataclass(frozen=True, slots=True)
class FiredClause:
    """One constraint that would have fired, on one or more partitions."""

    rule: str
    """As in :class:`~airflow_dq.explain.alert.Alert`."""
    column: str | None
    metric: str | None
    partitions: tuple[str | None, ...]
    message: str
    """The sentence of the newest alert."""


@dataclass(frozen=True, slots=True)
class Recall:
    """Injected errors of one type: how many there were, how many the program caught."""

    type: str
    caught: int
    injected: int


@dataclass(frozen=True, slots=True)
class TargetOutcome:
    """What another ``target_fpr`` would have meant, with the same history before each partition."""

    target_fpr: float
    alarms: int
    judged: int
    caught: int
    injected: int

    @property
    def recall(self) -> float | None:
        """Share of the injected errors that were caught; None when there were none."""
        return self.caught / self.injected if self.injected else None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A ``target_fpr`` that fits the table, and why."""

    target_fpr: float
    reason: str


@dataclass(frozen=True)
class BacktestResult:
    """What the gate would have done on the past partitions of a dataset."""

    format: ClassVar[str] = "backtest/1"
    """How its JSON document is named; another number when an older reader could not read it."""
    dataset: str | None
    options: SynthesisOptions
    accept_after: int | None
    """After this many alarms in a row a person was assumed to accept the new normal (None: never)."""
    partitions: tuple[PartitionOutcome, ...]
    """Oldest first; those that were only learned from are left out."""
    false_alarms: Rate
    """Alarms among the judged partitions, taking all of them for good except those that a person has rejected."""
    columns: tuple[ColumnOutcome, ...]
    """Most alarms first."""
    clauses: tuple[FiredClause, ...]
    """Most alarms first."""
    recall: tuple[Recall, ...]
    """By type of injected error."""
    recall_partitions: tuple[str | None, ...]
    """The partitions whose injected errors the program of their day was tried on."""
    targets: tuple[TargetOutcome, ...]
    """By ascending target."""
    suggestion: Suggestion | None

    def count(self, *statuses: Status) -> int:
        """Number of partitions with one of these statuses."""
        return sum(outcome.status in statuses for outcome in self.partitions)

    @property
    def rejected(self) -> Sequence[PartitionOutcome]:
        """The judged partitions that a person has rejected: an alarm on them is not a false one."""
        return [one for one in self.partitions if one.decision == "rejected" and one.status in JUDGED]
