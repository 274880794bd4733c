"""How many rows, and how many of them hold no ordinary value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.states.base import Kind
from airflow_dq.states.counter import CounterState
from airflow_dq.states.prepared import PreparedColumn


@dataclass(frozen=True, slots=True)
class Counts(CounterState):
    """Rows, and among them nulls, NaNs, infinities and empty strings, each apart.

    A binary of no bytes is a value, as a list of no elements is.  Of every kind of column; all 0 without rows.
    """

    key: ClassVar[str] = "counts/1"
    kinds: ClassVar[frozenset[Kind]] = frozenset(Kind)

    rows: int = 0
    nulls: int = 0
    nans: int = 0
    pos_inf: int = 0
    neg_inf: int = 0
    empty: int = 0

    @property
    def missing(self) -> int:
        """Null, NaN or empty; an infinity is a value that is present."""
        return self.nulls + self.nans + self.empty

    @classmethod
    def of_column(cls, column: PreparedColumn) -> Self:
        """Count the values of a column of any type."""
        values = column.values
        rows, nulls = len(values), values.null_count
        if pa.types.is_floating(values.type):
            numbers = (values.drop_null() if nulls else values).to_numpy(zero_copy_only=False)
            if np.isfinite(numbers).all():
                return cls(rows, nulls)
            nans, infinite = np.isnan(numbers), np.isinf(numbers)
            positive = int(np.count_nonzero(numbers[infinite] > 0))
            negative = int(np.count_nonzero(infinite)) - positive
            return cls(rows, nulls, int(np.count_nonzero(nans)), positive, negative)
        if _is_text(values.type):
            return cls(rows, nulls, empty=pc.equal(_lengths(values), 0).true_count)
        return cls(rows, nulls)


def _lengths(values: pa.Array) -> pa.Array:
    return pc.binary_length(pc.cast(values, pa.large_binary()) if pa.types.is_string_view(values.type) else values)


def _is_text(data_type: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_string(data_type) or types.is_large_string(data_type) or types.is_string_view(data_type))
