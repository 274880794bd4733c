"""What a person is told about a partition: alerts, each a sentence with its likely cause and what moved with it."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_dq.explain.fact import Fact
from airflow_dq.explain.wording import listed
from airflow_dq.learn.constraint.base import Evidence, Severity
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.profile.check.failed_rows import FailedRows
from airflow_dq.states.base import Kind
from airflow_dq.visible import visible


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a reader should know about what an alert is about, for the list below its sentence."""

    aspect: str
    """What it is about: ``history`` (the values before), ``rows``, ``missing``, ``quantile``, ``value``, ``pattern``
    or ``text``."""
    words: str
    """In words: ``'us' appeared: 12% of the values``."""
    subject: str | None = None
    """The value, pattern or metric it is about; None where there is none, or where values are hidden."""
    before: float | None = None
    """Number or share in the partition before."""
    now: float | None = None
    """The same in this partition."""
    label: str | None = None
    """What the subject is called in a table: ``zeros``, ``'us'``; None where the aspect names it."""


@dataclass(frozen=True, slots=True)
class Alert:
    """One reason why a partition did not pass, in words for the person who is paged.

    ``rule`` is ``range`` for a metric outside of its range, ``column_missing``, ``column_added``, ``column_renamed`` or
    ``column_retyped`` for a changed schema, ``date_column`` for a column that does not tell the partition's date as it
    always has, ``period`` for times outside of the partition's own, ``partition_repeated`` for an earlier one over
    again, ``first_occurrence`` for values of a sort that the column has never held, ``outsized_value`` for one many
    times as large as any before, ``value_gone`` for one that was always there, ``pattern`` for values that do not look
    as the column's always have, ``relation`` for rows that break what has held between columns, ``novelty`` for a
    partition that is odd as a whole.
    """

    rule: str
    column: str | None
    statement: str
    """What was seen, what was expected, from how many partitions, how unusual; without the column and the cause."""
    metric: str | None = None
    observed: MetricValue | None = None
    lower: float | None = None
    upper: float | None = None
    """Lowest and highest value of the metric that would have passed."""
    moving: bool = False
    """Whether these bounds hold for one partition only, because they follow from the values before it."""
    evidence: Evidence | None = None
    """How unusual it is, by what the history has seen."""
    partitions: int = 0
    """Number of past partitions that the expectation rests on."""
    history: tuple[tuple[str | None, float | None], ...] = ()
    """(partition, value) of the metric over the history, oldest first: what a chart shows."""
    kind: Kind | None = None
    """Kind of the column: how its values are written (a timestamp's are seconds)."""
    changes: tuple[Change, ...] = ()
    """The metric's last values, and on the column's first alert what changed in the column."""
    failing: FailedRows | None = None
    """Some of the rows that a check of each row found wrong."""
    cause: str | None = None
    """What it looks like (``change of unit, x60``), when one type of error explains it clearly best."""
    cause_stated: bool = False
    """Whether the cause is stated elsewhere, by the sentence or by the column's first alert: not in this message."""
    group: str | None = None
    """What alerts with one cause have in common; None for an alert that stands alone."""
    root: bool = True
    """Whether it speaks for its group: the others only moved with it."""
    moved_with: tuple[str, ...] = ()
    """The columns of the group that moved with it, on the alert that speaks for them."""
    columns: tuple[str, ...] = ()
    """The columns that it speaks of together; empty where it is about one, or about the table."""
    fact: Fact | None = None
    """What is known of the whole problem, on the alert that speaks for it."""
    severity: Severity = "fail"
    """What it does to the gate; see :mod:`airflow_dq.judge.severity`."""
    owner: str | None = None
    """Whom it concerns, as the declared check says that gave it."""
    snoozed: str | None = None
    """By whom and until when it is snoozed, in words; None when it is not."""

    event: str | None = None
    """The events of the calendar that the partition lies on, in words; None when there is none."""

    @property
    def is_range(self) -> bool:
        """Whether it says that a metric has left its range: then it has bounds, and a history to draw."""
        return self.rule == "range"

    @property
    def sentence(self) -> str:
        """The statement after what it is about; without the likely cause."""
        return visible(f"{self.column or 'the table'}: {self.statement}")

    @property
    def message(self) -> str:
        """All that is said of it in one paragraph: the sentence, its likely cause, what moved with it."""
        looks_like = "" if self._cause_to_state is None else f"Looks like: {self._cause_to_state}."
        return _paragraph(self.sentence, looks_like, self._moved_words, self._said_words)

    @property
    def headline(self) -> str:
        """A line of a list: its problem's headline, or else the message with its likely cause in front."""
        if self.fact is not None:
            return self.fact.headline
        if self._cause_to_state is None:
            return self.message
        looks_like = f"Looks like {self._cause_to_state}."
        return _paragraph(looks_like, self._moved_words, self._said_words, self.sentence)

    @property
    def _cause_to_state(self) -> str | None:
        return None if self.cause_stated else self.cause

    @property
    def _moved_words(self) -> str:
        """``2 other columns moved with it: a, b.``, or for the table, which is no column itself, ``2 columns ...``."""
        if not self.moved_with:
            return ""
        other, plural = "other " if self.column else "", "s" if len(self.moved_with) > 1 else ""
        return f"{len(self.moved_with)} {other}column{plural} moved with it: {listed(self.moved_with)}."

    @property
    def _said_words(self) -> str:
        """What people have said of its kind, and of its day."""
        on = f"(On {self.event}.)" if self.event else ""
        return f"(Snoozed {self.snoozed}.) {on}".strip() if self.snoozed else on


def _paragraph(*sentences: str) -> str:
    return visible(" ".join(sentence for sentence in sentences if sentence))
