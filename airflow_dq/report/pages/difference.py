"""What changed in a column, side by side: the partition before, and this one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from airflow_dq.explain.alert import Change
from airflow_dq.explain.wording import number_words, pattern_words, quoted, share_words, times_words
from airflow_dq.states.base import Kind

_TITLES = {
    "rows": "Rows",
    "missing": "Missing values",
    "quantile": "Quantiles",
    "value": "Values",
    "pattern": "Patterns",
    "text": "Shares",
}
"""Aspects that have two sides, in this order; the history has only words, and a chart shows it."""
_QUANTILES = {"p05": "5% below", "p25": "25% below", "p75": "75% below", "p95": "95% below"}
_BAR_STEPS = 20
"""Widths of a bar; the style sheet has a class for each."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a row.

    :param bar: width of a share's bar in steps; None for an amount, which has none
    """

    words: str
    bar: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that changed.

    :param words: what it is; the whole sentence where it has no two sides
    :param sides: before and now
    :param factor: whether the change is a factor that stands out
    """

    words: str
    sides: tuple[Side, Side] | None = None
    change: str = ""
    factor: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of one aspect."""

    title: str
    rows: Sequence[Row]


def difference(changes: Sequence[Change], kind: Kind | None) -> list[Group]:
    """The table, aspect by aspect; empty when nothing is known to have changed."""
    groups = (
        Group(title, [_row(change, kind or Kind.NUMERIC) for change in changes if change.aspect == aspect])
        for aspect, title in _TITLES.items()
    )
    return [group for group in groups if group.rows]


def _row(change: Change, kind: Kind) -> Row:
    if change.subject is None or change.before is None or change.now is None:
        return Row(change.words)
    if change.aspect in ("quantile", "rows"):
        return _amounts(change, change.subject, change.before, change.now, kind)
    before, now = change.before, change.now
    return Row(
        _label(change, change.subject),
        (_share(before), _share(now)),
        _verb(before, now) or f"{100 * (now - before):+.1f} points",
    )


def _amounts(change: Change, subject: str, before: float, now: float, kind: Kind) -> Row:
    metric, kind = ("row_count", Kind.NUMERIC) if change.aspect == "rows" else (subject, kind)
    old, new = number_words(metric, kind, [before, now])
    factor = times_words(now, before) if kind is Kind.NUMERIC and before and now / before > 0 else ""
    return Row(_label(change, subject), (Side(old), Side(new)), factor, factor=True)


def _share(value: float) -> Side:
    step = 0 if value <= 0 else max(1, round(value * _BAR_STEPS))
    return Side("–" if value == 0 else share_words(value), min(step, _BAR_STEPS))


def _verb(before: float, now: float) -> str:
    if before == 0:
        return "appeared"
    return "vanished" if now == 0 else ""


def _label(change: Change, subject: str) -> str:
    label = _LABELS.get(change.aspect)
    return subject if label is None else label(change, subject)


def _value_label(change: Change, subject: str) -> str:
    return change.words.partition(" ")[0] if not change.words.startswith("'") else quoted(subject)


_LABELS: dict[str, Callable[[Change, str], str]] = {
    "rows": lambda _, __: "number of rows",
    "quantile": lambda _, subject: _QUANTILES.get(subject, subject),
    "pattern": lambda _, subject: pattern_words(subject),
    # The sentence begins with what it is about: "zeros: 12%, before 3%".
    "text": lambda change, _: change.words.partition(":")[0],
    "value": _value_label,
}
"""What a row is about, by aspect; any other is about its subject."""
