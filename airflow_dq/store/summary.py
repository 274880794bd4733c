"""What the store says about datasets, partitions and attempts, for a person and for the gate that waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from airflow_dq.judge.verdict import Decision, Status
    from airflow_dq.learn.constraint.base import Severity
    from airflow_dq.store.review_model import Origin

AttemptState = Literal["running", "succeeded", "failed"]


@dataclass(frozen=True, slots=True)
class AttemptStatus:
    """The newest attempt at a partition."""

    attempt: int
    state: AttemptState
    error: str | None
    """One sentence, when it failed."""
    started_at: datetime
    finished_at: datetime | None
    has_profile: bool
    """A profile of the partition is stored, by this attempt or by an earlier one."""
    is_current: bool
    """The stored profile is this attempt's."""
    clock_ahead: timedelta = timedelta(0)
    """How far the database's clock, by which the times here are, was seen ahead of this process's; negative: behind."""


@dataclass(frozen=True, slots=True)
class WhereRead:
    """Where the rows of a stored profile were read, and as what."""

    place: Mapping[str, str]
    """``path``, ``pattern``, ``table``, ``sql``, ``partition_by``, as far as given; empty for what was imported."""
    read_options: Mapping[str, str]
    """``format``, and the reader's options; those that look like secrets are ``***``."""
    engine: str
    """What read them, and its version."""


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """One line of ``airflow dq status``."""

    name: str
    partitions: int
    """Partitions with a profile."""
    newest: str | None
    """Key of the newest partition with a profile."""
    profiled_at: datetime | None
    """Last time that any of them was profiled."""
    open_alerts: int = 0
    open_partitions: int = 0
    """Partitions with an open alert."""
    open_problems: int = 0
    """What they alarmed about: one that is open on several partitions counts on each."""


@dataclass(frozen=True, slots=True)
class PartitionSummary:
    """One line of ``airflow dq status DATASET``."""

    partition: str
    rows: int | None
    """None without a profile."""
    profiled_at: datetime | None
    attempt: AttemptState
    """State of the newest attempt."""
    error: str | None
    verdict: Status | None
    """None when the profile, as it is now, was not judged."""
    decision: Decision | None
    """What a person decided about it."""
    alerts: int
    """Those that are open."""
    alert_count: int = 0
    """Open and closed ones."""
    problems: int = 0
    """What the open alerts are evidence of."""
    problem_count: int = 0
    """The same of open and closed ones."""
    severity: Severity | None = None
    """``warn`` when none of the (open) alerts stops the gate; the verdict is ``fail`` all the same."""
    verdict_id: int | None = None
    first_alert_id: int | None = None
    """The alert that speaks for the others."""
    origins: tuple[Origin, ...] = ()
    """The tasks that judged it, the last one first."""
    replayed: Status | None = None
    """What the gate would have said of it, by the last backtest of the stored history; None where none has."""


@dataclass(frozen=True, slots=True)
class PartitionMark:
    """One of the newest partitions of a dataset, in its line of the overview."""

    partition: str
    rows: int
    verdict: Status | None
    """None when the profile, as it is now, was not judged."""
    decision: Decision | None
    severity: Severity | None
    alert_count: int = 0
    replayed: Status | None = None
    """What the gate would have said of one that it has not judged; None where no backtest tells."""

    @property
    def is_good(self) -> bool:
        """Whether it was found right, by a gate or by a person."""
        if self.decision is not None:
            return self.decision != "rejected"
        # Not its enumeration: this module imports nothing that a list does not need.
        return self.verdict is not None and self.verdict.value == "pass"


@dataclass(frozen=True, slots=True)
class OpenProblem:
    """What is open of a dataset, as far as the reader may see it."""

    partition: str
    """The newest partition that waits."""
    headline: str
    alert_id: int
    dag_id: str
    """A DAG through which the reader comes to it."""
    partitions: int
    """How many partitions wait."""
    severity: Severity | None


@dataclass(frozen=True, slots=True)
class DatasetOverview:
    """One dataset in one line."""

    name: str
    marks: tuple[PartitionMark, ...]
    """Its newest partitions, oldest first."""
    profiled_at: datetime | None
    """When the last of them was profiled."""
    problem: OpenProblem | None = None
    failed: str | None = None
    """A newer partition that could not be profiled."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was dropped."""

    datasets: int = 0
    """Those of which anything was."""
    partitions: int = 0
    columns: int = 0
    """Column profiles."""

    def __add__(self, other: Pruned) -> Pruned:
        """Both together."""
        return Pruned(self.datasets + other.datasets, self.partitions + other.partitions, self.columns + other.columns)
