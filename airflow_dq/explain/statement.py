"""What is said of one finding: what was seen, what was expected, from how many partitions, how unusual.

What it is about, the column or the table, is said before it by whoever shows it.  A family of constraints that has no
statement of its own here gets a general one.
"""

from __future__ import annotations

from collections.abc import Callable

from airflow_dq.explain.declared import declared_words
from airflow_dq.explain.evidence import evidence_words
from airflow_dq.explain.exception import exception_words
from airflow_dq.explain.novelty import novelty_words
from airflow_dq.explain.relation import relation_words
from airflow_dq.explain.segment import segment_words
from airflow_dq.explain.wording import (
    joined,
    listed,
    metric_words,
    natural_range,
    number_words,
    past_words,
    quoted,
    reason_words,
    share_words,
    times_words,
)
from airflow_dq.learn.constraint.base import Constraint, Finding
from airflow_dq.learn.constraint.date_column import DateColumn
from airflow_dq.learn.constraint.declared import Declared
from airflow_dq.learn.constraint.first_occurrence import NeverSeen
from airflow_dq.learn.constraint.gone import NoneGone, SomeNegative
from airflow_dq.learn.constraint.novelty import NoNovelty
from airflow_dq.learn.constraint.occasion import Occasion
from airflow_dq.learn.constraint.outsized import NoneOutsized
from airflow_dq.learn.constraint.pattern import Conforming
from airflow_dq.learn.constraint.period import WithinPeriod
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.constraint.relation import Holding
from airflow_dq.learn.constraint.repeated_partition import NoRepetition
from airflow_dq.learn.constraint.schema import ExpectedColumn, NoOtherColumn
from airflow_dq.learn.constraint.segment import UsualSegments
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.answer import Widening
from airflow_dq.metrics.descriptor import Reason, Support
from airflow_dq.metrics.registry import get_metric
from airflow_dq.states.base import Kind

NOTHING = 1e-9
"""A range narrower than this is one number but for rounding: metrics differ by about 1e-12 with the order of sums."""


def statement_of(constraint: Constraint, finding: Finding, partition: PartitionView, column: str | None = None) -> str:
    """``mean was 9,061; expected 148.2 to 156.9 (30 past partitions); 45 times the largest deviation ...``.

    :param column: of a finding about several columns, the one that the statement is about
    """
    for family, statement in _STATEMENTS:
        if isinstance(constraint, family):
            return statement(constraint, finding, partition, column)
    return _general(finding)


def _general(finding: Finding) -> str:
    known = finding.seen if finding.observed is None else finding.observed
    seen = finding.rule.replace("_", " ") if known is None else str(known)
    wanted = f"; expected {finding.expected}" if finding.expected else ""
    columns = finding.scope.columns
    of_several = f"{', '.join(columns)}: " if len(columns) > 1 else ""
    return f"{of_several}{seen}{wanted} ({past_words(finding.partitions)})."


def _range(constraint: Range, finding: Finding, partition: PartitionView, column: str | None) -> str:
    words = metric_words(constraint.metric, constraint.pair)
    count = constraint.partitions
    if isinstance(finding.observed, Reason):
        return f"{words} has no value ({reason_words(finding.observed)}); it had one in {past_words(count)}."
    value = finding.observed if isinstance(finding.observed, float | int) else 0.0
    observed, expected = _observed_and_expected(constraint, finding, float(value))
    usual = constraint.occasion
    learned = f"({past_words(count)})" if usual is None or not usual.settled else _occasion_words(usual, count)
    said = f"{words} was {observed}; expected {expected} {learned}"
    known, alike = finding.evidence, constraint.was_like(partition, finding.observed)
    if known is not None:
        said += f"; {evidence_words(known.deviation, known.worst, known.rank, known.partitions, known.since)}"
    said += _widened(finding.widening)
    return f"{said}." if alike is None else f"{said}. {_like_words(alike)}."


def _occasion_words(occasion: Occasion, count: int) -> str:
    """``on the first of a month (3 earlier ones, 30 past partitions)``."""
    return f"{occasion.place.words} ({len(occasion.partitions)} earlier ones, {past_words(count)})"


def _like_words(occasion: Occasion) -> str:
    """``It was like this on the first of a month before (2025-02-01)``: one was no habit, and the next one is."""
    return f"It was like this {occasion.place.words} before ({listed(occasion.partitions)})"


def _widened(widening: Widening | None) -> str:
    """``; people accepted 2 alarms of this metric: the range is 2.25 times as wide``."""
    if widening is None:
        return ""
    count = widening.accepted
    said = "alarms of this column or of this metric elsewhere"
    if count:
        said = f"{count} alarm{'' if count == 1 else 's'} of this metric"
    rejected = f" and rejected {widening.rejected}" if widening.rejected else ""
    return f"; people accepted {said}{rejected}: the range is {widening.factor:.3g} times as wide"


def _observed_and_expected(constraint: Range, finding: Finding, value: float) -> tuple[str, str]:
    """Both as text, with so many digits that they do not look the same."""
    metric, kind = constraint.metric, constraint.kind
    lowest, highest = natural_range(metric, kind)
    # Bounds beyond what the metric can be at all mean nothing to a reader.
    low = None if finding.lower is None or finding.lower <= lowest else finding.lower
    high = None if finding.upper is None or finding.upper >= highest else finding.upper
    if finding.lower is not None and finding.upper is not None and finding.upper - finding.lower <= NOTHING:
        middle = (finding.lower + finding.upper) / 2
        seen, exact = number_words(metric, kind, [value, 0.0 if abs(middle) <= NOTHING else middle])
        return seen, f"exactly {exact}"
    present = [bound for bound in (low, high) if bound is not None]
    seen, *bounds = number_words(metric, kind, [value, *present])
    if len(bounds) == 2:
        return seen, f"{bounds[0]} to {bounds[1]}"
    if not bounds:
        return seen, "another change"
    return seen, f"at most {bounds[0]}" if low is None else f"at least {bounds[0]}"


def _expected_column(constraint: ExpectedColumn, finding: Finding, partition: PartitionView, column: str | None) -> str:
    (name,) = finding.scope.columns
    whole = f"the {past_words(constraint.partitions)}"
    having = whole if constraint.present == constraint.partitions else f"{constraint.present} of {whole}"
    match finding.rule:
        case "column_renamed":
            return (
                f"the column is missing; it looks renamed to {quoted(str(finding.seen))}, a new column "
                f"with the same values. It is called {quoted(name)} in {having}."
            )
        case "column_missing":
            return f"the column is missing; it is in {having}."
        case _:
            return f"the column is now {finding.seen}; it was {finding.expected} in {having}."


def _other_column(constraint: NoOtherColumn, finding: Finding, partition: PartitionView, column: str | None) -> str:
    whole = f"the {past_words(constraint.partitions)}"
    seen = dict(constraint.seen).get(column or "")
    lacking = f"{seen} of {whole} have it, the newest does not" if seen else f"{whole} do not have it"
    now = partition.column(column or "")
    kind = "" if now is None else f" ({now.kind}, {now.data_type})"
    return f"the column is new{kind}; {lacking}."


def _repetition(constraint: NoRepetition, finding: Finding, partition: PartitionView, column: str | None) -> str:
    key = finding.seen
    copied = "an earlier one" if key is None else f"partition {key}"
    return (
        f"the partition holds what {copied} holds ({finding.rows:,} rows, every value as often in all "
        f"{len(constraint.scope.columns)} columns); no two of the {past_words(constraint.partitions)} were alike."
    )


def _never_seen(constraint: NeverSeen, finding: Finding, partition: PartitionView, column: str | None) -> str:
    metric = get_metric(constraint.metric, constraint.kind)
    words = (
        "are of a sort never seen"
        if metric is None or metric.first_occurrence is None
        else (metric.first_occurrence.words)
    )
    share = finding.observed if isinstance(finding.observed, float) else 0.0
    whole = "rows" if metric is not None and metric.support is Support.ROWS else "values"
    return f"{share_words(share)} of the {whole} {words}"


def _outsized(constraint: NoneOutsized, finding: Finding, partition: PartitionView, column: str | None) -> str:
    observed = finding.observed if isinstance(finding.observed, float) else 0.0
    seen, largest = number_words(constraint.metric, constraint.kind, [observed, constraint.largest])
    times = f" ({times_words(observed, constraint.largest)})" if constraint.largest else ""
    return (
        f"{metric_words(constraint.metric, pair=False)} was {seen}; it was at most {largest} in the "
        f"{past_words(constraint.partitions)}{times}."
    )


def _gone(constraint: NoneGone, finding: Finding, partition: PartitionView, column: str | None) -> str:
    least = dict(constraint.values)
    gone = joined([f"{quoted(value)} ({share_words(least[value])} or more)" for value in finding.examples])
    words = metric_words(constraint.metric, pair=True)
    return (
        f"none of the values is {gone}, as some were in each of the last {constraint.partitions} partitions; "
        f"{words} is larger than ever."
    )


def _unsigned(constraint: SomeNegative, finding: Finding, partition: PartitionView, column: str | None) -> str:
    least = share_words(constraint.least)
    return f"none of the values is negative, as {least} or more were in each of the {past_words(finding.partitions)}."


def _date_column(constraint: DateColumn, finding: Finding, partition: PartitionView, column: str | None) -> str:
    return (
        f"every value is {finding.seen}; expected {finding.expected}, as in each of the "
        f"{past_words(constraint.partitions)}."
    )


def _period(constraint: WithinPeriod, finding: Finding, partition: PartitionView, column: str | None) -> str:
    now, ends = partition.column(finding.scope.columns[0]), constraint.ends(partition)
    metrics = {} if now is None else now.metrics
    known = [one for name in ("min", "max") if isinstance(one := metrics.get(name), float)]
    low, high, *own = number_words("min", Kind.TIMESTAMP, [*known, *(ends or ())])
    return (
        f"{finding.rows:,} values lie outside of {' to '.join(own)}, the partition's own time (from {low} to {high}); "
        f"none did in the {past_words(constraint.partitions)}."
    )


def _declared(constraint: Declared, finding: Finding, partition: PartitionView, column: str | None) -> str:
    return declared_words(constraint, finding, partition)


def _conforming(constraint: Conforming, finding: Finding, partition: PartitionView, column: str | None) -> str:
    return exception_words(constraint, finding, partition)


def _holding(constraint: Holding, finding: Finding, partition: PartitionView, column: str | None) -> str:
    return relation_words(constraint, finding, partition)


def _segments(constraint: UsualSegments, finding: Finding, partition: PartitionView, column: str | None) -> str:
    return segment_words(constraint, finding, times=constraint.of_times(partition))


def _novelty(constraint: NoNovelty, finding: Finding, partition: PartitionView, column: str | None) -> str:
    return novelty_words(finding, past_words(constraint.partitions))


_STATEMENTS: tuple[tuple[type[Constraint], Callable[..., str]], ...] = (
    (Range, _range),
    (ExpectedColumn, _expected_column),
    (NoOtherColumn, _other_column),
    (NoRepetition, _repetition),
    (NeverSeen, _never_seen),
    (NoneOutsized, _outsized),
    (NoneGone, _gone),
    (SomeNegative, _unsigned),
    (DateColumn, _date_column),
    (WithinPeriod, _period),
    (Declared, _declared),
    (Conforming, _conforming),
    (Holding, _holding),
    (UsualSegments, _segments),
    (NoNovelty, _novelty),
)
