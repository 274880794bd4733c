"""A program as sentences: what must hold in the next partition."""

from __future__ import annotations

import math
from collections.abc import Sequence

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.wording import metric_words, number_words
from airflow_dq.learn.constraint.date_column import CalendarPart, part_words
from airflow_dq.learn.constraint.range import Clause
from airflow_dq.learn.program import ColumnProgram
from airflow_dq.metrics.descriptor import Bound
from airflow_dq.report.number import ANY_VALUE, expected
from airflow_dq.states.base import Kind
from airflow_dq.XX import Transform, TransformKind


def clause_words(clause: Clause, kind: Kind) -> str | None:
    """One clause: ``standard deviation: 4.16% below to 4.35% above the median of 7 and 14 partitions before``.

    :return: None when its bounds are beyond what the metric can be: it asks only that there is a value
    """
    subject = metric_words(clause.metric, clause.pair)
    if clause.transform.kind is not TransformKind.IDENTITY:
        return f"{subject}: {_change(clause, kind)} {_reference(clause.transform)}"
    words = _range(clause, kind)
    return None if words == ANY_VALUE else f"{subject}: {words}"


def calendar_words(parts: Sequence[CalendarPart]) -> str:
    """What a column tells of its partition's date: ``every value is the day of the month of the partition``."""
    return f"every value is {part_words(parts[0])}"


def catch_words(program: ColumnProgram) -> str:
    """How much the program is expected to catch, measured on errors that were made on purpose."""
    if not program.clauses:
        return program.reason or "nothing is checked"
    if not program.variants:
        return "not measured: the newest partition keeps no simulated errors"
    return f"catches {program.coverage} of {program.variants} simulated errors"


def _range(clause: Clause, kind: Kind) -> str:
    # The words for a range are an alert's; a distance is told by its bound.
    bound = Bound.CANTELLI if clause.pair else clause.bound
    return expected(
        Alert(
            rule="metric",
            column=clause.column,
            sentence="",
            metric=clause.metric,
            lower=clause.lower,
            upper=clause.upper,
            bound=bound,
            kind=kind,
        )
    )


def _reference(transform: Transform) -> str:
    lags = [str(transform.lag * cycle) for cycle in range(1, transform.cycles + 1)]
    if len(lags) > 1:
        return f"the median of {', '.join(lags[:-1])} and {lags[-1]} partitions before"
    return "the partition before" if transform.lag == 1 else f"{transform.lag} partitions before"


def _change(clause: Clause, kind: Kind) -> str:
    low, high = clause.lower, clause.upper
    logarithmic = clause.transform.kind is TransformKind.LOG_DIFF
    if logarithmic:
        low, high = (None if bound is None else 100 * math.expm1(min(bound, 700.0)) for bound in (low, high))
    texts = [None if bound is None else _size(clause, kind, bound, logarithmic) for bound in (low, high)]
    if texts[0] is None or texts[1] is None:
        return f"at most {texts[1]}" if texts[1] else f"at least {texts[0]}"
    if texts[0].split()[0] == texts[1].split()[0]:
        return f"within {texts[1].split()[0]} of"
    return f"{texts[0]} to {texts[1]}"


def _size(clause: Clause, kind: Kind, value: float, percent: bool) -> str:
    """``4.3% above``: how far from what it is compared with."""
    if percent:
        text = number_words("", Kind.NUMERIC, [float(f"{abs(value):.3g}")])[0] + "%"
    else:
        # The difference of two moments is a time span, which is written in seconds.
        metric = "range" if kind is Kind.TIMESTAMP and not clause.metric.endswith("_ratio") else clause.metric
        text = number_words(metric, kind, [abs(value)])[0].replace(" s", "\u00a0s")
    return f"{text} {'below' if value < 0 else 'above'}"
