"""Exact sum and sum of squares, minimum and maximum of the finite values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa

from airflow_dq.states.array import finite_floats, flat
from airflow_dq.states.base import Kind, State
from airflow_dq.states.codec import pack, reading, unpack
from airflow_dq.states.exact import UNIT, exact_dot, exact_sum
from airflow_dq.states.long_integer import is_long
from airflow_dq.states.veil import rounded_outwards


@dataclass(frozen=True, slots=True)
class Moments(State):
    """Count, sum, sum of squares, minimum and maximum of the finite values.

    The sums are integers (in units of 2**-1074 and 2**-2148), hence exact: mean and spread come out correctly
    rounded, whatever the split of the data and however large its offset.
    """

    key: ClassVar[str] = "moments/1"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.NUMERIC, Kind.TIMESTAMP})

    count: int = 0
    total: int = 0
    squares: int = 0
    low: float = math.inf
    high: float = -math.inf

    @classmethod
    def of(cls, values: pa.Array) -> Self:
        """Summarise numbers; integers of up to 64 bits and floats are exact, decimals are taken as float64."""
        values = flat(values)
        if is_long(values):
            return cls._of_long_integers(values)
        numbers = finite_floats(values)
        if len(numbers) == 0:
            return cls()
        total, squares = exact_sum(numbers), exact_dot(numbers, numbers)
        return cls(len(numbers), total, squares, float(numbers.min()), float(numbers.max()))

    @classmethod
    def _of_long_integers(cls, values: pa.Array) -> Self:
        numbers = values.drop_null().to_numpy(zero_copy_only=False)
        # Two halves of 32 bits are exact floats, and so is what exact_dot makes of them.
        high, low = (numbers >> 32).astype(np.float64), (numbers & 0xFFFFFFFF).astype(np.float64)
        total = (exact_sum(high) << 32) + exact_sum(low)
        squares = (exact_dot(high, high) << 64) + (exact_dot(high, low) << 33) + exact_dot(low, low)
        return cls(len(numbers), total, squares, float(numbers.min()), float(numbers.max()))

    @classmethod
    def veiled(cls, values: pa.Array, key: bytes) -> Self:
        """Exact sums, but a minimum and maximum rounded outwards to at most 0.8 % of them."""
        state = cls.of(values)
        if not state.count:
            return state
        low, high = rounded_outwards(state.low, state.high)
        return cls(state.count, state.total, state.squares, low, high)

    def merge(self, other: Self) -> Self:
        """The state of the concatenation of both inputs."""
        return type(self)(
            self.count + other.count,
            self.total + other.total,
            self.squares + other.squares,
            min(self.low, other.low),
            max(self.high, other.high),
        )

    @property
    def sum(self) -> float:
        """The sum, correctly rounded.

        :raises OverflowError: when it exceeds the range of a float.
        """
        return self.total / (1 << UNIT)

    @property
    def mean(self) -> float:
        """The mean, correctly rounded.

        :raises ZeroDivisionError: when there are no values.
        """
        return self.total / (self.count << UNIT)

    @property
    def std(self) -> float:
        """Standard deviation of the values themselves (divisor n); 0.0 exactly when all are equal.

        :raises ZeroDivisionError: when there are no values.
        """
        spread = self.count * self.squares - self.total**2
        # An integer root of at least 64 bits, so that rounding to float is the only rounding.
        extra = max(0, 65 - spread.bit_length() // 2)
        return math.isqrt(spread << (2 * extra)) / (self.count << (UNIT + extra))

    def encode(self) -> bytes:
        """Bytes from which :meth:`decode` restores an equal state."""
        numbers = (self.count, self.total, self.squares)
        bounds = np.array([self.low, self.high], "<f8").tobytes()
        return pack(self.key, *(_integer_bytes(number) for number in numbers), bounds)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The state that :meth:`encode` wrote.

        :raises CodecError: when the bytes are not of this state and version.
        """
        with reading(cls.key):
            *numbers, bounds = unpack(cls.key, data, 4)
            count, total, squares = (int.from_bytes(number, "little", signed=True) for number in numbers)
            low, high = np.frombuffer(bounds, "<f8").tolist()
            if count < 0 or squares < 0 or math.isnan(low) or math.isnan(high) or (count > 0) != (low <= high):
                raise ValueError("its numbers contradict each other")
            return cls(count, total, squares, low, high)


def _integer_bytes(number: int) -> bytes:
    return number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True)
