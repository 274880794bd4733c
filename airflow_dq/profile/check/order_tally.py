"""Values that are kept until they can be put in order: steps that something lies in, and pairs of values of rows.

An order, a gap or an overlap is a matter of all rows: no part of a partition tells it.  What is kept is bounded; with
more rows a check has no value, and says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from airflow_dq.check.model import Check
from airflow_dq.profile.check.measured import NO_ROWS, NO_VALUES, Measured
from airflow_dq.profile.check.tally import Failed, Tally
from airflow_dq.states.hashing import Hashes

MOST_KEPT = 4_000_000
"""Rows, or steps, that are kept until they are put in order: 96 MB of rows, about what :data:`MOST_KEYS
<airflow_dq.profile.check.key_tally.MOST_KEYS>` allows for keys."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Integers = NDArray[np.int64]


def _mixed() -> Failed:
    return Failed("its values are of different types in parts of the partition; write one type")


@dataclass(frozen=True, slots=True, eq=False)
class Steps(Tally):
    """The steps of equal length that some value lies in, by their number, in ascending order."""

    tag: ClassVar[str] = "steps"

    rows: int
    steps: Integers
    form: str | None = None
    """``time`` (counted from 1970 UTC) or ``number``; None where there is no value."""
    too_many: bool = False

    @classmethod
    def of(cls, rows: int, steps: Integers, form: str | None, too_many: bool = False) -> Self:
        """Of one step for each value."""
        found = np.unique(steps)
        too_many = too_many or len(found) > MOST_KEPT
        return cls(rows, found[:0] if too_many else found, form, too_many)

    def _with(self, other: Any) -> Tally:
        forms = {self.form, other.form} - {None}
        if len(forms) > 1:
            return _mixed()
        steps = np.concatenate([self.steps, other.steps])
        return Steps.of(self.rows + other.rows, steps, min(forms, default=None), self.too_many or other.too_many)

    @property
    def filled(self) -> float:
        """The share of :data:`MOST_KEPT`."""
        return math.inf if self.too_many else len(self.steps) / MOST_KEPT

    def lost(self) -> Steps:
        """That there are too many steps."""
        return replace(self, steps=self.steps[:0], too_many=True)

    def encode(self) -> tuple[Any, bytes]:
        """The steps."""
        return [self.rows, self.form, self.too_many], self.steps.astype("<i8").tobytes()

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        rows, form, too_many = head
        return cls(rows, np.frombuffer(data, "<i8").astype(np.int64), form, too_many)

    def measured(self, check: Check) -> Measured:
        """How many steps between the first and the last are empty, and the first of them."""
        if self.too_many:
            return Measured(problem=f"there are more than {MOST_KEPT:,} steps of {check.every:g}; give longer ones")
        if not len(self.steps):
            return Measured(nothing=NO_VALUES if self.rows else NO_ROWS)
        span = int(self.steps[-1]) - int(self.steps[0]) + 1
        missing = span - len(self.steps)
        return Measured(missing, missing, span, seen=self._first(check) if missing else None)

    def _first(self, check: Check) -> str | None:
        """Where the first gap begins; of a hidden column there are no values, and nothing is told of them."""
        place = int(self.steps[np.flatnonzero(np.diff(self.steps) > 1)[0]]) + 1
        start = place * (check.every or 1.0)
        if self.form == "hidden":
            return None
        if self.form == "number":
            return f"the first at {start:.12g}"
        try:
            return f"the first at {(_EPOCH + timedelta(seconds=start)).isoformat()}"
        except OverflowError:
            return None


@dataclass(frozen=True, slots=True, eq=False)
class Pairs(Tally):
    """Two values of each row, as whole numbers that are in their order, and the hash of the row's group."""

    tag: ClassVar[str] = "pairs"

    rows: int
    groups: Hashes
    first: Integers
    second: Integers
    forms: tuple[str, ...] = ()
    """What the numbers stand for; none where no row has both."""
    too_many: bool = False

    @classmethod
    def of(cls, rows: int, groups: Hashes, first: Integers, second: Integers, forms: tuple[str, ...]) -> Self:
        """Of the rows that have both."""
        too_many = len(first) > MOST_KEPT
        kept = slice(0) if too_many else slice(None)
        return cls(rows, groups[kept], first[kept], second[kept], forms, too_many)

    def _with(self, other: Any) -> Tally:
        if self.forms and other.forms and self.forms != other.forms:
            return _mixed()
        forms, rows = self.forms or other.forms, self.rows + other.rows
        if self.too_many or other.too_many:
            return replace(self, rows=rows, forms=forms).lost()
        sides = ((self.groups, other.groups), (self.first, other.first), (self.second, other.second))
        groups, first, second = (np.concatenate(side) for side in sides)
        return Pairs.of(rows, groups, first, second, forms)

    @property
    def filled(self) -> float:
        """The share of :data:`MOST_KEPT`."""
        return math.inf if self.too_many else len(self.first) / MOST_KEPT

    def lost(self) -> Pairs:
        """That there are too many rows."""
        none = slice(0)
        return replace(self, groups=self.groups[none], first=self.first[none], second=self.second[none], too_many=True)

    def encode(self) -> tuple[Any, bytes]:
        """The three, one after the other."""
        arrays = (self.groups.view(np.int64), self.first, self.second)
        return [self.rows, list(self.forms), self.too_many], b"".join(one.astype("<i8").tobytes() for one in arrays)

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        rows, forms, too_many = head
        groups, first, second = np.frombuffer(data, "<i8").astype(np.int64).reshape(3, -1)
        return cls(rows, groups.view(np.uint64), first, second, tuple(forms), too_many)

    def measured(self, check: Check) -> Measured:
        """How many ranges overlap, or which share of the rows goes on as the row before."""
        if self.too_many:
            return Measured(problem=f"there are more than {MOST_KEPT:,} rows, which are not put in order")
        if not len(self.first):
            return Measured(nothing=NO_VALUES if self.rows else NO_ROWS)
        if check.metric == "overlaps":
            wrong = self._overlaps()
            return Measured(wrong, wrong, len(self.first))
        return self._increasing(strict=check.strict)

    def _overlaps(self) -> int:
        """Number of ranges that begin before one of their group ends that began earlier: the end is not in it."""
        order = np.lexsort((self.second, self.first, self.groups))
        groups, low, high = self.groups[order], self.first[order], self.second[order]
        starts = np.concatenate([[True], groups[1:] != groups[:-1]])
        ends, ranks = np.unique(high, return_inverse=True)
        # A later group's numbers lie above all of those before, so that no maximum goes on from one to the next.
        offsets = np.cumsum(starts) * len(ends)
        latest = np.maximum.accumulate(ranks + offsets) - offsets
        before = ends[latest[:-1]]
        return int(np.count_nonzero(~starts[1:] & (low[1:] < before)))

    def _increasing(self, *, strict: bool) -> Measured:
        """The first of both in the order of the second; rows of one place are put in the order that is right."""
        order = np.lexsort((self.first, self.second, self.groups))
        groups, values = self.groups[order], self.first[order]
        same = groups[1:] == groups[:-1]
        right = values[1:] > values[:-1] if strict else values[1:] >= values[:-1]
        pairs = int(np.count_nonzero(same))
        return Measured.share(int(np.count_nonzero(same & right)), pairs, "no row has one before it")
