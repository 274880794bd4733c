"""Which values of one or more columns go together with which of another, of a bounded number of them: mergeable."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.profile.check.coded import ALL, CodedRows
from airflow_dq.profile.check.grouping import Places
from airflow_dq.profile.check.pairs import Pairs, both_hashed, ordered
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
    """Of the first pairs; none where values must not be kept, null in a part of what has the text already."""
    member_texts: pa.LargeStringArray = field(default_factory=lambda: _NO_TEXTS)
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
        known = group.known if isinstance(member, int) else group.known & member.known
        pairs = Pairs.counted(group, member, before.limit, cls.SIZE)
        held, limit = cls._cut(pairs.groups, pairs.limit)
        pairs = pairs.take(slice(held))
        part = cls(int(np.count_nonzero(known)), limit, pairs.groups, pairs.members, pairs.counts)
        if hidden:
            return part
        shown = before._first(part)
        wanted = ~before._shows(pairs.take(slice(shown)))
        texts = [_texts(one, pairs.rows[:shown], wanted) for one in (group, member)]
        return replace(part, group_texts=texts[0], member_texts=texts[1])

    def _first(self, part: Held) -> int:
        """How many of the first pairs of a further part have to be shown."""
        most = part.texts_wanted
        # What lies behind the last group that is shown is none of the first ones.
        end = self.groups[self.texts_wanted : self.texts_wanted + 1]
        return min(most, int(np.searchsorted(part.groups, end[0]))) if len(end) else most

    def _shows(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Whether the text of each of some pairs is known already."""
        groups, members = (one[: len(self.group_texts)] for one in (self.groups, self.members))
        if not len(groups) or not len(pairs.groups):
            return np.zeros(len(pairs.groups), np.bool_)
        places = np.minimum(np.searchsorted(groups, pairs.groups), len(groups) - 1)
        known = (groups[places] == pairs.groups) & (members[places] == pairs.members)
        # Most groups have one member.
        return known if known.all() else _found((groups, members), (pairs.groups, pairs.members)) >= 0

    @classmethod
    def _cut(cls, groups: Hashes, limit: int) -> tuple[int, int]:
        """How many of the pairs may be held, of whole groups, and the hash from which on none is.

        :param groups: ascending
        """
        held = whole_groups(groups if limit >= ALL else groups[groups < np.uint64(limit)], cls.SIZE, cls.PAIRS)
        return held, limit if held == len(groups) else min(limit, int(groups[held]))

    @property
    def texts_wanted(self) -> int:
        """How many of the first pairs are of groups whose values are held."""
        return whole_groups(self.groups, self.TEXTS, 2 * self.TEXTS)

    def _with(self, other: Any) -> Held:
        return Held.loosely([self, other])

    @classmethod
    def loosely(cls, parts: Sequence[Held]) -> Held:
        """All parts together, merged only when there is much to merge."""
        rows, limit = sum(part.rows for part in parts), min(part.limit for part in parts)
        first, *rest = [one for part in parts for one in (part, *part.loose)]
        found = replace(first, rows=rows, limit=limit, loose=tuple(one for one in rest if len(one.groups)))
        return found.whole if sum(len(one.groups) for one in found.loose) > cls.PAIRS // 2 else found

    @property
    def whole(self) -> Held:
        """The same with all parts merged."""
        return replace(Held.merged([self, *self.loose]), rows=self.rows) if self.loose else self

    @classmethod
    def merged(cls, parts: Sequence[Held]) -> Held:
        """The pairs of all parts together, which have no loose ones."""
        rows, limit = sum(part.rows for part in parts), min((part.limit for part in parts), default=ALL)
        groups, members, counts = (
            np.concatenate([getattr(one, name) for one in parts] or [empty])
            for name, empty in (("groups", _NO_HASHES), ("members", _NO_HASHES), ("counts", _NO_COUNTS))
        )
        order = ordered(groups, members)
        groups, members = groups[order], members[order]
        differs = (groups[1:] != groups[:-1]) | (members[1:] != members[:-1])
        new = np.flatnonzero(np.append(True, differs)) if len(groups) else _NO_COUNTS
        counts = np.add.reduceat(counts[order], new) if len(new) else _NO_COUNTS
        held, limit = cls._cut(groups[new], limit)
        found = Held(rows, limit, groups[new][:held], members[new][:held], counts[:held])
        texts = [_collected(parts, name, found) for name in ("group_texts", "member_texts")]
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


def _texts(rows: CodedRows | int, places: Places, wanted: NDArray[np.bool_]) -> pa.LargeStringArray:
    """What is shown of rows at some places; null where it is not wanted."""
    if isinstance(rows, int):
        return _NO_TEXTS
    if not wanted.any():
        return pa.nulls(len(wanted), _NO_TEXTS.type)
    return rows.shown(places[wanted], SHOWN).take(pa.array(np.cumsum(wanted) - 1, mask=~wanted))


def _collected(parts: Sequence[Held], name: str, whole: Held) -> pa.LargeStringArray:
    """The texts of the first pairs of a whole, wherever a part has them; none unless each is known."""
    texts = [getattr(one, name) for one in parts]
    shown = pa.concat_arrays([_NO_TEXTS, *texts])
    known = shown.is_valid().to_numpy(zero_copy_only=False)
    if not known.any():
        return _NO_TEXTS
    groups, members = (
        np.concatenate([getattr(one, side)[: len(text)] for one, text in zip(parts, texts, strict=True)])[known]
        for side in ("groups", "members")
    )
    wanted = whole.texts_wanted
    places = _found((groups, members), (whole.groups[:wanted], whole.members[:wanted]))
    if (places < 0).any():
        return _NO_TEXTS
    return shown.take(pa.array(np.flatnonzero(known)[places]))


def _found(known: tuple[Hashes, Hashes], asked: tuple[Hashes, Hashes]) -> Places:
    """The places of pairs among others, each given as groups and members; -1 where there is none."""
    ours, theirs = (both_hashed(*pairs) for pairs in (known, asked))
    if not len(ours):
        return np.full(len(theirs), -1)
    order = np.argsort(ours)
    places = order[np.minimum(np.searchsorted(ours[order], theirs), len(ours) - 1)]
    return np.where(ours[places] == theirs, places, -1)
