"""Texts that end where a field was too short for them."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_dq.explain.cause.hypothesis import Cause, hypothesis, percent
from airflow_dq.explain.comparison import Comparison
from airflow_dq.states.base import Kind

_LEAST = 0.05
"""Share of the texts that are exactly as long as the longest, below which none need have been cut."""
_RISEN = 5.0
"""That share has grown by this factor: texts of one length throughout are codes."""
_SHORTER = 0.9
"""The longest text is so much shorter than the longest of any past partition, or is cut."""
_RECURRING = 0.5
"""With less than this share of new values a day, values recur."""
_ALIKE = 0.5
"""What the first characters of texts that were cut have in common with those of before, at least: of a thousand texts
chance leaves nine in ten.  Of each sign, the share of the texts that have it changes by less than this, for the same
reason."""


@hypothesis(Kind.STRING, trust=0.97)
def cut(comparison: Comparison) -> Cause | None:
    """Many texts of exactly one length, and none that is longer, where there were longer ones in every partition."""
    longest, past = comparison.value("max_len"), comparison.series("max_len")
    if comparison.hidden or comparison.values is None or longest is None or not len(past):
        return None
    now, before = comparison.values
    if longest > _SHORTER * past.min() or not now.exact:
        return None
    length = round(longest)
    # White space at the cut is part of what was kept.
    share = sum(part for value, part in now.all_shares.items() if len(value) == length)
    usual = sum(part for value, part in before.all_shares.items() if len(value) == length)
    longer = sum(part for value, part in before.all_shares.items() if len(value) > length)
    if share < max(_LEAST, _RISEN * usual) or not longer:
        return None
    words = f"texts were cut to {length} characters ({percent(share)} of them are as long)"
    score = min(1.0, share / longer, longer / share) * _begun(comparison, length)
    fact, rows = f"is cut to {length} characters", round(share * comparison.present[0])
    detail = f"the longest of before had {round(past[-1]):,}"
    return Cause("truncation", str(length), words, score, fact=fact, detail=detail, rows=rows)


def _begun(comparison: Comparison, length: int) -> float:
    """Share of the values that are the beginning of one of before; that begin like one, where values do not recur."""
    if comparison.values is None:
        return 1.0
    now, before = comparison.values
    if comparison.usual_novelty > _RECURRING:
        alike = _common(now.all_shares, before.all_shares) >= _ALIKE
        return float(alike and _has_its_signs(now.all_shares, before.all_shares, length))
    beginnings = {value[:length] for value in before.all_shares}
    return sum(share for value, share in now.all_shares.items() if value in beginnings or len(value) < length)


def _common(now: Mapping[str, float], before: Mapping[str, float]) -> float:
    """What the first characters of the values have in common with those of before, from 0 to 1: a cut leaves them."""
    firsts = [_firsts(side) for side in (now, before)]
    return sum(min(share, firsts[1].get(first, 0.0)) for first, share in firsts[0].items())


def _has_its_signs(now: Mapping[str, float], before: Mapping[str, float], length: int) -> bool:
    """Whether the signs between letters and digits are still there: ids without their ``-`` were written otherwise."""
    had, has = (_signs(side, length) for side in (before, now))
    return all(abs(had.get(sign, 0.0) - has.get(sign, 0.0)) < _ALIKE for sign in had.keys() | has.keys())


def _signs(shares: Mapping[str, float], length: int) -> dict[str, float]:
    """The share of the texts that have each sign among their first characters."""
    found: dict[str, float] = {}
    for value, share in shares.items():
        for sign in {one for one in value[:length] if not one.isalnum()}:
            found[sign] = found.get(sign, 0.0) + share
    return found


def _firsts(shares: Mapping[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for value, share in shares.items():
        found[value[:1]] = found.get(value[:1], 0.0) + share
    return found
