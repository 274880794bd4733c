"""Rows that have the same value put together: by small numbers where there are such, and else by sorting hashes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from airflow_dq.states.hashing import Hashes, hash_order

DENSE = 4
"""Times as many different codes as rows up to which counting by code is quicker than sorting: a table of counts that
stays in the processor's cache."""
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Some rows of a batch, each in one of some groups, of which each has one or more."""

    rows: Places
    """The places of the rows."""
    ids: Places
    """Of each of these its group, from 0."""
    first: Places
    """Of each group the place of one of its rows."""
    counts: Places
    """And how many it has."""
    hashes: Hashes
    """Of each group, ascending when it was made."""

    @classmethod
    def by_code(cls, rows: Places, codes: Places, width: int, at: Callable[[Places], Hashes]) -> Self:
        """Rows with equal codes, of which all are below a width.

        :param at: the hashes of the values of some rows
        """
        number, one = np.bincount(codes, minlength=width), np.zeros(width, np.int64)
        one[codes] = rows
        there = np.flatnonzero(number)
        hashes = at(one[there])
        order = hash_order(hashes)
        there, rank = there[order], one.copy()
        rank[there] = np.arange(len(there))
        return cls(rows, rank[codes], one[there], number[there], hashes[order])

    @classmethod
    def by_hash(cls, rows: Places, hashes: Hashes) -> Self:
        """Rows with equal hashes."""
        order = hash_order(hashes)
        rows, hashes = rows[order], hashes[order]
        new = np.empty(len(rows), np.bool_)
        new[:1] = True
        np.not_equal(hashes[1:], hashes[:-1], out=new[1:])
        starts = np.flatnonzero(new)
        counts = np.diff(np.append(starts, len(rows)))
        return cls(rows, np.cumsum(new) - 1, rows[starts], counts, hashes[starts])

    def hashed(self, by: Callable[[Hashes], Hashes]) -> Grouping:
        """The same groups with what a function makes of their hashes."""
        return replace(self, hashes=by(self.hashes))

    def where(self, known: NDArray[np.bool_]) -> Grouping:
        """Of these rows those that are known; of a group that has no other ones the count is 0."""
        there = np.flatnonzero(known[self.rows])
        if len(there) == len(self.rows):
            return self
        rows, ids, first = self.rows[there], self.ids[there], self.first.copy()
        first[ids] = rows
        return Grouping(rows, ids, first, np.bincount(ids, minlength=len(first)), self.hashes)

    def differing(self, member: Callable[[Places], NDArray[Any]]) -> NDArray[np.bool_] | None:
        """Of each group whether its rows have several members; None where none has.

        :param member: the members of some rows, or what else tells them apart
        """
        if self.counts.max(initial=0) <= 1:
            return None
        differs = member(self.rows) != member(self.first)[self.ids]
        if not differs.any():
            return None
        found = np.zeros(len(self.first), np.bool_)
        found[self.ids[differs]] = True
        return found
