"""The columns of a partition as a table: what is in each, how it is distributed, and how near it came to an alarm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from airflow_dq.explain.wording import metric_words, number_words, quoted, share_words
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.learn.constraint.base import Severity
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.report.course import WIDEST, Course, Insight, Near
from airflow_dq.report.histogram import bars_of, histogram
from airflow_dq.report.number import range_words
from airflow_dq.report.pages.mark import Badge, machine_badge
from airflow_dq.report.sparkline import Sparkline, banded, sparkline
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.number import NumberDistribution
from airflow_dq.store.review_model import MetricHistory

COLUMNS = WIDEST
"""Most columns that are listed; a page must load in a second."""
HIDDEN = "hidden"
"""Stands for what would tell a value of a column whose values must not be shown."""
NONE = "–"
_MINUTES = len("2026-02-15 18:12")
_AMOUNTS = {
    Kind.NUMERIC: ("min", "mean", "max"),
    Kind.TIMESTAMP: ("min", "mean", "max"),
    Kind.STRING: (None, "str_len", "max_len"),
    Kind.BOOLEAN: (None, "true_ratio", None),
    Kind.BINARY: ("size_min", "size_mean", "size_max"),
    Kind.NESTED: ("size_min", "size_mean", "size_max"),
}
"""What stands for the smallest, the typical and the largest of each kind."""
_BAD = (Status.FAIL, Status.ERROR, Status.NOT_EVALUATED)


@dataclass(frozen=True, slots=True)
class NearWords:
    """How near a column came to an alarm.

    :param percent: the part of the way to the bound, in percent; ``alarm`` beyond it
    :param spark: the metric over the past partitions, inside of the range that was expected of it
    """

    metric: str
    percent: str
    words: str
    outside: bool
    spark: Element | None


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """One column.

    :param data_type: the source's own type
    :param low: smallest, typical and largest value (of texts their lengths), as far as they may be shown
    :param unit: what these are where they are no values: ``characters``
    :param picture: how the numbers are distributed
    :param plain: a metric over the past partitions, where no range says how near it came
    :param frequent: (value, share in words, width of its bar) of the most frequent texts
    """

    name: str
    data_type: str
    badge: Badge | None
    nulls: str
    distinct: str
    low: str
    middle: str
    high: str
    unit: str
    picture: Element | None
    frequent: Sequence[tuple[str, str, int]]
    near: NearWords | None
    plain: Sparkline | None
    remark: str | None


def column_rows(
    profile: Profile,
    verdict: Verdict | None,
    insight: Insight | None,
    moves: Sequence[MetricHistory],
    other: Profile | None = None,
) -> list[ColumnRow]:
    """The rows: what failed first, then in the table's order.

    :param moves: metrics of the columns over the newest partitions
    :param other: the partition whose distribution is drawn behind
    """
    nears = {} if insight is None else {near.column: near for near in insight.nears}
    outside = by_column(moves)
    states: Mapping[str, ScopeVerdict] = {} if verdict is None else verdict.columns
    names = sorted(profile.columns, key=lambda name: name not in states or states[name].status not in _BAD)
    return [
        _row(
            profile.columns[name],
            hides=profile.options.hides(name),
            state=states.get(name),
            severity=None if verdict is None else verdict.column_severity(name),
            near=near_words(nears.get(name), insight, outside.get(name, {})),
            plain=_plain_spark(outside.get(name, {}), profile.columns[name].kind),
            other=None if other is None or other.options.hides(name) else other.columns.get(name),
        )
        for name in names[:COLUMNS]
    ]


def by_column(moves: Iterable[MetricHistory]) -> dict[str | None, dict[str, MetricHistory]]:
    """Histories of metrics by column and metric."""
    found: dict[str | None, dict[str, MetricHistory]] = {}
    for one in moves:
        found.setdefault(one.column, {})[one.metric] = one
    return found


def near_words(near: Near | None, insight: Insight | None, outside: Mapping[str, MetricHistory]) -> NearWords | None:
    """How near it came, in words and as a small picture."""
    if near is None or insight is None:
        return None
    course: Course | None = insight.course(near.column, near.metric, outside)
    value = number_words(near.metric, near.kind, [near.observed])[0]
    words = f"{value}, allowed {range_words(near.metric, near.kind, *near.band)}"
    return NearWords(
        metric=metric_words(near.metric, False),
        percent="alarm" if near.used > 1.0 else f"{100 * max(0.0, near.used):.0f}%",
        words=words,
        outside=near.used > 1.0,
        spark=None if course is None else banded(course, f"{metric_words(near.metric, False)}: {words}"),
    )


def _plain_spark(outside: Mapping[str, MetricHistory], kind: Kind) -> Sparkline | None:
    """The first of what tells at a glance how a column moves: how large or long its values are, else how full it is."""
    found = next((outside[metric] for metric in ("mean", "str_len", "complete_ratio") if metric in outside), None)
    # Of a first partition there is no course yet.
    return None if found is None or len(found.values) < 2 else sparkline(found, kind)


def _row(
    column: ColumnProfile,
    *,
    hides: bool,
    state: ScopeVerdict | None,
    severity: Severity | None,
    near: NearWords | None,
    plain: Sparkline | None,
    other: ColumnProfile | None,
) -> ColumnRow:
    low, middle, high = (_amount(column, metric, hides) for metric in _AMOUNTS.get(column.kind, (None, None, None)))
    return ColumnRow(
        name=column.name,
        data_type=column.data_type or str(column.kind),
        badge=None if state is None else machine_badge(state.status, severity),
        nulls=_nulls(column),
        distinct=_distinct(column),
        low=low,
        middle=middle,
        high=high,
        unit={Kind.STRING: "characters", Kind.BOOLEAN: "true"}.get(column.kind, ""),
        picture=None if hides else _picture(column, other),
        frequent=() if hides else _frequent(column),
        near=near,
        plain=None if near is not None or hides else plain,
        remark=column.remark,
    )


def _amount(column: ColumnProfile, metric: str | None, hides: bool) -> str:
    value = None if metric is None else number_of(column, metric)
    if value is None or metric is None:
        return NONE
    # How long the texts of a hidden column are says little; how large its numbers are says what they are.
    if hides and column.kind in (Kind.NUMERIC, Kind.TIMESTAMP):
        return HIDDEN
    text = number_words(metric, column.kind, [value])[0]
    # Of a moment the seconds are more than a column of a table has room for.
    return text[:_MINUTES] if column.kind is Kind.TIMESTAMP else text


def number_of(column: ColumnProfile, metric: str) -> float | None:
    """A metric of the column; None where it has no value."""
    value = column.metrics.get(metric)
    return None if value is None or isinstance(value, Reason) else float(value)


def _nulls(column: ColumnProfile) -> str:
    complete = number_of(column, "complete_ratio")
    if complete is None:
        return NONE
    return "0" if complete == 1.0 else share_words(1.0 - complete)


def _distinct(column: ColumnProfile) -> str:
    for state in column.states.values():
        if isinstance(state, NumberDistribution | CategoryDistribution):
            return f"{state.distinct:,}"
    counted = number_of(column, "dist_val_count")
    if counted is not None:
        return f"{counted:,.0f}"
    ratio = number_of(column, "unique_ratio")
    return NONE if ratio is None else f"{share_words(ratio)} of the values"


def _picture(column: ColumnProfile, other: ColumnProfile | None) -> Element | None:
    now = column.states.get(NumberDistribution.key)
    if not isinstance(now, NumberDistribution):
        return None
    before = None if other is None else other.states.get(NumberDistribution.key)
    bars = bars_of(now, before if isinstance(before, NumberDistribution) else None)
    return None if bars is None else histogram(bars, column.kind, f"How the values of {column.name} are distributed")


def _frequent(column: ColumnProfile) -> list[tuple[str, str, int]]:
    texts = column.states.get(CategoryDistribution.key)
    if not isinstance(texts, CategoryDistribution) or not texts.total:
        return []
    # Of a column in which each value is another one, none is worth a line.
    found = [(str(one.value), one.count / texts.total) for one in texts.top(2) if one.count > 1]
    return [(quoted(value), share_words(share), bar_steps(share)) for value, share in found]


def bar_steps(share: float) -> int:
    """Width of a share's bar in twentieths; what is there at all is seen."""
    return 0 if share <= 0 else min(20, max(1, round(20 * share)))
