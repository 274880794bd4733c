"""The rows of a batch by the hashes of their values, which are looked at no earlier and no oftener than is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.profile.check.grouping import DENSE, Grouping, Places
from airflow_dq.profile.fingerprint import value_hashes
from airflow_dq.states.array import string_bytes
from airflow_dq.states.hashing import HASHED_WHOLE, Hashes, hash_floats
from airflow_dq.states.hidden import hidden_hashes
from airflow_dq.states.prepared import PreparedColumn, as_written

ALL = 2**64
"""Above every hash."""
_EXACT = 2.0**53
"""From here on floats are no longer all whole numbers."""
_LIMIT_BITS = 3
"""Leading bits of a limit that are looked at: relations on one key with limits that are nearly the same then put the
same rows together, once, and at most a quarter more than they need."""
_LOOKED_AT = 100
"""Numbers that tell at once that not all are whole."""


@dataclass(frozen=True, eq=False)
class CodedRows:
    """The rows of one batch by their value in a column, or in several together."""

    known: NDArray[np.bool_]
    """Whether each row has a value; what the others have for a hash or a code is nothing."""
    hashed_at: Callable[[Places], Hashes]
    """Makes the hashes of the values of some rows."""
    texts: Callable[[Places, int], pa.LargeStringArray]
    """Values of some rows, to be shown, cut at a number of characters."""
    codes: NDArray[np.int64] | None = None
    """Where that costs next to nothing, a small whole number for each row: equal ones for equal values."""
    width: int = 0
    """All codes are below it."""
    origin: tuple[CodedRows, Callable[[Hashes], Hashes]] | None = None
    """The rows of which these have the values, and what was made of their hashes."""
    in_order: bool = False
    """Whether that changed no more than the last bit of each hash, so that they stand in the order that they had."""

    @classmethod
    def of(cls, column: PreparedColumn) -> Self:
        """By one column; null, NaN and the empty text are missing."""
        values = column.values
        if pa.types.is_large_string(values.type) and column.dictionary[0].longest <= HASHED_WHOLE:
            return cls._of_strings(column)
        return cls(
            column.present,
            # Mixed once more: of booleans the hashes are the values themselves.
            lambda rows: _mixed(value_hashes(PreparedColumn(_plain(values.take(pa.array(rows)))))),
            lambda rows, most: _shown(_written(values.take(pa.array(rows))), most),
            *_small_numbers(values),
        )

    @classmethod
    def _of_strings(cls, column: PreparedColumn) -> Self:
        """By the codes and hashes of strings that their states have made."""
        values, (distinct, places) = column.values, column.dictionary
        known, codes = _as_array(places.is_valid()), _as_array(places.fill_null(0)).astype(np.int64)
        for empty in np.flatnonzero(np.diff(string_bytes(distinct.values)[1]) == 0).tolist():
            known = known & (codes != empty)
        width = len(distinct.values)
        return cls(
            known,
            lambda rows: _mixed(distinct.hashes[codes[rows]]) if width else np.zeros(len(rows), np.uint64),
            lambda rows, most: _shown(values.take(pa.array(rows)), most),
            codes,
            width,
        )

    @classmethod
    def of_all(cls, columns: Sequence[CodedRows]) -> CodedRows:
        """By several columns together."""
        if len(columns) == 1:
            return columns[0]
        known, codes, width = columns[0].known, columns[0].codes, columns[0].width
        for one in columns[1:]:
            known, width = known & one.known, width * one.width
            if codes is not None and one.codes is not None and width <= DENSE * len(known):
                codes = codes * one.width + one.codes
            else:
                codes = None

        def hashed_at(places: Places) -> Hashes:
            hashes = np.zeros(len(places), np.uint64)
            for place, one in enumerate(columns):
                hashes = _mixed(hashes ^ one.at(places)) + np.uint64(place)
            return hashes

        def texts(places: Places, most: int) -> pa.LargeStringArray:
            parts = [one.shown(places, most) for one in columns]
            return pc.binary_join_element_wise(*parts, pa.scalar(", ", pa.large_string()))

        return cls(known, hashed_at, texts, codes, width)

    def hashed(self, by: Callable[[Hashes], Hashes], *, in_order: bool = False) -> CodedRows:
        """The same rows with what a function makes of their hashes.

        :param in_order: it changes no more than the last bit of each
        """
        found = CodedRows(self.known, lambda places: by(self.at(places)), self.shown, self.codes, self.width)
        return replace(found, origin=(self, by), in_order=in_order)

    def keyed(self, key: bytes) -> CodedRows:
        """The same with hashes that nobody can make again without the key."""
        return self.hashed(lambda hashes: hidden_hashes(hashes, key))

    @cached_property
    def hashes(self) -> Hashes:
        """Of all rows."""
        return self.hashed_at(np.arange(len(self.known)))

    def at(self, places: Places) -> Hashes:
        """The hashes of some rows: made of all rows only when many are asked for."""
        if 2 * len(places) >= len(self.known) or "hashes" in vars(self):
            return self.hashes[places]
        return self.hashed_at(places)

    @cached_property
    def complete(self) -> bool:
        """Whether every row has a value."""
        return bool(self.known.all())

    @cached_property
    def _grouping(self) -> Grouping:
        if self.origin is not None:
            rows, by = self.origin
            return rows._grouping.hashed(by)
        return self._grouped(np.flatnonzero(self.known))

    def grouped(self, limit: int) -> Grouping:
        """The known rows by value, of those with hashes below a limit, and some more."""
        step = 1 << max(1, limit.bit_length() - _LIMIT_BITS)
        limit = -(-limit // step) * step
        if limit >= ALL:
            return self._grouping
        if self.origin is not None and self.in_order:
            rows, by = self.origin
            return rows.grouped(limit).hashed(by)
        if limit not in self._below:
            # To put together takes long: nothing is done with rows that cannot be held.
            self._below[limit] = self._grouped(np.flatnonzero(self.known & (self.hashes < np.uint64(limit))))
        return self._below[limit]

    @cached_property
    def _below(self) -> dict[int, Grouping]:
        """The rows with hashes below a limit by value: of equal keys most relations hold equally many."""
        return {}

    def shown(self, places: Places, most: int) -> pa.LargeStringArray:
        """Values of some rows, to be shown, cut at a number of characters; made once for all that ask for the same."""
        key = (most, places.tobytes())
        if key not in self._shown:
            self._shown[key] = self.texts(places, most)
        return self._shown[key]

    @cached_property
    def _shown(self) -> dict[tuple[int, bytes], pa.LargeStringArray]:
        return {}

    def _grouped(self, rows: Places) -> Grouping:
        if self.codes is not None and self.width <= DENSE * len(rows):
            return Grouping.by_code(rows, self.codes[rows], self.width, self.at)
        return Grouping.by_hash(rows, self.hashes[rows])


def of_numbers(numbers: NDArray[np.float64]) -> CodedRows:
    """Rows by numbers, with their bits in the place of hashes; NaN is missing."""
    numbers = numbers + 0.0
    bits = numbers.view(np.uint64)
    return CodedRows(~np.isnan(numbers), bits.__getitem__, lambda rows, most: _shown(pa.array(numbers[rows]), most))


def as_one(rows: int) -> CodedRows:
    """Rows that are all in one group."""
    codes = np.zeros(rows, np.int64)
    return CodedRows(
        np.ones(rows, np.bool_),
        lambda places: np.zeros(len(places), np.uint64),
        lambda places, most: pa.array(["all rows"] * len(places), pa.large_string()),
        codes,
        1,
    )


def _written(values: pa.Array) -> pa.Array:
    """Numbers as floats of which equal ones have equal bits; whole ones that a float rounds stay."""
    if pa.types.is_decimal(values.type):
        values = values.cast(pa.float64())
    if not pa.types.is_floating(values.type):
        return values
    return pa.array(as_written(_as_array(values)))


def _plain(values: pa.Array) -> pa.Array:
    """As :func:`_written`; whole numbers as the floats that they are, where they are: these are hashed sooner."""
    if pa.types.is_integer(values.type) and len(values):
        reach = pc.min_max(values)
        if (reach["min"].as_py() or 0) > -_EXACT and (reach["max"].as_py() or 0) < _EXACT:
            return values.fill_null(0).cast(pa.float64())
    return _written(values)


def _small_numbers(values: pa.Array) -> tuple[NDArray[np.int64] | None, int]:
    """Whole numbers from 0 in the place of values that lie close together, and how many there may be."""
    if pa.types.is_boolean(values.type):
        return _as_array(values.fill_null(False)).astype(np.int64), 2
    whole = _whole(values)
    if whole is None or not len(whole):
        return None, 0
    low, high = int(whole.min()), int(whole.max())
    if high - low >= DENSE * len(whole):
        return None, 0
    return whole - low, high - low + 1


def _whole(values: pa.Array) -> NDArray[np.int64] | None:
    """Numbers as whole ones, and a missing one as one of them; None where they are none."""
    if pa.types.is_signed_integer(values.type):
        return _as_array(values.fill_null(pc.min(values).as_py() or 0)).astype(np.int64)
    if not pa.types.is_floating(values.type):
        return None
    numbers = _as_array(values)
    present = numbers[~np.isnan(numbers)]
    for some in (present[:_LOOKED_AT], present):
        if not np.all((np.abs(some) < _EXACT) & (some == np.rint(some))):
            return None
    return np.where(np.isnan(numbers), present[0] if len(present) else 0.0, numbers).astype(np.int64)


def _as_array(values: pa.Array) -> NDArray[Any]:
    found: NDArray[Any] = values.to_numpy(zero_copy_only=False)
    return found


def _mixed(hashes: Hashes) -> Hashes:
    return hash_floats(hashes.view(np.float64))  # it mixes the bits, whatever they stand for


def _shown(values: pa.Array, most: int) -> pa.LargeStringArray:
    if pa.types.is_floating(values.type):
        return _number_texts(values)
    return pc.utf8_slice_codeunits(values.cast(pa.large_string()), 0, most)


def _number_texts(numbers: pa.Array) -> pa.LargeStringArray:
    """Whole numbers without a decimal."""
    known = numbers.to_numpy(zero_copy_only=False)
    whole = (known == np.floor(known)) & (np.abs(known) < _EXACT)
    integers = pa.array(np.where(whole, known, 0.0).astype(np.int64)).cast(pa.large_string())
    return pc.if_else(pa.array(whole), integers, numbers.cast(pa.large_string()))
