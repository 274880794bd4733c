"""Strings (and the digits of numbers) with single characters replaced, added or missing, or cut short."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from airflow_dq.program.array import FloatArray
from airflow_dq.program.cause.hypothesis import Cause, fit, hypothesis, percent
from airflow_dq.program.comparison import Comparison
from airflow_dq.program.sight import FREQUENT, Points, shape
from airflow_dq.states.base import Kind

_NEW = 0.02
"""With less than this share of new values there is nothing to be explained by characters."""
_SEVERAL = 2
"""Characters are hit at random: one new value alone is no sign of that."""
_USUAL = 0.5
_FEW = 40
_MANY = 4000
"""Values of before that are spelled out character by character."""
_LONG = 64
_NAMES = {
    "char_perturbation": "characters replaced by others of their kind",
    "char_insertion": "an additional character",
    "char_deletion": "a missing character",
    "truncation": "values cut short",
}


@hypothesis(Kind.STRING, trust=0.88)
def characters(comparison: Comparison) -> Cause | None:
    """New values that are one character away from values of before."""
    if comparison.hidden or comparison.values is None or not comparison.appeared:
        return None
    new = comparison.appeared
    mass = sum(new.values())
    if comparison.novelty > _USUAL or mass < _NEW + 2.0 * comparison.novelty:
        return None
    return _best(
        new,
        comparison.values[1].every,
        comparison.novelty,
        Kind.STRING,
        comparison.change("str_len"),
        2.0 * comparison.usual("str_len"),
    )


@hypothesis(Kind.NUMERIC, trust=0.85)
def digits(comparison: Comparison) -> Cause | None:
    """New numbers whose digits are one digit away from those of numbers before."""
    points = comparison.points
    if points is None or not points[0].exact or not points[1].exact:
        return None
    now, before = (side.spelled for side in points)
    new = {text: share for text, share in now.items() if text not in before}
    mass = sum(new.values())
    if comparison.novelty > _USUAL or mass < _NEW + 2.0 * comparison.novelty:
        return None
    return _best(new, before, comparison.novelty, Kind.NUMERIC, _mean_length(now) - _mean_length(before))


def _best(
    new: Mapping[str, float], old: Mapping[str, float], novelty: float, kind: Kind, longer: float, chance: float = 0.0
) -> Cause | None:
    """The change of characters that explains most of the new values beyond those that are usual.

    :param longer: by how many characters the values became longer on average
    :param chance: by how many they may do so on any day
    """
    if len(new) < _SEVERAL:
        return None
    share = sum(new.values()) - novelty
    new, every = dict(list(new.items())[:FREQUENT]), sum(new.values())
    seen = share * sum(new.values()) / every
    known = [value for value in list(old)[:_MANY] if len(value) <= _LONG]
    texts = {value: part for value, part in new.items() if len(value) <= _LONG + 1}
    lengths = {len(value) for value in texts}
    shortened = {short for value in known if len(value) - 1 in lengths for short in _shorter(value)}
    halves = (
        set()
        if kind is Kind.NUMERIC
        else {value[:cut] for value in known for cut in range(2, len(value) - 1) if cut in lengths}
    )
    shapes = {shape(value) for value in known if len(value) in lengths}
    wholly = set(known)
    explained = dict.fromkeys(_NAMES, 0.0)
    for value, part in texts.items():
        if any(short in wholly for short in _shorter(value)):
            explained["char_insertion"] += part
        elif value in shortened:
            explained["char_deletion"] += part
        elif value in halves:
            explained["truncation"] += part
        elif shape(value) in shapes:
            explained["char_perturbation"] += part
    # Short texts are one character away from almost any: the average length must have changed by as much as well.
    expected = {"char_perturbation": 0.0, "char_insertion": share, "char_deletion": -share, "truncation": longer}
    for name, change in expected.items():
        explained[name] *= max(0.0, 1.0 - max(0.0, abs(longer - change) - chance) / share)
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
    if moved < _NEW + 1.5 * comparison.noise:
        return None
    found = []
    for type_, step in (("char_insertion", 1), ("char_deletion", -1)):
        way = np.roll(before, step) - before
        share = float(np.clip((now - before) @ way / max(float(way @ way), 1e-9), 0.0, 1.0))
        rest = float(np.abs(now - before - share * way).sum()) / 2.0
        found.append((fit(rest, comparison.noise, moved), share, type_))
    score, share, type_ = max(found)
    # A digit more in every number is another unit.
    if share > 0.9:
        return None
    what = _NAMES[type_].replace("character", "digit")
    return Cause(type_, "", f"{what} in {percent(share)} of the values", score)


def _digit_counts(points: Points) -> FloatArray:
    """Share of the numbers by how many digits they are written with; the ends stay empty, so nothing rolls over."""
    counts = np.zeros(_LONG)
    for text, share in points.spelled.items():
        counts[min(_LONG - 2, 1 + sum(symbol.isdigit() for symbol in text))] += share
    return counts
