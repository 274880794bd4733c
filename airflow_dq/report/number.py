"""An alert's numbers as a person reads them on an axis or in a fact below a chart."""

from __future__ import annotations

import math
from collections.abc import Sequence

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.bounds import in_whole_numbers
from airflow_dq.explain.wording import natural_range, number_words
from airflow_dq.states.base import Kind

ANY_VALUE = "any other value"
"""The range of an alert whose bounds say nothing to a reader."""


def numbers(alert: Alert, values: Sequence[float]) -> list[str]:
    """Values of the alert's metric in the unit they have (percent, seconds, a date), alike only when equal."""
    return number_words(alert.metric or "", alert.kind or Kind.NUMERIC, values) if values else []


def tick_labels(alert: Alert, ticks: Sequence[float]) -> list[str]:
    """Values along an axis; of dates and times only the part that tells them apart."""
    texts = numbers(alert, ticks)
    if alert.kind is Kind.TIMESTAMP and all(len(text) >= 19 and text[4] == "-" for text in texts):
        dates = [text[:10] for text in texts]
        return dates if len(set(dates)) == len(dates) else [text[5:16] for text in texts]
    return texts


def expected(alert: Alert) -> str:
    """The learned range in words; a bound beyond what the metric can be says nothing and is left out."""
    return range_words(alert.metric or "", alert.kind or Kind.NUMERIC, alert.lower, alert.upper)


def range_words(metric: str, kind: Kind, lower: float | None, upper: float | None) -> str:
    """A range of a metric in words: ``148.2 to 156.9``, ``at most 3%``, ``exactly 19``; of a count in whole numbers."""
    lowest, highest = natural_range(metric, kind)
    lower, upper = in_whole_numbers(metric, kind, lower, upper)
    if lower is not None and upper is not None and math.isclose(lower, upper, rel_tol=1e-8, abs_tol=1e-8):
        return f"exactly {number_words(metric, kind, [(lower + upper) / 2])[0]}"
    low = None if lower is None or lower <= lowest else lower
    high = None if upper is None or upper >= highest else upper
    bounds = [bound for bound in (low, high) if bound is not None]
    texts = number_words(metric, kind, bounds) if bounds else []
    if not texts:
        return ANY_VALUE
    if len(texts) == 2:
        return f"{texts[0]} to {texts[1]}"
    return f"at most {texts[0]}" if low is None else f"at least {texts[0]}"


def odds(chance: float) -> str:
    """A small probability as odds, never better than it is; the rarest ones are no more exact than their model."""
    if chance >= 0.5:
        return f"{chance:.0%}"
    if chance < 1e-9:
        return "under 1 in 10⁹"
    times = 1 / chance
    unit = 10 ** max(0, math.floor(math.log10(times)) - 1)
    return f"1 in {math.floor(times / unit + 1e-9) * unit:,}"
