"""One column made ready for its states: what several of them read of the values is computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.states.array import DistinctStrings, counted_booleans, encoded_strings, finite_floats, flat
from airflow_dq.states.character import Text

_NO_STRINGS = DistinctStrings(pa.array([], pa.large_string()), np.empty(0, np.int64))


@dataclass(frozen=True, eq=False)
class PreparedColumn:
    """The values of one column, and views of them, each made when it is first asked for.

    It lives as long as someone summarises the column: a state keeps none of the views.
    """

    values: pa.Array
    """One array of plain values."""

    @classmethod
    def of(cls, values: pa.Array | pa.ChunkedArray) -> PreparedColumn:
        """Prepare an array of any type; chunks are put together, dictionaries decoded, extensions read as stored."""
        return cls(flat(values))

    @cached_property
    def finite(self) -> NDArray[np.float64]:
        """The finite numbers among the values, see :func:`finite_floats`."""
        return finite_floats(self.values)

    @cached_property
    def dictionary(self) -> tuple[DistinctStrings, pa.Int32Array]:
        """All strings that occur, empty ones too, and the place of each value among them (null for a null)."""
        return encoded_strings(self.values)

    @cached_property
    def strings(self) -> DistinctStrings:
        """The distinct non-null, non-empty strings in order of appearance; booleans as ``false`` and ``true``."""
        if pa.types.is_null(self.values.type):
            return _NO_STRINGS
        if pa.types.is_boolean(self.values.type):
            return counted_booleans(self.values)
        return self.dictionary[0].present

    @cached_property
    def text(self) -> Text:
        """The characters of :attr:`strings`."""
        return Text.of(self.strings)
