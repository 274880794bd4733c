"""What a corpus of columns knows of patterns: how many columns match one, and how often their other values do not.

The index of Auto-Validate (section 2.4): FPR_T(p) and Cov_T(p) of Equation 4 for every pattern that describes a good
part of some columns.  It keeps each table's contribution apart, so that a table's own columns can be left out when a
rule of it is learned, replaced when the table is indexed again, and merged with another index.  Of a pattern that the
columns contradict so often that no rule will ever take it, nothing is kept but that it is one, and the beginning of
others: nine tenths of what tables say are of such.

Patterns are kept as 48-bit hashes, values not at all.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airflow_dq.exceptions import CodecError, ConfigurationError
from airflow_dq.pattern.contribution import (
    PARTS,
    Contribution,
    Counts,
    Hashes,
    contribution,
    hashed,
    least_columns,
    sampled,
    strong_patterns,
)

VERSION = 3
"""Of the bytes and of the pattern language together: either changes what a hash means."""
GREATEST_FPR = 0.5
"""What a rule may ask for at most; the index is complete up to it."""
_SURE = 0.75
"""Over the root of a pattern's columns: one and a half standard errors of their mean impurity, at the most that shares
can scatter.  Of a lake that grows, a pattern must not be given up by its first columns."""
_MAGIC = b"airflow-dq pattern index\n"
_HEADER = struct.Struct("<HIIIQI")

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Known:
    """What the corpus knows of one pattern."""

    coverage: int
    """Columns with a value that matches: Cov_T."""
    fpr: float
    """Mean impurity of these columns: FPR_T."""


class PatternIndex:
    """What a corpus knows of patterns, table by table.  Never changed once made: :meth:`merge` gives another one."""

    def __init__(
        self,
        tables: Sequence[str],
        hashes: Hashes,
        starts: NDArray[np.int64],
        places: Counts,
        coverage: Counts,
        impurity: Counts,
        columns: Counts,
        hopeless: Flags,
    ) -> None:
        """Take over the parts; :meth:`build` and :meth:`from_bytes` make them.

        :param hashes: of the patterns, ascending
        :param starts: where each table's entries start, and where the last one's end
        :param places: of each entry, the place of its pattern in ``hashes``
        :param coverage: of each entry, the table's columns that match
        :param impurity: of each entry, the sum of their impurities, in two-hundredths
        :param columns: columns of each table
        :param hopeless: of each pattern, whether it was given up; such have no entries
        """
        self.tables = tuple(tables)
        self._numbers = {name: number for number, name in enumerate(self.tables)}
        self._hashes, self._starts, self._places = hashes, starts, places
        self._coverage, self._impurity, self._columns = coverage, impurity, columns
        self._hopeless = hopeless
        size = len(hashes)
        self._all_coverage = np.bincount(places, coverage, size)
        self._all_impurity = np.bincount(places, impurity, size)
        self._place_of = dict(zip(hashes.tolist(), range(size), strict=True))

    @classmethod
    def build(cls, columns: Iterable[tuple[str, Iterable[str | None]]]) -> PatternIndex:
        """Index columns in two passes: which patterns are worth keeping, then what every column says of them.

        :param columns: of each, the name of its table and its values; no more than a sample of them is held
        """
        return cls.of({}, np.empty(0, np.uint64)).extended(columns)

    @classmethod
    def of(cls, parts: Mapping[str, Contribution], hashes: Hashes) -> PatternIndex:
        """Add up what tables say of patterns.

        :param parts: contribution by table
        :param hashes: ascending, of the patterns that were looked for and their beginnings: a search follows no others
        """
        return cls._of(parts, hashes, np.zeros(len(hashes), np.bool_))

    @classmethod
    def _of(cls, parts: Mapping[str, Contribution], hashes: Hashes, hopeless: Flags) -> PatternIndex:
        """The same without what tables say of patterns that were given up."""
        names = sorted(parts)
        found = [parts[name] for name in names]
        numbers = np.concatenate([np.empty(0, np.uint64), *(one.hashes for one in found)])
        coverage, impurity = (
            np.concatenate([np.empty(0, np.int32), *arrays])
            for arrays in ([one.coverage for one in found], [one.impurity for one in found])
        )
        places = np.searchsorted(hashes, numbers).astype(np.int32)
        kept = ~hopeless[places]
        tables = np.repeat(np.arange(len(names)), [len(one.hashes) for one in found])[kept]
        starts = np.concatenate([[0], np.cumsum(np.bincount(tables, minlength=len(names)), dtype=np.int64)])
        columns = np.array([one.columns for one in found], np.int32)
        return cls(names, hashes, starts, places[kept], coverage[kept], impurity[kept], columns, hopeless)

    def extended(self, columns: Iterable[tuple[str, Iterable[str | None]]]) -> PatternIndex:
        """The same with further tables; of a table that is there already, only the new columns count.

        A pattern that was in too few columns before, and so was not kept, is known once enough of those that are added
        together have it.
        """
        tables: dict[str, list[list[str]]] = {}
        for table, values in columns:
            if sample := sampled(values):
                tables.setdefault(table, []).append(sample)
        counts: Counter[str] = Counter()
        for sample in (sample for samples in tables.values() for sample in samples):
            counts.update(strong_patterns(sample))
        least = least_columns(sum(map(len, tables.values())))
        known = {pattern for pattern, count in counts.items() if count >= least or pattern in self}
        parts = {
            table: Contribution.of(contribution(sample, known) for sample in samples)
            for table, samples in tables.items()
        }
        return self.merge(PatternIndex.of(parts, np.array(sorted(set(map(hashed, known))), np.uint64)))

    @property
    def columns(self) -> int:
        """Columns that were indexed."""
        return int(self._columns.sum())

    def __len__(self) -> int:
        """Patterns that are known, their beginnings and those that were given up included."""
        return len(self._hashes)

    def __contains__(self, pattern: str) -> bool:
        """Whether a written pattern, or a longer one that begins with it, is known."""
        return hashed(pattern) in self._place_of

    def known(self, pattern: str) -> Known | None:
        """What is known of a written pattern; None when no column has it."""
        place = self._place_of.get(hashed(pattern))
        if place is None or not (coverage := int(self._all_coverage[place])):
            return None
        return Known(coverage, float(self._all_impurity[place]) / PARTS / coverage)

    @property
    def hashes(self) -> Hashes:
        """Of all patterns that are known and their beginnings, ascending."""
        return self._hashes

    def part(self, table: str) -> Contribution:
        """What a table of the index says by itself.

        :raises ConfigurationError: when the table is not in the index
        """
        if table not in self._numbers:
            raise ConfigurationError(
                f"The pattern index has {len(self.tables)} tables, and none of the name {table!r}."
            )
        at = self._numbers[table]
        part = slice(self._starts[at], self._starts[at + 1])
        hashes = self._hashes[self._places[part]]
        return Contribution(hashes, self._coverage[part], self._impurity[part], int(self._columns[at]))

    def without(self, table: str) -> PatternView:
        """The same as if a table had never been indexed; a table that is not in the index changes nothing."""
        if table not in self._numbers:
            return PatternView(self, {})
        at, part = self._numbers[table], self.part(table)
        places = self._places[self._starts[at] : self._starts[at + 1]]
        less = zip(part.coverage.tolist(), part.impurity.tolist(), strict=True)
        return PatternView(self, dict(zip(places.tolist(), less, strict=True)))

    def merge(self, other: PatternIndex) -> PatternIndex:
        """Both together; of a table that both have, the other one's columns count: they are newer.

        A pattern that either has given up stays so, until the index is built anew.
        """
        parts = {name: index.part(name) for index in (self, other) for name in index.tables}
        hashes = np.union1d(self._hashes, other._hashes)
        hopeless = np.isin(hashes, np.concatenate([one._hashes[one._hopeless] for one in (self, other)]))
        both = PatternIndex._of(parts, hashes, hopeless)
        given_up = hopeless | both._contradicted()
        return both if (given_up == hopeless).all() else PatternIndex._of(parts, hashes, given_up)

    def _contradicted(self) -> Flags:
        """The patterns whose FPR is surely greater than any rule allows."""
        columns = np.maximum(self._all_coverage, 1)
        return np.asarray(self._all_impurity / PARTS / columns > GREATEST_FPR + _SURE / np.sqrt(columns))

    def to_bytes(self) -> bytes:
        """The index in its stored form: a magic line, the version, a checksum, the compressed parts."""
        groups, said = self._grouped()
        parts = [
            json.dumps(self.tables).encode(),
            *(
                _planes(a)
                for a in (
                    np.diff(self._hashes, prepend=np.uint64(0)),
                    groups,
                    np.bincount(said.tables, minlength=len(self.tables)).astype(np.int32),
                    # Every table's groups ascend: the steps between them are small numbers, and those compress.
                    np.diff(said.places, prepend=np.int32(0)).astype(np.int32),
                    said.coverage,
                    said.impurity,
                    self._columns,
                )
            ),
            np.packbits(self._hopeless).tobytes(),
        ]
        body = zlib.compress(b"".join(parts), 6)
        header = _HEADER.pack(VERSION, len(parts[0]), len(self.tables), len(self), len(said.places), zlib.crc32(body))
        return _MAGIC + header + body

    def _grouped(self) -> tuple[Counts, _Entries]:
        """Of each pattern the number of its group, and the entries of groups, table by table.

        Of a group are patterns of which all tables say the same: a date has dozens, and two entries of three are saved.
        """
        tables = np.repeat(np.arange(len(self.tables)), np.diff(self._starts))
        order = np.argsort(self._places, kind="stable")
        # Most significant byte first: groups in the order of these bytes have tables in common with their neighbours.
        rows = np.stack([tables, self._coverage, self._impurity], 1)[order].astype(">i4")
        data, width = rows.tobytes(), rows.itemsize * 3
        ends = width * np.cumsum(np.bincount(self._places, minlength=len(self)))
        keys = [data[start:end] for start, end in pairwise([0, *ends.tolist()])]
        numbers = {key: number for number, key in enumerate(sorted(set(keys)))}
        said = np.frombuffer(b"".join(numbers), ">i4").reshape(-1, 3).astype(np.int32)
        places = np.repeat(np.arange(len(numbers), dtype=np.int32), [len(key) // width for key in numbers])
        by_table = np.argsort(said[:, 0], kind="stable")
        return (
            np.array([numbers[key] for key in keys], np.int32),
            _Entries(said[by_table, 0], places[by_table], said[by_table, 1], said[by_table, 2]),
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> PatternIndex:
        """The index that :meth:`to_bytes` wrote.

        :raises CodecError: when it is none, is cut or damaged, or has a version that this package does not read
        """
        start = len(_MAGIC) + _HEADER.size
        if data[: len(_MAGIC)] != _MAGIC:
            raise CodecError(
                f"This is no pattern index: it starts with {data[:24]!r}. Build one with `airflow dq index`."
            )
        if len(data) < start:
            raise CodecError(f"The pattern index is damaged: it is cut after {len(data)} bytes. Build it again.")
        version, names, tables, patterns, entries, checksum = _HEADER.unpack(data[len(_MAGIC) : start])
        if version != VERSION:
            raise CodecError(
                f"The pattern index has version {version}; this package reads {VERSION}. Build it again with "
                "`airflow dq index`."
            )
        if zlib.crc32(data[start:]) != checksum:
            raise CodecError("The pattern index is damaged: its checksum does not fit. Build it again.")
        body = zlib.decompress(data[start:])
        sizes = [(8, patterns), *((4, n) for n in (patterns, tables, entries, entries, entries, tables))]
        if len(body) != names + sum(width * count for width, count in sizes) + -(-patterns // 8):
            raise CodecError("The pattern index is damaged: its parts have other sizes than it says. Build it again.")
        place, arrays = names, []
        for width, count in sizes:
            arrays.append(_unplaned(body[place : place + width * count], width, count))
            place += width * count
        steps, groups, lengths, hops, coverage, impurity, columns = arrays
        said = _Entries(np.repeat(np.arange(tables), lengths), np.cumsum(hops, dtype=np.int32), coverage, impurity)
        said = said.of_patterns(groups)
        starts = np.concatenate([[0], np.cumsum(np.bincount(said.tables, minlength=tables), dtype=np.int64)])
        found, hashes = json.loads(body[:names]), np.cumsum(steps, dtype=np.uint64)
        hopeless = np.unpackbits(np.frombuffer(body[place:], np.uint8), count=patterns).astype(np.bool_)
        return cls(found, hashes, starts, said.places, said.coverage, said.impurity, columns, hopeless)

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return PatternIndex.from_bytes, (self.to_bytes(),)

    def save(self, path: Path) -> None:
        """Write it to a file, whole or not at all."""
        part = path.with_name(path.name + ".part")
        part.write_bytes(self.to_bytes())
        part.replace(path)

    @classmethod
    def load(cls, path: Path) -> PatternIndex:
        """Read it from a file.

        :raises CodecError: as :meth:`from_bytes`
        :raises ConfigurationError: when there is no such file
        """
        try:
            return cls.from_bytes(path.read_bytes())
        except OSError as error:
            raise ConfigurationError(f"No pattern index can be read at {path}: {error.strerror}.") from error
        except CodecError as error:
            raise CodecError(f"{path}: {error}") from error


@dataclass(frozen=True, slots=True)
class _Entries:
    """What tables say of groups of patterns."""

    tables: NDArray[np.integer[Any]]
    places: Counts
    """The number of a group, or the place of a pattern."""
    coverage: Counts
    impurity: Counts

    def of_patterns(self, groups: Counts) -> _Entries:
        """The same of patterns, table by table, with their places ascending.

        :param groups: of each pattern the number of its group
        """
        members, sizes = np.argsort(groups, kind="stable"), np.bincount(groups)
        times = sizes[self.places]
        entry = np.repeat(np.arange(len(times)), times)
        # Of each entry's group, the first pattern, the second, and so on.
        within = np.arange(len(entry)) - np.repeat(np.cumsum(times) - times, times)
        places = members[(np.cumsum(sizes) - sizes)[self.places][entry] + within].astype(np.int32)
        order = np.lexsort((places, self.tables[entry]))
        entry = entry[order]
        return _Entries(self.tables[entry], places[order], self.coverage[entry], self.impurity[entry])


class PatternView:
    """An index without one table."""

    def __init__(self, index: PatternIndex, less: dict[int, tuple[int, int]]) -> None:
        """Look at an index.

        :param less: by place, columns and sum of impurities (in two-hundredths) that do not count
        """
        self._index, self._less = index, less

    def __contains__(self, pattern: str) -> bool:
        return pattern in self._index

    def known(self, pattern: str) -> Known | None:
        """As :meth:`PatternIndex.known`."""
        index = self._index
        place = index._place_of.get(hashed(pattern))
        if place is None:
            return None
        less, lessened = self._less.get(place, (0, 0))
        coverage = int(index._all_coverage[place]) - less
        if coverage <= 0:
            return None
        return Known(coverage, max(0.0, float(index._all_impurity[place]) - lessened) / PARTS / coverage)


def _planes(array: NDArray[Any]) -> bytes:
    """An array byte plane by byte plane: the high bytes of small numbers are one run of zeros."""
    return array.view(np.uint8).reshape(len(array), array.itemsize).T.tobytes()


def _unplaned(data: bytes, width: int, count: int) -> NDArray[Any]:
    plain = np.frombuffer(data, np.uint8).reshape(width, count).T.tobytes()
    return np.frombuffer(plain, np.uint64 if width == 8 else np.int32)
