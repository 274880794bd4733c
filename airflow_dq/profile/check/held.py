"""Which values of one or more columns go together with which of another, of a bounded number of them: mergeable."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
ALL = 2**64
"""Above every hash."""
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
    TEXTS: ClassVar[int] = 5_000
    """Groups of which the values themselves are held, where they may be: more than that are shown to nobody."""

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

    @classmethod
    def of(cls, group: CodedRows, member: CodedRows | None, *, hidden: bool) -> Self:
        """Count the rows of a batch.

        :param member: None: of a group it only matters how often it occurs
        :param hidden: keep no values, only the hashes that are given
        """
        codes, width = group.codes, 1 if member is None else len(member.hashes)
        known = codes >= 0 if member is None else (codes >= 0) & (member.codes >= 0)
        rows, limit = int(np.count_nonzero(known)), cls._highest(group.hashes, codes[known])
        if limit < ALL:
            # To sort and count pairs takes long: only those of groups that may be held.
            known &= (group.hashes < np.uint64(limit))[codes]
        cells = codes[known] if member is None else codes[known] * width + member.codes[known]
        pairs, counts = _counted(cells, len(group.hashes) * width)
        places, beside = pairs // max(1, width), pairs % max(1, width)
        groups = group.hashes[places]
        members = np.zeros(len(pairs), np.uint64) if member is None else member.hashes[beside]
        order = np.lexsort((members, groups))
        held, limit = cls._held(groups[order], limit)
        order = order[:held]
        found = cls(rows, limit, groups[order], members[order], counts[order])
        if hidden:
            return found
        shown = order[: found.texts_wanted]
        beside_texts = _NO_TEXTS if member is None else member.texts(beside[shown], SHOWN)
        return replace(found, group_texts=group.texts(places[shown], SHOWN), member_texts=beside_texts)

    @classmethod
    def _highest(cls, hashes: Hashes, codes: NDArray[np.int64]) -> int:
        """The hash from which on no group of a batch can be held."""
        if len(hashes) <= cls.SIZE:
            return ALL
        occurs = np.zeros(len(hashes), np.bool_)
        occurs[codes] = True
        present = np.unique(hashes[occurs])
        return ALL if len(present) <= cls.SIZE else int(present[cls.SIZE])

    @classmethod
    def _held(cls, groups: Hashes, limit: int) -> tuple[int, int]:
        """How many of the pairs may be held, of whole groups, and the hash from which on none is.

        :param groups: ascending
        """
        starts = group_starts(groups)
        ends = np.append(starts, len(groups))[1:]
        whole = min(int(np.searchsorted(ends, cls.PAIRS, side="right")), cls.SIZE)
        if limit < ALL:
            whole = min(whole, int(np.searchsorted(groups[starts], np.uint64(limit))))
        if whole == len(starts):
            return len(groups), limit
        return int(starts[whole]), min(limit, int(groups[starts[whole]]))

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
        rows, limit = sum(part.rows for part in parts), min((part.limit for part in parts), default=ALL)
        groups, members, counts = (
            np.concatenate([getattr(one, name) for one in parts] or [empty])
            for name, empty in (("groups", _NO_HASHES), ("members", _NO_HASHES), ("counts", _NO_COUNTS))
        )
        order = np.lexsort((members, groups))
        groups, members = groups[order], members[order]
        differs = (groups[1:] != groups[:-1]) | (members[1:] != members[:-1])
        new = np.flatnonzero(np.append(True, differs)) if len(groups) else _NO_COUNTS
        counts = np.add.reduceat(counts[order], new) if len(new) else _NO_COUNTS
        held, limit = cls._held(groups[new], limit)
        found = Held(rows, limit, groups[new][:held], members[new][:held], counts[:held])
        shown = order[new[: found.texts_wanted]]
        texts = [
            _taken([getattr(one, name) for one in parts], parts, shown) for name in ("group_texts", "member_texts")
        ]
        return replace(found, group_texts=texts[0], member_texts=texts[1])

    def encode(self) -> tuple[Any, bytes]:
        """The number of rows, and the packed arrays."""
        return self.rows, self.to_bytes()

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        return cls.from_bytes(data)

    def to_bytes(self) -> bytes:
        """Bytes from which :meth:`from_bytes` restores it."""
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


def _counted(cells: NDArray[np.int64], width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different cells, and how often each occurs."""
    if width <= 4 * max(len(cells), 1_000):
        counts = np.bincount(cells, minlength=width)
        found = np.flatnonzero(counts)
        return found, counts[found]
    return np.unique(cells, return_counts=True)


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
