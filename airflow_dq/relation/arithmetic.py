"""Arithmetic between columns of numbers, and between moments and durations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.relation.base import Columns, RowRelation, Tested
from airflow_dq.relation.words import number_words, quoted, within

Floats = NDArray[np.float64]

EXACT = 1e-12
"""What two sums of the same 64-bit floats differ by at most, relative to their largest term, with room for some
hundred additions before; below a microsecond on moments of today."""
SINGLE = 3e-7
"""The same for columns that were 32-bit floats once."""
SLACK = 1.0 + 1e-6
"""Half a unit of the last decimal may be a little more in floats."""
UNITS = {"microseconds": 1e-6, "milliseconds": 1e-3, "seconds": 1.0, "minutes": 60.0, "hours": 3600.0, "days": 86_400.0}
"""Seconds of each unit that durations come in."""


@dataclass(frozen=True, slots=True)
class Equal(RowRelation):
    """Two columns have the same value in each row in which both have one; of any kind."""

    kind: ClassVar[str] = "equal"

    left: str
    right: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Both."""
        return self.left, self.right

    def __str__(self) -> str:
        """``left = right``."""
        return f"{quoted(self.left)} = {quoted(self.right)}"

    def test(self, rows: Columns) -> Tested:
        """Character for character, digit for digit."""
        left, right = rows[self.left], rows[self.right]
        speaks = left.present & right.present
        if left.values.type == right.values.type and not pa.types.is_null(left.values.type):
            same = pc.fill_null(pc.equal(left.values, right.values), False).to_numpy(zero_copy_only=False)
            return Tested.where(speaks, same)
        if left.is_number and right.is_number:
            return Tested.where(speaks, left.numbers == right.numbers)
        return Tested.where(np.zeros_like(speaks), speaks)


@dataclass(frozen=True, slots=True)
class Arithmetic(RowRelation, ABC):
    """One column is computed of others, but for rounding."""

    @property
    @abstractmethod
    def result(self) -> str:
        """The column that the others make."""

    @property
    @abstractmethod
    def operands(self) -> tuple[str, ...]:
        """The columns that make it."""

    @abstractmethod
    def computed(self, *operands: Floats) -> Floats:
        """The value of the result by those of the operands."""

    @abstractmethod
    def scale(self, *operands: Floats) -> Floats:
        """The size of the largest number that is met on the way: float noise is relative to it."""

    @abstractmethod
    def tolerances(self) -> tuple[float, float]:
        """Largest difference that is rounding, and the same relative to the largest term."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The result first."""
        return self.result, *self.operands

    def test(self, rows: Columns) -> Tested:
        """Rows with finite numbers everywhere."""
        result = rows[self.result].numbers
        operands = [rows[name].numbers for name in self.operands]
        absolute, relative = self.tolerances()
        with np.errstate(all="ignore"):
            difference = result - self.computed(*operands)
            np.abs(difference, out=difference)
            keeps = difference <= absolute * SLACK
            speaks = reduce(np.logical_and, (rows[name].has_number for name in self.columns))
            # How much noise there may be, and what is too large for a float, is worked out only where it matters.
            doubtful = np.flatnonzero(speaks & ~keeps)
            if len(doubtful):
                far = difference[doubtful]
                speaks[doubtful] = np.isfinite(far)
                sizes = np.maximum(np.abs(result[doubtful]), self.scale(*(one[doubtful] for one in operands)))
                keeps[doubtful] = far <= absolute * SLACK + relative * sizes
        return Tested.where(speaks, keeps)


@dataclass(frozen=True, slots=True)
class Sum(Arithmetic):
    """``total = part + part``; also what is written as a difference, for each sum has one such form only."""

    kind: ClassVar[str] = "sum"

    total: str
    parts: tuple[str, ...]
    tolerance: float = 0.0
    noise: float = EXACT

    @property
    def result(self) -> str:
        """The total."""
        return self.total

    @property
    def operands(self) -> tuple[str, ...]:
        """The parts."""
        return self.parts

    def computed(self, *operands: Floats) -> Floats:
        """All parts added up."""
        return reduce(np.add, operands)

    def scale(self, *operands: Floats) -> Floats:
        """Of the largest part."""
        return reduce(np.maximum, map(np.abs, operands))

    def tolerances(self) -> tuple[float, float]:
        """As learned."""
        return self.tolerance, self.noise

    def __str__(self) -> str:
        """``total = price + fee``."""
        return f"{quoted(self.total)} = {' + '.join(map(quoted, self.parts))}{within(self.tolerance)}"


@dataclass(frozen=True, slots=True)
class Linear(Arithmetic):
    """``left = factor * right + constant``, where the factor is 1 or the constant 0."""

    kind: ClassVar[str] = "linear"

    left: str
    right: str
    factor: float = 1.0
    constant: float = 0.0
    tolerance: float = 0.0
    noise: float = EXACT

    @property
    def result(self) -> str:
        """The left side."""
        return self.left

    @property
    def operands(self) -> tuple[str, ...]:
        """The right side."""
        return (self.right,)

    def computed(self, *operands: Floats) -> Floats:
        """The right side."""
        scaled = self.factor * operands[0]
        return scaled + self.constant if self.constant else scaled

    def scale(self, *operands: Floats) -> Floats:
        """Of the right side."""
        return np.abs(self.factor * operands[0])

    def tolerances(self) -> tuple[float, float]:
        """As learned."""
        return self.tolerance, self.noise

    def __str__(self) -> str:
        """``cents = 100 * dollars``, ``closes = opens + 8``."""
        times = "-" if self.factor == -1.0 else "" if self.factor == 1.0 else f"{number_words(self.factor)} * "
        sign = "" if not self.constant else f" {'-' if self.constant < 0 else '+'} {number_words(abs(self.constant))}"
        return f"{quoted(self.left)} = {times}{quoted(self.right)}{sign}{within(self.tolerance)}"


@dataclass(frozen=True, slots=True)
class Product(Arithmetic):
    """``product = one * other``; also what is written as a ratio, unless the ratio was rounded."""

    kind: ClassVar[str] = "product"

    product: str
    factors: tuple[str, ...]
    tolerance: float = 0.0
    noise: float = EXACT

    @property
    def result(self) -> str:
        """The product."""
        return self.product

    @property
    def operands(self) -> tuple[str, ...]:
        """The factors."""
        return self.factors

    def computed(self, *operands: Floats) -> Floats:
        """All factors multiplied."""
        return reduce(np.multiply, operands)

    def scale(self, *operands: Floats) -> Floats:
        """Of the product."""
        return np.abs(self.computed(*operands))

    def tolerances(self) -> tuple[float, float]:
        """As learned."""
        return self.tolerance, self.noise

    def __str__(self) -> str:
        """``amount = quantity * price``."""
        return f"{quoted(self.product)} = {' * '.join(map(quoted, self.factors))}{within(self.tolerance)}"


@dataclass(frozen=True, slots=True)
class Duration(Arithmetic):
    """``end - start`` is the number of some unit of time that stands in a third column."""

    kind: ClassVar[str] = "duration"

    end: str
    start: str
    duration: str
    unit: str = "seconds"
    """One of :data:`UNITS`."""
    tolerance: float = 0.0
    """In the unit."""

    @property
    def result(self) -> str:
        """The duration."""
        return self.duration

    @property
    def operands(self) -> tuple[str, ...]:
        """End, then start."""
        return self.end, self.start

    @property
    def columns(self) -> tuple[str, ...]:
        """As in the words."""
        return self.end, self.start, self.duration

    def computed(self, *operands: Floats) -> Floats:
        """The time between, in the unit."""
        return (operands[0] - operands[1]) / UNITS.get(self.unit, 1.0)

    def scale(self, *operands: Floats) -> Floats:
        """Of the moments: what they are rounded by is what their difference may be off."""
        return np.maximum(np.abs(operands[0]), np.abs(operands[1])) / UNITS.get(self.unit, 1.0)

    def tolerances(self) -> tuple[float, float]:
        """As learned."""
        return self.tolerance, EXACT

    def __str__(self) -> str:
        """``end - start = minutes (in minutes)``."""
        known = f"{quoted(self.end)} - {quoted(self.start)} = {quoted(self.duration)} (in {self.unit})"
        return f"{known}{within(self.tolerance)}"
