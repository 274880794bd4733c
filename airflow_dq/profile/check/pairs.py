"""Which values of a batch go together with which others, and in how many rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airflow_dq.profile.check.coded import ALL, CodedRows
from airflow_dq.profile.check.grouping import DENSE, Grouping, Places
from airflow_dq.states.hashing import Hashes, hash_floats

_RUNS = 8
"""Parts in order up to which the stable sort of 40,000 hashes took less time: 0.3 ms of two, 1 ms either way of ten."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Different pairs of a group and a member, ascending by the group, then the member."""

    groups: Hashes
    members: Hashes
    counts: Places
    """Rows that have each pair."""
    rows: Places
    """The place of one of them."""
    limit: int = ALL
    """There may be more pairs, of groups with hashes from here on."""

    @classmethod
    def counted(cls, group: CodedRows, member: CodedRows | int, limit: int, most: int) -> Pairs:
        """The pairs of a batch, of groups with hashes below a limit.

        :param member: a number: it is the same in all rows
        :param most: groups that are wanted
        """
        found = group.grouped(limit)
        if not isinstance(member, int) and not member.complete:
            found = found.where(member.known)
        wanted = found.counts > 0
        if limit < ALL:
            wanted &= found.hashes < np.uint64(limit)
        if np.count_nonzero(wanted) > most:
            # To sort takes long: what will not be held is let go at once.
            limit = min(limit, int(np.partition(found.hashes[wanted], most)[most]))
            wanted &= found.hashes < np.uint64(limit)
        if isinstance(member, int):
            pairs = cls(found.hashes, np.full(len(wanted), member, np.uint64), found.counts, found.first, limit)
            return pairs.take(wanted)._ordered()
        pairs = cls(found.hashes, member.at(found.first), found.counts, found.first, limit)
        # Most often each group has one member, and no row need be compared with another one.
        several = found.differing(member.at)
        if several is None:
            return pairs.take(wanted)._ordered()
        return pairs.take(wanted & ~several)._with(_apart(found, several & wanted, member))

    def _with(self, rest: Pairs) -> Pairs:
        groups, members = np.append(self.groups, rest.groups), np.append(self.members, rest.members)
        counts, rows = np.append(self.counts, rest.counts), np.append(self.rows, rest.rows)
        return Pairs(groups, members, counts, rows, self.limit)._ordered()

    def _ordered(self) -> Pairs:
        return self.take(ordered(self.groups, self.members))

    def take(self, places: Places | NDArray[np.bool_] | slice) -> Pairs:
        """Some of them, by their places or by a flag for each."""
        return Pairs(self.groups[places], self.members[places], self.counts[places], self.rows[places], self.limit)


def _apart(found: Grouping, chosen: NDArray[np.bool_], member: CodedRows) -> Pairs:
    """The pairs of chosen groups, each row by group and member."""
    asked = chosen[found.ids]
    rows, ids = found.rows[asked], found.ids[asked]
    width = len(chosen) * member.width

    group = np.empty(len(member.known), np.int64)
    group[rows] = ids

    def at(places: Places) -> Hashes:
        return both_hashed(found.hashes[group[places]], member.at(places))

    if member.codes is not None and width <= DENSE * len(rows):
        apart = Grouping.by_code(rows, ids * member.width + member.codes[rows], width, at)
    else:
        apart = Grouping.by_hash(rows, at(rows))
    return Pairs(found.hashes[group[apart.first]], member.at(apart.first), apart.counts, apart.first)


def both_hashed(groups: Hashes, members: Hashes) -> Hashes:
    """One hash for each pair."""
    # It mixes the bits, whatever they stand for.
    return hash_floats((hash_floats(groups.view(np.float64)) ^ members).view(np.float64))


def ordered(groups: Hashes, members: Hashes) -> Places:
    """The order by group, then member: the latter is looked at only where a group has several, which is rare."""
    # The stable sort is the slower one, but for a few parts of which each is in order: these it merges.
    breaks = np.count_nonzero(groups[1:] < groups[:-1])
    if breaks:
        order = np.argsort(groups, kind="stable" if breaks < _RUNS else None)
        groups, members = groups[order], members[order]
    else:
        order = np.arange(len(groups))
    new = groups[1:] != groups[:-1]
    differs = ~new & (members[1:] != members[:-1])
    if not differs.any():
        return order
    ids = np.append(0, np.cumsum(new))
    several = np.zeros(ids[-1] + 1, np.bool_)
    several[ids[1:][differs]] = True
    places = np.flatnonzero(several[ids])
    order[places] = order[places][np.lexsort((members[places], groups[places]))]
    return order
