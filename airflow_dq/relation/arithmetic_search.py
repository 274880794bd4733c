"""Which arithmetic may hold between columns: tried on a few rows in every combination, then on more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from airflow_dq.relation.arithmetic import (
    EXACT,
    SINGLE,
    SLACK,
    UNITS,
    Arithmetic,
    Duration,
    Floats,
    Linear,
    Product,
    Sum,
)
from airflow_dq.relation.sample import MOST_ADDED, MOST_ADDED_THREE, MOST_PAIRED, MOST_TIMES, PROBES, Rows

Places = NDArray[np.intp]

_FIRST = 24
"""Rows on which all combinations are tried; what passes is tried on the others."""
_LEAST = 4
"""Rows with a result other than zero that must keep a relation before it is looked at any further."""
_MOST = 2_000
"""Combinations of a kind that are looked at further: where most values are zero, nearly all of them pass."""
_DIGITS = range(1, 10)
"""Significant digits of a factor: the fewest with which it fits."""


class ArithmeticSearch:
    """Candidates of one table; each is a list of relations that differ in their rounding, the tightest first."""

    def __init__(self, rows: Rows, numbers: Sequence[str], times: Sequence[str]) -> None:
        """Draw the rows on which combinations are tried.

        :param numbers: columns of numbers of which no two are equal
        :param times: the same of moments
        """
        self._rows = rows
        self._few = rows.drawn(PROBES)
        self._numbers, self._times = list(numbers), list(times)
        self._units = {name: rows.unit(name) for name in numbers}
        self._noise = {name: SINGLE if rows.is_single(name) else EXACT for name in numbers}

    def tried(self) -> float:
        """How many combinations there are, each with the constants that could be read off any of the rows."""
        paired, added, three = (min(len(self._numbers), most) for most in (MOST_PAIRED, MOST_ADDED, MOST_ADDED_THREE))
        times = min(len(self._times), MOST_TIMES)
        durations = times**2 * min(len(self._numbers), MOST_PAIRED) * len(UNITS)
        return 2.0 * (paired**2 + times**2) * max(1, self._rows.size) + added**3 + three**4 / 6 + durations

    def linear(self) -> Iterator[list[Arithmetic]]:
        """Two columns of which one is the other times a factor, or plus a constant."""
        numbers = self._rows.most(self._numbers, MOST_PAIRED, "factors and offsets")
        values = self._few.matrix(numbers)
        for left, right in _with_constant(values):
            offset = float(np.nanmedian(values[:, left] - values[:, right]))
            first, second = (left, right) if offset >= 0 else (right, left)
            noise = self._noise_of(numbers[left], numbers[right])
            constants = {float(f"{abs(offset):.{digits}g}"): None for digits in _DIGITS} | {abs(offset): None}
            yield [
                Linear(numbers[first], numbers[second], constant=constant, noise=noise)
                for constant in constants
                if constant
            ]
        for left, right in _with_factor(values):
            yield self._multiples(numbers[left], numbers[right], values[:, left], values[:, right])

    def _multiples(self, left: str, right: str, values: Floats, others: Floats) -> list[Arithmetic]:
        known = np.isfinite(values) & np.isfinite(others) & (others != 0.0)
        largest = np.argsort(np.abs(others[known]))[-max(1, known.sum() // 4) :]
        factor = float(np.median(values[known][largest] / others[known][largest]))
        if not (factor and np.isfinite(factor)):
            return []
        if abs(factor) < 1.0:
            left, right, factor = right, left, 1.0 / factor
        noise = self._noise_of(left, right)
        factors = {float(f"{factor:.{digits}g}"): None for digits in _DIGITS} | {factor: None}
        levels = self._levels(left, (right,))
        return [Linear(left, right, factor=one, tolerance=level, noise=noise) for level in levels for one in factors]

    def offsets_in_time(self) -> Iterator[list[Arithmetic]]:
        """Two moments of which one is the other plus a constant."""
        times = self._rows.most(self._times, MOST_TIMES, "moments")
        values = self._few.matrix(times)
        for left, right in _with_constant(values):
            offset = float(np.nanmedian(values[:, left] - values[:, right]))
            first, second = (left, right) if offset >= 0 else (right, left)
            yield [Linear(times[first], times[second], constant=round(abs(offset), 6))]

    def sums(self) -> Iterator[list[Arithmetic]]:
        """Three columns of which one is the sum of the others, then four."""
        for parts, most in ((2, MOST_ADDED), (3, MOST_ADDED_THREE)):
            numbers = self._rows.most(self._numbers, most, f"sums of {parts}")
            for total, chosen in self._combined(numbers, parts, multiplied=False):
                noise = self._noise_of(total, *chosen)
                yield [Sum(total, chosen, level, noise) for level in self._levels(total, chosen)]

    def products(self) -> Iterator[list[Arithmetic]]:
        """Three columns of which one is the product of the others."""
        numbers = self._rows.most(self._numbers, MOST_ADDED, "products")
        for product, factors in self._combined(numbers, 2, multiplied=True):
            noise = self._noise_of(product, *factors)
            yield [Product(product, factors, level, noise) for level in self._levels(product, factors)[:3]]

    def durations(self) -> Iterator[list[Arithmetic]]:
        """Two moments and the time between them."""
        times = self._rows.most(self._times, MOST_TIMES, "moments")
        numbers = self._rows.most(self._numbers, MOST_PAIRED, "durations")
        moments, values = self._few.matrix(times), self._few.matrix(numbers)
        for start, end in combinations(range(len(times)), 2):
            between = moments[:, end] - moments[:, start]
            if not np.isfinite(between).any():
                continue
            if np.nanmedian(between) < 0:
                start, end, between = end, start, -between
            for unit, seconds in UNITS.items():
                for place in _near(between[:, None] / seconds, values):
                    duration, level = numbers[place], self._units[numbers[place]]
                    # Half a unit where it was rounded, a whole one where it was cut off.
                    levels = (0.0, level / 2, level) if level else (0.0,)
                    yield [Duration(times[end], times[start], duration, unit, tolerance) for tolerance in levels]

    def _noise_of(self, *names: str) -> float:
        return max(self._noise[name] for name in names)

    def _levels(self, result: str, operands: Sequence[str]) -> list[float]:
        """What rounding may leave, the least first: of the result, then of every term; whole numbers leave nothing."""
        units = [self._units[name] for name in (result, *operands)]
        if all(unit == 1.0 for unit in units):
            return [0.0]
        of_result = units[0]
        every = (1 + len(operands)) / 2 * max(units)
        return sorted({0.0, of_result / 2, of_result, every})

    def _combined(
        self, numbers: Sequence[str], operands: int, *, multiplied: bool
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Results and operands that fit on the few rows, those with most evidence first."""
        if len(numbers) <= operands:
            return
        values = self._few.matrix(numbers)
        places = np.array(list(combinations(range(len(numbers)), operands)), np.intp)
        tried = _Combinations.of(values, places, multiplied=multiplied)
        units = np.array([self._units[name] for name in numbers])
        noise = max(self._noise[name] for name in numbers)
        found: list[tuple[int, int, Places]] = []
        for result in range(len(numbers)):
            hits, kept = tried.fitting(values, result, units, noise)
            found += [(int(hit), result, places[place]) for hit, place in zip(hits, kept, strict=True)]
        found.sort(key=lambda one: -one[0])
        for _, result, chosen in found[:_MOST]:
            yield numbers[result], tuple(numbers[place] for place in chosen)


class _Combinations:
    """All sums or products of so many columns on a few rows."""

    def __init__(self, places: Places, first: Floats, sizes: Floats, *, multiplied: bool) -> None:
        self._places, self._first, self._sizes, self._multiplied = places, first, sizes, multiplied

    @classmethod
    def of(cls, values: Floats, places: Places, *, multiplied: bool) -> _Combinations:
        """Compute them on the first rows, with the size of their largest terms."""
        first = _computed(values[:_FIRST], places, multiplied=multiplied)
        sizes = np.abs(first) if multiplied else _largest(values[:_FIRST], places)
        return cls(places, first, sizes, multiplied=multiplied)

    def fitting(self, values: Floats, result: int, units: Floats, noise: float) -> tuple[Places, Places]:
        """Of one result the combinations that fit, and how many rows other than zero say so."""
        others = (self._places != result).all(axis=1)
        few = values[:_FIRST, result, None]
        with np.errstate(invalid="ignore"):
            allowed = self._allowed(result, units)
            off = np.abs(few - self._first)
            fits = off <= allowed + noise * np.maximum(self._sizes, np.abs(few))
        known = np.count_nonzero(np.isfinite(off), axis=0)
        misses = known - np.count_nonzero(fits, axis=0)
        left = np.flatnonzero(others & (misses <= 1))
        if not len(left):
            return left, left
        computed = _computed(values, self._places[left], multiplied=self._multiplied)
        sizes = np.abs(computed) if self._multiplied else _largest(values, self._places[left])
        own = values[:, result, None]
        with np.errstate(invalid="ignore"):
            off = np.abs(own - computed)
            fits = off <= allowed[left] + noise * np.maximum(sizes, np.abs(own))
        known = np.count_nonzero(np.isfinite(off), axis=0)
        misses = known - np.count_nonzero(fits, axis=0)
        hits = np.count_nonzero(fits & (own != 0.0), axis=0)
        good = (hits >= _LEAST) & (misses <= _bearable(known))
        return hits[good], left[good]

    def _allowed(self, result: int, units: Floats) -> Floats:
        """The largest rounding of each combination."""
        of_all = np.concatenate([units[self._places], np.full((len(self._places), 1), units[result])], axis=1)
        whole = (of_all == 1.0).all(axis=1)
        largest = units[result] if self._multiplied else of_all.max(axis=1) * of_all.shape[1] / 2
        return np.where(whole, 0.0, largest * SLACK)


def _computed(values: Floats, places: Places, *, multiplied: bool) -> Floats:
    found = values[:, places[:, 0]]
    for operand in range(1, places.shape[1]):
        other = values[:, places[:, operand]]
        found = found * other if multiplied else found + other
    return np.asarray(found)


def _largest(values: Floats, places: Places) -> Floats:
    sizes = np.abs(values)
    found: Floats = sizes[:, places[:, 0]]
    for operand in range(1, places.shape[1]):
        found = np.maximum(found, sizes[:, places[:, operand]])
    return np.asarray(found)


def _near(wanted: Floats, values: Floats) -> list[int]:
    """Columns that differ from what is wanted by one at most in nearly all rows."""
    with np.errstate(invalid="ignore"):
        # By the first rows alone most columns miss more often than all rows together may.
        off = np.abs(wanted[:_FIRST] - values[:_FIRST])
        misses = np.count_nonzero(np.isfinite(off) & (off > 1.0), axis=0)
        left = np.flatnonzero(misses <= _bearable(np.array(len(values))))
        if not len(left):
            return []
        values = values[:, left]
        off = np.abs(wanted - values)
        near = off <= 1.0
    known = np.count_nonzero(np.isfinite(off), axis=0)
    hits = np.count_nonzero(near & (values != 0.0), axis=0)
    misses = known - np.count_nonzero(near, axis=0)
    return left[(hits >= _LEAST) & (misses <= _bearable(known))].tolist()  # type: ignore[no-any-return]


def _bearable(known: NDArray[np.int_]) -> NDArray[np.float64]:
    """Of so many rows, how many may miss: one in a hundred, and what chance adds."""
    return np.asarray(np.ceil(0.03 * known))


def _with_constant(values: Floats) -> Iterator[tuple[int, int]]:
    """Pairs whose difference is the same in nearly all rows, and not 0."""
    for left in range(values.shape[1] - 1):
        between = values[:, left, None] - values[:, left + 1 :]
        yield from ((left, left + 1 + place) for place in _steady(between, np.abs(values[:, left, None])))


def _with_factor(values: Floats) -> Iterator[tuple[int, int]]:
    """Pairs whose ratio is nearly the same in nearly all rows, by those far from zero."""
    for left in range(values.shape[1] - 1):
        others = values[:, left + 1 :]
        with np.errstate(all="ignore"):
            ratio = np.where((others != 0.0) & (values[:, left, None] != 0.0), values[:, left, None] / others, np.nan)
        yield from ((left, left + 1 + place) for place in _steady(ratio, np.zeros(1), 0.05))


def _steady(found: Floats, sizes: Floats, spread: float = 0.0) -> list[int]:
    """Columns whose values are nearly all the same: by a spread of their own size, and what floats are off by."""
    known = np.count_nonzero(np.isfinite(found), axis=0)
    able = np.flatnonzero(known >= _LEAST)
    if not len(able):
        return []
    # NaN are sorted to the end.
    middle = np.sort(found[:, able], axis=0)[(known[able] - 1) // 2, np.arange(len(able))]
    with np.errstate(invalid="ignore"):
        near = np.abs(found[:, able] - middle) <= spread * np.abs(middle) + EXACT * np.maximum(sizes, np.abs(middle))
    # Small numbers that were rounded have ratios of any size.
    enough = np.count_nonzero(near, axis=0) >= (0.5 if spread else 0.97) * known[able] - 1
    return able[enough & (middle != 0.0)].tolist()  # type: ignore[no-any-return]
