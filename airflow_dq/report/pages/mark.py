"""Verdicts and decisions in a word and a colour; the word alone is enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from airflow_dq.judge.verdict import Decision, Status
from airflow_dq.learn.constraint.base import Severity
from airflow_dq.report.pages.address import Addresses
from airflow_dq.report.words import count_or_no, status_words
from airflow_dq.store.review_model import through
from airflow_dq.store.summary import PartitionSummary

DECISIONS: dict[Decision, tuple[str, str]] = {
    "accepted": ("accepted", "good"),
    "rejected": ("rejected", "bad"),
    "new_normal": ("new normal", "good"),
}
"""Words and tone of each decision."""
_LEGEND = (
    ("good", "passed"),
    ("bad", "failed"),
    ("warn", "warning"),
    ("wait", "warming up"),
    ("plain", "not judged"),
    ("good decided", "accepted"),
    ("bad decided", "rejected"),
    ("good would", "would have passed"),
    ("bad would", "would have failed"),
)
"""What the colours of a strip mean."""
_ENDED = {Status.PASS: "passed", Status.FAIL: "failed"}
WOULD = " would"
"""Behind the colour of a partition that no gate has judged, and a backtest has."""
WOULD_HAVE = {Status.PASS: "would have passed", Status.FAIL: "would have failed"}
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


def machine_badge(status: Status, severity: Severity | None = None) -> Badge:
    """A verdict as it was given, before anybody said anything about it."""
    words = status_words(status, severity)
    return Badge(words, "warn" if words == "warning" else _TONES.get(status, "wait"))


def badge(status: Status | None, severity: Severity | None, decision: Decision | None) -> Badge:
    """A verdict as it stands: a person's word goes before the machine's."""
    if decision is not None:
        return Badge(*DECISIONS[decision])
    if status is None:
        return Badge("not judged", "plain")
    if status is Status.FAIL and severity == "warn":
        return Badge("warning", "warn")
    return Badge(_ENDED.get(status, status_words(status)), _TONES.get(status, "wait"))


def is_good(partition: PartitionSummary) -> bool:
    """Whether a partition was found right, by a gate or by a person."""
    if partition.decision is not None:
        return partition.decision != "rejected"
    return partition.verdict is Status.PASS


def strip(partitions: Sequence[PartitionSummary], where: Where, here: str | None = None) -> list[Mark]:
    """A dataset's partitions as one strip of marks.

    :param partitions: oldest first
    :param here: key of the partition that the page is about
    """
    return [_mark(partition, where(partition), partition.partition == here) for partition in partitions]


def marks_of(
    partitions: Sequence[PartitionSummary],
    readable: frozenset[str],
    dataset: str,
    addresses: Addresses,
    *,
    here: str | None = None,
    through_dag: str | None = None,
) -> list[Mark]:
    """A dataset's partitions as marks that lead to their pages, as far as the reader may see them.

    :param readable: DAGs that the reader may see: of what only others judged there is a mark, and no page
    :param here: key of the partition that the page is about
    :param through_dag: a readable DAG that judges the dataset, through which partitions that nobody judged are seen
    """

    def where(partition: PartitionSummary) -> str | None:
        origin = through(partition.origins, readable)
        if partition.verdict is None or not partition.origins:
            known = through_dag is not None and partition.rows is not None
            return addresses.partition(through_dag or "", dataset, partition.partition) if known else None
        if origin is None:
            return None
        if partition.first_alert_id is not None:
            return addresses.alert(origin.dag_id, partition.first_alert_id)
        return addresses.partition(origin.dag_id, dataset, partition.partition)

    return strip(partitions, where, here)


def legend_of(marks: Sequence[Mark]) -> list[tuple[str, str]]:
    """What the colours of these marks mean."""
    shown = {mark.colour for mark in marks}
    return [(colour, words) for colour, words in _LEGEND if colour in shown]


def _mark(partition: PartitionSummary, address: str | None, here: bool) -> Mark:
    shown = badge(partition.verdict, partition.severity, partition.decision)
    if partition.verdict is None and partition.replayed is not None:
        return _would_be(partition, partition.replayed, address, here)
    words = f"{partition.partition}: {shown.words}"
    if partition.alert_count:
        words += f", {count_or_no(partition.alert_count, 'alert')}"
    colour = shown.tone if partition.decision is None else f"{shown.tone} decided"
    return Mark(partition.partition, words, colour, address, here)


def _would_be(partition: PartitionSummary, status: Status, address: str | None, here: bool) -> Mark:
    """A partition that no gate has judged, and a backtest has."""
    shown = badge(status, None, None)
    told = f"it {WOULD_HAVE[status]}" if status in WOULD_HAVE else shown.words
    words = f"{partition.partition}: not judged; by the backtest {told}"
    return Mark(partition.partition, words, shown.tone + WOULD, address, here)
