"""What a corpus of columns knows of patterns: how many columns match one, and how often their other values do not.

The index of Auto-Validate (section 2.4): FPR_T(p) and Cov_T(p) of Equation 4 for every pattern that describes a good
part of at least two columns.  It keeps each table's contribution apart, so that a table's own columns can be left out
when a rule of it is learned, replaced when the table is indexed again, and merged with another index.

Patterns are kept as 48-bit hashes, values not at all.
"""

from __future__ import annotations

import hashlib
import math
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airflow_dq.exceptions import CodecError, ConfigurationError
from airflow_dq.pattern.generalise import TAU, Token, align, grow, runs_of, skeleton, tokens_of

VERSION = 1
"""Of the bytes and of the pattern language together: either changes what a hash means."""
SAMPLE = 100
"""Values of a column that are looked at, evenly spaced: twice as many take twice as long."""
PURE, PURE_COLUMNS = 0.25, 2
"""A pattern is kept when it matches this share of this many columns.

With c = (1 + r) / 2, a pattern of FPR <= r has an impurity of at most c in at least (1 - r) / (1 + r) of its columns
(Markov): none that is feasible is lost while r <= .5 and m >= 4.
"""
_PARTS = 200
"""Impurities are kept in parts of a column: finer than the sample's one in a hundred."""
_MAGIC = b"airflow-dq pattern index\n"
_HEADER = struct.Struct("<HIIIQI")


def hashed(pattern: str) -> int:
    """48 bits of a written pattern: of 20 million patterns one in ten million look-ups finds another's."""
    return int.from_bytes(hashlib.blake2b(pattern.encode(), digest_size=6).digest(), "little")


def sampled(values: Iterable[str | None]) -> list[str]:
    """The values of a column that are looked at: neither null nor blank, evenly spaced."""
    found = [value for value in values if value is not None and value.strip()]
    if len(found) <= SAMPLE:
        return found
    return [found[i] for i in np.linspace(0, len(found) - 1, SAMPLE).astype(int)]


Rows = list[tuple[Token, ...]]


def _groups(values: Sequence[str]) -> list[Rows]:
    """The values that are short enough, by skeleton."""
    groups: dict[tuple[str, ...], Rows] = {}
    for tokens in map(tokens_of, values):
        if tokens and runs_of(tokens) < TAU:
            groups.setdefault(skeleton(tokens), []).append(tokens)
    return list(groups.values())


def strong_patterns(values: Sequence[str]) -> set[str]:
    """Patterns, and beginnings of patterns, of a good part of a column's sampled values."""
    floor = max(1, math.ceil(PURE * len(values)))
    found: set[str] = set()
    for rows in _groups(values):
        if len(rows) >= floor:
            for level in grow(align(rows), len(rows), floor, None):
                found.update(pattern for pattern, _ in level)
    return found


def contribution(values: Sequence[str], known: set[str]) -> dict[str, float]:
    """Imp_D(p) of every known pattern that matches a value of the column (Equation 1)."""
    matched: Counter[str] = Counter()
    for rows in _groups(values):
        level: list[tuple[str, int]] = []
        for level in grow(align(rows), len(rows), 1, known):  # noqa: B007
            pass
        for pattern, mask in level:
            matched[pattern] += mask.bit_count()
    return {pattern: 1 - count / len(values) for pattern, count in matched.items()}


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
        hashes: NDArray[np.uint64],
        starts: NDArray[np.int64],
        places: NDArray[np.int32],
        coverage: NDArray[np.int32],
        impurity: NDArray[np.int32],
        columns: NDArray[np.int32],
    ) -> None:
        """Take over the parts; :meth:`build` and :meth:`from_bytes` make them.

        :param hashes: of the patterns, ascending
        :param starts: where each table's entries start, and where the last one's end
        :param places: of each entry, the place of its pattern in ``hashes``
        :param coverage: of each entry, the table's columns that match
        :param impurity: of each entry, the sum of their impurities, in two-hundredths
        :param columns: columns of each table
        """
        self.tables = tuple(tables)
        self._hashes, self._starts, self._places = hashes, starts, places
        self._coverage, self._impurity, self._columns = coverage, impurity, columns
        size = len(hashes)
        self._all_coverage = np.bincount(places, coverage, size)
        self._all_impurity = np.bincount(places, impurity, size)
        self._place_of = dict(zip(hashes.tolist(), range(size), strict=True))

    @classmethod
    def build(cls, columns: Iterable[tuple[str, Iterable[str | None]]]) -> PatternIndex:
        """Index columns in two passes: which patterns are worth keeping, then what every column says of them.

        :param columns: of each, the name of its table and its values; no more than a sample of them is held
        """
        samples = [(table, sample) for table, values in columns if (sample := sampled(values))]
        counts: Counter[str] = Counter()
        for _, sample in samples:
            counts.update(strong_patterns(sample))
        known = {pattern for pattern, count in counts.items() if count >= PURE_COLUMNS}
        return cls.of_contributions((table, contribution(sample, known)) for table, sample in samples)

    @classmethod
    def of_contributions(cls, contributions: Iterable[tuple[str, dict[str, float]]]) -> PatternIndex:
        """Add up what columns say of patterns.

        :param contributions: of each column, the name of its table and its impurity by pattern
        """
        numbers: dict[str, int] = {}
        tables: dict[str, dict[int, list[int]]] = {}
        columns: Counter[str] = Counter()
        for table, impurities in contributions:
            entries = tables.setdefault(table, {})
            columns[table] += 1
            for pattern, impurity in impurities.items():
                if (number := numbers.get(pattern)) is None:
                    number = numbers[pattern] = hashed(pattern)
                entry = entries.setdefault(number, [0, 0])
                entry[0] += 1
                entry[1] += round(impurity * _PARTS)
        return cls._of_tables(tables, columns)

    @classmethod
    def _of_tables(cls, tables: dict[str, dict[int, list[int]]], columns: dict[str, int]) -> PatternIndex:
        names = sorted(tables)
        hashes = np.array(sorted(set().union(*tables.values())), np.uint64)
        starts = np.zeros(len(names) + 1, np.int64)
        np.cumsum([len(tables[name]) for name in names], out=starts[1:])
        total = int(starts[-1])
        numbers, counts = np.empty(total, np.uint64), np.empty((total, 2), np.int32)
        for name, start, end in zip(names, starts[:-1], starts[1:], strict=True):
            if ordered := sorted(tables[name].items()):
                numbers[start:end] = [number for number, _ in ordered]
                counts[start:end] = [entry for _, entry in ordered]
        places = np.searchsorted(hashes, numbers).astype(np.int32)
        sizes = np.array([columns[name] for name in names], np.int32)
        return cls(names, hashes, starts, places, counts[:, 0].copy(), counts[:, 1].copy(), sizes)

    @property
    def columns(self) -> int:
        """Columns that were indexed."""
        return int(self._columns.sum())

    def __len__(self) -> int:
        """Patterns that are known."""
        return len(self._hashes)

    def __contains__(self, pattern: str) -> bool:
        return hashed(pattern) in self._place_of

    def known(self, pattern: str) -> Known | None:
        """What is known of a written pattern; None when no column has it."""
        place = self._place_of.get(hashed(pattern))
        if place is None or not (coverage := int(self._all_coverage[place])):
            return None
        return Known(coverage, float(self._all_impurity[place]) / _PARTS / coverage)

    def without(self, table: str) -> PatternView:
        """The same as if a table had never been indexed; a table that is not in the index changes nothing."""
        return PatternView(self, self._entries(table) if table in self.tables else {})

    def _entries(self, table: str) -> dict[int, tuple[int, int]]:
        at = self.tables.index(table)
        part = slice(self._starts[at], self._starts[at + 1])
        entries = zip(self._coverage[part].tolist(), self._impurity[part].tolist(), strict=True)
        return dict(zip(self._places[part].tolist(), entries, strict=True))

    def merge(self, other: PatternIndex) -> PatternIndex:
        """Both together; of a table that both have, the other one's columns count: they are newer."""
        tables: dict[str, dict[int, list[int]]] = {}
        columns: dict[str, int] = {}
        for index in (self, other):
            for at, name in enumerate(index.tables):
                found = index._entries(name)
                tables[name] = {int(index._hashes[place]): list(entry) for place, entry in found.items()}
                columns[name] = int(index._columns[at])
        return self._of_tables(tables, columns)

    def to_bytes(self) -> bytes:
        """The index in its stored form: a magic line, the version, a checksum, the compressed parts."""
        steps = np.diff(self._hashes, prepend=np.uint64(0))
        # Every table's places ascend: the steps between them are small numbers, and those compress.
        hops = np.diff(self._places, prepend=np.int32(0)).astype(np.int32)
        parts = [
            "\n".join(self.tables).encode(),
            *(
                _planes(a)
                for a in (
                    steps,
                    np.diff(self._starts).astype(np.int32),
                    hops,
                    self._coverage,
                    self._impurity,
                    self._columns,
                )
            ),
        ]
        body = zlib.compress(b"".join(parts), 6)
        header = _HEADER.pack(VERSION, len(parts[0]), len(self.tables), len(self), len(self._places), zlib.crc32(body))
        return _MAGIC + header + body

    @classmethod
    def from_bytes(cls, data: bytes) -> PatternIndex:
        """The index that :meth:`to_bytes` wrote.

        :raises CodecError: when it is none, is cut or damaged, or has a version that this package does not read
        """
        start = len(_MAGIC) + _HEADER.size
        if data[: len(_MAGIC)] != _MAGIC or len(data) < start:
            raise CodecError(
                f"This is no pattern index: it starts with {data[:24]!r}. Build one with `airflow dq index`."
            )
        version, names, tables, patterns, entries, checksum = _HEADER.unpack(data[len(_MAGIC) : start])
        if version != VERSION:
            raise CodecError(
                f"The pattern index has version {version}; this package reads {VERSION}. Build it again with "
                "`airflow dq index`."
            )
        if zlib.crc32(data[start:]) != checksum:
            raise CodecError("The pattern index is damaged: its checksum does not fit. Build it again.")
        body = zlib.decompress(data[start:])
        sizes = [(8, patterns), *((4, n) for n in (tables, entries, entries, entries, tables))]
        if len(body) != names + sum(width * count for width, count in sizes):
            raise CodecError("The pattern index is damaged: its parts have other sizes than it says. Build it again.")
        place, arrays = names, []
        for width, count in sizes:
            arrays.append(_unplaned(body[place : place + width * count], width, count))
            place += width * count
        steps, lengths, hops, coverage, impurity, columns = arrays
        starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        found = body[:names].decode().split("\n") if tables else []
        hashes, places = np.cumsum(steps, dtype=np.uint64), np.cumsum(hops, dtype=np.int32)
        return cls(found, hashes, starts, places, coverage, impurity, columns)

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
        return Known(coverage, max(0.0, float(index._all_impurity[place]) - lessened) / _PARTS / coverage)


def _planes(array: NDArray[Any]) -> bytes:
    """An array byte plane by byte plane: the high bytes of small numbers are one run of zeros."""
    return array.view(np.uint8).reshape(len(array), array.itemsize).T.tobytes()


def _unplaned(data: bytes, width: int, count: int) -> NDArray[Any]:
    plain = np.frombuffer(data, np.uint8).reshape(width, count).T.tobytes()
    return np.frombuffer(plain, np.uint64 if width == 8 else np.int32)
