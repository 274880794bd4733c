"""Strings (and the digits of numbers) with single characters replaced, added or missing, or cut short."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from airflow_dq.explain.cause.hypothesis import Cause, fit, hypothesis, percent
from airflow_dq.explain.comparison import Comparison
from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.distribution import FREQUENT, QuantilePoints, shape
from airflow_dq.states.base import Kind

_NEW = 0.02
"""With less than this share of new values there is nothing to be explained by characters."""
_SEVERAL = 2
"""Characters are hit at random: one new value alone is no sign of that."""
_USUAL = 0.5
"""Where more than this share of the values is new every time, new values say nothing."""
_FEW = 40
"""Fewer distinct numbers have no distribution of lengths."""
_MANY = 4000
"""Most values of the partition before that are compared character by character."""
_LONG = 64
"""Characters of the longest value that is looked at: every place of it costs a text."""
_NAMES = {
    "char_perturbation": "characters replaced by others of their kind",
    "char_insertion": "an additional character",
    "char_deletion": "a missing character",
    "truncation": "values cut short",
}


@hypothesis(Kind.STRING, trust=0.88)
def characters(comparison: Comparison) -> Cause | None:
    """New values that are one character away from values of before."""
    if comparison.hidden or comparison.values is None or not comparison.new_values:
        return None
    new = comparison.new_values
    mass = sum(new.values())
    if comparison.usual_novelty > _USUAL or mass < _NEW + 2.0 * comparison.usual_novelty:
        return None
    found = _NewValues(
        new, comparison.usual_novelty, comparison.change("str_len"), 2.0 * comparison.usual_change("str_len")
    )
    return _best(found, comparison.values[1].all_shares, Kind.STRING)


@hypothesis(Kind.NUMERIC, trust=0.85)
def digits(comparison: Comparison) -> Cause | None:
    """New numbers whose digits are one digit away from those of numbers before."""
    points = comparison.points
    if points is None or not points[0].exact or not points[1].exact:
        return None
    now, before = (side.decimal_texts for side in points)
    new = {text: share for text, share in now.items() if text not in before}
    mass = sum(new.values())
    if comparison.usual_novelty > _USUAL or mass < _NEW + 2.0 * comparison.usual_novelty:
        return None
    found = _NewValues(new, comparison.usual_novelty, _mean_length(now) - _mean_length(before))
    return _best(found, before, Kind.NUMERIC)


@dataclass(frozen=True, slots=True)
class _NewValues:
    """Values that the partition before did not have, and how the lengths have changed."""

    shares: Mapping[str, float]
    """Share of each new value in the partition, the most frequent first."""
    usual: float
    """The share of new values in a usual partition."""
    longer: float
    """By how many characters the values became longer on average."""
    chance: float = 0.0
    """By how many characters they may do so in a usual partition."""


class _Originals:
    """The values of the partition before, and what each change of characters can have made of them."""

    def __init__(self, before: Iterable[str], lengths: Collection[int], *, cut: bool) -> None:
        """Prepare the look-ups.

        :param lengths: those of the new values: others need not be made
        :param cut: whether values may have been cut short
        """
        values = [value for value in list(before)[:_MANY] if len(value) <= _LONG]
        self._whole = set(values)
        self._shortened = {short for value in values if len(value) - 1 in lengths for short in _shorter(value)}
        cuts = ((value, place) for value in values if cut for place in range(2, len(value) - 1))
        self._cut = {value[:place] for value, place in cuts if place in lengths}
        self._shapes = {shape(value) for value in values if len(value) in lengths}

    def change_to(self, value: str) -> str | None:
        """The change that makes this value from one of the originals, or None."""
        if any(short in self._whole for short in _shorter(value)):
            return "char_insertion"
        if value in self._shortened:
            return "char_deletion"
        if value in self._cut:
            return "truncation"
        return "char_perturbation" if shape(value) in self._shapes else None


def _best(new: _NewValues, before: Iterable[str], kind: Kind) -> Cause | None:
    """The change of characters that explains most of the new values beyond those that are usual."""
    if len(new.shares) < _SEVERAL:
        return None
    every = sum(new.shares.values())
    share = every - new.usual
    frequent = dict(list(new.shares.items())[:FREQUENT])
    seen = share * sum(frequent.values()) / every
    texts = {value: part for value, part in frequent.items() if len(value) <= _LONG + 1}
    originals = _Originals(before, {len(value) for value in texts}, cut=kind is not Kind.NUMERIC)
    explained = dict.fromkeys(_NAMES, 0.0)
    for value, part in texts.items():
        change = originals.change_to(value)
        if change is not None:
            explained[change] += part
    # Short texts are one character away from almost any: the average length must have changed by as much as well.
    longer = {"char_perturbation": 0.0, "char_insertion": share, "char_deletion": -share, "truncation": new.longer}
    for name, expected in longer.items():
        explained[name] *= max(0.0, 1.0 - max(0.0, abs(new.longer - expected) - new.chance) / share)
    name = max(explained, key=lambda entry: explained[entry])
    score = min(1.0, explained[name] / seen)
    type_ = "char_deletion" if name == "truncation" else name
    what = _NAMES[name] if kind is Kind.STRING else _NAMES[name].replace("character", "digit")
    return Cause(type_, "", f"{what} in {percent(share)} of the values", score)


def _mean_length(shares: Mapping[str, float]) -> float:
    return sum(share * len(value) for value, share in shares.items())


def _shorter(value: str) -> Iterable[str]:
    """The text without one of its characters, for each of them."""
    return (value[:place] + value[place + 1 :] for place in range(len(value)))


@hypothesis(Kind.NUMERIC, trust=0.85)
def length(comparison: Comparison) -> Cause | None:
    """Numbers with one digit more, or one less, than numbers before: for columns whose values are always new."""
    points = comparison.points
    if points is None or not points[0].exact or not points[1].exact:
        return None
    # A few values have no shape: they are looked at one by one.
    if len(np.unique(points[1].values)) < _FEW:
        return None
    now, before = (_digit_counts(side) for side in points)
    moved = float(np.abs(now - before).sum()) / 2.0
    if moved < _NEW + 1.5 * comparison.usual_distance:
        return None
    found = []
    for type_, step in (("char_insertion", 1), ("char_deletion", -1)):
        way = np.roll(before, step) - before
        share = float(np.clip((now - before) @ way / max(float(way @ way), 1e-9), 0.0, 1.0))
        rest = float(np.abs(now - before - share * way).sum()) / 2.0
        found.append((fit(rest, comparison.usual_distance, moved), share, type_))
    score, share, type_ = max(found)
    # A digit more in every number is another unit.
    if share > 0.9:
        return None
    what = _NAMES[type_].replace("character", "digit")
    return Cause(type_, "", f"{what} in {percent(share)} of the values", score)


def _digit_counts(points: QuantilePoints) -> FloatArray:
    """Share of the numbers by how many digits they are written with; the ends stay empty, so nothing rolls over."""
    counts = np.zeros(_LONG)
    for text, share in points.decimal_texts.items():
        counts[min(_LONG - 2, 1 + sum(symbol.isdigit() for symbol in text))] += share
    return counts
