"""A few values that were not there before, in many rows: codes that came into use, a default that was filled in."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from airflow_dq.explain.cause.hypothesis import Cause, hypothesis, percent
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.wording import joined, listed, number_words, quoted
from airflow_dq.states.base import Kind

_FEW = 3
"""So many can be named."""
_LEAST = 0.02
"""A smaller share of new values has no cause worth a name."""
_USUAL = 0.5
"""Where more than this share of the values is new every time, new values say nothing."""
_CODES = 50
"""With more distinct numbers than this they are amounts, of which single ones say nothing."""


@hypothesis(Kind.STRING, trust=0.8)
def new_texts(comparison: Comparison) -> Cause | None:
    """A few new texts."""
    if comparison.hidden:
        return None
    return _named(comparison, {quoted(value): share for value, share in comparison.new_values.items()})


@hypothesis(Kind.NUMERIC, trust=0.8)
def new_numbers(comparison: Comparison) -> Cause | None:
    """A few new numbers, in a column that has few."""
    points = comparison.points
    if comparison.hidden or points is None or not points[0].exact or not points[1].exact:
        return None
    now, before = (side.decimal_texts for side in points)
    if len(before) > _CODES:
        return None
    new = {text: share for text, share in now.items() if text not in before}
    frequent = sorted(new, key=lambda text: -new[text])
    return _named(comparison, {number_words("", Kind.NUMERIC, [float(text)])[0]: new[text] for text in frequent})


def _named(comparison: Comparison, new: Mapping[str, float]) -> Cause | None:
    """The most frequent new values, by the words for them, as far as they are most of what is new.

    :param new: shares, the most frequent first
    """
    mass = sum(new.values())
    if comparison.usual_novelty > _USUAL or mass < _LEAST + 2.0 * comparison.usual_novelty:
        return None
    named = dict(islice(new.items(), _FEW))
    share = sum(named.values())
    plural = "s" if len(named) > 1 else ""
    words = f"new value{plural} {', '.join(named)} in {percent(share)} of the values{_gone(comparison)}"
    codes, gone = joined(list(named), _FEW), _gone(comparison)
    fact = f"has the new value{plural} {codes}{gone}"
    rows = round(share * comparison.present[0])
    return Cause("new_values", "", words, share / mass, fact=fact, rows=rows, hit=rows)


def _gone(comparison: Comparison) -> str:
    """``, and none of 'new', 'paid'``: frequent texts of the partition before that came no more."""
    if comparison.values is None or not comparison.values[0].exact:
        return ""
    now, before = comparison.values
    gone = [value for value, share in before.shares.items() if share > _LEAST and value not in now.all_shares]
    return f", and none {'of ' if len(gone) > 1 else ''}{listed([quoted(value) for value in gone])}" if gone else ""
