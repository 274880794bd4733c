"""A problem over its life: since when it is there, what has become of it, who sees to it, where its ticket is."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_dq.report.pages.mark import Badge
from airflow_dq.store.problem_history import ProblemState, ProblemSummary

_BADGES: dict[ProblemState, Badge] = {
    "open": Badge("open", "bad"),
    "acknowledged": Badge("acknowledged", "warn"),
    "snoozed": Badge("snoozed", "wait"),
    "accepted": Badge("accepted", "good"),
    "rejected": Badge("rejected", "bad"),
    "new_normal": Badge("new normal", "good"),
    "resolved": Badge("resolved by a re-run", "good"),
}


@dataclass(frozen=True, slots=True)
class Life:
    """What is told of a problem, and where more can be said.

    :param words: since when, and on how many partitions in a row
    :param owner: who sees to it, and whether by default
    :param assigned_to: whom somebody has assigned it to
    :param default_owner: who owns it otherwise
    :param is_noise: whether its alarm on this partition was called noise
    :param action: where the forms are sent; None for a reader who may not say anything
    """

    badge: Badge
    words: str
    owner: str
    assigned_to: str
    default_owner: str
    ticket: str
    is_acknowledged: bool
    is_noise: bool
    action: str | None


def life_of(problem: ProblemSummary, partition: str, action: str | None) -> Life:
    """What the page of one of its partitions tells."""
    default = problem.default_owner or ""
    by_default = f"{default} (by default)" if default else ""
    return Life(
        badge=_BADGES[problem.state],
        words=_since_words(problem),
        owner=problem.assigned_to or by_default,
        assigned_to=problem.assigned_to or "",
        default_owner=default,
        ticket=problem.ticket or "",
        is_acknowledged=problem.acknowledged_by is not None,
        is_noise=problem.is_noise_on(partition),
        action=action,
    )


def _since_words(problem: ProblemSummary) -> str:
    if problem.partitions == 1:
        return f"on {problem.since} alone"
    return f"on {problem.partitions:,} partitions in a row, {problem.since} to {problem.newest}"
