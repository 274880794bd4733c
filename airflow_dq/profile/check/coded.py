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
from airflow_dq.states.hashing import Hashes, hash_floats
from airflow_dq.states.hidden import hidden_hashes
from airflow_dq.states.prepared import PreparedColumn, as_written

ALL = 2**64
"""Above every hash."""
_EXACT = 2.0**53
"""From here on floats are no longer all whole numbers."""
_LIMIT_BITS = 3
"""Leading bits of a limit that are looked at: relations on one key with limits that are nearly the same then put the
same rows together, once, and at most a quarter more than they need."""
MORE = 1.05
"""Times as many rows as values are wanted: of 20,000 that are drawn by their hashes the deviation is below 1 %."""
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
        codes: NDArray[np.int64] | None
        if pa.types.is_large_string(values.type):
            distinct, places = column.dictionary
            codes, width, as_they_are = _as_array(places.fill_null(0)).astype(np.int64), len(distinct.values), True
        else:
            codes, width, as_they_are = _small_numbers(values)

        def hashed_at(rows: Places) -> Hashes:
            # Mixed once more: of booleans the hashes are the values themselves.
            if as_they_are:
                return _mixed(column.hashes[rows])
            return _mixed(PreparedColumn(_written(values.take(pa.array(rows)))).hashes)

        return cls(
            column.present,
            hashed_at,
            lambda rows, most: _shown(_written(values.take(pa.array(rows))), most),
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

    def told_apart(self, places: Places) -> NDArray[Any]:
        """Of some rows what is the same for the same value, and another for another one: whatever is at hand."""
        return self.at(places) if self.codes is None else self.codes[places]

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
        limit = _rounded(limit)
        if limit >= ALL:
            return self._grouping
        if self.origin is not None and self.in_order:
            rows, by = self.origin
            return rows.grouped(limit).hashed(by)
        if limit not in self._groupings:
            # To put together takes long: nothing is done with rows that cannot be held.
            self._groupings[limit] = self._grouped(self._below(limit)[0])
        return self._groupings[limit]

    @cached_property
    def _groupings(self) -> dict[int, Grouping]:
        """The rows with hashes below a limit by value: of equal keys most relations hold equally many."""
        return {}

    def below(self, limit: int) -> tuple[Places, Hashes]:
        """The known rows with hashes below a limit, and these."""
        rows, hashes = self._below(_rounded(limit))
        chosen = np.flatnonzero(hashes < np.uint64(limit))
        return rows[chosen], hashes[chosen]

    def _below(self, limit: int) -> tuple[Places, Hashes]:
        """As :meth:`below`, of a rounded limit; looked for once for all relations on one key."""
        if self.origin is not None and self.in_order:
            origin, by = self.origin
            rows, hashes = origin._below(limit)
            return rows, by(hashes)
        if limit not in self._rows:
            rows = np.flatnonzero(self.known & (self.hashes < np.uint64(limit)))
            self._rows[limit] = rows, self.hashes[rows]
        return self._rows[limit]

    @cached_property
    def _rows(self) -> dict[int, tuple[Places, Hashes]]:
        return {}

    def likely(self, limit: int, most: int) -> int:
        """A limit below which there are more than so many values if each is of one row; not above the given one."""
        rows = int(np.count_nonzero(self.known)) * limit // ALL
        enough = most * MORE
        few = rows < 2 * enough or (self.codes is not None and self.width <= most)
        return limit if few else _rounded(int(limit * enough / rows))

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


def _rounded(limit: int) -> int:
    """A limit of few leading bits that is no smaller."""
    step = 1 << max(1, limit.bit_length() - _LIMIT_BITS)
    return -(-limit // step) * step


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


def _small_numbers(values: pa.Array) -> tuple[NDArray[np.int64] | None, int, bool]:
    """Whole numbers from 0 in the place of values that lie close together, how many there may be, and whether the
    values are whole: none is then written in another way."""
    if pa.types.is_boolean(values.type):
        return _as_array(values.fill_null(False)).astype(np.int64), 2, True
    if pa.types.is_unsigned_integer(values.type):
        return None, 0, True
    whole = _whole(values)
    if whole is None or not len(whole):
        return None, 0, False
    low, high = int(whole.min()), int(whole.max())
    if high - low >= DENSE * len(whole):
        return None, 0, True
    return whole - low, high - low + 1, True


def _whole(values: pa.Array) -> NDArray[np.int64] | None:
    """Numbers as whole ones, and a missing one as one of them; None where they are none."""
    if pa.types.is_signed_integer(values.type):
        filled = values.fill_null(pc.min(values).as_py() or 0) if values.null_count else values
        return _as_array(filled).astype(np.int64, copy=False)
    if not pa.types.is_floating(values.type):
        return None
    numbers: NDArray[np.float64] = _as_array(values)
    whole: NDArray[np.int64] = np.empty(0, np.int64)
    missing = np.isnan(numbers)
    if missing.any():
        numbers = np.where(missing, numbers[np.argmin(missing)] if not missing.all() else 0.0, numbers)
    for some in (numbers[:_LOOKED_AT], numbers):
        # The largest first: what is no whole number of 64 bits has no place among them.
        if not np.all(np.abs(some) < _EXACT):
            return None
        whole = some.astype(np.int64)
        if not np.array_equal(whole, some):
            return None
    return whole


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
    """Whole numbers without a decimal, others with the 15 digits that a float is exact to."""
    known = numbers.to_numpy(zero_copy_only=False)
    whole = (known == np.floor(known)) & (np.abs(known) < _EXACT)
    integers = pa.array(np.where(whole, known, 0.0).astype(np.int64)).cast(pa.large_string())
    if whole.all():
        return integers
    others = [None if one is None else f"{one:.15g}" for one in numbers.to_pylist()]
    return pc.if_else(pa.array(whole), integers, pa.array(others, pa.large_string()))
