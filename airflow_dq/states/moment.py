"""Exact sum and sum of squares, minimum and maximum of the finite values."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.states.base import Kind, State
from airflow_dq.states.exact import UNIT, exact_dot, exact_sum, exact_sums_of_powers
from airflow_dq.states.fixed_point import unscaled
from airflow_dq.states.hidden import rounded_outwards
from airflow_dq.states.layout import pack, reading, unpack
from airflow_dq.states.long_integer import EXACT_INTEGER, is_long
from airflow_dq.states.prepared import PreparedColumn


@dataclass(frozen=True, slots=True)
class Moments(State):
    """Count, sum, sum of squares, minimum and maximum of the finite values. Of none: 0, inf and -inf.

    The sums are integers (in units of 2**-1074 * 10**-scale and of its square), hence exact: mean and spread come out
    correctly rounded, whatever the split of the data and however large its offset.
    """

    key: ClassVar[str] = "moments/1"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.NUMERIC, Kind.TIMESTAMP})

    count: int = 0
    total: int = 0
    squares: int = 0
    low: float = math.inf
    high: float = -math.inf
    scale: int = 0
    """Digits behind the point of decimals; 0 for other numbers."""
    low_rest: int = 0
    """What the minimum is above ``low``, where it is a whole number beyond 2**53 and no float."""
    high_rest: int = 0
    """The same of the maximum."""

    @classmethod
    def of_column(cls, column: PreparedColumn) -> Self:
        """Summarise numbers: floats, integers of up to 64 bits and decimals of any size, each exactly."""
        values = column.values
        if pa.types.is_decimal(values.type):
            return cls._of_decimals(values)
        if is_long(values):
            numbers = values.drop_null().to_numpy(zero_copy_only=False)
            return cls._of_integers(numbers)
        return cls.of_finite(column.finite)

    @classmethod
    def of_finite(cls, numbers: NDArray[np.float64]) -> Self:
        """Summarise finite floats."""
        if len(numbers) == 0:
            return cls()
        return cls(len(numbers), *_sums(numbers), float(numbers.min()), float(numbers.max()))

    @classmethod
    def _of_integers(cls, numbers: NDArray[np.int64], scale: int = 0) -> Self:
        """Summarise the integers times ``10**-scale``."""
        if not len(numbers):
            return cls()
        least, most = int(numbers.min()), int(numbers.max())
        if max(-least, most) <= EXACT_INTEGER:
            total, squares = _sums(numbers.astype(np.float64))
        else:
            # Two halves of 32 bits are exact floats, and so is what exact_dot makes of them.
            high, low = (numbers >> 32).astype(np.float64), (numbers & 0xFFFFFFFF).astype(np.float64)
            total = (exact_sum(high) << 32) + exact_sum(low)
            squares = (exact_dot(high, high) << 64) + (exact_dot(high, low) << 33) + exact_dot(low, low)
        return cls(len(numbers), total, squares, *_bounds(least, most, scale))

    @classmethod
    def _of_decimals(cls, values: pa.Array) -> Self:
        numbers, scale = unscaled(values), max(0, values.type.scale)
        if not len(numbers):
            return cls()
        if isinstance(numbers, np.ndarray) and values.type.scale >= 0:
            return cls._of_integers(numbers, scale)
        # Beyond 64 bits, or whole tens, hundreds, ...: Python's integers take their time, and have no end.
        integers = [int(number) * 10 ** max(0, -values.type.scale) for number in numbers]
        total, squares = sum(integers) << UNIT, sum(number * number for number in integers) << 2 * UNIT
        return cls(len(integers), total, squares, *_bounds(min(integers), max(integers), scale))

    @classmethod
    def of_hidden(cls, column: PreparedColumn, key: bytes) -> Self:
        """Exact sums, but a minimum and maximum rounded outwards to at most 0.8 % of them."""
        state = cls.of_column(column)
        if not state.count:
            return state
        low, high = rounded_outwards(state.low, state.high)
        return replace(state, low=low, high=high, low_rest=0, high_rest=0)

    def merge(self, other: Self) -> Self:
        """The state of the concatenation of both inputs."""
        scale = max(self.scale, other.scale)
        ours, theirs = (10 ** (scale - side.scale) for side in (self, other))
        low, low_rest = min((self.low, self.low_rest), (other.low, other.low_rest))
        high, high_rest = max((self.high, self.high_rest), (other.high, other.high_rest))
        return type(self)(
            self.count + other.count,
            self.total * ours + other.total * theirs,
            self.squares * ours**2 + other.squares * theirs**2,
            low,
            high,
            scale,
            low_rest,
            high_rest,
        )

    @property
    def _units(self) -> int:
        """So many units of ``total`` are 1."""
        units: int = 10**self.scale << UNIT
        return units

    @property
    def sum(self) -> float:
        """The sum, correctly rounded.

        :raises OverflowError: when it exceeds the range of a float.
        """
        return self.total / self._units

    @property
    def mean(self) -> float:
        """The mean, correctly rounded.

        :raises ZeroDivisionError: when there are no values.
        """
        return self.total / (self.count * self._units)

    @property
    def span(self) -> float:
        """The difference between the maximum and the minimum, correctly rounded for whole numbers of any size."""
        if self.long:
            return float(Fraction(self.high) + self.high_rest - Fraction(self.low) - self.low_rest)
        return self.high - self.low

    @property
    def long(self) -> bool:
        """Whether there are whole numbers beyond 2**53 that are no floats, as far as minimum and maximum tell."""
        return bool(self.low_rest or self.high_rest)

    @property
    def whole(self) -> bool:
        """Whether the sums are those of whole numbers (or of halves, quarters ..., which floats hold exactly too)."""
        return not self.total % self._units and not self.squares % self._units**2

    def mean_above(self, other: Self, unit: int = 1) -> float:
        """The mean less that of another state, correctly rounded: means that are one float may be far apart.

        :param unit: in multiples of it: the difference of two floats may itself be none
        :raises ZeroDivisionError: when one of them has no values.
        :raises OverflowError: when it exceeds the range of a float.
        """
        ours, theirs = self.count * self._units, other.count * other._units
        return (self.total * theirs - other.total * ours) / (unit * ours * theirs)

    @property
    def std(self) -> float:
        """Standard deviation of the values themselves (divisor n); 0.0 exactly when all are equal.

        :raises ZeroDivisionError: when there are no values.
        """
        spread = self.count * self.squares - self.total**2
        # An integer root of at least 64 bits, so that rounding to float is the only rounding.
        extra = max(0, 65 - spread.bit_length() // 2)
        return math.isqrt(spread << (2 * extra)) / (self.count * self._units << extra)

    def encode(self) -> bytes:
        """Bytes from which :meth:`decode` restores an equal state."""
        numbers = (self.count, self.total, self.squares)
        bounds = np.array([self.low, self.high], "<f8").tobytes()
        # Only decimals have a scale, and only long numbers rests: those of other numbers take no bytes.
        more = self.scale.to_bytes(1) if self.scale or self.long else b""
        if self.long:
            rest = _integer_bytes(self.low_rest)
            more += len(rest).to_bytes(1) + rest + _integer_bytes(self.high_rest)
        return pack(self.key, *(_integer_bytes(number) for number in numbers), bounds + more)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The state that :meth:`encode` wrote.

        :raises CodecError: when the bytes are not of this state and version.
        """
        with reading(cls.key):
            *numbers, bounds = unpack(cls.key, data, 4)
            count, total, squares = (int.from_bytes(number, "little", signed=True) for number in numbers)
            low, high = np.frombuffer(bounds[:16], "<f8").tolist()
            scale, more = int.from_bytes(bounds[16:17]), bounds[17:]
            split = 1 + more[0] if more else 0
            rests = (more[1:split], more[split:])
            low_rest, high_rest = (int.from_bytes(rest, "little", signed=True) for rest in rests)
            signs = count < 0 or squares < 0 or math.isnan(low) or math.isnan(high)
            odd = bool(more) and (split >= len(more) or not (low_rest or high_rest))
            if len(bounds) < 16 or signs or odd or (count > 0) != (low <= high):
                raise ValueError("its numbers contradict each other")
            return cls(count, total, squares, low, high, scale, low_rest, high_rest)


def _bounds(least: int, most: int, scale: int) -> tuple[float, float, int, int, int]:
    """The fields from ``low`` on, of whole numbers times ``10**-scale``."""
    low, high = least / 10**scale, most / 10**scale
    return (low, high, scale, 0, 0) if scale else (low, high, 0, least - int(low), most - int(high))


def _integer_bytes(number: int) -> bytes:
    return number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True)


def _sums(numbers: NDArray[np.float64]) -> tuple[int, int]:
    """The exact sum of finite floats and that of their squares."""
    top = float(np.abs(numbers).max())
    if len(numbers) * top * top < 2.0**62:
        # Whole numbers whose squares fit 64 bits together need no more than those.
        whole = numbers.astype(np.int64)
        if np.array_equal(whole, numbers):
            return int(whole.sum()) << UNIT, int((whole * whole).sum()) << 2 * UNIT
    return exact_sums_of_powers(numbers)
