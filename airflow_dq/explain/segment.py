"""What is said of the segments of a column that are not as always."""

from __future__ import annotations

from airflow_dq.explain.wording import listed, number_words, past_words, quoted, share_words
from airflow_dq.learn.constraint.base import Finding
from airflow_dq.learn.constraint.segment import UsualSegments
from airflow_dq.profile.check import segment as segment_statistic
from airflow_dq.states.base import Kind
from airflow_dq.visible import visible


def segment_words(constraint: UsualSegments, finding: Finding, *, times: bool) -> str:
    """``where country is 'DE', 41% of the rows have a value; expected at least 97% (30 past partitions).``.

    :param times: whether a mean is one of times of day, in seconds
    """
    observed = finding.observed if isinstance(finding.observed, float) else 0.0
    lower, upper = finding.lower or 0.0, finding.upper or 0.0
    others = [quoted(name) for name in finding.examples[1:]]
    as_well = f"; {listed(others)} as well" if others else ""
    segment, known = quoted(finding.seen or ""), f"({past_words(finding.partitions)}){as_well}"
    match finding.metric:
        case segment_statistic.ROWS:
            said = f"{segment} has {_rows(observed)} rows; expected {_rows(lower)} to {_rows(upper)}"
        case segment_statistic.COMPLETE:
            wanted = f"at least {share_words(lower)}" if observed < lower else f"at most {share_words(upper)}"
            seen = f"{share_words(observed)} of the rows have a value"
            said = f"where {constraint.by} is {segment}, {seen}; expected {wanted}"
        case _:
            numbers = [observed, lower, upper]
            seen, *bounds = map(clock_words, numbers) if times else number_words("mean", Kind.NUMERIC, numbers)
            what = "mean time of day" if times else "mean"
            said = f"where {constraint.by} is {segment}, the {what} was {seen}; expected {bounds[0]} to {bounds[1]}"
    return visible(f"{said} {known}.")


def clock_words(seconds: float) -> str:
    """``16:25``: seconds since midnight as a clock shows them."""
    hours, minutes = divmod(round(seconds / 60.0), 60)
    return f"{hours % 24:02d}:{minutes:02d}"


def _rows(number: float) -> str:
    return "no" if number == 0.0 else f"{number:,.0f}"
