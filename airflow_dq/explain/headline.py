"""What a problem is called: one line that begins with the fact, for whoever is paged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from airflow_dq.explain.alert import Alert, Change
from airflow_dq.explain.bounds import widths_outside
from airflow_dq.explain.cause.hypothesis import Cause
from airflow_dq.explain.fact import Fact
from airflow_dq.explain.problem import UNKNOWN, groups
from airflow_dq.explain.schema_headline import schema_fact
from airflow_dq.explain.wording import joined, metric_words, name_words, number_words, reason_words, share_words
from airflow_dq.learn.constraint.base import Finding
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.registry import find_metric
from airflow_dq.states.base import Kind
from airflow_dq.visible import visible

_OF_VALUES = frozenset({"pattern", "first_occurrence", "outsized_value", "value_gone", "segment", "period"})
"""Rules whose finding the cause of the column explains."""
_FIRST = ("partition_repeated", "date_column", "column_")
"""Rules, or how they begin, of what explains more than it is explained by."""
_PLURAL = {"is": "are", "has": "have"}
"""The first word of a fact, for several columns."""
_SAME_ROWS = 4
"""Columns that have changed in the same rows, of which each is told its fact."""
_TELLING = ("missing", "value", "quantile", "text", "pattern")
"""Aspects of what changed in a column, the one that says most first."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a partition when its problems are named."""

    rows: int
    """Rows of the partition."""
    causes: Mapping[str, Cause]
    """The likely cause of each column that has one."""
    order: Mapping[str, int]
    """Place of each column in the table."""
    schema: Mapping[str, Finding]
    """What was found of the schema, by column."""
    strange: Mapping[str, int] = field(default_factory=dict)
    """Rows with values that a column has never had, by column, as far as they are known."""
    looks: Mapping[str, str] = field(default_factory=dict)
    """By column what is so with values that break its pattern: what they look like, and what they usually do."""
    rows_by: str | None = None
    """The column that tells why there are too few or too many rows; None where none does."""
    novel: Mapping[str, Cause] = field(default_factory=dict)
    """The columns that make the partition odd as a whole, with what happened to them; empty where none tells."""


def with_facts(alerts: Sequence[Alert], known: Known) -> tuple[Alert, ...]:
    """The alerts, of which the one that speaks for each problem has the problem's fact; the worst problem first."""
    found = list(groups(alerts))
    facts = [_fact(one, known, alone=len(found) == 1) for one in found]
    order = sorted(range(len(found)), key=lambda place: weight(found[place], facts[place].rows, known))
    return tuple(
        _speaking(alert, facts[problem], known) if place == 0 else alert
        for problem in order
        for place, alert in enumerate(found[problem])
    )


def _speaking(alert: Alert, fact: Fact, known: Known) -> Alert:
    """The alert with the fact of its problem."""
    told = next((cause.words for cause in known.novel.values()), None) if alert.rule == "novelty" else None
    return replace(alert, fact=fact, cause=told or alert.cause)


def _fact(alerts: Sequence[Alert], known: Known, *, alone: bool) -> Fact:
    """What is known of one problem.

    :param alone: whether it is the partition's only one
    """
    root = alerts[0]
    columns = tuple(dict.fromkeys(alert.column for alert in alerts if alert.column is not None))
    if root.rule.startswith("column_"):
        return schema_fact(alerts, columns, known.schema, known.rows)
    cause = known.causes.get(root.column or "")
    if root.rule == "novelty" and known.novel:
        names = tuple(known.novel)
        return _explained(alerts, names, known.novel[names[0]], replace(known, causes=known.novel), alone=alone)
    if not root.is_range and (cause is None or root.rule not in _OF_VALUES):
        return _of_rule(root, columns, known)
    if root.column is None:
        return _of_rows(root, columns, known)
    if cause is None or root.group == "everything":
        return _unexplained(alerts, columns, known)
    return _explained(alerts, columns, cause, known, alone=alone)


def _of_rule(root: Alert, columns: tuple[str, ...], known: Known) -> Fact:
    """A rule that knows what is wrong: its statement is the fact."""
    subject = root.metric if root.rule == "check" else root.column
    key = " ".join(part for part in (root.rule, subject) if part)
    name = "" if root.column is None else f"{name_words(root.column)}: "
    own = columns or root.columns if root.column is None or root.rule == "date_column" else (root.column,)
    rows, looks = _rows_of_rule(root, known), known.looks.get(root.column or "") if root.rule == "pattern" else None
    said = f"{name}{root.statement}"
    if looks is not None and rows:
        said = f"{name_words(root.column or '')} looks otherwise than before in {rows_words(rows, known.rows)}{looks}"
    return Fact(key, _line(said), own, rows)


def _rows_of_rule(root: Alert, known: Known) -> int | None:
    """Rows concerned, where the rule tells: all of them, or a share that breaks it."""
    if root.rule in ("partition_repeated", "date_column"):
        return known.rows
    share = root.observed if root.rule in ("first_occurrence", "pattern", "period") else None
    return round(share * known.rows) if isinstance(share, float) else None


def _of_rows(root: Alert, columns: tuple[str, ...], known: Known) -> Fact:
    """The table has too few or too many rows."""
    usual = _usual(root)
    if not root.observed:
        return Fact("rows", _line(f"the partition is empty: 0 rows{usual}"), (), 0, _ADVICE["empty"])
    seen = f"{known.rows:,} row{'' if known.rows == 1 else 's'} arrived{usual}"
    told = "" if root.cause is None else f": {root.cause}"
    causes = [known.causes[name] for name in columns if name in known.causes]
    copied = next((cause.rows for cause in causes if cause.of_rows), None)
    of = () if known.rows_by is None else (known.rows_by,)
    return Fact("rows", _line(f"{seen}{told}"), of, copied or known.rows, _ADVICE["rows"])


def _explained(alerts: Sequence[Alert], columns: tuple[str, ...], cause: Cause, known: Known, *, alone: bool) -> Fact:
    """Columns with one cause."""
    everything, columns = columns, _alike(columns, cause, known)
    several = len(columns) > 1
    fact = cause.fact or f"has changed: {cause.plain or cause.words}"
    if several and not cause.of_rows:
        first, _, rest = fact.partition(" ")
        fact = f"{_PLURAL.get(first, first)} {rest}"
    # Of several columns each has its own numbers: the first one's are an example.
    detail = f"{name_words(columns[0])}: {cause.detail}" if several and not cause.of_rows else cause.detail
    bracket = f" ({detail})" if cause.detail else ""
    subject = "" if cause.of_rows else f"{joined([name_words(name) for name in columns])} "
    if cause.hit is not None and not several:
        # What has happened in the same rows is said of each column: the value of one is not that of another.
        own = {name: one for name in everything if (one := known.causes.get(name)) is not None and one.hit is not None}
        fact = joined([f"{name_words(name)} {one.fact}" for name, one in own.items()], _SAME_ROWS)
        subject, columns = "", tuple(own)
    rows = cause.rows if cause.rows else None
    where = "" if rows is None or cause.of_rows else f" in {rows_words(rows, known.rows)}"
    if cause.segment is not None:
        where = f" where {cause.segment} ({share_words(cause.share)} of the rows)"
    others = [name_words(name) for name in everything if name not in columns]
    too = f"; {joined(others)} changed with it" if others else ""
    proof = "" if others else _proof_words(alerts, columns, known, alone=alone)
    said = f"{subject}{fact}{bracket}{where}{too}{proof}"
    return Fact(f"{cause.type} {_first(everything, known)}", _line(said), everything, rows, _ADVICE.get(cause.type))


def _alike(columns: tuple[str, ...], cause: Cause, known: Known) -> tuple[str, ...]:
    """Those of which the cause can be said: their own is the same, or speaks of whole rows."""
    if cause.of_rows:
        return columns
    own = {name: known.causes.get(name) for name in columns}
    alike = (name for name, one in own.items() if one is not None and one.type == cause.type and _is_same(one, cause))
    return (columns[0], *(name for name in alike if name != columns[0]))


def _is_same(one: Cause, other: Cause) -> bool:
    """Whether two causes of a type say the same; of columns that had other nulls before, other shares became null."""
    return one.parameter == other.parameter or (one.hit is not None and one.fact == other.fact)


def _first(columns: Sequence[str], known: Known) -> str:
    """The column that stands first in the table: the same on the next day, whichever speaks for the others then."""
    return min(columns, key=lambda name: known.order.get(name, len(known.order)))


def rows_words(rows: int, of: int) -> str:
    """``all 738 rows``, ``120 of 738 rows``."""
    if rows >= of:
        return f"all {of:,} rows" if of > 1 else "the only row"
    return f"{rows:,} of {of:,} rows"


def _proof_words(alerts: Sequence[Alert], columns: Sequence[str], known: Known, *, alone: bool) -> str:
    """What became of it when it was undone: said only where it was tried on all of the columns.

    What several columns have in common, and what segments show beyond their means, is counted in the scan and cannot be
    judged again.
    """
    causes = (known.causes.get(name) for name in columns)
    proofs = [None if cause is None else cause.proof for cause in causes]
    if not proofs or None in proofs:
        return ""
    vanished, findings = (sum(getattr(proof, side) for proof in proofs) for side in ("vanished", "findings"))
    if vanished < findings:
        return f"; undone, {vanished} of {findings} findings vanish"
    if findings < len(alerts):
        again = "the finding that can be judged again vanishes"
        return f"; undone, {again if findings == 1 else f'the {findings} findings that can be judged again vanish'}"
    what = "the partition passes" if alone else "they pass" if len(columns) > 1 else "it passes"
    return f"; undone, {what}"


def _unexplained(alerts: Sequence[Alert], columns: tuple[str, ...], known: Known) -> Fact:
    """Columns that changed, nobody knows why: what can be seen."""
    root = alerts[0]
    assert root.column is not None
    seen = f"{name_words(root.column)}: {_seen(root, alerts)}"
    if len(columns) > 1:
        seen = f"{len(columns)} columns changed at once, {joined([name_words(name) for name in columns])}; {seen}"
    return Fact(f"{UNKNOWN} {root.column}", _line(seen), columns, known.strange.get(root.column))


def _seen(root: Alert, alerts: Sequence[Alert]) -> str:
    """The most telling thing that was seen of a column: a value that a person knows, before a distance between two."""
    if not root.is_range:
        return root.statement
    own = [alert for alert in alerts if alert.column == root.column]
    changes = [change for alert in own for change in alert.changes]
    told = _most_telling(changes)
    metric = find_metric(root.metric or "", root.kind)
    if metric is None or metric.pair or isinstance(root.observed, Reason | None):
        if told is not None:
            return told.words
        if isinstance(root.observed, Reason):
            return f"{metric_words(root.metric or '', pair=False)} has no value ({reason_words(root.observed)})"
        return "its values are distributed otherwise than before"
    # A quantile of a number that goes on from day to day moves each day: it is told where it is what alarmed.
    alarmed = {alert.metric for alert in own}
    told = _most_telling([change for change in changes if change.aspect != "quantile" or change.subject in alarmed])
    observed, usual = _observed_and_usual(root, float(root.observed))
    seen = f"{metric_words(root.metric or '', pair=False)} is {observed}{usual}"
    return f"{seen}; {told.words}" if told is not None and told.subject != root.metric else seen


def _most_telling(changes: Sequence[Change]) -> Change | None:
    known = [change for change in changes if change.aspect in _TELLING]
    return min(known, key=lambda change: _TELLING.index(change.aspect), default=None)


def weight(alerts: Sequence[Alert], rows: int | None, known: Known) -> tuple[bool, bool, float, float]:
    """Where a problem stands among those of a partition, the lowest first.

    What is wrong with the table as a whole, or with whole rows, explains the rest.  Then comes what lies at least the
    width of its range outside of it, and of that what concerns most rows; of problems of as many rows the one that is
    furthest outside.

    :param rows: rows concerned; None where nobody knows: then all, for that cannot be excluded
    """
    root, of = alerts[0], known.rows
    cause = known.causes.get(root.column or "")
    of_rows = (root.column is None and root.is_range) or (cause is not None and cause.of_rows)
    first = of_rows or root.rule.startswith(_FIRST)
    outside = max(_widths(alert) for alert in alerts)
    share = 1.0 if rows is None or not of else min(1.0, rows / of)
    return not first, outside < 1.0, -share, -outside


def _widths(alert: Alert) -> float:
    """By how many widths of its range the value lies outside; infinite where it left no range."""
    return widths_outside(alert.metric or "", alert.kind, alert) if alert.is_range else math.inf


def _usual(alert: Alert) -> str:
    """``, usually 148.2 to 156.9``; nothing where there are no bounds."""
    bounds = [bound for bound in (alert.lower, alert.upper) if bound is not None]
    return _usually(alert, number_words(alert.metric or "", alert.kind or Kind.NUMERIC, bounds)) if bounds else ""


def _observed_and_usual(alert: Alert, observed: float) -> tuple[str, str]:
    """The value, and what is usual, with as many digits as it takes to tell them apart."""
    bounds = [bound for bound in (alert.lower, alert.upper) if bound is not None]
    first, *texts = number_words(alert.metric or "", alert.kind or Kind.NUMERIC, [observed, *bounds])
    return first, _usually(alert, texts)


def _usually(alert: Alert, texts: Sequence[str]) -> str:
    """The bounds in words.

    :param texts: those that there are
    """
    if len(texts) == 2:
        return f", usually {texts[0]}" if texts[0] == texts[1] else f", usually {texts[0]} to {texts[1]}"
    return f", usually at {'most' if alert.lower is None else 'least'} {texts[0]}" if texts else ""


def _line(text: str) -> str:
    """One line, without a full stop at its end."""
    return visible(" ".join(text.split())).rstrip(".")


_ADVICE = {
    "empty": "Check that the job before has written the partition, and run it again.",
    "rows": "Compare with the source's own count; load what is missing, or remove what came twice.",
    "unit_change": "Ask who writes the column for the unit; convert it there, or accept it as the new normal.",
    "time_shift": "Check the time zone, and which day was loaded; load it again when it is another day's.",
    "increased_nulls": "Look at the join or the field that fills the column; load the partition again when it is back.",
    "stuck": "Look at the field that fills the column: a default or a constant has taken its place.",
    "swapped": "Look at the order of the columns in the statement or file that fills them.",
    "stale_partition": "Load the partition again: the source gave an earlier one's data.",
    "truncation": "Look for a field that became too short on the way.",
    "segment": "Look at what is special about these rows: their source, job or shop; `airflow dq drill` shows them.",
    "rewritten": "Ask who writes the column for its format; write it as before, or accept it as the new normal.",
    "unsigned": "Ask who writes the column whether the minus was meant to go: sums count these rows the other way now.",
    "overwritten": "Look at the field that fills the column: a default or an old value has taken the place of others.",
    "placeholder": "Ask who writes the column what the value stands for; write null for what is missing.",
    "clipped": "Look for a field that is too small, or a rule that limits the values.",
    "rounding": "Look for a type or a format that dropped the decimals on the way.",
    "schema_change": "Look at the order of the columns, and for a separator within a value.",
    "encoding": "Read the source as UTF-8, and load the partition again.",
    "new_values": "Ask whether the new values are meant; accept them as the new normal when they are.",
}
"""What to do, by the type of the cause."""
