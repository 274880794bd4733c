"""Numbers and times that were all changed in one way: another unit, another sign, a shifted clock."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from airflow_dq.explain.cause.hypothesis import Cause, fit, hypothesis
from airflow_dq.explain.comparison import Comparison, sampling_noise
from airflow_dq.explain.undo import rescaled
from airflow_dq.explain.wording import number_words, scaled_words, share_words
from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.distribution import QuantilePoints
from airflow_dq.states.base import Kind

_FACTORS = {
    "x10": 10.0,
    "x100": 100.0,
    "x1,000": 1000.0,
    "x10,000": 1e4,
    "x1,000,000": 1e6,
    "x60": 60.0,
    "x3,600": 3600.0,
    "x24": 24.0,
    "x1,024": 1024.0,
    "x7": 7.0,
    "x12": 12.0,
    "x1,024/1,000": 1.024,
    "x3.6 (m/s to km/h)": 3.6,
    "x2.237 (m/s to mph)": 2.2369363,
    "x1.852 (knots to km/h)": 1.852,
    "x28.35 (ounces to grams)": 28.349523,
    "x3.785 (gallons to litres)": 3.7854118,
    "x1,609 (miles to metres)": 1609.344,
    "x1.609 (miles to kilometres)": 1.609344,
    "x2.205 (kilograms to pounds)": 2.2046226,
    "x2.54 (inches to centimetres)": 2.54,
    "x3.281 (metres to feet)": 3.2808399,
}
_INVERSES = {
    "x1,024/1,000": "x1,000/1,024",
    "x3.6 (m/s to km/h)": "/3.6 (km/h to m/s)",
    "x2.237 (m/s to mph)": "/2.237 (mph to m/s)",
    "x1.852 (knots to km/h)": "/1.852 (km/h to knots)",
    "x28.35 (ounces to grams)": "/28.35 (grams to ounces)",
    "x3.785 (gallons to litres)": "/3.785 (litres to gallons)",
    "x1,609 (miles to metres)": "/1,609 (metres to miles)",
    "x1.609 (miles to kilometres)": "/1.609 (kilometres to miles)",
    "x2.205 (kilograms to pounds)": "/2.205 (pounds to kilograms)",
    "x2.54 (inches to centimetres)": "/2.54 (centimetres to inches)",
    "x3.281 (metres to feet)": "/3.281 (feet to metres)",
}
_STEADY = 600.0
"""Where a day's median time usually varies by fewer seconds than this, a shift by hours can be told."""
_TEMPERATURES = {
    "Celsius to Fahrenheit": (1.8, 32.0),
    "Fahrenheit to Celsius": (1 / 1.8, -32.0 / 1.8),
    "Celsius to Kelvin": (1.0, 273.15),
    "Kelvin to Celsius": (1.0, -273.15),
}
_AIR = {"Celsius": (-90.0, 60.0), "Fahrenheit": (-130.0, 140.0), "Kelvin": (180.0, 335.0)}
"""The range of what has been measured on earth (-89 to 57 degrees Celsius), in each unit."""
_FEW = 50
"""With fewer values only the common factors are believed."""
_LEAST = 0.15
"""Share of the distribution that must have moved before a change of unit is suspected."""
_UNITS = (1.0, 0.1, 0.01, 0.001)
"""Of what numbers with up to three decimals are multiples."""
_NEARLY = 0.9
"""So many of the numbers must be: some may have been rounded anew."""
_ROUNDING = 1e-9
"""Relative; multiplied and divided again, a number is off by about 1e-16."""
_ALIKE = 0.5
"""Fits that differ by less than this part of what two samples differ by cannot be told from each other."""
_ROOM = 1.67
"""A factor may be off by so much, for levels move: by two thirds up, and as much down."""
_ROUNDED = 5.0
"""Of whole numbers at least so large a conversion that rounds leaves a tenth of the distance between two, and their
distribution."""
_COMMON = ("x10", "x100", "x1,000", "x60", "/10", "/100", "/1,000", "/60")
"""Powers of ten and minutes: the changes of unit that are made by mistake every day."""


def _changes() -> dict[str, tuple[float, float]]:
    """Name of each known change of unit: factor and offset."""
    known = {}
    for name, factor in _FACTORS.items():
        known[name] = (factor, 0.0)
        known[_INVERSES.get(name, f"/{name[1:]}")] = (1.0 / factor, 0.0)
    return known | _TEMPERATURES | {"the sign changed": (-1.0, 0.0)}


CHANGES = _changes()


@hypothesis(Kind.NUMERIC)
def unit(comparison: Comparison) -> Cause | None:
    """Every number in another unit: undone, the numbers are distributed as before."""
    # Zero is zero in every unit, and may be most of the values.
    points = comparison.nonzero
    if points is None:
        return None
    now, before = points
    moved, noise = now.ks_distance(before), comparison.usual_distance
    drift = 2.0 * comparison.usual_change("median")
    if comparison.new_every_time:
        # Its place must speak for itself.
        if abs(float(np.median(now.values)) - float(np.median(before.values))) < 3.0 * drift:
            return None
        noise = 0.0
    if moved < _LEAST + noise:
        return None
    fits = list(_fits(now, before, drift, moment=comparison.new_every_time))
    if not fits:
        # The level of some columns varies by factors; of those that are common no two are so near each other.
        wider = _fits(now, before, drift, moment=comparison.new_every_time, room=_varied(comparison.series("median")))
        fits = [one for one in wider if one[1] in _COMMON] or list(_fits_of_whole(now, before))
    if not fits:
        return None
    rest, name, times = _likeliest(fits, now, before)
    if abs(math.log(abs(times))) < 0.03 and rest > 0.5 * moved:
        return None
    words = f"{name if 'sign' in name else f'change of unit, {name}'}: {_medians(points, comparison.kind)}"
    # Of many rare factors one always nearly fits: it must fit as well as chance lets it.
    allowed = noise if name in _COMMON else min(noise, sampling_noise(now.count, before.count))
    score = fit(rest, 1.5 * allowed, moved) * (1.0 if name in _COMMON else 0.9)
    if name not in _COMMON and before.count < _FEW:
        return None
    return Cause(
        "unit_change",
        name,
        words,
        score,
        undo=rescaled(*CHANGES[name]),
        fact=_fact(name),
        detail=_medians(points, comparison.kind),
        rows=now.count,
    )


def _likeliest(
    fits: Sequence[tuple[float, str, float]], now: QuantilePoints, before: QuantilePoints
) -> tuple[float, str, float]:
    """The change of unit that leaves least; of several that leave as little as chance does, the one that fits best.

    Undone it gives numbers with as many decimals as before; or else it is a common one.
    """
    least = min(rest for rest, _, _ in fits)
    alike = [one for one in fits if one[0] <= least + _ALIKE * sampling_noise(now.count, before.count)]
    unit = next((unit for unit in _UNITS if _on_grid(before.values, unit)), None)

    def place(one: tuple[float, str, float]) -> tuple[bool, bool, float]:
        """The lowest of a change that fits the column's grid and is a common one."""
        rest, name, _ = one
        factor, plus = CHANGES[name]
        fits_grid = unit is not None and _on_grid((now.values - plus) / factor, unit)
        return not fits_grid, name not in _COMMON, rest

    return min(alike, key=place)


def _on_grid(values: FloatArray, unit: float) -> bool:
    """Whether nearly all numbers are multiples of a unit, but for rounding errors."""
    steps = values / unit
    return bool((np.abs(steps - np.round(steps)) <= _ROUNDING * np.maximum(1.0, np.abs(steps))).mean() >= _NEARLY)


def _fact(name: str) -> str:
    """A change of unit as a fact about the column."""
    factor, offset_by = CHANGES[name]
    if factor == -1.0:
        return "has the opposite sign"
    if offset_by:
        before, _, now = name.partition(" to ")
        return f"is in {now} instead of {before}"
    _, bracket, units = name.partition(" (")
    return f"is {scaled_words(factor)}" + (f", as {units.rstrip(')')}" if bracket else "")


def _medians(points: tuple[QuantilePoints, QuantilePoints], kind: Kind) -> str:
    """``median 139 -> 9,360``."""
    is_now, was = number_words("median", kind, [float(np.median(side.values)) for side in points])
    return f"median {was} -> {is_now}"


def _fits(
    now: QuantilePoints, before: QuantilePoints, drift: float, *, moment: bool, room: float = _ROOM
) -> Iterator[tuple[float, str, float]]:
    """The changes of unit that are possible: the distance that remains when one is undone, its name, its factor.

    :param moment: whether the numbers are counted up, as moments are: seconds of them are whole, too
    :param room: by how much the level may have moved as well, as a factor
    """
    factor = _factor(now, before)
    for name, (times, plus) in CHANGES.items():
        if plus != 0.0 and not _temperate(before, name):
            continue
        # A factor that the medians contradict need not be tried.
        if plus == 0.0 and (factor is None or not 1.0 / room < factor / times < room):
            continue
        undone = now.scaled(1.0 / times, -plus / times)
        if plus != 0.0 or moment or _plausible(now, undone, before):
            yield _rest(undone, before, drift), name, times


def _plausible(now: QuantilePoints, undone: QuantilePoints, before: QuantilePoints) -> bool:
    """Whether whole numbers fit the factor: ten times a whole number ends in zero, 2.54 times one has a fraction."""
    if not (now.exact and before.exact and before.whole_numbers):
        return True
    back = np.abs(undone.values - np.round(undone.values)) <= 1e-6 * np.maximum(1.0, np.abs(undone.values))
    if back.mean() < 0.9:
        return False
    # Divided, numbers keep no whole value unless all were multiples.
    return not now.whole_numbers or bool(np.abs(now.values).max() >= np.abs(undone.values).max())


def _varied(medians: FloatArray) -> float:
    """By which factor a column's median has varied; at least what other columns are given."""
    known = np.abs(medians[medians != 0.0])
    return max(_ROOM, float(known.max() / known.min())) if len(known) else _ROOM


def _fits_of_whole(now: QuantilePoints, before: QuantilePoints) -> Iterator[tuple[float, str, float]]:
    """The changes of unit of whole numbers that were made whole again: the distance that remains, its name, its factor.

    Ten times a whole number is one by itself, and of small ones rounding leaves nothing.
    """
    factor = _factor(now, before)
    if factor is None or not (now.exact and before.exact and now.whole_numbers and before.whole_numbers):
        return
    for name, (times, plus) in CHANGES.items():
        made = times * before.values
        large = abs(float(np.median(made))) >= _ROUNDED
        if large and plus == 0.0 and times != round(times) and 1.0 / _ROOM < factor / times < _ROOM:
            whole = (np.sort(np.trunc(made)), np.sort(np.round(made)))
            yield min(now.ks_distance(replace(before, values=values)) for values in whole), name, times


def _rest(undone: QuantilePoints, before: QuantilePoints, drift: float) -> float:
    """The distance that remains, apart from a shift no larger than partitions usually move."""
    shift = float(np.median(undone.values)) - float(np.median(before.values))
    rest = undone.ks_distance(before)
    return min(rest, undone.scaled(1.0, -shift).ks_distance(before)) if abs(shift) <= drift else rest


def _temperate(before: QuantilePoints, name: str) -> bool:
    """Whether the numbers before can be temperatures of the air in the unit that a name begins with."""
    low, high = _AIR[name.partition(" ")[0]]
    return bool(low <= before.values[0] and before.values[-1] <= high and before.values[0] < before.values[-1])


def _factor(now: QuantilePoints, before: QuantilePoints) -> float | None:
    """The ratio of the quantiles, zeros apart; None when there are none to compare."""
    sides = [side.where(side.values != 0.0) for side in (now, before)]
    if sides[0] is None or sides[1] is None:
        return None
    shares = np.linspace(0.1, 0.9, 33)
    a, b = (np.quantile(side.values, shares) for side in sides if side is not None)
    both = (a != 0) & (b != 0)
    if not both.any():
        return None
    # Of a changed sign the lowest has become the highest.
    straight, turned = np.median(a[both] / b[both]), np.median(a[both] / b[::-1][both])
    return float(turned if turned < 0 and straight < 0 else straight)


@hypothesis(Kind.NUMERIC, trust=0.8)
def offset(comparison: Comparison) -> Cause | None:
    """Every number higher or lower by one amount: taken away, the numbers are distributed as before."""
    points = comparison.points
    if points is None or comparison.new_every_time or points[1].count < _FEW:
        return None
    now, before = points
    added = float(np.median(now.values)) - float(np.median(before.values))
    moved, noise = now.ks_distance(before), comparison.usual_distance
    if abs(added) <= 3.0 * comparison.usual_change("median") or moved < _LEAST + noise:
        return None
    rest = now.scaled(1.0, -added).ks_distance(before)
    size, way = (
        number_words("median", comparison.kind, [float(f"{abs(added):.3g}")])[0],
        "higher" if added > 0.0 else "lower",
    )
    words = f"every number is about {size} {way}: {_medians(points, comparison.kind)}"
    return Cause(
        "offset",
        f"{added:.2g}",
        words,
        fit(rest, 1.5 * noise, moved),
        undo=rescaled(1.0, added),
        fact=f"is about {size} {way} than before",
        detail=_medians(points, comparison.kind),
        rows=comparison.present[0],
    )


@hypothesis(Kind.TIMESTAMP)
def clock(comparison: Comparison) -> Cause | None:
    """Times in another unit, another time zone, or of another day."""
    points = comparison.points
    if points is None:
        return None
    now, before = points
    middle, was = float(np.median(now.values)), float(np.median(before.values))
    mixed = _mixed_units(middle, was)
    if mixed is not None:
        return mixed
    steps = np.diff(comparison.series("median"))
    if not len(steps):
        return None
    step, usual = float(np.median(steps)), float(np.quantile(np.abs(steps - np.median(steps)), 0.9))
    shift = middle - was - step
    # Where the time of day varies from partition to partition only whole days can be told.
    unit = 3600 if usual < _STEADY else 86_400
    whole = round(shift / unit) * unit // 3600
    if whole == 0 or abs(shift - 3600.0 * whole) > max(0.05 * unit, 2.0 * usual):
        return None
    expected = before.scaled(1.0, step)
    rest, moved = now.scaled(1.0, -3600.0 * whole).ks_distance(expected), now.ks_distance(expected)
    if moved < _LEAST:
        return None
    # That partitions lie one after the other is usual here; how a day looks by itself is what counts.
    return _shifted(whole, fit(rest, sampling_noise(now.count, before.count), moved), comparison.present[0])


def _mixed_units(now: float, before: float) -> Cause | None:
    """Times written in another unit: of two medians one is about a thousand or a million times the other."""
    if not (now and before):
        return None
    for name, factor in (("x1,000", 1e3), ("/1,000", 1e-3), ("x1,000,000", 1e6), ("/1,000,000", 1e-6)):
        if 0.9 < now / before / factor < 1.1:
            words = f"change of unit, {name} (seconds and milliseconds mixed up)"
            fact = f"is {scaled_words(factor)} (seconds and milliseconds mixed up)"
            return Cause("unit_change", name, words, 1.0, undo=rescaled(factor), fact=fact)
    return None


def _shifted(hours: int, score: float, rows: int) -> Cause:
    days, left = divmod(abs(hours), 24)
    span = f"{abs(hours)} h" if left or not days else f"{days} day{'s' if days > 1 else ''}"
    where = "later" if hours > 0 else "earlier"
    hint = "another time zone" if left or not days else "data of another day"
    words = f"times are {span} {where} ({hint}?)"
    fact = f"is {span} {'too late' if hours > 0 else 'too early'} ({hint}?)"
    return Cause(
        "time_shift", f"{span} {where}", words, score, undo=rescaled(1.0, 3600.0 * hours), fact=fact, rows=rows
    )


@hypothesis(Kind.BOOLEAN)
def inverted(comparison: Comparison) -> Cause | None:
    """True and false swapped."""
    now, old = comparison.value("true_ratio"), comparison.value_before("true_ratio")
    if now is None or old is None or comparison.changed_as_usual("true_ratio", 0.1):
        return None
    rest = abs(now - (1.0 - old))
    if abs(now - old) < 0.2 or rest > 0.05 + comparison.usual_change("true_ratio"):
        return None
    detail = f"{share_words(now)} are true, before {share_words(old)}"
    words, fact = "true and false are swapped", "has true and false swapped"
    return Cause("inversion", "all", words, 1.0 - rest, fact=fact, detail=detail, rows=comparison.present[0])
