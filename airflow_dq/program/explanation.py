"""The sentence of an alert: what was seen, what was expected and why, how likely a false alarm is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from airflow_dq.metrics.registry import Bound, Reason
from airflow_dq.profile.model import Profile
from airflow_dq.program.model import (
    Alert,
    Clause,
    ClauseResult,
    ColumnProgram,
    Program,
    Status,
    TransformKind,
)
from airflow_dq.program.series import base_value, series_of
from airflow_dq.program.wording import chance_words, metric_words, natural_range, number_words, reason_words
from airflow_dq.states.base import Kind

_CAUSE_LIMIT = 2
"""A clause that catches more types of injected error than this points to none of them."""


def explain(
    program: Program, column: ColumnProgram | None, results: Sequence[ClauseResult], history: Sequence[Profile]
) -> Iterator[Alert]:
    """One alert per violated clause of a column (None: of the table), in the program's order."""
    kind = Kind.NUMERIC if column is None else column.kind
    recent = list(history)[-program.options.history :]
    for result in results:
        if result.status is not Status.FAIL:
            continue
        clause = result.clause
        lower, upper = result.expected
        yield Alert(
            rule="metric",
            column=clause.column,
            message=_sentence(result, kind, history),
            metric=clause.metric,
            observed=result.observed,
            lower=lower,
            upper=upper,
            fpr=clause.fpr,
            bound=clause.bound,
            history=_points(clause, recent),
            kind=kind,
        )


def _points(clause: Clause, recent: Sequence[Profile]) -> tuple[tuple[str | None, float | None], ...]:
    """What a chart shows; a pair metric's first partition has no value, and is on it all the same."""
    if clause.column is None:
        return tuple((profile.partition, float(profile.row_count)) for profile in recent)
    series = series_of(recent, clause.column, clause.metric, clause.pair)
    absent = tuple((profile.partition, None) for profile in recent[: len(recent) - len(series.values)])
    return absent + series.points()


def _sentence(result: ClauseResult, kind: Kind, history: Sequence[Profile]) -> str:
    clause = result.clause
    subject = clause.column or "the table"
    words = metric_words(clause.metric, clause.pair)
    count = past_partitions(clause)
    if isinstance(result.observed, Reason):
        return (
            f"{subject}: {words} has no value ({reason_words(result.observed)}); "
            f"it had one in each of the {count} past partitions."
        )
    observed, expected = _observed_and_expected(result, result.observed, kind)
    parts = [
        f"{subject}: {words} was {observed}",
        f"expected {expected}{_compared(clause, kind, history)} ({count} past partitions)",
        chance_words(clause.bound, clause.fpr, clause.spread, clause.samples),
    ]
    cause = likely_cause(clause)
    return "; ".join(parts) + "." + (f" Typical of: {cause}." if cause else "")


def past_partitions(clause: Clause) -> int:
    """How many partitions the clause was learned from: a difference or a distance needs one more than it yields."""
    return clause.samples + clause.transform.lag + (1 if clause.pair else 0)


def _observed_and_expected(result: ClauseResult, value: float, kind: Kind) -> tuple[str, str]:
    clause = result.clause
    lowest, highest = natural_range(clause.metric, clause.pair)
    lower, upper = result.expected
    low = None if lower is None or lower <= lowest else lower
    high = None if upper is None or upper >= highest else upper
    if low is not None and high is not None and clause.spread == 0.0 and clause.bound is not Bound.STUDENT_T:
        seen, exact = number_words(clause.metric, kind, [value, (low + high) / 2])
        return seen, f"exactly {exact}"
    present = [bound for bound in (low, high) if bound is not None]
    seen, *bounds = number_words(clause.metric, kind, [value, *present])
    if len(bounds) == 2:
        return seen, f"{bounds[0]} to {bounds[1]}"
    if low is None and high is None:
        return seen, "another change"
    return seen, f"at most {bounds[0]}" if low is None else f"at least {bounds[0]}"


def _compared(clause: Clause, kind: Kind, history: Sequence[Profile]) -> str:
    """What a differenced metric was compared with."""
    transform = clause.transform
    value = base_value(clause, history)
    if transform.kind is TransformKind.IDENTITY or value is None or not math.isfinite(value):
        return ""
    text = number_words(clause.metric, kind, [value])[0]
    change = "ratio" if transform.kind is TransformKind.LOG_DIFF else "difference"
    place = "the partition before" if transform.lag == 1 else f"{transform.lag} partitions before"
    reached = min(transform.cycles, (len(history) - clause.pair) // transform.lag)
    if reached > 1:
        lags = [str(transform.lag * cycle) for cycle in range(1, reached + 1)]
        return (
            f" by its usual {change} to {text}, the median of {', '.join(lags[:-1])} and {lags[-1]} partitions before"
        )
    partition = history[-transform.lag].partition
    named = place if partition is None else f"{partition}, {place}"
    return f" by its usual {change} to the {text} of {named}"


def likely_cause(clause: Clause) -> str | None:
    """The injected errors that this clause is there for, when they are few enough to point to a cause."""
    types = list(dict.fromkeys(label.partition(" ")[0] for label in clause.catches))
    if not 1 <= len(types) <= _CAUSE_LIMIT:
        return None
    return " or ".join(name.replace("_", " ") for name in types)
