"""The states of one column on the way to its profile: mergeable, whatever types its parts came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from airflow_dq.metrics.descriptor import MetricValue, Reason
from airflow_dq.metrics.evaluate import measure
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.profile.column import CANONICAL, canonical
from airflow_dq.profile.model import ColumnProfile, States, digest_states
from airflow_dq.profile.remark import remark_of
from airflow_dq.states.base import Kind, State, states_of
from airflow_dq.states.count import Counts
from airflow_dq.states.prepared import PreparedColumn

_MIXED = "its values are of different kinds in parts of the partition; write one type"


@dataclass(frozen=True, slots=True)
class ColumnState:
    """The states of one column, and the types under which it came (several when files disagree)."""

    kind: Kind
    data_types: frozenset[str]
    states: Mapping[str, State]
    problem: str | None = None
    """Why the column cannot be profiled, which leaves the others alone; it then has no states."""

    @classmethod
    def of(cls, kind: Kind, data_type: str, column: PreparedColumn, key: bytes | None = None) -> ColumnState:
        """Summarise canonical values; with a key no value is kept in clear.

        Nulls only, or no rows, establish no type, whatever the source says: readers give such a column any.
        """
        if column.values.null_count == len(column.values):
            kind, data_type = Kind.NULL, str(Kind.NULL)
        return cls(kind, frozenset({data_type}), states_of(kind, column, key))

    @classmethod
    def missing(cls, kind: Kind, rows: int) -> ColumnState:
        """A column that is absent from a batch of ``rows`` rows: every value is null, no type is named."""
        nulls = pa.nulls(rows, CANONICAL[kind])
        return cls(kind, frozenset(), states_of(kind, nulls))

    @property
    def data_type(self) -> str:
        """The types in one text; a column without a type adds none when others have one."""
        named = self.data_types - {"null"} or self.data_types
        return " | ".join(sorted(named))

    def merge(self, other: ColumnState) -> ColumnState:
        """The state of both parts of the column; parts of different kinds cannot be profiled together."""
        told = {side.kind for side in (self, other) if not side._typeless}
        kind = min(told or {self.kind, other.kind} - {Kind.NULL} or {Kind.NULL})
        left, right = self._typed(kind), other._typed(kind)
        data_types = left.data_types | right.data_types
        problems = {left.problem, right.problem, _MIXED if len(told) > 1 else None} - {None}
        if problems:
            # The least of them, so that the order of the parts does not matter.
            return ColumnState(kind, data_types, {}, min(map(str, problems)))
        states = {key: state.merge(right.states[key]) for key, state in left.states.items()}
        return ColumnState(kind, data_types, states)

    def profile(self, name: str, rows: int) -> ColumnProfile:
        """The column's profile, when all parts of the partition have been merged into this state.

        :param rows: all rows of the partition, which is all that is known of a column with a problem
        """
        states = States.of(self.states).as_stored()
        failed: dict[str, MetricValue] = {}
        if self.problem:
            failed = {entry.name: Reason.ENGINE_ERROR for entry in metrics_for(self.kind, pair=False)}
            failed["row_count"] = float(rows)
        return ColumnProfile(
            name=name,
            kind=self.kind,
            data_type=self.data_type,
            metrics=failed or measure(self.kind, states),
            states=states,
            remark=f"cannot be profiled: {self.problem}" if self.problem else remark_of(self.kind, states),
            states_digest=digest_states(states),
        )

    @property
    def _typeless(self) -> bool:
        """Whether every value is null: readers give such a column any type, so its type says nothing."""
        counts = self.states.get(Counts.key)
        return isinstance(counts, Counts) and counts.nulls == counts.rows

    def _typed(self, kind: Kind) -> ColumnState:
        """A column of nulls only as one of ``kind``; any other as it is."""
        if self.kind is kind or not self._typeless:
            return self
        # What such a column has are its counts, and they hold for every kind.
        states = {**ColumnState.missing(kind, 0).states, Counts.key: self.states[Counts.key]}
        return ColumnState(kind, self.data_types & {"null"}, states)


def contiguous(column: pa.ChunkedArray, kind: Kind) -> pa.Array:
    """The column's canonical values in one array."""
    chunks = [canonical(chunk) for chunk in column.chunks]
    integers = next((chunk.type for chunk in chunks if pa.types.is_integer(chunk.type)), None)
    if integers is not None:
        chunks = [chunk.cast(integers) for chunk in chunks]
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks or [pa.array([], CANONICAL[kind])])
