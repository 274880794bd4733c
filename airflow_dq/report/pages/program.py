"""A program as sentences: what must hold in the next partition."""

from __future__ import annotations

import math

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.history import reference_words
from airflow_dq.explain.wording import metric_words, number_words
from airflow_dq.learn.constraint.date_column import DateColumn
from airflow_dq.learn.constraint.date_part import part_words
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.expect.expectation import Forecast
from airflow_dq.learn.program import ColumnProgram
from airflow_dq.metrics.descriptor import Unit
from airflow_dq.metrics.registry import get_metric
from airflow_dq.report.number import ANY_VALUE, expected
from airflow_dq.states.base import Kind

_ONLY = {"falls": " (only a fall counts)", "rises": " (only a rise counts)"}


def clause_words(clause: Range) -> str | None:
    """One range: ``standard deviation: 4.16% below to 4.35% above the median of up to 4 values, 7 partitions apart``.

    :return: None when its bounds are beyond what the metric can be: it asks only that there is a value
    """
    subject = f"{metric_words(clause.metric, clause.pair)}{_ONLY.get(clause.direction or '', '')}"
    if clause.below is None and clause.above is None:
        return None
    words = _fixed(clause) if clause.expectation.is_fixed else f"{_change(clause)} {_reference(clause)}"
    usual = _on_occasion(clause)
    if words == ANY_VALUE:
        return None if usual is None else f"{subject}: {usual}"
    return f"{subject}: {words}" if usual is None else f"{subject}: {words}; {usual}"


def _on_occasion(clause: Range) -> str | None:
    """``on the first of a month: 2,800 to 3,300``; None where it is judged like other days."""
    occasion, to = clause.occasion, clause.expectation.from_scale
    if occasion is None or not occasion.settled:
        return None
    low, high = occasion.reach(clause.below or 0.0, clause.above or 0.0)
    # Two like days move one side only: the other is that of other days.
    lower = None if clause.below is None or not (occasion.own or not occasion.above) else to(low)
    upper = None if clause.above is None or not (occasion.own or occasion.above) else to(high)
    bounds = Alert("range", clause.column, "", metric=clause.metric, lower=lower, upper=upper, kind=clause.kind)
    return f"{occasion.place.words}: {expected(bounds)}"


def date_words(constraint: DateColumn) -> str:
    """What a column tells of its partition's date: ``every value is the day of the month of the partition``."""
    return f"every value is {part_words(constraint.parts[0], constraint.span)}"


def catch_words(program: ColumnProgram) -> str:
    """How much the program is expected to catch, measured on errors that were made on purpose."""
    if not program.clauses:
        return program.reason or "nothing is checked"
    if not program.variants:
        return "not measured: the newest partition keeps no simulated errors"
    return f"catches {program.coverage} of {program.variants} simulated errors"


def _fixed(clause: Range) -> str:
    """The words for a range are an alert's."""
    center, to = clause.expectation.center, clause.expectation.from_scale
    lower = None if clause.below is None else to(center - clause.below)
    upper = None if clause.above is None else to(center + clause.above)
    if upper is not None and math.isinf(upper):
        upper = None
    return expected(Alert("range", clause.column, "", metric=clause.metric, lower=lower, upper=upper, kind=clause.kind))


def _reference(clause: Range) -> str:
    expectation = clause.expectation
    if expectation.forecast is Forecast.DIFFERENCE:
        # The usual difference is part of the bounds that the sentence gives.
        return "the partition before" if expectation.cycle == 1 else f"{expectation.cycle} partitions before"
    return reference_words(expectation) or "the partition before"


def _change(clause: Range) -> str:
    # A difference speaks of the value before, not of what is expected: its mean is part of the bounds.
    drift = clause.expectation.center if clause.expectation.forecast is Forecast.DIFFERENCE else 0.0
    low = None if clause.below is None else drift - clause.below
    high = None if clause.above is None else drift + clause.above
    logarithmic = clause.expectation.logarithmic
    if logarithmic:
        low, high = (None if bound is None else 100 * math.expm1(min(bound, 700.0)) for bound in (low, high))
    texts = [None if bound is None else _size(clause, bound, logarithmic) for bound in (low, high)]
    if texts[0] is None or texts[1] is None:
        return f"at most {texts[1]}" if texts[1] else f"at least {texts[0]}"
    if texts[0].split()[0] == texts[1].split()[0]:
        return f"within {texts[1].split()[0]} of"
    return f"{texts[0]} to {texts[1]}"


def _size(clause: Range, value: float, percent: bool) -> str:
    """``4.3% above``: how far from what it is compared with."""
    if percent:
        text = number_words("", Kind.NUMERIC, [float(f"{abs(value):.3g}")])[0] + "%"
    else:
        # The difference of two timestamps is a time span, which is written in seconds.
        metric = get_metric(clause.metric, clause.kind)
        span = clause.kind is Kind.TIMESTAMP and metric is not None and metric.unit is Unit.COLUMN
        text = number_words("range" if span else clause.metric, clause.kind, [abs(value)])[0].replace(" s", "\u00a0s")
    return f"{text} {'below' if value < 0 else 'above'}"
