"""Problems over time: one that is there on consecutive partitions is one problem, open since the first of them.

Kept for it are the key of the problem beside each alert, and in the audit trail what people have said of it on one of
its partitions.  When it began, and who owns it now, follow from walking over the judged partitions, which stays right
when one of them is judged again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from airflow_dq.explain.problem import same_problem
from airflow_dq.options.key import order_key

if TYPE_CHECKING:
    from datetime import datetime

    from airflow_dq.judge.verdict import Decision
    from airflow_dq.learn.constraint.base import Severity
    from airflow_dq.store.review_model import Action, ReviewEvent

ProblemState = Literal["open", "acknowledged", "snoozed", "accepted", "rejected", "new_normal", "resolved"]


@dataclass(frozen=True, slots=True)
class ProblemSummary:
    """One problem of a dataset, on all partitions in a row that have it."""

    dataset: str
    key: str
    """What it is; see :class:`~airflow_dq.explain.problem.Problem`."""
    headline: str
    """As it was on the newest of these partitions."""
    columns: tuple[str, ...]
    since: str
    """Key of the first partition that has it."""
    newest: str
    """Key of the last one."""
    partitions: int
    """How many have it, one after the other."""
    state: ProblemState
    """What has become of it on the newest of them.  ``open``: nobody has answered.  ``acknowledged``: nor that, but
    somebody has seen it.  ``snoozed``: it only warns for a while.  ``accepted``, ``rejected``, ``new_normal``: a person
    has said so.  ``resolved``: judged again, the partition no longer had it."""
    severity: Severity
    alert_id: int
    """The alert that speaks for it on the newest of them."""
    judged_at: datetime
    """When the newest of them was judged."""
    decided_by: str | None = None
    """Who decided about the newest of them."""
    default_owner: str | None = None
    """Who owns it while it is assigned to nobody: whom its check names, else the owner of the task that judged."""
    said: tuple[ReviewEvent, ...] = ()
    """What people have said of it on any of these partitions, oldest first."""

    @property
    def is_open(self) -> bool:
        """Whether nobody has decided about it."""
        return self.state in ("open", "acknowledged", "snoozed")

    @property
    def lasts(self) -> bool:
        """Whether the next partition may have it still: neither was it mended, nor did anybody find the data right."""
        return self.is_open or self.state == "rejected"

    @property
    def owner(self) -> str | None:
        """Who sees to it; None where nobody is known."""
        return self.assigned_to or self.default_owner

    @property
    def assigned_to(self) -> str | None:
        """Whom somebody has assigned it to."""
        assigned = self._last("assigned")
        return None if assigned is None or not assigned.value else str(assigned.value)

    @property
    def ticket(self) -> str | None:
        """Address of its ticket."""
        linked = self._last("ticket")
        return None if linked is None or not linked.value else str(linked.value)

    @property
    def acknowledged_by(self) -> str | None:
        """Who has seen it, the last one to say so."""
        seen = self._last("acknowledged")
        return None if seen is None else seen.by

    def is_noise_on(self, partition: str) -> bool:
        """Whether its alarm on one of these partitions was called noise, and that was not taken back."""
        own = [one for one in self.said if one.partition == partition and one.action in ("noise", "not_noise")]
        return bool(own) and own[-1].action == "noise"

    def is_on(self, partition: str) -> bool:
        """Whether a partition is one of those that have it, or lies between them."""
        return order_key(self.since) <= order_key(partition) <= order_key(self.newest)

    def _last(self, action: Action) -> ReviewEvent | None:
        return next((one for one in reversed(self.said) if one.action == action), None)


@dataclass(frozen=True, slots=True)
class JudgedDay:
    """One partition that passed or failed, with the problems that it has or had."""

    partition: str
    problems: tuple[ProblemSummary, ...] = ()


def over_time(days: Iterable[JudgedDay]) -> list[ProblemSummary]:
    """The problems of consecutive partitions put together, those of the newest partition first.

    :param days: the judged partitions, oldest first, each with its own problems; one that was not judged says nothing,
        and is left out
    """
    ended: list[ProblemSummary] = []
    going: Sequence[ProblemSummary] = ()
    for day in days:
        still = [_continued(problem, going) for problem in day.problems]
        ended = [*(one for one in going if not any(_goes_on(one, problem) for problem in still)), *ended]
        going = still
    return [_seen(one) for one in (*going, *ended)]


def _continued(problem: ProblemSummary, going: Sequence[ProblemSummary]) -> ProblemSummary:
    """The problem with the time that it has been there, and what was said of it meanwhile."""
    before = next((one for one in going if one.lasts and same_problem(problem.key, one.key)), None)
    if before is None:
        return problem
    # Said of an earlier partition it may have been later: the last word counts.
    said = tuple(sorted((*before.said, *problem.said), key=lambda one: one.id))
    return replace(problem, since=before.since, partitions=before.partitions + 1, said=said)


def _goes_on(earlier: ProblemSummary, problem: ProblemSummary) -> bool:
    return earlier.lasts and problem.since == earlier.since and same_problem(problem.key, earlier.key)


def _seen(problem: ProblemSummary) -> ProblemSummary:
    """The problem as one that somebody has seen, when it was said on any of its partitions."""
    acknowledged = problem.state == "open" and problem.acknowledged_by is not None
    return replace(problem, state="acknowledged") if acknowledged else problem


def state_of(decision: Decision | None, *, is_open: bool, snoozed: bool) -> ProblemState:
    """What has become of a problem on one partition.

    :param decision: what a person has said about the partition
    :param is_open: whether one of its alerts is open
    :param snoozed: whether all of its alerts are snoozed
    """
    if decision is not None:
        return decision
    if not is_open:
        return "resolved"
    return "snoozed" if snoozed else "open"
