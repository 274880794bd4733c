"""Verdicts and decisions in a word and a colour; the word alone is enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from airflow_dq.judge.verdict import Decision, Status
from airflow_dq.learn.constraint.base import Severity
from airflow_dq.report.words import count_or_no, status_words
from airflow_dq.store.summary import PartitionSummary

DECISIONS: dict[Decision, tuple[str, str]] = {
    "accepted": ("accepted", "good"),
    "rejected": ("rejected", "bad"),
    "new_normal": ("new normal", "good"),
}
"""Words and tone of each decision."""
LEGEND = (
    ("good", "passed"),
    ("bad", "failed"),
    ("warn", "warning"),
    ("wait", "warming up"),
    ("plain", "not judged"),
    ("good decided", "accepted"),
    ("bad decided", "rejected"),
)
"""What the colours of a strip mean."""
_ENDED = {Status.PASS: "passed", Status.FAIL: "failed"}
_TONES = {Status.PASS: "good", Status.FAIL: "bad", Status.ERROR: "bad"}

Where = Callable[[PartitionSummary], str | None]
"""The address of a partition's page; None where the reader may not see it, or there is none."""


@dataclass(frozen=True, slots=True)
class Badge:
    """A word and its colour: ``good``, ``bad``, ``warn``, ``wait`` or ``plain``."""

    words: str
    tone: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A partition in a strip.

    :param here: whether the page is about it
    """

    partition: str
    words: str
    colour: str
    address: str | None
    here: bool


def machine_badge(status: Status) -> Badge:
    """A verdict as it was given, before anybody said anything about it."""
    return Badge(status_words(status), _TONES.get(status, "wait"))


def badge(status: Status | None, severity: Severity | None, decision: Decision | None) -> Badge:
    """A verdict as it stands: a person's word goes before the machine's."""
    if decision is not None:
        return Badge(*DECISIONS[decision])
    if status is None:
        return Badge("not judged", "plain")
    if status is Status.FAIL and severity == "warn":
        return Badge("warning", "warn")
    return Badge(_ENDED.get(status, status_words(status)), _TONES.get(status, "wait"))


def strip(partitions: Sequence[PartitionSummary], where: Where, here: str | None = None) -> list[Mark]:
    """A dataset's partitions as one strip of marks.

    :param partitions: oldest first
    :param here: key of the partition that the page is about
    """
    return [_mark(partition, where(partition), partition.partition == here) for partition in partitions]


def _mark(partition: PartitionSummary, address: str | None, here: bool) -> Mark:
    shown = badge(partition.verdict, partition.severity, partition.decision)
    words = f"{partition.partition}: {shown.words}"
    if partition.alert_count:
        words += f", {count_or_no(partition.alert_count, 'alert')}"
    colour = shown.tone if partition.decision is None else f"{shown.tone} decided"
    return Mark(partition.partition, words, colour, address, here)
