"""The rows that relations are mined of, and which of their columns are looked at for what."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.relation.arithmetic import Floats
from airflow_dq.relation.base import Columns
from airflow_dq.states.array import string_bytes
from airflow_dq.states.hashing import hash_strings
from airflow_dq.states.prepared import PreparedColumn

MOST_ROWS = 100_000
"""Rows that a relation is held against; more would take longer, and every row of later partitions is looked at."""
PROBES = 128
"""Rows on which candidates are tried first: of a relation that one row in a hundred breaks, four of these break it once
in twenty."""
EVIDENCE = 4_000
"""Rows by which chance is ruled out: some hundred that could have failed are enough."""
MOST_BROKEN = 0.01
"""Share of rows that may break what is a relation all the same."""
MOST_PAIRED = 200
"""Columns of numbers of which pairs are tried: 40,000 pairs in half a second."""
MOST_ADDED = 64
"""Columns of numbers of which sums of two are tried."""
MOST_ADDED_THREE = 40
"""Columns of numbers of which sums of three are tried: 400,000 of them."""
MOST_TIMES = 40
"""Columns of moments of which pairs are tried."""
MOST_VALUES = 20
"""Different values of a column that says what another one must have: more are a code, and each has too few rows."""
MOST_CONDITIONS = 1_000
"""Such values of all columns together."""
MOST_NULLABLE = 200
"""Columns with missing values of which implications are tried; of those that are missing together, one."""
MOST_COLUMNS = 2_000
"""Columns of any kind of which pairs are tried for being equal, or missing together."""


@dataclass(frozen=True)
class Rows:
    """Columns of the same rows."""

    columns: Columns
    moments: frozenset[str]
    """Columns whose numbers are moments."""
    hidden: frozenset[str] = frozenset()
    """Columns of which no value may be shown."""
    left_out: list[str] = field(default_factory=list)
    """What was not looked at because there is too much of it."""

    @cached_property
    def size(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())).values) if self.columns else 0

    def drawn(self, rows: int) -> Rows:
        """So many rows, drawn at random, and the same ones each time: a table may have a rhythm."""
        if rows >= self.size:
            return self
        places = pa.array(np.sort(np.random.default_rng(0).choice(self.size, rows, replace=False)))
        chosen = {name: PreparedColumn(one.values.take(places)) for name, one in self.columns.items()}
        return Rows(chosen, self.moments, self.hidden, self.left_out)

    @cached_property
    def numbers(self) -> list[str]:
        """Columns of numbers, moments left out, that take at least three values: two are a flag."""
        return [name for name, one in self.columns.items() if name not in self.moments and _varies(one)]

    @cached_property
    def times(self) -> list[str]:
        """Columns of moments that take at least three values."""
        return [name for name, one in self.columns.items() if name in self.moments and _varies(one)]

    def most(self, names: Collection[str], limit: int, what: str) -> list[str]:
        """The first of some columns, and a note on those that are left out."""
        chosen = list(names)[:limit]
        if len(names) > limit:
            self.left_out.append(f"{what}: the first {limit} of {len(names)} columns")
        return chosen

    def matrix(self, names: Collection[str]) -> Floats:
        """The numbers of some columns, one column each; NaN where there is none."""
        if not names:
            return np.empty((self.size, 0))
        return np.column_stack([self.columns[name].numbers for name in names])

    def identity(self, name: str) -> NDArray[np.uint64]:
        """Of each row a number that is the same for the same value, whatever the column; 0 where there is no value."""
        column = self.columns[name]
        if column.is_number:
            found = (column.numbers + 0.0).view(np.uint64).copy()
        elif pa.types.is_large_string(column.values.type):
            found = hash_strings(*string_bytes(pc.fill_null(column.values, "")))
        elif pa.types.is_boolean(column.values.type):
            found = pc.fill_null(column.values, False).cast(pa.int64()).to_numpy(zero_copy_only=False).astype(np.uint64)
            found = found + np.uint64(1)
        else:
            return np.zeros(self.size, np.uint64)
        return np.where(column.present, found, np.uint64(0))

    def unit(self, name: str) -> float:
        """The unit of a column's last decimal, 1 for whole numbers; 0 where it has more than six decimals."""
        return self._units[name]

    @cached_property
    def _units(self) -> dict[str, float]:
        return {name: _unit(one.numbers) for name, one in self.columns.items() if one.is_number}

    def is_single(self, name: str) -> bool:
        """Whether a column's numbers once were 32-bit floats."""
        values = self.columns[name].numbers
        known = values[np.isfinite(values)]
        return bool(len(known)) and self.unit(name) == 0.0 and bool((known == known.astype(np.float32)).all())


def _varies(column: PreparedColumn) -> bool:
    if not column.is_number:
        return False
    values = column.numbers
    known = values[np.isfinite(values)]
    return len(known) > 0 and len(np.unique(known[:MOST_ROWS])) >= 3


def _unit(values: Floats) -> float:
    known = values[np.isfinite(values)]
    if not len(known):
        return 0.0
    for decimals in range(7):
        scaled = known * 10.0**decimals
        # What a float of this size is off by, and nothing that could be a digit.
        noise = np.maximum(1e-6, np.abs(scaled) * 1e-12)
        if np.all((np.abs(scaled - np.rint(scaled)) <= noise) & (noise < 0.01)):
            return float(10.0**-decimals)
    return 0.0
