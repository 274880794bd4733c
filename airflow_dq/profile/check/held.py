"""Which values of one or more columns go together with which of another, of a bounded number of them: mergeable."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.profile.check.coded import ALL, MORE, CodedRows
from airflow_dq.profile.check.grouping import Places
from airflow_dq.profile.check.pairs import Pairs, ordered
from airflow_dq.profile.check.tally import Tally
from airflow_dq.states.array import string_bytes
from airflow_dq.states.bucket import read_strings
from airflow_dq.states.hashing import Hashes
from airflow_dq.states.layout import pack, pack_integers, reading, unpack, unpack_integers

SHOWN = 40
"""Characters of a value that are kept to be shown."""
_NO_HASHES: Hashes = np.empty(0, np.uint64)
_NO_COUNTS: NDArray[np.int64] = np.empty(0, np.int64)
_NO_TEXTS = pa.array([], pa.large_string())
_TEXTS = ("group_texts", "member_texts")


@dataclass(frozen=True, slots=True, eq=False)
class Held(Tally):
    """How many rows have each pair of a group and a member: of the ``SIZE`` groups with the smallest hashes all.

    A group is a value of a determinant or a key, a member what stands beside it: a hash, or a number as its bits.
    Below :attr:`limit` every group is held with all of its pairs, in every part: merging is exact, and while there are
    no more groups, so is the whole.
    """

    tag: ClassVar[str] = "held"
    key: ClassVar[str] = "held/1"
    SIZE: ClassVar[int] = 20_000
    """Most groups that are held: 0.4 MB, and of a dependency that one row in a thousand breaks some 20 groups."""
    PAIRS: ClassVar[int] = 40_000
    """Most pairs: of what is a dependency no longer, each group has as many members as rows."""
    TEXTS: ClassVar[int] = 1_000
    """Groups of which the values themselves are held, where they may be, of at most twice as many pairs: to write more
    takes longer than to count."""

    rows: int = 0
    """In which both are known, those of groups that are not held too."""
    limit: int = ALL
    """Groups with a hash from here on are not held."""
    groups: Hashes = field(default_factory=lambda: _NO_HASHES)
    """Ascending; one place for each pair."""
    members: Hashes = field(default_factory=lambda: _NO_HASHES)
    """Ascending among those of a group."""
    counts: NDArray[np.int64] = field(default_factory=lambda: _NO_COUNTS)
    group_texts: pa.LargeStringArray = field(default_factory=lambda: _NO_TEXTS)
    """Of the first pairs; none where values must not be kept."""
    member_texts: pa.LargeStringArray = field(default_factory=lambda: _NO_TEXTS)
    shown: Places | None = None
    """Of a part that is not merged yet, the places of the pairs that the texts are of, ascending; None: the first."""
    loose: tuple[Held, ...] = ()
    """Further parts: to merge takes long, and is done for many of them at once."""

    @classmethod
    def of(cls, group: CodedRows, member: CodedRows | int, *, hidden: bool, before: Held | None = None) -> Held:
        """Count the rows of a batch.

        :param member: a number: it is the same in all rows
        :param hidden: keep no values, only the hashes that are given
        :param before: of the batches before, with which this one will be merged: what is not held of these is not
            looked at, and what they show is not shown again
        """
        before = cls() if before is None else before
        known = int(np.count_nonzero(group.known if isinstance(member, int) else group.known & member.known))
        drawn = before._drawn(group, member, hidden=hidden)
        if drawn is not None:
            return cls(known, before.limit, loose=(drawn,))
        pairs = Pairs.counted(group, member, before.limit, cls.SIZE, many=not before.rows)
        held, limit = cls._cut(pairs.groups, pairs.limit)
        pairs = pairs.take(slice(held))
        part = cls(known, limit, pairs.groups, pairs.members, pairs.counts)
        return part if hidden else before._showing(part, pairs.rows, before._first(part), group, member)

    def _drawn(self, group: CodedRows, member: CodedRows | int, *, hidden: bool) -> Held | None:
        """A further part of the rows as they are, each with a pair of its own.

        To put rows together is left to the merge of all parts.  None where too many rows would wait for it.
        """
        if self.limit > ALL // 2:
            return None
        rows, hashes = group.below(self.limit)
        if not isinstance(member, int) and not member.complete:
            there = np.flatnonzero(member.known[rows])
            rows, hashes = rows[there], hashes[there]
        shown: Places | None = None
        if not hidden:
            end = self.groups[self.texts_wanted : self.texts_wanted + 1]
            shown = np.flatnonzero(hashes < end) if len(end) else np.arange(len(hashes))
            if len(shown) > 2 * self.TEXTS:
                return None
        members = np.full(len(rows), member, np.uint64) if isinstance(member, int) else member.at(rows)
        part = Held(0, self.limit, hashes, members, np.ones(len(rows), np.int64))
        return part if shown is None else self._showing(part, rows, shown, group, member)

    def _showing(self, part: Held, rows: Places, shown: Places, group: CodedRows, member: CodedRows | int) -> Held:
        """A further part with the texts of some of its pairs, but for those that are known here."""
        shown = shown[~self._shows(part.groups[shown], part.members[shown])]
        texts = (_NO_TEXTS if isinstance(one, int) else one.shown(rows[shown], SHOWN) for one in (group, member))
        return replace(part, group_texts=next(texts), member_texts=next(texts), shown=shown)

    def _first(self, part: Held) -> Places:
        """The first pairs of a further part, which have to be shown."""
        most = part.texts_wanted
        # What lies behind the last group that is shown is none of the first ones.
        end = self.groups[self.texts_wanted : self.texts_wanted + 1]
        return np.arange(min(most, int(np.searchsorted(part.groups, end[0]))) if len(end) else most)

    def _shows(self, groups: Hashes, members: Hashes) -> NDArray[np.bool_]:
        """Whether the text of each of some pairs is known already; of a group with more than two, not of all."""
        known = self.groups[: len(self.group_texts)]
        if not len(known) or not len(groups):
            return np.zeros(len(groups), np.bool_)
        first = np.searchsorted(known, groups)
        both = (np.minimum(first + step, len(known) - 1) for step in range(2))
        found = [(known[places] == groups) & (self.members[places] == members) for places in both]
        return np.asarray(found[0] | found[1], np.bool_)

    @classmethod
    def _cut(cls, groups: Hashes, limit: int) -> tuple[int, int]:
        """How many of the pairs may be held, of whole groups, and the hash from which on none is.

        :param groups: ascending, all below the limit
        """
        held = whole_groups(groups, cls.SIZE, cls.PAIRS)
        return held, limit if held == len(groups) else min(limit, int(groups[held]))

    @property
    def texts_wanted(self) -> int:
        """How many of the first pairs are of groups whose values are held."""
        return whole_groups(self.groups, self.TEXTS, 2 * self.TEXTS)

    def _with(self, other: Any) -> Held:
        found = Held.loosely([self, other])
        waiting = sum(len(one.groups) for one in found.loose)
        return found.whole if waiting > min(2 * len(self.groups), self.PAIRS) else found

    @classmethod
    def loosely(cls, parts: Sequence[Held]) -> Held:
        """All parts together, not merged yet."""
        rows, limit = sum(part.rows for part in parts), min(part.limit for part in parts)
        first, *rest = [one for part in parts for one in (part, *part.loose)]
        return replace(first, rows=rows, limit=limit, loose=tuple(one for one in rest if len(one.groups)))

    @property
    def whole(self) -> Held:
        """The same with all parts merged."""
        return replace(Held.merged([self, *self.loose]), rows=self.rows) if self.loose else self

    @classmethod
    def merged(cls, parts: Sequence[Held]) -> Held:
        """The pairs of all parts together, which have no loose ones, and need not be in order."""
        rows, limit = sum(part.rows for part in parts), min((part.limit for part in parts), default=ALL)
        groups, members, counts = (
            np.concatenate([getattr(one, name) for one in parts] or [empty])
            for name, empty in (("groups", _NO_HASHES), ("members", _NO_HASHES), ("counts", _NO_COUNTS))
        )
        for tried in dict.fromkeys((_likely(len(groups), limit, cls.SIZE), limit)):
            # To sort takes long: most often there are enough groups among the first ones.
            places = np.arange(len(groups)) if tried >= ALL else np.flatnonzero(groups < np.uint64(tried))
            places = places[ordered(groups[places], members[places])]
            ours, theirs = groups[places], members[places]
            new = _starts(ours, theirs)
            ours, theirs = ours[new], theirs[new]
            held, end = cls._cut(ours, limit)
            if held < len(ours):
                break
        totals = counts[places] if len(new) == len(places) else np.add.reduceat(counts[places], new)
        found = Held(rows, end, ours[:held], theirs[:held], totals[:held])
        # Of each pair that is shown, the places of all that it was put together of.
        wanted = np.append(new, len(places))[: found.texts_wanted + 1]
        texts = [_collected([getattr(one, name) for one in parts], parts, places, wanted) for name in _TEXTS]
        return replace(found, group_texts=texts[0], member_texts=texts[1])

    def encode(self) -> tuple[Any, bytes]:
        """The number of rows, and the packed arrays."""
        return self.rows, self.whole.to_bytes()

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        return cls.from_bytes(data)

    def to_bytes(self) -> bytes:
        """Bytes from which :meth:`from_bytes` restores it, when it has no loose parts."""
        head = json.dumps([self.rows, self.limit]).encode()
        sections = [head, self.groups.astype("<u8").tobytes()]
        sections += [self.members.astype("<u8").tobytes(), pack_integers(self.counts)]
        for texts in (self.group_texts, self.member_texts):
            data, offsets = string_bytes(texts)
            sections += [data.tobytes(), pack_integers(np.diff(offsets))]
        return pack(self.key, *sections)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """What :meth:`to_bytes` wrote.

        :raises CodecError: when the bytes are not of this version, or damaged
        """
        with reading(cls.key):
            head, groups, members, counts, *texts = unpack(cls.key, data, 8)
            rows, limit = json.loads(head)
            found = cls(
                rows,
                limit,
                np.frombuffer(groups, "<u8").astype(np.uint64),
                np.frombuffer(members, "<u8").astype(np.uint64),
                unpack_integers(counts),
                read_strings(texts[0], unpack_integers(texts[1])),
                read_strings(texts[2], unpack_integers(texts[3])),
            )
            sizes = {len(found.groups), len(found.members), len(found.counts)}
            if len(sizes) != 1 or max(len(found.group_texts), len(found.member_texts)) > len(found.groups):
                raise ValueError("its groups, members and counts do not fit together")
            return found

    def measured(self, check: Any) -> Any:
        """Nothing: no declared check asks for it.

        :raises NotImplementedError: always
        """
        raise NotImplementedError("what is held is read by learned rules alone")


def whole_groups(groups: Hashes, size: int, pairs: int) -> int:
    """How many pairs the first groups have, when there may be so many groups and so many pairs.

    :param groups: of the pairs, ascending
    """
    starts = group_starts(groups[: pairs + 1])
    if len(starts) <= size and len(groups) <= pairs:
        return len(groups)
    # Of the last one that is looked at nobody knows whether it goes on.
    return int(starts[min(size, len(starts) - 1)])


def group_starts(groups: Hashes) -> NDArray[np.int64]:
    """Where each group begins."""
    return np.flatnonzero(np.append(True, groups[1:] != groups[:-1])) if len(groups) else _NO_COUNTS


def _starts(groups: Hashes, members: Hashes) -> Places:
    """Where each pair begins."""
    differs = (groups[1:] != groups[:-1]) | (members[1:] != members[:-1])
    return np.flatnonzero(np.append(True, differs)) if len(groups) else _NO_COUNTS


def _likely(pairs: int, limit: int, most: int) -> int:
    """A limit below which there are more than so many of some pairs, as hashes are spread; not above the given one."""
    return limit if pairs < MORE**2 * most else int(limit * MORE * most / pairs)


def _collected(
    texts: Sequence[pa.LargeStringArray], parts: Sequence[Held], places: Places, wanted: Places
) -> pa.LargeStringArray:
    """The texts of the first pairs of a whole, wherever a part has them; none unless each is known.

    :param texts: of each part
    :param places: of pairs among those of all parts, one after the other
    :param wanted: where among the places those of each pair begin, and where the last one's end
    """
    shown = pa.concat_arrays([_NO_TEXTS, *texts])
    if not len(shown):
        return _NO_TEXTS
    starts = np.cumsum([0, *(len(part.groups) for part in parts)])
    own = (np.arange(len(text)) if part.shown is None else part.shown for part, text in zip(parts, texts, strict=True))
    known = np.concatenate([start + places for start, places in zip(starts[:-1], own, strict=True)])
    asked = places[: wanted[-1]]
    found = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    found = np.where(known[found] == asked, found, -1)
    if len(asked):
        found = np.maximum.reduceat(found, wanted[:-1])
    return _NO_TEXTS if (found < 0).any() else shown.take(pa.array(found))
