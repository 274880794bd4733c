"""The rows that a check looks at, and hashes of their values in some columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray

from airflow_dq.check.expression import Column, Presence
from airflow_dq.profile.check.evaluate import Batch, RuleError
from airflow_dq.profile.column import canonical, kind_of
from airflow_dq.profile.fingerprint import RowHashes
from airflow_dq.states.base import Kind
from airflow_dq.states.hashing import Hashes
from airflow_dq.states.prepared import PreparedColumn

Mask: TypeAlias = "pa.BooleanArray | None"
"""Which rows are in scope; None: all of them."""


def flags(mask: Mask, rows: int) -> NDArray[np.bool_]:
    """A mask for numpy."""
    if mask is None:
        return np.ones(rows, np.bool_)
    found: NDArray[np.bool_] = mask.to_numpy(zero_copy_only=False)
    return found


def hashed(
    batch: Batch, names: Sequence[str], *, by_place: bool = False
) -> tuple[Hashes, NDArray[np.bool_], NDArray[np.bool_]]:
    """A hash of each row's values in some columns; of each column which are not null; which rows lack no value.

    The empty text is a value of its own here, and one that is missing for whoever asks for complete keys.

    :param by_place: the hash is that of columns of other names in the same places, and of decimals that of the numbers
        that they are: those of two tables can be compared
    """
    hashes, present, complete = RowHashes(batch.rows, 0), [], np.ones(batch.rows, np.bool_)
    for place, name in enumerate(names):
        values = batch.column(name)
        if kind_of(values.type) in (Kind.NESTED, Kind.BINARY):
            raise RuleError(f"column {name!r} is {values.type}, which is not counted by value")
        present.append(flags(values.is_valid(), batch.rows))
        complete &= flags(batch.truth(Presence(Column(name))), batch.rows)
        if by_place and pt.is_decimal(values.type):
            values = values.cast(pa.float64())
        if not pt.is_null(values.type):
            hashes.add(str(place) if by_place else name, PreparedColumn(canonical(values)))
    return hashes.result(), np.array(present).reshape(len(names), batch.rows), complete
