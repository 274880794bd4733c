"""Counts of keys: how often each value, or tuple of values, occurs, and what of them a check asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from airflow_dq.check.model import Check
from airflow_dq.profile.check.measured import NO_ROWS, NO_VALUES, Measured
from airflow_dq.profile.check.tally import Tally
from airflow_dq.states.hashing import Hashes
from airflow_dq.states.layout import pack_integers, unpack_integers

MOST_KEYS = 4_000_000
"""Distinct keys that are counted one by one: 68 MB on their way to the driver, and no more than a driver has to spare.
With more they are counted in several passes (:mod:`airflow_dq.job.wide`), each of a share of them: an estimate does
not tell one duplicate from none."""


def too_many(check: Check) -> Measured:
    """That there are more keys than are counted in memory."""
    if check.scope == "delta":
        return Measured(problem=f"there are more than {MOST_KEYS:,} distinct keys, which are not counted one by one")
    return Measured(
        problem=f"there are more than {MOST_KEYS:,} distinct keys in all partitions: give the profile job a folder for "
        "them, key_folder="
    )


@dataclass(frozen=True, slots=True, eq=False)
class Keys(Tally):
    """How often each value, or tuple of values, occurs: by its 64-bit hash, in ascending order.

    Of a million distinct values two have one hash with a chance of one in forty million.
    """

    tag: ClassVar[str] = "keys"

    rows: int
    """In scope, those without any value too."""
    hashes: Hashes
    counts: NDArray[np.int64]
    complete: NDArray[np.bool_]
    """Of each: whether none of its values is missing."""
    too_many: bool = False

    @classmethod
    def of(cls, rows: int, hashes: Hashes, complete: NDArray[np.bool_]) -> Self:
        """Of rows that have a value each.

        :param rows: number of rows in scope
        """
        found, first, counts = np.unique(hashes, return_index=True, return_counts=True)
        return cls(rows, found, counts.astype(np.int64), complete[first])

    @property
    def filled(self) -> float:
        """The share of :data:`MOST_KEYS`."""
        return math.inf if self.too_many else len(self.hashes) / MOST_KEYS

    @property
    def is_wide(self) -> bool:
        """Whether none of them is known any more."""
        return self.too_many

    def lost(self) -> Keys:
        """Of so many different keys that none of them is known any more."""
        return Keys(self.rows, np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.bool_), too_many=True)

    def _with(self, other: Any) -> Keys:
        rows = self.rows + other.rows
        if not self.too_many and not other.too_many:
            hashes = np.concatenate([self.hashes, other.hashes])
            found, first, places = np.unique(hashes, return_index=True, return_inverse=True)
            if len(found) <= MOST_KEYS:
                counts = np.zeros(len(found), np.int64)
                np.add.at(counts, places, np.concatenate([self.counts, other.counts]))
                return Keys(rows, found, counts, np.concatenate([self.complete, other.complete])[first])
        return replace(self, rows=rows).lost()

    def encode(self) -> tuple[Any, bytes]:
        """Hashes, counts, and which are complete."""
        counts = pack_integers(self.counts)
        data = self.hashes.astype("<u8").tobytes() + counts + np.packbits(self.complete).tobytes()
        return [self.rows, len(self.hashes), len(counts), self.too_many], data

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        rows, number, size, too_many = head
        hashes = np.frombuffer(data[: 8 * number], "<u8").astype(np.uint64)
        counts = unpack_integers(data[8 * number : 8 * number + size])
        complete = np.unpackbits(np.frombuffer(data[8 * number + size :], np.uint8), count=number).astype(np.bool_)
        return cls(rows, hashes, counts, complete, too_many)

    @property
    def occurring(self) -> Occurring:
        """How many keys occur how often."""
        return Occurring.of(self.counts, int(np.count_nonzero(self.complete & (self.counts == 1))))

    def measured(self, check: Check) -> Measured:
        """The value that the check asks for."""
        return too_many(check) if self.too_many else self.occurring.measured(check, self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Occurring:
    """How many keys occur how often: all that checks on keys ask for, and small however many keys there are."""

    times: NDArray[np.int64]
    """How often, ascending."""
    numbers: NDArray[np.int64]
    """How many keys occur so often."""
    complete_singles: int
    """Keys that occur once and of which no value is missing."""

    @classmethod
    def of(cls, counts: NDArray[np.int64], complete_singles: int) -> Self:
        """Of how often each key occurs."""
        times, numbers = np.unique(counts, return_counts=True)
        return cls(times, numbers.astype(np.int64), complete_singles)

    def add(self, other: Occurring) -> Occurring:
        """Those of both, of which no key is in the other, too."""
        times, places = np.unique(np.concatenate([self.times, other.times]), return_inverse=True)
        numbers = np.zeros(len(times), np.int64)
        np.add.at(numbers, places, np.concatenate([self.numbers, other.numbers]))
        return Occurring(times, numbers, self.complete_singles + other.complete_singles)

    @property
    def rows(self) -> int:
        """The rows that have a key."""
        return int(self.times @ self.numbers)

    @property
    def distinct(self) -> int:
        """The number of keys."""
        return int(self.numbers.sum())

    @property
    def entropy(self) -> float:
        """Shannon's entropy in nats."""
        shares = self.times / max(1, self.rows)
        return max(0.0, math.fsum((-shares * np.log(shares) * self.numbers).tolist()))

    def measured(self, check: Check, rows: int) -> Measured:
        """What a check on keys asks for.

        :param rows: number of rows in scope, those without any value too
        """
        if check.metric == "key":
            share = Measured.share(self.complete_singles, rows, NO_ROWS)
            return replace(share, seen=self._why_no_key(rows))
        total, distinct = self.rows, self.distinct
        if not total and check.metric not in ("distinct", "duplicate_rows", "duplicate_values", "surplus_rows"):
            return Measured(nothing=NO_VALUES if rows else NO_ROWS)
        if not rows:
            return Measured(nothing=NO_ROWS)
        singles = int(self.numbers[self.times == 1].sum())
        match check.metric:
            case "distinct":
                return Measured(distinct)
            case "duplicate_rows":
                return Measured(total - singles, total - singles, total)
            case "duplicate_values":
                return Measured(distinct - singles, distinct - singles, distinct)
            case "surplus_rows":
                return Measured(total - distinct, total - distinct, total)
            case "entropy":
                return Measured(self.entropy)
            case "largest_share":
                return Measured.share(int(self.times[-1]), total, NO_VALUES)
            case "distinctness":
                return Measured.share(distinct, total, NO_VALUES)
            case _:
                return Measured.share(singles, total if check.metric == "uniqueness" else distinct, NO_VALUES)

    def _why_no_key(self, rows: int) -> str | None:
        """Of the rows that break a key how many repeat a value, and how many lack one; None where none does."""
        repeated = self.rows - int(self.numbers[self.times == 1].sum())
        lacking = rows - self.complete_singles - repeated
        said = ((repeated, "a value that occurs more than once"), (lacking, "a value missing"))
        words = [f"{number:,} {'row has' if number == 1 else 'rows have'} {what}" for number, what in said if number]
        return " and ".join(words) or None


NOTHING = Occurring(np.empty(0, np.int64), np.empty(0, np.int64), 0)
"""Of no keys."""


@dataclass(frozen=True, slots=True)
class Joint(Tally):
    """Keys of the same rows by several views: of two columns together and each by itself, of texts in any case."""

    tag: ClassVar[str] = "joint"

    parts: tuple[Keys, ...]
    """Of both, of the first, of the second; or of texts as they are written, and in lower case."""

    def _with(self, other: Any) -> Tally:
        return Joint(tuple(ours._with(theirs) for ours, theirs in zip(self.parts, other.parts, strict=True)))

    def encode(self) -> tuple[Any, bytes]:
        """The three."""
        encoded = [part.encode() for part in self.parts]
        return [[head, len(data)] for head, data in encoded], b"".join(data for _, data in encoded)

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        parts, place = [], 0
        for one, size in head:
            parts.append(Keys.decode(one, data[place : place + size]))
            place += size
        return cls(tuple(parts))

    @property
    def filled(self) -> float:
        """That of the view that has most."""
        return max(part.filled for part in self.parts)

    @property
    def is_wide(self) -> bool:
        """Whether those of one view are not known any more."""
        return any(part.too_many for part in self.parts)

    def lost(self) -> Joint:
        """Of so many different keys that none of them is known any more."""
        return Joint(tuple(part.lost() for part in self.parts))

    def measured(self, check: Check) -> Measured:
        """Mutual information: what both say alone, less what they say together; of spellings, the needless ones."""
        if self.is_wide:
            return too_many(check)
        return joint_measured(check, self.parts[0].rows, [part.occurring for part in self.parts])


def joint_measured(check: Check, rows: int, parts: Sequence[Occurring]) -> Measured:
    """What a check on several views of the same rows asks for."""
    first, *others = parts
    if not first.distinct:
        return Measured(nothing=NO_VALUES if rows else NO_ROWS)
    if check.metric == "casing":
        needless = first.distinct - others[0].distinct
        return Measured(needless, needless, first.distinct)
    return Measured(max(0.0, sum(one.entropy for one in others) - first.entropy))
