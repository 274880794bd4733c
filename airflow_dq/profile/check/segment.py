"""Segments: the rows of each value of a column by themselves, in the scan that profiles the whole partition.

Of each segment it is known how many rows it has, in how many of them each other column has a value, and the mean of
each column of numbers or times: what tells that one country is missing, that one channel's prices are cents, or that
one source writes local time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from airflow_dq.check.model import Check
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.check.measured import NO_VALUES, Measured, One
from airflow_dq.profile.check.tally import Failed, Tally
from airflow_dq.profile.hash_key import hash_key
from airflow_dq.states.base import Kind
from airflow_dq.states.exact import UNIT, exact_sums
from airflow_dq.states.prepared import PreparedColumn

MOST_SEGMENTS = 200
"""Values that a column may have in a partition to be told by: of each the numbers are stored, some 40 bytes each."""
_KINDS = (Kind.STRING, Kind.NUMERIC, Kind.BOOLEAN, Kind.NULL)
MISSING = "(missing)"
"""The segment of the rows without a value in the column."""
ROWS, COMPLETE, MEAN = "rows", "complete_ratio", "mean"
"""What is known of a segment: its number of rows, and of another column the share of rows with a value, the mean."""


def measure_of(segment: str, statistic: str, column: str | None = None) -> str:
    """Under what a statistic of all segments of a column is stored; see :attr:`Profile.checks`.

    :param column: the column that it is a statistic of; None: of the rows
    """
    given = ["segment", segment, statistic] if column is None else ["segment", segment, statistic, column]
    return json.dumps(given, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Sum:
    """The finite numbers of a column in one segment."""

    count: int = 0
    total: int = 0
    """In units of 2**-1074, exact, so that no division of the rows changes a digit."""

    @property
    def mean(self) -> float:
        """Their mean; there must be any."""
        return self.total / (self.count << UNIT)


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment's numbers."""

    rows: int = 0
    present: Mapping[str, int] = field(default_factory=dict)
    """By column the rows that have a value."""
    sums: Mapping[str, Sum] = field(default_factory=dict)

    def merge(self, other: Segment) -> Segment:
        """Those of both parts; a column that one part lacks has no values in it."""
        present, sums = dict(self.present), dict(self.sums)
        for name, rows in other.present.items():
            present[name] = present.get(name, 0) + rows
        for name, one in other.sums.items():
            known = sums.get(name, Sum())
            sums[name] = Sum(known.count + one.count, known.total + one.total)
        return Segment(self.rows + other.rows, present, sums)


@dataclass(frozen=True, slots=True)
class Segments(Tally):
    """All segments of a column."""

    tag: ClassVar[str] = "segments"

    by: str
    found: Mapping[str, Segment] = field(default_factory=dict)

    @classmethod
    def of(cls, by: str, columns: Mapping[str, PreparedColumn], kinds: Mapping[str, Kind], *, hidden: bool) -> Tally:
        """Count the segments of a batch.

        :param columns: the canonical values of all columns, the one that the segments are values of among them
        :param kinds: the columns' kinds
        :param hidden: whether its values must not be kept: keyed hashes then stand for them
        """
        if kinds[by] not in _KINDS:
            return Failed(f"column {by!r} is {kinds[by]}, whose values are no segments")
        if len(columns[by].distinct[1].values) > MOST_SEGMENTS:
            return _too_many(by)
        labels, places = _labelled(columns[by], hidden=hidden)
        size = len(labels)
        rows = np.bincount(places, minlength=size).tolist()
        present, sums = {}, {}
        for name, column in columns.items():
            if name == by:
                continue
            present[name] = np.bincount(places[column.present], minlength=size).tolist()
            if kinds[name] in (Kind.NUMERIC, Kind.TIMESTAMP):
                finite = np.isfinite(column.numbers)
                counts = np.bincount(places[finite], minlength=size).tolist()
                totals = exact_sums(column.numbers[finite], places[finite], size)
                sums[name] = [Sum(*one) for one in zip(counts, totals, strict=True)]
        return cls(
            by,
            {
                label: Segment(
                    rows[at],
                    {name: counts[at] for name, counts in present.items()},
                    {name: each[at] for name, each in sums.items()},
                )
                for at, label in enumerate(labels)
                if rows[at]
            },
        )

    def _with(self, other: Any) -> Tally:
        found = dict(self.found)
        for label, segment in other.found.items():
            found[label] = found[label].merge(segment) if label in found else segment
        return _too_many(self.by) if len(found) > MOST_SEGMENTS else Segments(self.by, found)

    def encode(self) -> tuple[Any, bytes]:
        """Plain values; sums as texts, for they have hundreds of digits."""
        segments = [
            [
                label,
                one.rows,
                dict(one.present),
                {name: [each.count, hex(each.total)] for name, each in one.sums.items()},
            ]
            for label, one in sorted(self.found.items())
        ]
        return [self.by, segments], b""

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        by, segments = head
        return cls(
            by,
            {
                label: Segment(
                    rows, present, {name: Sum(count, int(total, 16)) for name, (count, total) in sums.items()}
                )
                for label, rows, present, sums in segments
            },
        )

    def measured(self, check: Check) -> Measured:
        """The number of segments; no declared check asks for it."""
        return Measured(len(self.found), learned=True)

    def statistics(self) -> dict[str, Measured]:
        """Each statistic of all segments, by what it is stored under."""
        numbers = {name for one in self.found.values() for name in one.sums}
        others = dict.fromkeys(name for one in self.found.values() for name in one.present)
        found = {measure_of(self.by, ROWS): {label: One(one.rows) for label, one in self._segments}}
        for name in others:
            complete = {label: _share(one.present.get(name, 0), one.rows) for label, one in self._segments}
            found[measure_of(self.by, COMPLETE, name)] = complete
            if name in numbers:
                sums = {label: _mean(one.sums.get(name, Sum())) for label, one in self._segments}
                found[measure_of(self.by, MEAN, name)] = sums
        return {measure: Measured(len(each), learned=True, groups=each) for measure, each in found.items()}

    @property
    def _segments(self) -> list[tuple[str, Segment]]:
        return sorted(self.found.items())


def count_segments(
    columns: Mapping[str, PreparedColumn], kinds: Mapping[str, Kind], options: ProfileOptions
) -> dict[str, Tally]:
    """The segments of a batch by each of the columns that the options name and the batch has.

    :param columns: canonical values
    """
    found: dict[str, Tally] = {}
    for by in options.segments:
        if by in columns:
            found[group_of_segments(by)] = Segments.of(by, columns, kinds, hidden=options.hides(by))
    return found


def measured_segments(tallies: Mapping[str, Tally], segments: Sequence[str]) -> dict[str, Measured]:
    """What profiles keep of the segments by each of some columns; why there are none, where there are none."""
    found: dict[str, Measured] = {}
    for by in segments:
        tally = tallies.get(group_of_segments(by))
        if isinstance(tally, Segments):
            found |= tally.statistics()
        else:
            problem = tally.problem if isinstance(tally, Failed) else f"the partition has no column {by!r}"
            found[measure_of(by, ROWS)] = Measured(problem=problem, learned=True)
    return found


def group_of_segments(by: str) -> str:
    """Under what the segments of a column are counted."""
    return json.dumps(["segments", by], ensure_ascii=False)


def _labelled(column: PreparedColumn, *, hidden: bool) -> tuple[list[str], NDArray[np.int64]]:
    """The segments of some rows, and the place of each row's among them."""
    codes, different = column.distinct
    values = different.values
    texts = [_text(value) for value in values.to_pylist()]
    if hidden:
        key = hash_key()[:64]
        texts = [hashlib.blake2b(text.encode(), key=key, digest_size=6).hexdigest() for text in texts]
    # Values that are written alike are one segment, and rows without a value are one as well.
    labels = list(dict.fromkeys([*texts, MISSING]))
    at = {label: place for place, label in enumerate(labels)}
    places = np.array([*(at[text] for text in texts), at[MISSING]], np.int64)
    return labels, places[codes]


def _text(value: Any) -> str:
    """A value as a segment is called by: ``DE``, ``7``, ``true``."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _too_many(by: str) -> Failed:
    return Failed(f"column {by!r} has more than {MOST_SEGMENTS} different values; take one of fewer for segments")


def _share(rows: int, of: int) -> One:
    return One(rows / of)


def _mean(numbers: Sum) -> One:
    return One(numbers.mean) if numbers.count else One(nothing=NO_VALUES)
