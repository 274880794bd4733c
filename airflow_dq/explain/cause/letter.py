"""Strings that are the ones before but for their letter case, or for white space around them."""

from __future__ import annotations

from collections.abc import Callable

from airflow_dq.explain.cause.hypothesis import Cause, hypothesis, percent
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.undo import respelled
from airflow_dq.states.base import Kind

_KNOWN = 0.5
"""When more than this share of the values is new in every partition, new values say nothing."""
_SURE = 0.9
"""With so much of the new values explained, they tell how many values were hit."""
_LEAST = 0.003
"""Where fewer values gained white space, a handful of odd ones may be all there is."""


@hypothesis(Kind.STRING)
def casing(comparison: Comparison) -> Cause | None:
    """Upper case where lower case was, or the other way round."""
    upper, lower = comparison.value_before("upper_len"), comparison.value_before("lower_len")
    if upper is None or lower is None or not upper + lower:
        return None
    risen = comparison.change("upper_len")
    if comparison.changed_as_usual("upper_len", 0.01 * (upper + lower) * 0.1) and comparison.changed_as_usual(
        "lower_len", 0.01
    ):
        return None
    # As many letters as before: what one case lost the other has gained.
    if abs(risen + comparison.change("lower_len")) > 0.3 * abs(risen) + comparison.usual_change("char_len"):
        return None
    swapped = risen / (lower - upper) if lower != upper else 0.0
    share, how = _way(swapped, risen, upper, lower)
    matched = similar(comparison, str.casefold)
    if matched is not None and matched > _SURE:
        share = min(1.0, sum(comparison.new_values.values()) - comparison.usual_novelty)
    score = 0.85 if matched is None else matched
    undo = None if comparison.hidden else respelled(_original_case(comparison, how))
    rows = round(share * comparison.present[0])
    words, fact = f"{how} in {percent(share)} of the values", f"is in {_FACTS[how]}"
    return Cause("casing_change", how, words, score, undo=undo, fact=fact, rows=rows)


def _original_case(comparison: Comparison, how: str) -> Callable[[str], str]:
    """How a value was written: as a known one, or the other way round where there is none."""
    before = {} if comparison.values is None else comparison.values[1].all_shares
    known = {value.casefold(): value for value in before}
    turned = _TURNED[how]
    return lambda value: value if value in before else known.get(value.casefold(), turned(value))


_UP, _DOWN, _SWAPPED = "lower case became upper case", "upper case became lower case", "upper and lower case swapped"
_TURNED: dict[str, Callable[[str], str]] = {_UP: str.lower, _DOWN: str.upper, _SWAPPED: str.swapcase}
"""What happened to the letters, and what turns it back."""
_FACTS = {
    _UP: "upper case instead of lower case",
    _DOWN: "lower case instead of upper case",
    _SWAPPED: "the other case, upper for lower and lower for upper",
}
"""The same as a fact about the column."""


def _way(swapped: float, risen: float, upper: float, lower: float) -> tuple[float, str]:
    """The share of the values, and what happened to their letters."""
    if risen > 0:
        share = risen / lower if lower else 1.0
        if 0.0 < swapped <= 1.02 and upper > 0.02 * lower:
            return min(1.0, swapped), _SWAPPED
        return min(1.0, share), _UP
    share = -risen / upper if upper else 1.0
    if 0.0 < swapped <= 1.02 and lower > 0.02 * upper:
        return min(1.0, swapped), _SWAPPED
    return min(1.0, share), _DOWN


@hypothesis(Kind.STRING)
def padding(comparison: Comparison) -> Cause | None:
    """White space before or behind values that had none."""
    leading, trailing = comparison.change("leading_blank_ratio"), comparison.change("trailing_blank_ratio")
    steady = comparison.changed_as_usual("leading_blank_ratio", _LEAST) and comparison.changed_as_usual(
        "trailing_blank_ratio", _LEAST
    )
    share = max(0.0, leading) + max(0.0, trailing)
    if steady or share <= 0.0:
        return None
    both = min(leading, trailing) > 0.9
    share = min(1.0, max(leading, trailing) if both else share)
    matched = similar(comparison, str.strip)
    place = "around" if min(leading, trailing) > 0.1 * share else "before" if leading > trailing else "behind"
    words = f"white space {place} {percent(share)} of the values"
    undo = None if comparison.hidden else respelled(str.strip)
    fact, rows = f"has white space {place} its values", round(share * comparison.present[0])
    score = 0.9 if matched is None else matched
    return Cause("whitespace_padding", "", words, score, undo=undo, fact=fact, rows=rows)


def similar(comparison: Comparison, undo: Callable[[str], str]) -> float | None:
    """Share of the new values that a change undone makes values of before; None when new values say nothing."""
    if comparison.hidden or comparison.values is None or not comparison.new_values:
        return None
    if comparison.usual_novelty > _KNOWN:
        return None
    known = {undo(value) for value in comparison.values[1].all_shares}
    new = comparison.new_values
    # Some values are new on any day; what is beyond them is to be explained.
    beyond = max(sum(new.values()) - comparison.usual_novelty, 1e-9)
    return min(1.0, sum(share for value, share in new.items() if undo(value) in known) / beyond)
