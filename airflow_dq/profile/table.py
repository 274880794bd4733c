"""Table -> mergeable state -> profile: the one implementation, in memory and inside a Spark task."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from airflow_dq.exceptions import CodecError, ProfileError, UnknownColumnError
from airflow_dq.metrics.descriptor import MetricValue, Reason
from airflow_dq.metrics.evaluate import measure
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.column import CANONICAL, canonical, kind_of, type_name
from airflow_dq.profile.fingerprint import RowHashes
from airflow_dq.profile.hash_key import hash_key
from airflow_dq.profile.model import ColumnProfile, Profile, States, digest_states, encode_states
from airflow_dq.profile.remark import remark_of
from airflow_dq.profile.sample import RowSample
from airflow_dq.states.base import Kind, State, decode_state, states_of
from airflow_dq.states.count import Counts
from airflow_dq.states.hashing import Hashes
from airflow_dq.states.layout import compress, decompress
from airflow_dq.states.prepared import PreparedColumn

BATCH_ROWS = 65_536
"""Most rows that are summarised at once: bounds the memory of a scan."""

_MAGIC = b"table/4"
_LARGEST = 2**31
"""Bytes of a table state: the sketches of all columns, on their way from one of our own processes to another."""
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


@dataclass(frozen=True, slots=True)
class TableState:
    """Everything a profile is made of, for a part of a partition: mergeable, with a binary codec."""

    rows: int
    columns: Mapping[str, ColumnState]
    sample: RowSample

    @classmethod
    def of(cls, table: pa.Table | pa.RecordBatch, options: ProfileOptions | None = None) -> TableState:
        """Summarise a table, at most 65,536 rows at a time.

        :raises UnknownColumnError: when ``options.columns`` names an unknown one
        :raises ProfileError: when two columns have one name, or when values cannot be read
        """
        options = options or ProfileOptions()
        return cls(0, {}, RowSample.empty(options.sample_rows, options.seed)).add(table, options)

    @classmethod
    def of_all(cls, tables: Iterable[pa.Table | pa.RecordBatch], options: ProfileOptions) -> TableState:
        """Summarise a partition that comes in tables, of which some may lack columns that others have.

        :raises ProfileError: as :meth:`of` does; ``options.columns`` may name whatever any of them has
        """
        state, names = cls(0, {}, RowSample.empty(options.sample_rows, options.seed)), list[str]()
        for table in tables:
            found = table.schema.names
            names += [name for name in found if name not in names]
            if options.columns is not None:
                table = table.select([place for place, name in enumerate(found) if name in options.columns])
            state = state.add(table, replace(options, columns=None))
        _require(names, options)
        return state if names else state.add(pa.table({}), options)

    def add(self, table: pa.Table | pa.RecordBatch, options: ProfileOptions) -> TableState:
        """The state with one more table; cheaper than to summarise it apart and merge.

        :param options: those that this state was made with
        :raises ProfileError: as :meth:`of` and :meth:`merge` do
        """
        if isinstance(table, pa.RecordBatch):
            table = pa.Table.from_batches([table])
        table = table.select(_selected(table.schema, options))
        state = self
        for start in range(0, max(1, table.num_rows), BATCH_ROWS):
            # The sample goes through the scan: what is in it already tells which rows are not worth a look.
            # The length is limited here: a slice of a table without columns has any that is asked for.
            rows = min(BATCH_ROWS, table.num_rows - start)
            columns, values, hashes = _summarised(table.slice(start, rows), options)
            sample = state.sample.add(values, hashes)
            state = _merged_with(state, TableState(len(hashes), columns, sample), sample)
        return state

    def merge(self, other: TableState) -> TableState:
        """The state of both parts together; a column that one part lacks is null in all of its rows.

        A column that is of another kind in the other part has a problem, and the other columns have none.
        """
        columns = _merged(self, other)
        ours, theirs = (_fitted(state.sample, columns) for state in (self, other))
        return TableState(self.rows + other.rows, columns, ours.merge(theirs))

    def profile(self, partition: str | None = None, options: ProfileOptions | None = None) -> Profile:
        """The profile of the partition whose parts have all been merged into this state."""
        columns = {name: column.profile(name, self.rows) for name, column in self.columns.items()}
        return Profile(partition, self.rows, columns, sample=self.sample, options=options or ProfileOptions())

    def encode(self) -> bytes:
        """Bytes from which :meth:`decode` restores the state: what a Spark task sends to the driver."""
        described: list[Any] = []
        blobs: list[bytes] = []
        for name, column in self.columns.items():
            encoded = encode_states(column.states)
            sizes = {key: len(blob) for key, blob in encoded.items()}
            described.append([name, column.kind, sorted(column.data_types), sizes, column.problem])
            blobs.extend(encoded.values())
        head = json.dumps({"rows": self.rows, "columns": described}).encode()
        body = b"".join([struct.pack("<Q", len(head)), head, *blobs, self.sample.encode()])
        # All together, which takes a fraction of the time that each by itself would take.
        return _MAGIC + compress(body, level=1)

    @classmethod
    def decode(cls, data: bytes) -> TableState:
        """The state that :meth:`encode` wrote.

        :raises CodecError: when the bytes are not of a table state of this version
        """
        if not data.startswith(_MAGIC):
            raise CodecError(f"These bytes are not a table state of this version ({_MAGIC.decode()}).")
        try:
            data = decompress(data[len(_MAGIC) :], _LARGEST)
            position = 8
            (length,) = struct.unpack_from("<Q", data)
            head = json.loads(data[position : position + length])
            position += length
            columns = {}
            for name, kind, data_types, sizes, problem in head["columns"]:
                blobs = {}
                for key, size in sizes.items():
                    blobs[key] = data[position : position + size]
                    position += size
                states = States({key: decode_state(key, blob) for key, blob in blobs.items()}, blobs)
                columns[name] = ColumnState(Kind(kind), frozenset(data_types), states, problem)
            return cls(head["rows"], columns, RowSample.decode(data[position:]))
        except (struct.error, OSError, ValueError, KeyError, TypeError) as error:
            raise CodecError(f"The stored table state is damaged: {error}") from error


def profile_table(
    table: pa.Table | pa.RecordBatch, partition: str | None = None, options: ProfileOptions | None = None
) -> Profile:
    """Profile one partition of a table.

    :param table: the partition's rows
    :param partition: its key, when it is to be stored or named in a verdict
    :param options: what to profile and how (default: everything)
    :raises UnknownColumnError: when an option names an unknown column
    :raises ProfileError: when two columns have one name, or values cannot be read
    """
    return TableState.of(table, options).profile(partition, options)


def merge_states(states: Iterable[TableState]) -> TableState:
    """All parts of a partition as one; the order of the parts does not matter.

    :raises ValueError: when there is no part at all
    :raises ProfileError: when the parts do not fit together
    """
    parts = list(states)
    if not parts:
        raise ValueError("There is no part to merge.")
    while len(parts) > 1:
        # Neighbours first, as a tree: many small states merge cheaper than one large state with each small one.
        parts = [pair[0].merge(pair[1]) if len(pair) == 2 else pair[0] for pair in _pairs(parts)]
    return parts[0]


def _pairs(parts: list[TableState]) -> Iterator[list[TableState]]:
    return (parts[start : start + 2] for start in range(0, len(parts), 2))


def _selected(schema: pa.Schema, options: ProfileOptions) -> list[int]:
    """Positions of the columns to profile, in the table's order."""
    names = schema.names
    _require(names, options)
    wanted = set(names if options.columns is None else options.columns) - set(options.exclude)
    selected = [position for position, name in enumerate(names) if name in wanted]
    seen: set[str] = set()
    for name in (names[position] for position in selected):
        if name in seen:
            raise ProfileError(
                f"Two columns are named {name!r}. Rename one, or leave both out with exclude=({name!r},)."
            )
        seen.add(name)
    return selected


def _require(names: Sequence[str], options: ProfileOptions) -> None:
    unknown = sorted(set(options.columns or ()) - set(names))
    if unknown:
        missing = f"No column is named {', '.join(map(repr, unknown))}; the table has"
        # Without a header, a text file's first values pass for names.
        raise UnknownColumnError(
            f"{missing}: {', '.join(map(repr, names))}.", discreet=f"{missing} {len(names)} columns of other names."
        )


def _summarised(table: pa.Table, options: ProfileOptions) -> tuple[dict[str, ColumnState], dict[str, pa.Array], Hashes]:
    """The states of the columns of one batch, their canonical values, and the hashes of the rows."""
    columns, values, hashes = {}, {}, RowHashes(table.num_rows, options.seed)
    for field, column in zip(table.schema, table.columns, strict=True):
        key = hash_key() if options.hides(field.name) else None
        found, columns[field.name] = _column(field, column, key)
        floats = CANONICAL[columns[field.name].kind]
        if columns[field.name].kind is Kind.NULL:
            found = PreparedColumn(pa.nulls(table.num_rows))
        if not options.sample_rows:
            # No row will be drawn: only the columns' types matter.
            values[field.name] = pa.array([], floats)
            continue
        # The sample takes decimals and long integers as the floats next to them, and tells rows of the latter apart.
        if found.values.type != floats:
            rounded = PreparedColumn(found.values.cast(floats, safe=False))
            found, sampled = (found, rounded) if pa.types.is_integer(found.values.type) else (rounded, rounded)
        else:
            sampled = found
        values[field.name] = sampled.values
        hashes.add(field.name, found)
    return columns, values, hashes.result()


def _column(field: pa.Field, column: pa.ChunkedArray, key: bytes | None) -> tuple[PreparedColumn, ColumnState]:
    """The canonical values of a column and its states; nulls only, with the problem, where it cannot be profiled."""
    kind, data_type = kind_of(field.type), type_name(field.type)
    try:
        found = PreparedColumn(_contiguous(column, kind))
        return found, ColumnState.of(kind, data_type, found, key)
    except MemoryError:
        raise
    except Exception as error:
        # Whatever it is, it concerns this column, and must not lose the others.
        problem = type(error).__name__ if key is not None else f"{type(error).__name__}: {error}"
        nothing = PreparedColumn(pa.nulls(len(column), CANONICAL[kind]))
        return nothing, ColumnState(kind, frozenset({data_type}), {}, problem)


def _merged(left: TableState, right: TableState) -> dict[str, ColumnState]:
    if not left.rows and not left.columns:
        return dict(right.columns)
    columns = {}
    for name in dict.fromkeys((*left.columns, *right.columns)):
        ours, theirs = left.columns.get(name), right.columns.get(name)
        if ours is None:
            ours = ColumnState.missing(right.columns[name].kind, left.rows)
        if theirs is None:
            theirs = ColumnState.missing(ours.kind, right.rows)
        columns[name] = ours.merge(theirs)
    return columns


def _merged_with(left: TableState, right: TableState, sample: RowSample) -> TableState:
    """Two parts whose samples are merged already."""
    columns = _merged(left, right)
    return TableState(left.rows + right.rows, columns, _fitted(sample, columns))


def _fitted(sample: RowSample, columns: Mapping[str, ColumnState]) -> RowSample:
    """The sample with columns that fit the merged ones: none with a problem, and nulls of the kind it has become."""
    rows = sample.rows
    for position, name in reversed(list(enumerate(rows.column_names))):
        column, data_type = columns[name], rows.schema.field(position).type
        if column.problem:
            rows = rows.remove_column(position)
        elif kind_of(data_type) is not kind_of(CANONICAL[column.kind]):
            rows = rows.set_column(position, name, pa.nulls(rows.num_rows, CANONICAL[column.kind]))
    return sample if rows is sample.rows else replace(sample, rows=rows)


def _contiguous(column: pa.ChunkedArray, kind: Kind) -> pa.Array:
    """The column's canonical values in one array."""
    chunks = [canonical(chunk) for chunk in column.chunks]
    integers = next((chunk.type for chunk in chunks if pa.types.is_integer(chunk.type)), None)
    if integers is not None:
        chunks = [chunk.cast(integers) for chunk in chunks]
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks or [pa.array([], CANONICAL[kind])])
