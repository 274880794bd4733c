"""Which values of one or more columns go together with which of another, of a bounded number of them: mergeable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.profile.check.coded import CodedRows
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
    A group among the smallest of all is among the smallest of every part that has it: merging is exact, and while there
    are no more groups, so is the whole.
    """

    tag: ClassVar[str] = "held"
    key: ClassVar[str] = "held/1"
    SIZE: ClassVar[int] = 20_000
    """Most groups that are held: 0.4 MB, and of a dependency that one row in a thousand breaks some 20 groups."""
    TEXTS: ClassVar[int] = 5_000
    """Groups of which the values themselves are held, where they may be: more than that are shown to nobody."""

    rows: int = 0
    """In which both are known, those of groups that are not held too."""
    groups: Hashes = field(default_factory=lambda: _NO_HASHES)
    """Ascending; one place for each pair."""
    members: Hashes = field(default_factory=lambda: _NO_HASHES)
    """Ascending among those of a group."""
    counts: NDArray[np.int64] = field(default_factory=lambda: _NO_COUNTS)
    group_texts: pa.LargeStringArray = field(default_factory=lambda: _NO_TEXTS)
    """Of the first pairs; none where values must not be kept."""
    member_texts: pa.LargeStringArray = field(default_factory=lambda: _NO_TEXTS)

    @classmethod
    def of(cls, group: CodedRows, member: CodedRows | None, *, hidden: bool) -> Self:
        """Count the rows of a batch.

        :param member: None: of a group it only matters how often it occurs
        :param hidden: keep no values, only the hashes that are given
        """
        codes, width = group.codes, 1 if member is None else len(member.hashes)
        known = codes >= 0 if member is None else (codes >= 0) & (member.codes >= 0)
        cells = codes[known] if member is None else codes[known] * width + member.codes[known]
        pairs, counts = _counted(cells, len(group.hashes) * width)
        places, beside = pairs // max(1, width), pairs % max(1, width)
        groups = group.hashes[places]
        members = np.zeros(len(pairs), np.uint64) if member is None else member.hashes[beside]
        order = _smallest(groups, members, cls.SIZE)
        rows = int(np.count_nonzero(known))
        found = cls(rows, groups[order], members[order], counts[order])
        if hidden:
            return found
        shown = order[: found.texts_wanted]
        beside_texts = _NO_TEXTS if member is None else member.texts(beside[shown], SHOWN)
        return cls(rows, found.groups, found.members, found.counts, group.texts(places[shown], SHOWN), beside_texts)

    @property
    def texts_wanted(self) -> int:
        """How many of the first pairs are of groups whose values are held."""
        starts = group_starts(self.groups)
        return len(self.groups) if len(starts) <= self.TEXTS else int(starts[self.TEXTS])

    @property
    def is_complete(self) -> bool:
        """Whether every group is held."""
        return int(self.counts.sum()) == self.rows

    def _with(self, other: Any) -> Held:
        return Held.merged([self, other])

    @classmethod
    def merged(cls, parts: Sequence[Held]) -> Held:
        """The pairs of all parts together."""
        rows = sum(part.rows for part in parts)
        parts = [part for part in parts if len(part.groups)]
        if len(parts) < 2:
            one = parts[0] if parts else Held()
            return Held(rows, one.groups, one.members, one.counts, one.group_texts, one.member_texts)
        groups, members = (np.concatenate([getattr(one, name) for one in parts]) for name in ("groups", "members"))
        order = np.lexsort((members, groups))
        groups, members = groups[order], members[order]
        new = np.flatnonzero(np.append(True, (groups[1:] != groups[:-1]) | (members[1:] != members[:-1])))
        counts = np.add.reduceat(np.concatenate([one.counts for one in parts])[order], new)
        starts = group_starts(groups[new])
        held = len(new) if len(starts) <= cls.SIZE else int(starts[cls.SIZE])
        found = Held(rows, groups[new][:held], members[new][:held], counts[:held])
        shown = order[new[: found.texts_wanted]]
        texts = (
            _taken([getattr(one, name) for one in parts], parts, shown) for name in ("group_texts", "member_texts")
        )
        return Held(rows, found.groups, found.members, found.counts, *texts)

    def encode(self) -> tuple[Any, bytes]:
        """The number of rows, and the packed arrays."""
        return self.rows, self.to_bytes()

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        return cls.from_bytes(data)

    def to_bytes(self) -> bytes:
        """Bytes from which :meth:`from_bytes` restores it."""
        sections = [pack_integers(np.array([self.rows], np.int64)), self.groups.astype("<u8").tobytes()]
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
            rows, groups, members, counts, *texts = unpack(cls.key, data, 8)
            found = cls(
                int(unpack_integers(rows)[0]),
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


def _counted(cells: NDArray[np.int64], width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different cells, and how often each occurs."""
    if width <= 4 * max(len(cells), 1_000):
        counts = np.bincount(cells, minlength=width)
        found = np.flatnonzero(counts)
        return found, counts[found]
    return np.unique(cells, return_counts=True)


def _smallest(groups: Hashes, members: Hashes, size: int) -> NDArray[np.int64]:
    """The places of the pairs of the groups with the smallest hashes, in order."""
    places = np.arange(len(groups))
    if len(groups) > size:
        # Of so many pairs at least one group more than is held, if each is of its own: the rest cannot be held.
        highest = np.partition(groups, size)[size]
        distinct = np.unique(groups[groups <= highest])
        if len(distinct) > size:
            places = np.flatnonzero(groups < distinct[size])
    order = places[np.lexsort((members[places], groups[places]))]
    starts = group_starts(groups[order])
    return order if len(starts) <= size else order[: starts[size]]


def group_starts(groups: Hashes) -> NDArray[np.int64]:
    """Where each group begins."""
    return np.flatnonzero(np.append(True, groups[1:] != groups[:-1])) if len(groups) else _NO_COUNTS


def _taken(texts: Sequence[pa.LargeStringArray], parts: Sequence[Held], places: NDArray[np.int64]) -> pa.Array:
    """The texts of pairs, by their places among the pairs of all parts; none unless each is known."""
    if not any(len(one) for one in texts):
        return _NO_TEXTS
    lacking = [len(part.groups) - len(one) for one, part in zip(texts, parts, strict=True)]
    padded = [pa.concat_arrays([one, pa.nulls(rest, one.type)]) for one, rest in zip(texts, lacking, strict=True)]
    found = pa.concat_arrays(padded).take(pa.array(places))
    return _NO_TEXTS if found.null_count else found
