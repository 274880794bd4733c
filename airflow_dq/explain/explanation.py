"""A verdict's alerts in words: what was seen and expected, how likely a false alarm is, what changed and why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from airflow_dq.explain.cause import Cause, likely_cause
from airflow_dq.explain.cause.presence import copied_words, copies_of
from airflow_dq.explain.change import changes_of
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.grouping import grouped
from airflow_dq.explain.previous import Neighbours
from airflow_dq.explain.wording import chance_words, looks_like, metric_words, natural_range, number_words, reason_words
from airflow_dq.learn.history.series import Before, series_of
from airflow_dq.learn.model import (
    Alert,
    Change,
    Clause,
    ClauseResult,
    Program,
    ScopeVerdict,
    Status,
    TransformKind,
)
from airflow_dq.metrics.descriptor import Bound, Reason
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind

NOTHING = 1e-9
LAST_VALUES = 3
"""Values of the newest partitions that an alert quotes."""


def explain(
    program: Program,
    profile: Profile,
    before: Before,
    rules: Sequence[Alert],
    table: ScopeVerdict,
    columns: Mapping[str, ScopeVerdict],
) -> tuple[Alert, ...]:
    """Every reason why the partition does not pass: alerts with one cause together, the one to look at first.

    :param rules: what is wrong beside violated clauses: with the columns themselves, or with the partition's date
    :param table: the verdict on the whole table
    :param columns: the verdicts on the columns
    """
    history = before.profiles
    neighbours = Neighbours(history[-1]) if history else None
    rows = any(result.status is Status.FAIL for result in table.results)
    copied = _copied(profile, history, neighbours) if rows and neighbours is not None else None
    alerts = [*rules, *_alerts(program, Kind.NUMERIC, table, before, None, copied)]
    causes: dict[str, Cause] = {}
    for name, verdict in columns.items():
        if verdict.status is not Status.FAIL:
            continue
        comparison = None if neighbours is None else Comparison.of(name, profile, history, neighbours)
        cause = None if comparison is None else likely_cause(comparison)
        if cause is not None:
            causes[name] = cause
        alerts += _alerts(program, program.columns[name].kind, verdict, before, comparison, cause)
    return grouped(alerts, causes, len(columns))


def _copied(profile: Profile, history: Sequence[Profile], neighbours: Neighbours) -> Cause | None:
    """That every row arrived several times, which every column must agree to."""
    comparisons = (Comparison.of(name, profile, history, neighbours) for name in profile.columns)
    found = [copies_of(comparison) for comparison in comparisons if comparison is not None]
    copies = math.gcd(*(number for number in found if number is not None))
    return Cause("volume_change", f"every row {copies} times", copied_words(copies), 1.0) if copies > 1 else None


def _alerts(
    program: Program,
    kind: Kind,
    verdict: ScopeVerdict,
    before: Before,
    comparison: Comparison | None,
    cause: Cause | None = None,
) -> Iterator[Alert]:
    """One alert per violated clause of a column or of the table; the first one names the likely cause."""
    recent = list(before.profiles)[-program.options.history :]
    changes = () if comparison is None else changes_of(comparison)
    words = None if cause is None else cause.words
    violated = [result for result in verdict.results if result.status is Status.FAIL]
    # That all values are null says more to a reader than that they have no mean, a mean more than a divergence.
    violated.sort(key=lambda result: (isinstance(result.observed, Reason), result.clause.pair))
    for place, result in enumerate(violated):
        clause = result.clause
        lower, upper = result.expected
        points = _points(clause, recent)
        yield Alert(
            rule="metric",
            column=clause.column,
            message=_sentence(result, kind, None if place else words),
            metric=clause.metric,
            observed=result.observed,
            lower=lower,
            upper=upper,
            fpr=clause.fpr,
            bound=clause.bound,
            history=points,
            kind=kind,
            changes=(*_history(clause, kind, before, points), *(() if place else changes)),
            cause=words,
        )


def _points(clause: Clause, recent: Sequence[Profile]) -> tuple[tuple[str | None, float | None], ...]:
    """What a chart shows; a pair metric's first partition has no value, and is on it all the same."""
    if clause.column is None:
        return tuple((profile.partition, float(profile.row_count)) for profile in recent)
    series = series_of(recent, clause.column, clause.metric, clause.pair)
    absent = tuple((profile.partition, None) for profile in recent[: len(recent) - len(series.values)])
    return absent + series.points()


def _sentence(result: ClauseResult, kind: Kind, cause: str | None) -> str:
    clause = result.clause
    subject = clause.column or "the table"
    words = metric_words(clause.metric, clause.pair)
    count = past_partitions(clause)
    ending = looks_like(cause)
    if isinstance(result.observed, Reason):
        return (
            f"{subject}: {words} has no value ({reason_words(result.observed)}); "
            f"it had one in each of the {count} past partitions.{ending}"
        )
    observed, expected = _observed_and_expected(result, result.observed, kind)
    parts = [
        f"{subject}: {words} was {observed}",
        f"expected {expected} ({count} past partitions)",
        chance_words(clause.bound, clause.fpr, clause.spread, clause.samples),
    ]
    return "; ".join(parts) + f".{ending}"


def _history(
    clause: Clause, kind: Kind, before: Before, points: Sequence[tuple[str | None, float | None]]
) -> Iterator[Change]:
    """What the metric was before, and what a moving one is compared with."""
    values = [value for _, value in points if value is not None][-LAST_VALUES:]
    if values:
        told = number_words(clause.metric, kind, values)
        text = f"last values: {', '.join(told)}" if len(set(told)) > 1 else f"last values: always {told[0]}"
        yield Change("history", text, clause.metric, values[-1])
    compared = _compared(clause, kind, before)
    if compared:
        yield Change("history", compared, clause.metric)


def past_partitions(clause: Clause) -> int:
    """How many partitions the clause was learned from: a difference or a distance needs one more than it yields."""
    return clause.samples + clause.transform.lag + (1 if clause.pair else 0)


def _observed_and_expected(result: ClauseResult, value: float, kind: Kind) -> tuple[str, str]:
    clause = result.clause
    lowest, highest = natural_range(clause.metric, kind)
    lower, upper = result.expected
    low = None if lower is None or lower <= lowest else lower
    high = None if upper is None or upper >= highest else upper
    predicted = clause.bound is Bound.STUDENT_T
    # A range of next to nothing is one number, also around the least that a metric can be.
    low_end, high_end = (lower, upper) if predicted else (low, high)
    never = clause.spread == 0.0 and (not predicted or _is_nothing(low_end, high_end))
    if low_end is not None and high_end is not None and never:
        seen, exact = number_words(clause.metric, kind, [value, (low_end + high_end) / 2])
        return seen, f"exactly {exact}"
    present = [bound for bound in (low, high) if bound is not None]
    seen, *bounds = number_words(clause.metric, kind, [value, *present])
    if len(bounds) == 2:
        return seen, f"{bounds[0]} to {bounds[1]}"
    if low is None and high is None:
        return seen, "another change"
    return seen, f"at most {bounds[0]}" if low is None else f"at least {bounds[0]}"


def _is_nothing(low: float | None, high: float | None) -> bool:
    """Whether a range is one number but for its rounding."""
    return low is not None and high is not None and high - low <= NOTHING


def _compared(clause: Clause, kind: Kind, before: Before) -> str:
    """What a differenced metric was compared with."""
    transform = clause.transform
    value = before.base(clause)
    if transform.kind is TransformKind.IDENTITY or value is None or not math.isfinite(value):
        return ""
    text = number_words(clause.metric, kind, [value])[0]
    change = "ratio" if transform.kind is TransformKind.LOG_DIFF else "difference"
    places = [transform.lag * cycle for cycle in range(1, transform.cycles + 1)]
    known = dict(zip(before.steps[clause.pair :], before.profiles[clause.pair :], strict=True))
    found = [place for place in places if place in known]
    if len(found) > 1:
        lags = [str(place) for place in found]
        return (
            f"expected by its usual {change} to {text}, the median of {', '.join(lags[:-1])} and {lags[-1]} "
            "partitions before"
        )
    if not found:
        gone = before.steps[-1] - 1
        absent = "missing partition" if gone == 1 else f"last of the {gone} missing partitions"
        return f"expected by its usual {change} to {text}, what the {absent} before it would have had"
    place = "the partition before" if found == [1] else f"{found[0]} partitions before"
    partition = known[found[0]].partition
    named = place if partition is None else f"{partition}, {place}"
    return f"expected by its usual {change} to the {text} of {named}"
