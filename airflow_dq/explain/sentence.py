"""The sentence on one violated clause: what was seen, what was expected, from how many partitions, how unusual."""

from __future__ import annotations

from airflow_dq.explain.wording import chance_words, metric_words, natural_range, number_words, reason_words
from airflow_dq.learn.model import Clause, ClauseResult
from airflow_dq.metrics.registry import Bound, Reason
from airflow_dq.states.base import Kind

NOTHING = 1e-9
"""A range narrower than this is one number but for rounding: metrics differ by about 1e-12 with the order of sums."""


def sentence_of(result: ClauseResult, kind: Kind) -> str:
    """``air_time: mean was 9,061; expected 148.2 to 156.9 (30 past partitions); a false alarm at most ...``.

    :param kind: kind of the column, which says how its values are written
    """
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
    chance = chance_words(clause.bound, clause.fpr, clause.spread, clause.samples)
    return f"{subject}: {words} was {observed}; expected {expected} ({count} past partitions); {chance}."


def past_partitions(clause: Clause) -> int:
    """How many partitions the clause was learned from: a difference or a distance needs one more than it yields."""
    return clause.samples + clause.transform.lag + (1 if clause.pair else 0)


def _observed_and_expected(result: ClauseResult, value: float, kind: Kind) -> tuple[str, str]:
    """Both as text, with so many digits that they do not look the same."""
    clause = result.clause
    low, high = _telling_bounds(result)
    never = clause.spread == 0.0 and (clause.bound is not Bound.STUDENT_T or _is_one_number(low, high))
    if low is not None and high is not None and never:
        seen, exact = number_words(clause.metric, kind, [value, (low + high) / 2])
        return seen, f"exactly {exact}"
    present = [bound for bound in (low, high) if bound is not None]
    seen, *bounds = number_words(clause.metric, kind, [value, *present])
    if len(bounds) == 2:
        return seen, f"{bounds[0]} to {bounds[1]}"
    if not bounds:
        return seen, "another change"
    return seen, f"at most {bounds[0]}" if low is None else f"at least {bounds[0]}"


def _telling_bounds(result: ClauseResult) -> tuple[float | None, float | None]:
    """The bounds that a reader can use: None for one beyond what the metric can be at all."""
    lowest, highest = natural_range(result.clause.metric, result.clause.pair)
    lower, upper = result.expected
    return (
        None if lower is None or lower <= lowest else lower,
        None if upper is None or upper >= highest else upper,
    )


def _is_one_number(low: float | None, high: float | None) -> bool:
    return low is not None and high is not None and high - low <= NOTHING
