"""Rows of several partitions as whole numbers: equal values, equal codes, so that relations are mined by comparing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.states.array import string_bytes
from airflow_dq.states.hashing import hash_strings
from airflow_dq.states.prepared import as_written

MOST_ROWS = 100_000
"""Rows that are looked at: of more no relation is known better, and to sort them takes longer."""
MOST_COLUMNS = 200
"""Columns that are looked at, the first ones: relations of all pairs of 2,000 columns would take a minute."""
MISSING = -1
"""The code of a value that is null, not a number, or an empty text."""

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Coded:
    """The rows of some partitions, oldest first, in an order that tells nothing."""

    names: tuple[str, ...]
    codes: NDArray[np.int32]
    """A row for each row, a column for each name; :data:`MISSING` where there is no value."""
    part: Codes
    """Of each row the place of its partition."""
    sizes: tuple[int, ...]
    """How many rows of each partition there are."""
    tellable: tuple[bool, ...]
    """Of each column whether its values name things: texts, whole numbers, dates; no measurements with fractions."""
    numbers: dict[str, NDArray[np.float64]]
    """The values of the numeric columns."""
    texts: dict[str, NDArray[np.uint64]] = field(default_factory=dict)
    """Of the columns of texts a hash of each value, by its code: the same in each column."""
    values: dict[str, pa.LargeStringArray] = field(default_factory=dict)
    """Of the columns of texts each value, by its code."""
    left_out: int = 0
    """Columns that are not looked at, because there are too many."""

    @classmethod
    def of(cls, tables: Sequence[pa.Table], seed: int = 0) -> Coded:
        """The rows of tables in canonical types, of the columns that all of them have and whose values are plain.

        :param tables: rows of partitions, oldest first
        """
        names = _common(tables)
        taken, left_out = names[:MOST_COLUMNS], len(names[MOST_COLUMNS:])
        rng = np.random.default_rng(seed)
        most = MOST_ROWS // max(1, len(tables))
        drawn = [one.select(taken).take(pa.array(rng.permutation(one.num_rows)[:most])) for one in tables]
        sizes = tuple(one.num_rows for one in drawn)
        part = np.repeat(np.arange(len(drawn)), sizes)
        codes = np.full((len(part), len(taken)), MISSING, np.int32)
        tellable, numbers, texts, words = list[bool](), {}, {}, {}
        for place, name in enumerate(taken):
            values = pa.concat_arrays([chunk for one in drawn for chunk in one.column(name).chunks])
            tellable.append(_names_things(values))
            codes[:, place], distinct = _encoded(values)
            if pa.types.is_large_string(values.type):
                texts[name], words[name] = hash_strings(*string_bytes(distinct)), distinct
            if pa.types.is_floating(values.type):
                numbers[name] = values.to_numpy(zero_copy_only=False)
        return cls(tuple(taken), codes, part, sizes, tuple(tellable), numbers, texts, words, left_out)

    def thinned(self, most: int) -> Coded:
        """So many of the rows at most, of each partition the same share."""
        step = max(1, -(-len(self.part) // most))
        sizes = tuple(int(one) for one in np.bincount(self.part[::step], minlength=len(self.sizes)))
        numbers = {name: values[::step] for name, values in self.numbers.items()}
        return replace(self, codes=self.codes[::step], part=self.part[::step], sizes=sizes, numbers=numbers)

    def identity(self, name: str) -> NDArray[np.uint64]:
        """Of each row a number that is the same for the same value, in any column of its kind; 0 where it has none."""
        codes = self.codes[:, self.names.index(name)]
        if name in self.numbers:
            found = (self.numbers[name] + 0.0).view(np.uint64)
        elif name in self.texts and len(self.texts[name]):
            found = self.texts[name][codes]
        else:
            found = codes.astype(np.uint64) + np.uint64(1)
        return np.where(codes == MISSING, np.uint64(0), found)

    @cached_property
    def widths(self) -> NDArray[np.int64]:
        """Of each column how many different values there are."""
        return np.asarray(np.max(self.codes, axis=0, initial=MISSING), np.int64) + 1

    @cached_property
    def agreement(self) -> NDArray[np.float64]:
        """Of each column, how likely two rows of one partition have the same value: 1 tells nothing."""
        return np.array([self._agreement(place)[0] for place in range(len(self.names))])

    @cached_property
    def lasting_agreement(self) -> NDArray[np.float64]:
        """The same of two rows of different partitions."""
        return np.array([self._agreement(place)[1] for place in range(len(self.names))])

    def _agreement(self, place: int) -> tuple[float, float]:
        codes = self.codes[:, place]
        known = codes != MISSING
        if not known.any():
            return 1.0, 1.0
        width = int(codes.max()) + 1
        cells = np.bincount(self.part[known] * width + codes[known], minlength=width * len(self.sizes))
        counts = cells.reshape(len(self.sizes), width).astype(np.float64)
        rows, values = counts.sum(axis=1), counts.sum(axis=0)
        alike, pairs = float((counts * (counts - 1)).sum()), float((rows * (rows - 1)).sum())
        across = float((values**2).sum() - (counts**2).sum())
        across_pairs = float(rows.sum() ** 2 - (rows**2).sum())
        return alike / pairs if pairs else 1.0, across / across_pairs if across_pairs else 1.0


def _common(tables: Sequence[pa.Table]) -> list[str]:
    if not tables:
        return []
    types = [dict(zip(one.schema.names, one.schema.types, strict=True)) for one in tables]
    newest = types[-1].items()
    return [name for name, kind in newest if _is_plain(kind) and all(one.get(name) == kind for one in types)]


def _is_plain(data_type: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_large_string(data_type) or types.is_boolean(data_type) or types.is_floating(data_type))


def _names_things(values: pa.Array) -> bool:
    if not pa.types.is_floating(values.type):
        return True
    numbers = values.drop_null().to_numpy()
    numbers = numbers[np.isfinite(numbers)]
    return bool((numbers == np.floor(numbers)).all())


def _encoded(values: pa.Array) -> tuple[NDArray[np.int32], pa.Array]:
    """The code of each value, and the different values."""
    if pa.types.is_floating(values.type):
        numbers = pa.array(as_written(values.to_numpy(zero_copy_only=False)))
        values = pc.if_else(pc.is_finite(numbers), numbers, None)
    elif pa.types.is_large_string(values.type):
        values = pc.if_else(pc.equal(values, ""), None, values)
    if values.null_count == len(values):
        return np.full(len(values), MISSING, np.int32), values.slice(0, 0)
    encoded = values.dictionary_encode()
    found: NDArray[np.int32] = encoded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False)
    return found.astype(np.int32, copy=False), encoded.dictionary
