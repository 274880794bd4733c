"""Strings (and the digits of numbers) with single characters replaced, added or missing, or cut short."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.corruption.clean_column import CleanColumn
from airflow_dq.corruption.procedure import char_perturbation
from airflow_dq.explain.cause.hypothesis import Cause, fit, hypothesis, percent
from airflow_dq.explain.comparison import Comparison, sampling_noise
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
_AT_RANDOM = ("char_perturbation", "char_insertion", "char_deletion")
_GROWING = ("char_perturbation", "char_insertion")
"""What values that go on where those before ended may be taken for."""
_FEWEST_HIT = 0.01
"""Share of the digits that are replaced at least, so that some of a thousand numbers are."""
_SCATTERED = 0.1
"""Kolmogorov-Smirnov distance, beside chance, up to which numbers lie as those with replaced digits do."""
_VARIED = 0.5
"""Hit at random, nearly every original becomes a value of its own; two new ones in 40 % of the rows are codes."""
_NEAR = 3.0
"""Ids that grow reach beyond the highest by a few times the width of those before, a digit more by ten times that."""
_GROWN = 0.9
"""Share of the new values that follow all others: characters hit at random make smaller values as well."""


@hypothesis(Kind.STRING, trust=0.88)
def characters(comparison: Comparison) -> Cause | None:
    """New values that are one character away from values of before."""
    if comparison.hidden or comparison.values is None or not comparison.new_values:
        return None
    new = comparison.new_values
    mass = sum(new.values())
    if comparison.usual_novelty > _USUAL or mass < _NEW + 2.0 * comparison.usual_novelty:
        return None
    before = comparison.values[1].all_shares
    found = _NewValues(
        new,
        comparison.usual_novelty,
        comparison.change("str_len"),
        2.0 * comparison.usual_change("str_len"),
        hits=round(mass * comparison.present[0]),
        present=comparison.present[0],
        grown=_sorts_above(new, before, comparison.usual_novelty),
    )
    return _best(found, before, Kind.STRING)


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
    longer = _mean_length(now) - _mean_length(before)
    hits = round(mass * len(points[0].values))
    found = _NewValues(
        new,
        comparison.usual_novelty,
        longer,
        hits=hits,
        present=comparison.present[0],
        grown=_lies_above(*points, comparison.usual_novelty),
        scattered=_is_scattered(*points, mass),
    )
    return _best(found, before, Kind.NUMERIC)


def _sorts_above(new: Mapping[str, float], before: Mapping[str, float], usual: float) -> bool:
    """Whether new texts follow all texts before that look like them: codes that are counted up."""
    highest: dict[str, str] = {}
    for value in before:
        key = shape(value)
        highest[key] = max(value, highest.get(key, value))
    above = sum(share for value, share in new.items() if value > highest.get(shape(value), value))
    return _has_grown(above, sum(new.values()), usual)


def _lies_above(now: QuantilePoints, before: QuantilePoints, usual: float) -> bool:
    """Whether new numbers lie right above all numbers before: ids that grow."""
    new, lowest, highest = ~np.isin(now.values, before.values), float(before.values[0]), float(before.values[-1])
    near = float(now.values[-1]) - highest <= _NEAR * (highest - lowest)
    return near and _has_grown(float((now.values > highest).mean()), float(new.mean()), usual)


def _is_scattered(now: QuantilePoints, before: QuantilePoints, mass: float) -> bool:
    """Whether new numbers are distributed as those before are with digits replaced at random, the first as the last.

    Any number has as many digits as others have: what else is new, an amount that rose, is no digit replaced.

    :param mass: share of the numbers that is new
    """
    new = now.where(~np.isin(now.values, before.values))
    length = max(1.0, float(np.mean([sum(map(str.isdigit, text)) for text in before.decimal_texts])))
    share = 1.0 - (1.0 - min(mass, 0.999)) ** (1.0 / length)
    clean = CleanColumn(Kind.NUMERIC, pa.array(before.values))
    replaced = char_perturbation(clean, max(share, _FEWEST_HIT), np.random.default_rng(0))
    if new is None or replaced is None:
        return False
    values = np.sort(pc.drop_null(replaced.values).to_numpy())
    made = QuantilePoints(values, len(values)).where(~np.isin(values, before.values))
    if made is None:
        return False
    allowed = _SCATTERED + sampling_noise(len(new.values), len(made.values))
    return new.ks_distance(made) <= allowed


def _has_grown(above: float, mass: float, usual: float) -> bool:
    """Whether what is new beyond the usual lies above all others."""
    return above > 0.0 and mass - above <= usual + (1.0 - _GROWN) * max(0.0, mass - usual)


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
    hits: int = 0
    """How many of the values that were compared are new."""
    present: int = 0
    """How many values there are."""
    grown: bool = False
    """Whether they go on where the values before ended."""
    scattered: bool = True
    """Whether they lie where characters replaced at random put them."""

    def are_too_few(self, originals: int) -> bool:
        """Whether so many values, hit at random, would have become more different ones than these."""
        return len(self.shares) < _VARIED * min(self.hits, originals)


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


def _best(new: _NewValues, before: Mapping[str, float], kind: Kind) -> Cause | None:
    """The change of characters that explains most of the new values beyond those that are usual."""
    if len(new.shares) < _SEVERAL:
        return None
    every = sum(new.shares.values())
    share = every - new.usual
    frequent = dict(list(new.shares.items())[:FREQUENT])
    seen = share * sum(frequent.values()) / every
    texts = {value: part for value, part in frequent.items() if len(value) <= _LONG + 1}
    originals = _Originals(before, {len(value) for value in texts}, cut=kind is not Kind.NUMERIC)
    explained, most = dict.fromkeys(_NAMES, 0.0), max(before.values(), default=0.0)
    for value, part in texts.items():
        change = originals.change_to(value)
        if change is not None:
            # No more came of an original than there was of it.
            explained[change] += min(part, most)
    # Characters are hit at random, wherever they stand.
    for name in _AT_RANDOM if new.are_too_few(len(before)) else _GROWING if new.grown else ():
        explained[name] = 0.0
    if not new.scattered:
        explained["char_perturbation"] = 0.0
    # Short texts are one character away from almost any: the average length must have changed by as much as well.
    longer = {"char_perturbation": 0.0, "char_insertion": share, "char_deletion": -share, "truncation": new.longer}
    for name, expected in longer.items():
        explained[name] *= max(0.0, 1.0 - max(0.0, abs(new.longer - expected) - new.chance) / share)
    name = max(explained, key=lambda entry: explained[entry])
    score = min(1.0, explained[name] / seen)
    type_ = "char_deletion" if name == "truncation" else name
    what = _NAMES[name] if kind is Kind.STRING else _NAMES[name].replace("character", "digit")
    rows, fact = round(share * new.present), f"has {what}"
    return Cause(type_, "", f"{what} in {percent(share)} of the values", score, fact=fact, rows=rows)


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
    # A digit more in every number is another unit; one more in ids that grow is their next thousand.
    if share > 0.9 or _lies_above(*points, comparison.usual_novelty):
        return None
    what = _NAMES[type_].replace("character", "digit")
    rows, fact = round(share * points[0].count), f"has {what}"
    return Cause(type_, "", f"{what} in {percent(share)} of the values", score, fact=fact, rows=rows)


def _digit_counts(points: QuantilePoints) -> FloatArray:
    """Share of the numbers by how many digits they are written with; the ends stay empty, so nothing rolls over."""
    counts = np.zeros(_LONG)
    for text, share in points.decimal_texts.items():
        counts[min(_LONG - 2, 1 + sum(symbol.isdigit() for symbol in text))] += share
    return counts
