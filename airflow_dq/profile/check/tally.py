"""Counts that answer checks, of a part of a partition: mergeable in any order, with a form that travels.

Nothing is rounded before the last step, so that a partition has the same values however its rows are divided.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from airflow_dq.check.expression import Aggregate, Arithmetic, Node
from airflow_dq.check.expression import Value as Literal
from airflow_dq.check.model import Check
from airflow_dq.check.parser import aggregate
from airflow_dq.profile.check.measured import NO_ROWS, NO_VALUES, Measured, Value
from airflow_dq.states.exact import exact_dot, exact_sum
from airflow_dq.states.moment import Moments


class Tally(ABC):
    """What a check needs of some rows."""

    __slots__ = ()

    tag: ClassVar[str]
    """Names the class in its encoded form."""
    _types: ClassVar[dict[str, type[Tally]]] = {}

    def __init_subclass__(cls) -> None:
        Tally._types[cls.tag] = cls

    @classmethod
    def named(cls, tag: str) -> type[Tally]:
        """The class with this tag.

        :raises KeyError: when there is none
        """
        return cls._types[tag]

    def merge(self, other: Tally) -> Tally:
        """That of both parts; one that has failed keeps failing."""
        if isinstance(self, Failed) or isinstance(other, Failed):
            # The least, so that the order of the parts does not matter.
            return min((one for one in (self, other) if isinstance(one, Failed)), key=lambda one: one.problem)
        assert type(other) is type(self)
        return self._with(other)

    @abstractmethod
    def _with(self, other: Any) -> Tally:
        """As :meth:`merge`, with one of the same class."""

    @abstractmethod
    def encode(self) -> tuple[Any, bytes]:
        """JSON values and bytes from which :meth:`decode` restores it."""

    @classmethod
    @abstractmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""

    @abstractmethod
    def measured(self, check: Check) -> Measured:
        """The value that a check asks for."""

    @property
    def filled(self) -> float:
        """Of the values that may be kept one by one until all rows are known, the share that is; infinite if more."""
        return 0.0

    @property
    def is_wide(self) -> bool:
        """Whether keys were too many to be counted at once."""
        return False

    def lost(self) -> Tally:
        """That of the same rows when no value can be kept."""
        return self


@dataclass(frozen=True, slots=True)
class Failed(Tally):
    """That it could not be computed."""

    tag: ClassVar[str] = "failed"

    problem: str

    def _with(self, other: Any) -> Tally:
        return self

    def encode(self) -> tuple[Any, bytes]:
        """The problem."""
        return self.problem, b""

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        return cls(str(head))

    def measured(self, check: Check) -> Measured:
        """Why there is no value."""
        return Measured(problem=self.problem)


@dataclass(frozen=True, slots=True)
class Shares(Tally):
    """Rows in scope, and for how many of them a rule is true, and how many neither true nor false."""

    tag: ClassVar[str] = "shares"

    rows: int = 0
    true: int = 0
    null: int = 0

    def _with(self, other: Any) -> Tally:
        return Shares(self.rows + other.rows, self.true + other.true, self.null + other.null)

    def encode(self) -> tuple[Any, bytes]:
        """The counts."""
        return [self.rows, self.true, self.null], b""

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        return cls(*head)

    def measured(self, check: Check) -> Measured:
        """The share of rows that follow the rule; of the number of rows, that itself."""
        if check.metric == "rows":
            return Measured(self.rows)
        if check.entry.unit == "count":
            return Measured(self.true, self.true, self.rows) if self.rows else Measured(nothing=NO_ROWS)
        numerator = self.true + (self.null if check.nulls == "pass" else 0)
        denominator = self.rows - (self.null if check.nulls == "skip" else 0)
        return Measured.share(numerator, denominator, NO_VALUES if self.rows else NO_ROWS)


@dataclass(frozen=True, slots=True)
class Lengths(Tally):
    """The fewest and the most characters of texts; None where there is no text."""

    tag: ClassVar[str] = "lengths"

    rows: int = 0
    low: int | None = None
    high: int | None = None

    def _with(self, other: Any) -> Tally:
        low = [one for one in (self.low, other.low) if one is not None]
        high = [one for one in (self.high, other.high) if one is not None]
        return Lengths(self.rows + other.rows, min(low, default=None), max(high, default=None))

    def encode(self) -> tuple[Any, bytes]:
        """The lengths."""
        return [self.rows, self.low, self.high], b""

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        return cls(*head)

    def measured(self, check: Check) -> Measured:
        """The length that the check asks for."""
        found = self.low if check.metric == "min_length" else self.high
        return Measured(found) if found is not None else Measured(nothing=NO_VALUES if self.rows else NO_ROWS)


@dataclass(frozen=True, slots=True)
class Products(Tally):
    """Exact sums of two columns and of their products, over the rows that have both (units of 2**-1074, squared)."""

    tag: ClassVar[str] = "products"

    rows: int = 0
    count: int = 0
    sums: tuple[int, int] = (0, 0)
    products: tuple[int, int, int] = (0, 0, 0)
    """Of the first with itself, the second with itself, the first with the second."""

    @classmethod
    def of(cls, rows: int, first: NDArray[np.float64], second: NDArray[np.float64]) -> Self:
        """Of pairs of finite numbers."""
        products = (exact_dot(first, first), exact_dot(second, second), exact_dot(first, second))
        return cls(rows, len(first), (exact_sum(first), exact_sum(second)), products)

    def _with(self, other: Any) -> Tally:
        sums = (self.sums[0] + other.sums[0], self.sums[1] + other.sums[1])
        first, second, both = (ours + theirs for ours, theirs in zip(self.products, other.products, strict=True))
        return Products(self.rows + other.rows, self.count + other.count, sums, (first, second, both))

    def encode(self) -> tuple[Any, bytes]:
        """The sums, as text: they have more digits than Python writes at once."""
        return [self.rows, self.count, [hex(one) for one in (*self.sums, *self.products)]], b""

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        rows, count, numbers = head
        x, y, xx, yy, xy = (int(one, 16) for one in numbers)
        return cls(rows, count, (x, y), (xx, yy, xy))

    def measured(self, check: Check) -> Measured:
        """Pearson's correlation."""
        if not self.count:
            return Measured(nothing=NO_VALUES if self.rows else NO_ROWS)
        (x, y), (xx, yy, xy), n = self.sums, self.products, self.count
        spreads = (n * xx - x * x) * (n * yy - y * y)
        if not spreads:
            return Measured(nothing="one of the columns does not vary, so that there is no correlation")
        together = n * xy - x * y
        size = min(1.0, math.sqrt(Fraction(together**2, spreads)))
        return Measured(-size if together < 0 else size)


@dataclass(frozen=True, slots=True)
class Aggregates(Tally):
    """Of each aggregate of an expression: how many values there are, and the moments of those that are numbers."""

    tag: ClassVar[str] = "aggregates"

    rows: int
    counts: tuple[int, ...]
    moments: tuple[Moments, ...]

    def _with(self, other: Any) -> Tally:
        counts = tuple(ours + theirs for ours, theirs in zip(self.counts, other.counts, strict=True))
        moments = tuple(ours.merge(theirs) for ours, theirs in zip(self.moments, other.moments, strict=True))
        return Aggregates(self.rows + other.rows, counts, moments)

    def encode(self) -> tuple[Any, bytes]:
        """Counts, and encoded moments."""
        blobs = [one.encode() for one in self.moments]
        return [self.rows, list(self.counts), [len(blob) for blob in blobs]], b"".join(blobs)

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        rows, counts, sizes = head
        moments, place = [], 0
        for size in sizes:
            moments.append(Moments.decode(data[place : place + size]))
            place += size
        return cls(rows, tuple(counts), tuple(moments))

    def measured(self, check: Check) -> Measured:
        """The expression's value."""
        node = aggregate(check.sql or "")
        known = dict(zip(node.aggregates, zip(self.counts, self.moments, strict=True), strict=True))
        try:
            value = _computed(node, known)
        except OverflowError:
            return Measured(problem="it is too large for a number")
        except ZeroDivisionError:
            return Measured(nothing="it divides by zero")
        if value is None:
            return Measured(nothing=NO_VALUES if self.rows else NO_ROWS)
        return Measured(value) if math.isfinite(value) else Measured(problem="it is too large for a number")


def _computed(node: Node, known: Mapping[Aggregate, tuple[int, Moments]]) -> Value | None:
    """An expression of aggregates; None where one of them has no value."""
    if isinstance(node, Literal):
        assert isinstance(node.value, int | float)  # the parser takes no others
        return node.value
    if isinstance(node, Aggregate):
        return _aggregated(node.name, *known[node])
    assert isinstance(node, Arithmetic)
    left, right = _computed(node.left, known), _computed(node.right, known)
    if left is None or right is None:
        return None
    match node.sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
        case _:
            return math.fmod(left, right)


def _aggregated(name: str, count: int, moments: Moments) -> Value | None:
    if name == "count":
        return count
    if not moments.count:
        return None
    match name:
        case "sum":
            return moments.sum
        case "avg":
            return moments.mean
        case "min":
            return extreme(moments.low, moments.low_rest)
        case _:
            return extreme(moments.high, moments.high_rest)


def extreme(value: float, rest: int) -> Value:
    """A minimum or maximum with what whole numbers beyond 2**53 are above the float next to them."""
    return int(value) + rest if rest else value
