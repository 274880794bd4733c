"""A column's states over the rows in scope: they answer whatever the profile answers of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import pyarrow as pa

from airflow_dq.check.model import Check
from airflow_dq.profile.check.measured import NO_ROWS, Measured
from airflow_dq.profile.check.stored import of_column
from airflow_dq.profile.check.tally import Tally
from airflow_dq.profile.column import kind_of, type_name
from airflow_dq.profile.column_state import ColumnState, contiguous
from airflow_dq.profile.model import encode_states
from airflow_dq.states.base import Kind, decode_state
from airflow_dq.states.prepared import PreparedColumn


@dataclass(frozen=True, slots=True)
class Filtered(Tally):
    """The states of one column over some of its rows."""

    tag: ClassVar[str] = "filtered"

    name: str
    rows: int
    column: ColumnState

    @classmethod
    def of(cls, name: str, values: pa.Array | pa.ChunkedArray, key: bytes | None) -> Self:
        """Summarise values.

        :param key: secret with which those of a hidden column are hashed
        """
        chunked = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
        kind = kind_of(values.type)
        column = PreparedColumn(contiguous(chunked, kind))
        return cls(name, len(values), ColumnState.of(kind, type_name(values.type), column, key))

    def _with(self, other: Any) -> Tally:
        return Filtered(self.name, self.rows + other.rows, self.column.merge(other.column))

    def encode(self) -> tuple[Any, bytes]:
        """The states by key."""
        blobs = encode_states(self.column.states)
        sizes = {key: len(blob) for key, blob in blobs.items()}
        column = self.column
        head = [self.name, self.rows, column.kind, sorted(column.data_types), column.problem, sizes]
        return head, b"".join(blobs.values())

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        name, rows, kind, data_types, problem, sizes = head
        states, place = {}, 0
        for key, size in sizes.items():
            states[key] = decode_state(key, data[place : place + size])
            place += size
        return cls(name, rows, ColumnState(Kind(kind), frozenset(data_types), states, problem))

    def measured(self, check: Check) -> Measured:
        """What the profile of these rows says."""
        if not self.rows:
            return Measured(nothing=NO_ROWS)
        if self.column.problem:
            return Measured(problem=self.column.problem)
        return of_column(check, self.column.profile(self.name, self.rows))
