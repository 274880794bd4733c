"""Which values of a batch go together with which others, and in how many rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airflow_dq.profile.check.coded import ALL, CodedRows
from airflow_dq.profile.check.grouping import DENSE, Grouping, Places
from airflow_dq.states.hashing import Hashes, hash_floats, hash_order


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
    def counted(cls, group: CodedRows, member: CodedRows | int, limit: int, most: int, *, many: bool) -> Pairs:
        """The pairs of a batch, of groups with hashes below a limit.

        :param member: a number: it is the same in all rows
        :param most: groups that are wanted
        :param many: there may be more groups
        """
        # To put rows together takes long: not done with those of groups that cannot be held.
        for tried in dict.fromkeys((group.likely(limit, most) if many else limit, limit)):
            found = group.grouped(tried)
            if not isinstance(member, int) and not member.complete:
                found = found.where(member.known)
            wanted = found.counts > 0
            if tried < ALL:
                wanted &= found.hashes < np.uint64(tried)
            places = np.flatnonzero(wanted)
            if len(places) > most:
                limit = int(np.partition(found.hashes[places], most)[most])
                places = places[found.hashes[places] < np.uint64(limit)]
                break
        # Most often each group has one member, and no row need be compared with another one.
        several = None if isinstance(member, int) else found.differing(member.told_apart)
        if isinstance(member, int) or several is None:
            return cls._of(found, places, member, limit)._ordered()
        apart = np.zeros(len(wanted), np.bool_)
        apart[places] = several[places]
        return cls._of(found, places[~several[places]], member, limit)._with(_apart(found, apart, member))

    @classmethod
    def _of(cls, found: Grouping, places: Places, member: CodedRows | int, limit: int) -> Pairs:
        """Of groups at some places, each with the member of one of its rows."""
        rows = found.first[places]
        members = np.full(len(rows), member, np.uint64) if isinstance(member, int) else member.at(rows)
        return cls(found.hashes[places], members, found.counts[places], rows, limit)

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
    asked = np.flatnonzero(chosen[found.ids])
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


def ordered(groups: Hashes, members: Hashes) -> Places | slice:
    """The order by group, then member: the latter is looked at only where a group has several, which is rare."""
    order: Places | slice = slice(None)
    if (groups[1:] < groups[:-1]).any():
        order = hash_order(groups)
        groups, members = groups[order], members[order]
    new = groups[1:] != groups[:-1]
    differs = ~new & (members[1:] != members[:-1])
    if not differs.any():
        return order
    ids = np.append(0, np.cumsum(new))
    several = np.zeros(ids[-1] + 1, np.bool_)
    several[ids[1:][differs]] = True
    places = np.flatnonzero(several[ids])
    order = np.arange(len(groups))[order] if isinstance(order, slice) else order
    order[places] = order[places][np.lexsort((members[places], groups[places]))]
    return order
