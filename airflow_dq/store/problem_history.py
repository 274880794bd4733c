"""Problems over time: one that is there on consecutive partitions is one problem, open since the first of them.

Nothing is kept for it but the key of the problem beside each alert: when it began follows from walking over the judged
partitions, which stays right when one of them is judged again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from airflow_dq.explain.problem import same_problem

if TYPE_CHECKING:
    from datetime import datetime

    from airflow_dq.judge.verdict import Decision
    from airflow_dq.learn.constraint.base import Severity

ProblemState = Literal["open", "snoozed", "accepted", "rejected", "new_normal", "resolved"]


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
    """What has become of it on the newest of them.  ``open``: nobody has answered.  ``snoozed``: it only warns for a
    while.  ``accepted``, ``rejected``, ``new_normal``: a person has said so.  ``resolved``: judged again, the partition
    no longer had it."""
    severity: Severity
    alert_id: int
    """The alert that speaks for it on the newest of them."""
    judged_at: datetime
    """When the newest of them was judged."""
    decided_by: str | None = None
    """Who decided about the newest of them."""

    @property
    def is_open(self) -> bool:
        """Whether nobody has said anything about it."""
        return self.state in ("open", "snoozed")

    @property
    def lasts(self) -> bool:
        """Whether the next partition may have it still: neither was it mended, nor did anybody find the data right."""
        return self.is_open or self.state == "rejected"


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
    return [*going, *ended]


def _continued(problem: ProblemSummary, going: Sequence[ProblemSummary]) -> ProblemSummary:
    """The problem with the time that it has been there."""
    before = next((one for one in going if one.lasts and same_problem(problem.key, one.key)), None)
    if before is None:
        return problem
    return replace(problem, since=before.since, partitions=before.partitions + 1)


def _goes_on(earlier: ProblemSummary, problem: ProblemSummary) -> bool:
    return earlier.lasts and problem.since == earlier.since and same_problem(problem.key, earlier.key)


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
