"""What a verdict means for the task: go on, go on with a warning, skip what follows, or fail, in words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from airflow_dq.explain.lines import evidence, marked
from airflow_dq.explain.problem import headline_of
from airflow_dq.explain.record import Record, record_words
from airflow_dq.judge.verdict import Status
from airflow_dq.judge.wording import held_words, not_judged_words

if TYPE_CHECKING:
    from airflow_dq.explain.problem import Problem
    from airflow_dq.judge.verdict import Verdict
    from airflow_dq.store.review_model import Review

OnViolation = Literal["fail", "skip", "warn", "review"]
WarmingUp = Literal["pass", "fail"]
Outcome = Literal["pass", "warn", "skip", "fail", "warming_up", "unjudged", "review", "accepted", "new_normal"]

_DONE: dict[Outcome, str] = {
    "warn": "fail, goes on all the same (on_violation='warn')",
    "skip": "what follows is skipped",
    "review": "waits for a person",
    "accepted": "passes",
    "new_normal": "passes",
}

SHOWN = 20
"""Problems that a task's message and its XCom spell out; a wholly different table may have hundreds."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What the gate does about one partition."""

    dataset: str
    partition: str | None
    outcome: Outcome
    """``pass``: checked and found right.  ``accepted``, ``new_normal``: a person found it right.  ``warn``,
    ``warming_up``, ``unjudged``: goes on all the same.  ``review``: a person is asked."""
    status: str
    """The verdict's status."""
    message: str
    """What is logged: one line, and below it each problem with its evidence."""
    reason: str | None = None
    problems: tuple[Problem, ...] = ()
    """What happened, the worst first; none where it passes."""
    review: Review | None = None
    """What a person has decided about the partition."""
    not_judged: Mapping[str, str] = field(default_factory=dict)
    """Columns that were not judged, and why."""
    record: Record | None = None
    """How reliable the gate has been on the partitions before, where there are alerts."""
    notes: tuple[str, ...] = ()
    """What the calendar of events says of the partition, and of those that it was not compared with."""

    @property
    def is_right(self) -> bool:
        """Whether the data was found right, by the program or by a person."""
        return self.outcome in ("pass", "accepted", "new_normal")

    @property
    def line(self) -> str:
        """The message in one line: what a task fails with, when its log has said the rest."""
        first, *rest = self.message.splitlines()
        if not rest or not self.problems:
            return self.message
        return f"{first.rpartition('; ')[0]}; {headline_of(self.problems)}"

    def to_dict(self) -> dict[str, Any]:
        """What XCom and an asset's event get: small plain data."""
        return {
            "dataset": self.dataset,
            "partition": self.partition,
            "outcome": self.outcome,
            "status": self.status,
            "reason": self.reason,
            "headline": headline_of(self.problems),
            "problems": [
                {
                    "key": problem.key,
                    "headline": problem.headline,
                    "columns": list(problem.columns[:SHOWN]),
                    "rows": problem.rows,
                    "severity": problem.severity,
                }
                for problem in self.problems[:SHOWN]
            ],
            "problem_count": len(self.problems),
            "alert_count": sum(len(problem.alerts) for problem in self.problems),
            "not_judged": dict(self.not_judged),
            "notes": list(self.notes),
            "record": None if self.record is None else {**asdict(self.record), "words": record_words(self.record)},
            "decision": None if self.review is None else self.review.decision,
            "decided_by": None if self.review is None else self.review.by,
        }


def conclude(
    dataset: str,
    verdict: Verdict,
    on_violation: OnViolation,
    warming_up: WarmingUp = "pass",
    review: Review | None = None,
) -> Conclusion:
    """What to do about a verdict; a partition that was not judged goes on only while its history is too short.

    :param on_violation: what a violation does, unless all of its alerts only warn
    :param warming_up: what a history that is too short does
    :param review: a person's decision about this verdict, which overrules it
    """
    outcome = _outcome(verdict, on_violation, warming_up, review)
    return Conclusion(
        dataset,
        verdict.partition,
        outcome,
        str(verdict.status),
        summarize(dataset, verdict, outcome, review),
        verdict.reason,
        verdict.problems,
        review,
        verdict.not_judged,
        verdict.record,
        verdict.notes,
    )


def _outcome(verdict: Verdict, on_violation: OnViolation, warming_up: WarmingUp, review: Review | None) -> Outcome:
    if review is not None:
        if review.decision == "rejected":
            return "skip" if on_violation == "skip" else "fail"
        return review.decision
    match verdict.status:
        case Status.PASS:
            return "pass"
        case Status.FAIL:
            return "warn" if verdict.severity == "warn" else on_violation
        case Status.WARMING_UP:
            return "warming_up" if warming_up == "pass" else "fail"
        case _:
            return "fail"


def unjudged(dataset: str, partition: str, reason: str) -> Conclusion:
    """The partition goes on without a verdict, because the DAG's author wants it so."""
    message = f"{_where(dataset, partition)}: not judged, goes on unchecked; {reason}"
    return Conclusion(dataset, partition, "unjudged", str(Status.NOT_EVALUATED), message, reason)


def summarize(dataset: str, verdict: Verdict, outcome: Outcome, review: Review | None = None) -> str:
    """One line, and below it each problem with its evidence."""
    where = _where(dataset, verdict.partition)
    if review is not None and verdict.status is not Status.FAIL:
        done = "does not pass" if review.decision == "rejected" else "passes"
        return f"{where}: {done}, {review.words} (verdict: {verdict.status})"
    match verdict.status:
        case Status.PASS:
            return " ".join([f"{where}: pass; {held_words(verdict)}.", *verdict.notes])
        case Status.FAIL:
            return "\n".join(_violation_lines(dataset, verdict, outcome, review))
        case Status.WARMING_UP:
            done = "passes unjudged" if outcome == "warming_up" else "does not pass (warming_up='fail')"
            return f"{where}: warming up, {done}; {verdict.reason}"
        case _:
            return f"{where}: not judged ({verdict.status}), so it does not pass; {verdict.reason}"


def _violation_lines(dataset: str, verdict: Verdict, outcome: Outcome, review: Review | None) -> Iterator[str]:
    count = len(verdict.problems)
    done = _DONE.get(outcome, "fail")
    if outcome == "warn" and verdict.severity == "warn":
        done = "warning, goes on"
    if review is not None:
        done = f"{done}, {review.words}"
    yield f"{_where(dataset, verdict.partition)}: {done}; {count} problem{'s' if count != 1 else ''}:"
    for problem in verdict.problems[:SHOWN]:
        yield f"- {marked(problem)}"
        yield from (f"    {line}" for line in evidence(problem))
    if count > SHOWN:
        command = shlex.join(["airflow", "dq", "explain", dataset, str(verdict.partition)])
        yield f"- and {count - SHOWN} more: {command}"
    # A bullet is a problem; what else there is to say is none.
    if verdict.not_judged:
        yield f"Not judged: {not_judged_words(verdict)}"
    yield from verdict.notes
    if (said := record_words(verdict.record)) is not None:
        yield f"How reliable this gate has been: {said}"


def _where(dataset: str, partition: str | None) -> str:
    return f"Dataset {dataset!r}, partition {partition!r}"
