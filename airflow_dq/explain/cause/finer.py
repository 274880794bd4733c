"""Numbers with more decimal places than those before: some that were converted, computed, or measured otherwise."""

from __future__ import annotations

from airflow_dq.explain.cause.hypothesis import Cause, hypothesis, percent
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.wording import joined
from airflow_dq.states.base import Kind
from airflow_dq.states.decimal_place import decimal_places, finer_share, most_places
from airflow_dq.states.number import NumberDistribution

_BEFORE = 3
"""So many partitions say how many decimal places there are: as many as the metric's."""
_SHOWN = 3
"""So many numbers are shown."""


@hypothesis(Kind.NUMERIC, trust=0.8)
def finer(comparison: Comparison) -> Cause | None:
    """Numbers with more decimal places than any of the last partitions."""
    known = None if comparison.hidden else comparison.one_by_one(NumberDistribution, _BEFORE + 1)
    if known is None:
        return None
    now, before = known
    most = most_places(before[-_BEFORE:])
    odd = decimal_places(now.values) > most
    share = float(now.counts[odd].sum() / now.total)
    beyond = share - finer_share(before[-1], before[:-1])
    if beyond <= 0.0:
        return None
    shown = joined([f"{value:.15g}" for value in now.values[odd][:_SHOWN].tolist()], _SHOWN)
    words = f"more decimal places than lately in {percent(share)} of the values, such as {shown}"
    places = f"more than {most} decimal place{'' if most == 1 else 's'}" if most else "decimal places"
    fact = f"has {places}, which the partitions before had not, such as {shown}"
    rows = round(share * comparison.present[0])
    return Cause("more_decimals", "", words, beyond / share, fact=fact, rows=rows, hit=rows)
