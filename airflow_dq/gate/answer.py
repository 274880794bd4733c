"""What a person answers to a gate's question: the buttons, what came of it, and how it is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airflow_dq.exceptions import AlreadyDecidedError, NotJudgedError
from airflow_dq.judge.verdict import BUTTONS

if TYPE_CHECKING:
    from airflow_dq.judge.verdict import Decision, Verdict
    from airflow_dq.store import Repository
    from airflow_dq.store.review_model import Review

COMMENT = "comment"
"""The form's only field."""
_DECISIONS = {option: decision for decision, option in BUTTONS.items()}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of the question."""

    decision: Decision | None
    """None when nobody answered in time, or the answer cannot be read."""
    by: str = "unknown"
    comment: str | None = None
    problem: str | None = None
    """Why there is no decision."""


def answer_of(event: Mapping[str, Any]) -> Answer:
    """What an event says that a parked task is resumed with."""
    if "error" in event:
        return Answer(None, problem=str(event["error"]))
    chosen = [_DECISIONS[option] for option in event.get("chosen_options") or () if option in _DECISIONS]
    if len(chosen) != 1:
        return Answer(None, problem=f"The answer {event.get('chosen_options')!r} is none of {list(_DECISIONS)}.")
    comment = (event.get("params_input") or {}).get(COMMENT)
    user: Any = event.get("responded_by_user") or {}
    name = user.get("name") or user.get("id") or "unknown"
    return Answer(chosen[0], str(name), str(comment).strip() or None if comment else None)


@dataclass(frozen=True, slots=True)
class Settled:
    """The partition as it is once an answer is recorded."""

    review: Review | None
    """The decision that holds; None when there is none, or when the question was about other content."""
    verdict: Verdict | None
    """What the decision is about; None when there is none, or the partition is to be judged again."""
    alert_id: int | None
    """The alert that speaks for the partition."""


def settle(repository: Repository, dataset: str, partition: str, answer: Answer, fingerprint: str, log: Any) -> Settled:
    """Record an answer, and see what the partition has come to.

    :param fingerprint: of the content that the question was about
    """
    review = _record(repository, dataset, partition, answer, fingerprint, log)
    verdict = None if review is None else repository.load_verdict(dataset, partition)
    detail = repository.verdict_of_partition(dataset, partition)
    return Settled(review, verdict, None if detail is None else detail.partition.first_alert_id)


def _record(
    repository: Repository, dataset: str, partition: str, answer: Answer, fingerprint: str, log: Any
) -> Review | None:
    """The decision that holds: a decision that was made elsewhere meanwhile is stored, and wins."""
    try:
        if answer.decision is not None:
            repository.decide(dataset, partition, answer.decision, answer.by, answer.comment, fingerprint=fingerprint)
    except AlreadyDecidedError:
        stored = repository.decision(dataset, partition)
        if stored is not None and stored.decision != answer.decision:
            log.warning("%s answered %r, and it stays: %s.", answer.by, answer.decision, stored.words)
        return stored
    except NotJudgedError as error:
        log.warning("%s", error)
        return None
    return repository.decision(dataset, partition)
