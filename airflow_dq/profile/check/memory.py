"""What the partitions before say of each group: the member that it has always had, or the newest one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.profile.check.held import Held, group_starts
from airflow_dq.states.hashing import Hashes

PARTITIONS = 3
"""Newest partitions that are remembered: a group that is new in one of them has been seen, and after a change for good
three later it is what has always been."""
CLEAR = 0.9
"""A group of which a smaller share of the rows has one member has none: it has just changed, or often does."""


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """One member for each of some groups."""

    groups: Hashes = field(default_factory=lambda: np.empty(0, np.uint64))
    """Ascending, each once."""
    members: Hashes = field(default_factory=lambda: np.empty(0, np.uint64))
    rows: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """How many rows of each group had the member; not known of numbers."""
    texts: pa.LargeStringArray | None = None
    """The members as they are shown, of the first groups; None where none is known."""
    unclear: Hashes = field(default_factory=lambda: np.empty(0, np.uint64))
    """Groups that have been seen and have no one member: nothing is asked of them."""
    numeric: bool = False
    """Whether the members are numbers, by their bits."""

    @classmethod
    def of_all(cls, parts: Sequence[Held]) -> Self:
        """The member that nearly all rows of a group have had in all of the partitions."""
        whole = Held.merged(parts)
        starts = group_starts(whole.groups)
        if not len(starts):
            return cls()
        totals = np.add.reduceat(whole.counts, starts)
        sizes = np.diff(np.append(starts, len(whole.groups)))
        first = np.flatnonzero(whole.counts >= CLEAR * np.repeat(totals, sizes))
        clear = cls._chosen(whole, first)
        return replace(clear, unclear=np.setdiff1d(whole.groups[starts], clear.groups))

    @classmethod
    def of_newest(cls, parts: Sequence[Held]) -> Self:
        """The member in the newest partition that has the group; of one with several members nothing is known.

        :param parts: oldest first
        """
        known = [cls._chosen(part, _single(part)) for part in reversed(parts)]
        if not known:
            return cls()
        groups, members = (np.concatenate([getattr(one, name) for one in known]) for name in ("groups", "members"))
        found, first = np.unique(groups, return_index=True)
        return cls(found, members[first], numeric=True)

    @classmethod
    def _chosen(cls, part: Held, places: NDArray[np.int64]) -> Self:
        texts = part.member_texts
        shown = places[places < len(texts)]
        known = texts.take(pa.array(shown)) if len(shown) else None
        return cls(part.groups[places], part.members[places], part.counts[places], known)

    def places_of(self, groups: Hashes) -> NDArray[np.int64]:
        """The place of each group here; -1 of one that is not known."""
        if not len(self.groups):
            return np.full(len(groups), -1)
        places = np.minimum(np.searchsorted(self.groups, groups), len(self.groups) - 1)
        return np.where(self.groups[places] == groups, places, -1)

    def text(self, place: int) -> str | None:
        """The member as it is shown."""
        if self.numeric and place >= 0:
            return f"{float(self.members[place : place + 1].view(np.float64)[0]):.12g}"
        if self.texts is None or not 0 <= place < len(self.texts):
            return None
        found: str = self.texts[place].as_py()
        return found


def _single(part: Held) -> NDArray[np.int64]:
    """The pairs of groups with one member."""
    starts = group_starts(part.groups)
    sizes = np.diff(np.append(starts, len(part.groups)))
    found: NDArray[np.int64] = starts[sizes == 1]
    return found
