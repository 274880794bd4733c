"""The decision on a partition: what stands, the choices for whoever may decide, and what was said before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from airflow_dq.judge.verdict import BUTTONS, Decision
from airflow_dq.report.pages.mark import DECISIONS, Badge
from airflow_dq.report.words import count_or_no
from airflow_dq.store.review_model import Action, ReviewEvent, VerdictDetail, VerdictSummary

_MEANINGS: dict[Decision, str] = {
    "accepted": "The data is right: it joins the history, and the run goes on.",
    "rejected": "The data is bad: it stays out of the history, the gate fails, and what follows does not run.",
    "new_normal": "The data is right and will stay like this: the run goes on, and history restarts here.",
}
_OUTCOMES: dict[Decision, str] = {
    "accepted": "The data is right: the partition joined the history.",
    "rejected": "The data is bad: the partition stays out of the history.",
    "new_normal": "The history restarts at this partition.",
}
_ACTIONS: dict[Action, str] = {
    "accepted": "accepted the partition",
    "rejected": "rejected the partition",
    "new_normal": "accepted the partition as the new normal",
    "snoozed": "snoozed",
    "unsnoozed": "ended the snooze of",
    "acknowledged": "acknowledged",
    "assigned": "took back who owns",
    "ticket": "took back the ticket of",
    "noise": "called noise:",
    "not_noise": "took back that it is noise:",
    "event_added": "added to the calendar:",
    "event_deleted": "removed from the calendar:",
    "rule_confirmed": "confirmed the rule",
    "rule_muted": "muted the rule",
    "rule_deleted": "deleted the rule",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A button and what it means."""

    value: Decision
    button: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Standing:
    """The decision that stands."""

    badge: Badge
    by: str | None
    at: datetime | None
    comment: str | None
    outcome: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """A task that may wait for the decision, and Airflow's address that says whether it does."""

    task: str
    address: str


@dataclass(frozen=True, slots=True)
class DecisionCard:
    """The card about the decision.

    :param standing: None while nobody has decided
    :param action: where the form is sent; None for a reader who may not decide
    :param waiting: the gates that may wait for it
    :param rerun: where the form is sent that lets the partition be profiled again; None where that cannot be done
    :param resume: the choice that was made, for a gate that waits all the same; None while there is none
    """

    standing: Standing | None
    action: str | None
    waiting: Sequence[Waiting]
    dag_id: str
    fingerprint: str
    choices: Sequence[Choice]
    resume: Decision | None = None
    rerun: str | None = None


@dataclass(frozen=True, slots=True)
class TrailLine:
    """One line of the audit trail."""

    at: datetime
    by: str
    what: str
    comment: str | None = None


def decision_card(
    detail: VerdictDetail, action: str | None, waiting: Sequence[Waiting], dag_id: str, rerun: str | None = None
) -> DecisionCard:
    """The card; the choices are those that would change something."""
    partition = detail.partition
    others = [decision for decision in BUTTONS if decision != partition.decision]
    return DecisionCard(
        standing=None if partition.decision is None else _standing(detail, partition.decision),
        action=action,
        waiting=waiting,
        dag_id=dag_id,
        fingerprint=partition.fingerprint,
        choices=[Choice(decision, BUTTONS[decision], _MEANINGS[decision]) for decision in others],
        resume=partition.decision,
        rerun=rerun,
    )


def _standing(detail: VerdictDetail, decision: Decision) -> Standing:
    partition = detail.partition
    badge = Badge(*DECISIONS[decision])
    return Standing(badge, partition.decided_by, partition.decided_at, detail.comment, _OUTCOMES[decision])


def trail(partition: VerdictSummary, events: Sequence[ReviewEvent]) -> list[TrailLine]:
    """The audit trail, oldest first, the gate's own verdict in its place.

    :param events: oldest first
    """
    by = "The gate" if partition.origin else "The partition was judged: the gate"
    verdict = TrailLine(partition.judged_at, by, f"found {count_or_no(partition.alert_count, 'alert')}")
    lines = [TrailLine(event.at, event.by, _what(event), event.comment) for event in events]
    # Snoozes of the dataset may be older than the verdict.
    lines.insert(sum(line.at < partition.judged_at for line in lines), verdict)
    return lines


def _what(event: ReviewEvent) -> str:
    words = _ACTIONS[event.action]
    if event.value and event.action == "assigned":
        words = f"assigned to {event.value}:"
    elif event.value and event.action == "ticket":
        words = f"linked {event.value} to"
    return words + (f" {event.detail}" if event.detail else "")
