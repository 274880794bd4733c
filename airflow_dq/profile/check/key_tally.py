"""Counts of keys: how often each value, or tuple of values, occurs, and what of them a check asks for."""

from __future__ import annotations

import math
from dataclasses import dataclass
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
With more the check has no value, and says so: an estimate does not tell one duplicate from none."""


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

    def _with(self, other: Any) -> Keys:
        rows = self.rows + other.rows
        if not self.too_many and not other.too_many:
            hashes = np.concatenate([self.hashes, other.hashes])
            found, first, places = np.unique(hashes, return_index=True, return_inverse=True)
            if len(found) <= MOST_KEYS:
                counts = np.zeros(len(found), np.int64)
                np.add.at(counts, places, np.concatenate([self.counts, other.counts]))
                return Keys(rows, found, counts, np.concatenate([self.complete, other.complete])[first])
        return Keys(rows, np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.bool_), too_many=True)

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

    def measured(self, check: Check) -> Measured:
        """The value that the check asks for."""
        if self.too_many:
            return Measured(
                problem=f"there are more than {MOST_KEYS:,} distinct keys, which are not counted one by one"
            )
        unique = int(np.count_nonzero(self.complete & (self.counts == 1)))
        return of_counts(check, self.counts, self.rows, unique)


def of_counts(check: Check, counts: NDArray[np.int64], rows: int, complete_singles: int) -> Measured:
    """What a check on keys asks for, from how often each occurs.

    :param rows: number of rows in scope, those without any value too
    :param complete_singles: number of keys that occur once and of which no value is missing
    """
    if check.metric == "key":
        return Measured.share(complete_singles, rows, NO_ROWS)
    total, distinct, repeated = int(counts.sum()), len(counts), counts > 1
    if not total and check.metric not in ("distinct", "duplicate_rows", "duplicate_values", "surplus_rows"):
        return Measured(nothing=NO_VALUES if rows else NO_ROWS)
    if not rows:
        return Measured(nothing=NO_ROWS)
    match check.metric:
        case "distinct":
            return Measured(distinct)
        case "duplicate_rows":
            return Measured(int(counts[repeated].sum()), int(counts[repeated].sum()), total)
        case "duplicate_values":
            return Measured(int(np.count_nonzero(repeated)), int(np.count_nonzero(repeated)), distinct)
        case "surplus_rows":
            return Measured(total - distinct, total - distinct, total)
        case "entropy":
            return Measured(entropy_of(counts))
        case "distinctness":
            return Measured.share(distinct, total, NO_VALUES)
        case _:
            singles = int(np.count_nonzero(counts == 1))
            return Measured.share(singles, total if check.metric == "uniqueness" else distinct, NO_VALUES)


def entropy_of(counts: NDArray[np.int64]) -> float:
    """Shannon's entropy in nats; the counts in order of size, so that their own order does not matter."""
    shares = np.sort(counts) / counts.sum()
    return max(0.0, math.fsum((-shares * np.log(shares)).tolist()))


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

    def measured(self, check: Check) -> Measured:
        """Mutual information: what both say alone, less what they say together; of spellings, the needless ones."""
        for part in self.parts:
            if part.too_many:
                return part.measured(check)
        if check.metric == "casing":
            return self._casing()
        if not len(self.parts[0].counts):
            return Measured(nothing=NO_VALUES if self.parts[0].rows else NO_ROWS)
        both, first, second = (entropy_of(part.counts) for part in self.parts)
        return Measured(max(0.0, first + second - both))

    def _casing(self) -> Measured:
        """How many spellings there are beyond one of each text."""
        spelled, texts = (len(part.counts) for part in self.parts)
        if not spelled:
            return Measured(nothing=NO_VALUES if self.parts[0].rows else NO_ROWS)
        return Measured(spelled - texts, spelled - texts, spelled)
