"""What people see of judged partitions, and what they say about them: plain data, no database."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from airflow_dq.judge.verdict import Decision, Status, Verdict
    from airflow_dq.learn.constraint.base import Severity
    from airflow_dq.learn.program import Program

Action = Literal[
    "accepted", "rejected", "new_normal", "snoozed", "unsnoozed",
    "acknowledged", "assigned", "ticket", "noise", "not_noise",
    "event_added", "event_deleted", "rule_confirmed", "rule_muted", "rule_deleted",
]  # fmt: skip
"""What a line of the audit trail may tell of: decisions and snoozes, problems, the calendar, learned rules."""
AlertState = Literal["open", "decided", "closed"]

NO_MAP_INDEX = -1
"""Airflow's index of a task that is not mapped."""
ORIGINS = 50
"""Most tasks that are named of those that judged one partition."""
PAGE = 200
"""Most judged partitions that one list holds."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The task that judged a partition."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int = NO_MAP_INDEX
    owner: str | None = field(default=None, compare=False)
    """Who answers for the task; None where nobody was named."""


def through(origins: Iterable[Origin], dag_ids: Container[str]) -> Origin | None:
    """The first of some tasks that belongs to one of these DAGs: through it a reader comes to what it judged."""
    return next((origin for origin in origins if origin.dag_id in dag_ids), None)


@dataclass(frozen=True, slots=True)
class AlertSummary:
    """One alert as it is stored: found by its id, open or closed."""

    id: int
    dataset: str
    partition: str
    rule: str
    column: str | None
    metric: str | None
    message: str
    severity: Severity
    observed: float | None
    reason: str | None
    """Why there is no observed value."""
    lower: float | None
    upper: float | None
    created_at: datetime
    closed_at: datetime | None
    """None while it is open."""
    closed_reason: str | None
    decision: Decision | None
    """What a person decided about the partition."""
    origin: Origin | None
    snoozed_until: datetime | None
    """End of the longest active snooze that it falls under."""
    problem: str = ""
    """Key of the problem that it is evidence of."""


@dataclass(frozen=True, slots=True)
class VerdictSummary:
    """One line of the list that a person reviews: alerts come in bunches, a decision is about the partition."""

    verdict_id: int
    dataset: str
    partition: str
    status: Status
    judged_at: datetime
    origin: Origin | None
    """The task that judged it last; None when it was judged from elsewhere only (command line, notebook)."""
    decision: Decision | None
    decided_by: str | None
    decided_at: datetime | None
    alert_count: int
    """Open and closed ones."""
    open_count: int
    severity: Severity | None
    """``fail`` when one of its open alerts stops the gate (of all its alerts, when none is open), else ``warn``."""
    first_alert_id: int | None
    """The alert that speaks for the others."""
    headline: str | None
    """Its worst problem in one line, and how many more there are; what that alert says once it has none any more."""
    fingerprint: str = ""
    """Digest of the content that was judged."""
    others: tuple[Origin, ...] = ()
    """Other tasks that judged it too, of the same DAG or of another one that reads the dataset; the last one first."""

    @property
    def origins(self) -> tuple[Origin, ...]:
        """All tasks that judged it, the last one first."""
        return () if self.origin is None else (self.origin, *self.others)


@dataclass(frozen=True, slots=True)
class ReviewEvent:
    """One line of the audit trail, which is only ever added to."""

    id: int
    dataset: str
    partition: str | None
    """None for what is about the whole dataset, as a snooze is."""
    action: Action
    by: str
    at: datetime
    comment: str | None
    detail: str | None = None
    """Scope and end of a snooze; the earlier decision that was revised; which problem, rule or event it is about."""
    problem: str | None = None
    """Key of the problem of the partition that it is about."""
    value: Any = None
    """What was said of the problem: its owner, the ticket's address, the (column, metric) that are noise."""


@dataclass(frozen=True, slots=True)
class Snooze:
    """Until then matching alerts only warn."""

    id: int
    dataset: str
    column: str | None
    """None: any column, and the table itself."""
    metric: str | None
    """None: any metric, and what is no metric (a missing column)."""
    until: datetime
    by: str
    comment: str | None
    created_at: datetime

    @property
    def scope(self) -> str:
        """What it covers, in words."""
        column = "all columns" if self.column is None else f"column {self.column!r}"
        if self.metric is None:
            return "the whole dataset" if self.column is None else column
        return f"metric {self.metric!r} of {column}"


@dataclass(frozen=True, slots=True)
class Review:
    """A person's decision about a partition, as it stands."""

    decision: Decision
    by: str
    at: datetime
    comment: str | None

    @property
    def words(self) -> str:
        """Who decided what: ``accepted by ann: the supplier confirmed it``."""
        comment = f": {self.comment}" if self.comment else ""
        return f"{WORDS[self.decision]} by {self.by}{comment}"


@dataclass(frozen=True, slots=True)
class HistoryStart:
    """The partition at which a person has let the history begin anew."""

    partition: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class VerdictDetail:
    """Everything about one judged partition."""

    partition: VerdictSummary
    verdict: Verdict
    program: Program | None
    alerts: tuple[AlertSummary, ...]
    """Open and closed; the one that speaks for the others first."""
    events: tuple[ReviewEvent, ...]
    """About the partition, and snoozes of its dataset; oldest first."""
    snoozes: tuple[Snooze, ...]
    """Active ones of the dataset."""
    comment: str | None
    """What the person said who decided."""


@dataclass(frozen=True, slots=True)
class AlertFilter:
    """Which judged partitions to list; None: whatever it is."""

    dag_ids: frozenset[str] | None = None
    """Those judged by tasks of these DAGs; what was judged from elsewhere is in none of them."""
    dataset: str | None = None
    state: AlertState | None = None
    """``open``: with an open alert.  ``decided``: by a person.  ``closed``: no alert is open, and no person did it."""
    severity: Severity | None = None
    since: date | None = None
    """Judged on this day (UTC) or later."""
    until: date | None = None
    """Judged on this day (UTC) or earlier."""


@dataclass(frozen=True, slots=True)
class MetricHistory:
    """One metric over the newest partitions, oldest first."""

    column: str | None
    """None for the table's own."""
    metric: str
    values: tuple[tuple[str, float | None], ...]
    """(partition, value); None where the metric has no value."""
    unreadable: tuple[str, ...] = ()
    """The partitions whose stored values of the column are damaged."""


WORDS: dict[Decision, str] = {
    "accepted": "accepted",
    "rejected": "rejected",
    "new_normal": "accepted as the new normal",
}
