"""The evidence: column by column, what changed and how far outside the learned range it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.record import record_words
from airflow_dq.judge.verdict import Verdict
from airflow_dq.judge.wording import not_judged_words, what_holds
from airflow_dq.profile.check.failed_rows import FailedRows
from airflow_dq.report.pages.card import Card, cards
from airflow_dq.report.pages.difference import Group, difference
from airflow_dq.report.words import capitalized, count

CARDS = 60
"""Most alerts that get a chart: a page must load in a second even when every column of a wide table broke."""


@dataclass(frozen=True, slots=True)
class Root:
    """An alert that speaks for its group; ``column`` is None for the table as a whole."""

    column: str | None
    cause: str | None
    sentence: str


@dataclass(frozen=True, slots=True)
class First:
    """What broke first, the most telling alert first; ``text`` says what there is to say when nothing broke.

    :param record: how reliable the gate has been so far
    """

    heading: str
    roots: Sequence[Root] = ()
    text: str = ""
    not_judged: str = ""
    record: str | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column that speaks for itself, or the table as a whole.

    :param sentences: of alerts that have no chart
    :param failing: check -> some of the rows that it found wrong
    """

    name: str | None
    kind: str | None
    cause: str | None
    sentences: Sequence[str]
    difference: Sequence[Group]
    cards: Sequence[Card]
    failing: Sequence[tuple[str, FailedRows]] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """All of it.

    :param moved: alerts of columns that only moved with another
    :param rest: sentences of the alerts that are too many for a chart
    """

    columns: Sequence[Column]
    moved: Sequence[Card]
    moved_words: str
    rest: Sequence[str]


def first_words(verdict: Verdict) -> First:
    """What broke first, in words."""
    roots = _one_per_column(alert for alert in verdict.alerts if alert.root)
    if not roots:
        held = f"Everything that was checked holds: {what_holds(verdict)}."
        return First("What the gate found", text=verdict.reason or held, not_judged=not_judged_words(verdict))
    heading = "What broke" if len(roots) == 1 else "What broke first"
    found = [Root(alert.column, alert.cause, capitalized(alert.statement)) for alert in roots]
    return First(heading, found, not_judged=not_judged_words(verdict), record=record_words(verdict.record))


def _one_per_column(alerts: Iterable[Alert]) -> list[Alert]:
    """The first alert of each column; alerts about anything but a range are each about something else."""
    seen: dict[tuple[str | None, str | None], Alert] = {}
    for alert in alerts:
        seen.setdefault((alert.column, None if alert.is_range else alert.statement), alert)
    return list(seen.values())


def evidence(verdict: Verdict) -> Evidence:
    """The evidence of a verdict's alerts."""
    shown = verdict.alerts[:CARDS]
    # One section for a column, even when one of its alerts speaks for the group and others moved with it.
    leading = dict.fromkeys(alert.column for alert in shown if alert.root)
    moved = [alert for alert in shown if alert.column not in leading]
    columns = dict.fromkeys(alert.column for alert in shown if alert.column in leading)
    return Evidence(
        columns=[_column(name, [alert for alert in shown if alert.column == name], verdict) for name in columns],
        moved=cards(moved, verdict.partition),
        moved_words=f"{count(len(moved), 'alert')} in {count(len({alert.column for alert in moved}), 'column')}",
        rest=[alert.message for alert in verdict.alerts if alert not in shown],
    )


def _column(name: str | None, alerts: Sequence[Alert], verdict: Verdict) -> Column:
    changes = next((alert.changes for alert in alerts if alert.changes), ())
    kind = next((alert.kind for alert in alerts if alert.kind), None)
    return Column(
        name=name,
        kind=str(kind) if kind and name else None,
        cause=next((alert.cause for alert in alerts if alert.cause), None),
        sentences=[alert.message for alert in alerts if not alert.is_range],
        difference=difference(changes, kind),
        cards=cards((alert for alert in alerts if alert.is_range), verdict.partition),
        failing=[(alert.metric or alert.rule, alert.failing) for alert in alerts if alert.failing is not None],
    )
