"""A column of one partition beside the same column of another, and what is usual: as a table and as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from xml.etree.ElementTree import Element

from airflow_dq.explain.wording import number_words, quoted, share_words, times_words
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.report.histogram import bars_of, histogram
from airflow_dq.report.pages.column_table import bar_steps, number_of
from airflow_dq.report.words import capitalized
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.number import NumberDistribution

TOP = 8
"""Most values of texts that are shown side by side."""
NONE = "–"
_LEAST_SHARE = 0.0005
"""A share that differs by less is written alike."""
_LABELS = {
    "complete_ratio": "not null",
    "mean": "mean",
    "min": "smallest",
    "p05": "5% below",
    "p25": "25% below",
    "median": "median",
    "p75": "75% below",
    "p95": "95% below",
    "max": "largest",
    "zero_ratio": "zeros",
    "negative_ratio": "negative",
    "dist_val_count": "distinct values",
    "str_len": "average length",
    "max_len": "longest",
    "empty_ratio": "empty",
    "upper_len": "upper-case letters",
    "lower_len": "lower-case letters",
    "digit_len": "digits",
    "true_ratio": "true",
    "size_mean": "average size",
}
"""The metrics that are compared, in this order, and what they are called in a row."""
_OF_VALUES = ("mean", "min", "p05", "p25", "median", "p75", "p95", "max")
"""What is not shown of a column whose values are hidden."""


@dataclass(frozen=True, slots=True)
class Line:
    """A metric in both partitions.

    :param usual: its median over the partitions learned from
    :param moved: whether it differs clearly
    """

    words: str
    usual: str
    before: str
    now: str
    change: str
    moved: bool


@dataclass(frozen=True, slots=True)
class ValueLine:
    """A text's share in both partitions; bars in twentieths."""

    value: str
    before: str
    before_bar: int
    now: str
    now_bar: int


@dataclass(frozen=True, slots=True)
class Contrast:
    """All of a column.

    :param partition: key of the partition that it is compared with
    :param picture: both distributions of numbers, one behind the other
    """

    partition: str | None
    lines: Sequence[Line]
    values: Sequence[ValueLine]
    picture: Element | None
    has_usual: bool


def contrast(name: str, profile: Profile, other: Profile | None, history: Sequence[Profile] = ()) -> Contrast | None:
    """The comparison; None where one of the two does not have the column with values of the same kind.

    :param other: the partition that it is compared with
    :param history: the partitions that say what is usual
    """
    now, before = profile.columns.get(name), None if other is None else other.columns.get(name)
    if now is None or before is None or other is None or now.kind is not before.kind:
        return None
    hides = profile.options.hides(name) or other.options.hides(name)
    past = [column for one in history if (column := one.columns.get(name)) is not None and column.kind is now.kind]
    metrics = [metric for metric in _LABELS if not (hides and metric in _OF_VALUES)]
    lines = [line for metric in metrics if (line := _line(metric, now, before, past)) is not None]
    return Contrast(
        partition=other.partition,
        lines=lines,
        values=() if hides else _values(now, before),
        picture=None if hides else _picture(now, before),
        has_usual=bool(past),
    )


def _line(metric: str, now: ColumnProfile, before: ColumnProfile, past: Iterable[ColumnProfile]) -> Line | None:
    value, old = number_of(now, metric), number_of(before, metric)
    if value is None and old is None:
        return None
    known = [number for column in past if (number := number_of(column, metric)) is not None]
    usual = median(known) if known else None
    numbers = [number for number in (usual, old, value) if number is not None]
    texts = dict(zip(numbers, number_words(metric, now.kind, numbers), strict=True))
    change, moved = _change(metric, now.kind, value, old)
    return Line(
        words=capitalized(_LABELS[metric]),
        usual=NONE if usual is None else texts[usual],
        before=NONE if old is None else texts[old],
        now=NONE if value is None else texts[value],
        change=change,
        moved=moved,
    )


def _change(metric: str, kind: Kind, now: float | None, before: float | None) -> tuple[str, bool]:
    """What became of it, and whether that stands out: twice or half as much, ten points, from or to none, or gone."""
    if now is None or before is None:
        return ("appeared" if before is None else "vanished"), True
    if metric.endswith("_ratio"):
        points = 100 * (now - before)
        return ("", False) if abs(points) < 100 * _LEAST_SHARE else (f"{points:+.1f} points", abs(points) >= 10)
    if kind is not Kind.TIMESTAMP and min(before, now) == 0 < max(before, now):
        return ("from 0" if before == 0 else "to 0"), True
    if kind is Kind.TIMESTAMP or before <= 0 or now <= 0 or now == before:
        # A percentage of what lies below zero would be read the wrong way.
        return "", False
    factor = now / before
    if not 0.5 < factor < 2.0:
        return times_words(now, before), True
    percent = 100 * (factor - 1)
    return ("" if abs(percent) < 0.1 else f"{percent:+.1f}%"), False


def _picture(now: ColumnProfile, before: ColumnProfile) -> Element | None:
    states = [column.states.get(NumberDistribution.key) for column in (now, before)]
    new, old = states
    if not isinstance(new, NumberDistribution) or not isinstance(old, NumberDistribution):
        return None
    bars = bars_of(new, old)
    said = f"How the values of {now.name} are distributed, now and before"
    return None if bars is None else histogram(bars, now.kind, said, 460, 150)


def _values(now: ColumnProfile, before: ColumnProfile) -> list[ValueLine]:
    """The most frequent texts of both, the most frequent first."""
    states = [column.states.get(CategoryDistribution.key) for column in (now, before)]
    new, old = states
    if not isinstance(new, CategoryDistribution) or not isinstance(old, CategoryDistribution):
        return []
    shares: dict[str, list[float]] = {}
    for side, state in enumerate((new, old)):
        for one in state.top(TOP):
            shares.setdefault(str(one.value), [0.0, 0.0])[side] = one.count / max(1, state.total)
    # What is among the most frequent of one side may be there on the other.
    for value, both in shares.items():
        both[0] = both[0] or new.count_of(value) / max(1, new.total)
        both[1] = both[1] or old.count_of(value) / max(1, old.total)
    order = sorted(shares.items(), key=lambda item: -max(item[1]))[:TOP]
    if not order or max(order[0][1]) < 0.01:
        # Where each value is another one, a list of some says nothing.
        return []
    return [_value_line(value, *both) for value, both in order]


def _value_line(value: str, now: float, before: float) -> ValueLine:
    old, new = (share_words(share) if share else NONE for share in (before, now))
    return ValueLine(quoted(value), old, bar_steps(before), new, bar_steps(now))
