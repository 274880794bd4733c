"""Table -> mergeable state -> profile: the one implementation, in memory and inside a Spark task."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from airflow_dq.exceptions import CodecError, ProfileError, UnknownColumnError
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.check import between as _between  # noqa: F401  (registers how relations are counted)
from airflow_dq.profile.check import relation as _relation  # noqa: F401  (the same)
from airflow_dq.profile.check.count import count
from airflow_dq.profile.check.evaluate import Batch
from airflow_dq.profile.check.failing import draw, samples
from airflow_dq.profile.check.learned import count_rules
from airflow_dq.profile.check.segment import count_segments, measured_segments
from airflow_dq.profile.check.tallies import NO_TALLIES, Tallies
from airflow_dq.profile.check.tally import Tally
from airflow_dq.profile.column import CANONICAL, kind_of, type_name
from airflow_dq.profile.column_state import ColumnState, contiguous
from airflow_dq.profile.fingerprint import RowHashes
from airflow_dq.profile.hash_key import hash_key
from airflow_dq.profile.model import Profile, States, encode_states
from airflow_dq.profile.sample import RowSample
from airflow_dq.states.base import Kind, decode_state
from airflow_dq.states.hashing import Hashes
from airflow_dq.states.layout import compress, decompress
from airflow_dq.states.prepared import PreparedColumn

BATCH_ROWS = 65_536
"""Most rows that are summarised at once: bounds the memory of a scan."""

_MAGIC = b"table/5"
_LARGEST = 2**31
"""Bytes of a table state: the sketches of all columns, on their way from one of our own processes to another."""


@dataclass(frozen=True, slots=True)
class TableState:
    """Everything a profile is made of, for a part of a partition: mergeable, with a binary codec."""

    rows: int
    columns: Mapping[str, ColumnState]
    sample: RowSample
    tallies: Tallies = NO_TALLIES
    """What checks and learned rules need beyond the columns' states."""

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
        for table in _telling(tables):
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
            batch = table.slice(start, rows)
            columns, values, hashes, exceptions = _summarised(batch, options, state.tallies)
            merged = _merged(state, columns, rows)
            cells = {name: column for name, column in values.items() if not merged[name].problem}
            drawn = hashes() if options.sample_rows else np.zeros(rows, np.uint64)
            sample = _fitted(_fitted(state.sample, merged).add(cells, drawn), merged)
            tallies = state.tallies.merge(_tallied(batch, options, hashes, state.tallies, exceptions))
            state = TableState(state.rows + rows, merged, sample, tallies)
        return state

    def merge(self, other: TableState) -> TableState:
        """The state of both parts together; a column that one part lacks is null in all of its rows.

        A column that is of another kind in the other part has a problem, and the other columns have none.
        """
        columns = _merged(self, other.columns, other.rows)
        ours, theirs = (_fitted(state.sample, columns) for state in (self, other))
        tallies = self.tallies.merge(other.tallies)
        return TableState(self.rows + other.rows, columns, ours.merge(theirs), tallies)

    def sliced(self, width: int) -> Iterator[TableState]:
        """The same in slices of at most ``width`` columns, one after the other; together they are the whole.

        Slices of the same columns merge like the whole: each tells which rows are drawn, and has its own columns' cells
        of them.  What is counted over several columns goes with the first slice.
        """
        names = list(self.columns)
        for start in range(0, max(1, len(names)), width):
            columns = {name: self.columns[name] for name in names[start : start + width]}
            yield TableState(self.rows, columns, self.sample.of(columns), NO_TALLIES if start else self.tallies)

    def beside(self, other: TableState) -> TableState:
        """This slice and the next one of :meth:`sliced` together.

        :raises ValueError: when they are slices of different rows
        """
        sample = self.sample.beside(other.sample)
        return TableState(self.rows, {**self.columns, **other.columns}, sample, self.tallies)

    def profile(self, partition: str | None = None, options: ProfileOptions | None = None) -> Profile:
        """The profile of the partition whose parts have all been merged into this state."""
        columns = {name: column.profile(name, self.rows) for name, column in self.columns.items()}
        options = options or ProfileOptions()
        checks = self.tallies.measured(options.checks, self.columns, time.time()) if options.checks else {}
        checks |= self.tallies.exceptions(options.rules)
        checks |= measured_segments(self.tallies.by_group, options.segments)
        held = self.tallies.held(options.rules)
        profile = Profile(partition, self.rows, columns, checks, sample=self.sample, held=held, options=options)
        if not options.checks:
            return profile
        failing = samples(self.tallies, options.checks, profile)
        beyond = self.tallies.beyond(options.checks, of_pass=options.key_pass[1] > 1)
        return replace(profile, failing=failing, tallies=beyond)

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
        tallies = self.tallies.encode()
        head_and_sizes = struct.pack("<QQ", len(head), len(tallies)) + head
        body = b"".join([head_and_sizes, *blobs, tallies, self.sample.encode()])
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
            position = 16
            length, tallied = struct.unpack_from("<QQ", data)
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
            tallies = Tallies.decode(data[position : position + tallied])
            return cls(head["rows"], columns, RowSample.decode(data[position + tallied :]), tallies)
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


def _telling(tables: Iterable[pa.Table | pa.RecordBatch]) -> Iterator[pa.Table | pa.RecordBatch]:
    """The tables without those of no rows before one of the same columns: readers first say which a file has."""
    empty = None
    for table in tables:
        if empty is not None and empty.schema.names != table.schema.names:
            yield empty
        empty = None if table.num_rows else table
        if empty is None:
            yield table
    if empty is not None:
        yield empty


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


def _summarised(
    table: pa.Table, options: ProfileOptions, before: Tallies
) -> tuple[dict[str, ColumnState], dict[str, pa.Array], Callable[[], Hashes], dict[str, Tally]]:
    """The states of one batch's columns, their canonical values, what gives the hashes of the rows, what is counted."""
    columns, values, hashes = {}, {}, RowHashes(table.num_rows, options.seed)
    unhashed: list[tuple[str, PreparedColumn]] = []
    ruled, prepared = {name for rule in options.rules for name in rule.columns}, {}
    for field, column in zip(table.schema, table.columns, strict=True):
        key = hash_key() if options.hides(field.name) else None
        found, columns[field.name] = _column(field, column, key)
        if field.name in ruled or options.segments:
            # Its different values have been found for the states: nothing is read twice.
            prepared[field.name] = found
        floats = CANONICAL[columns[field.name].kind]
        if columns[field.name].kind is Kind.NULL:
            found = PreparedColumn(pa.nulls(table.num_rows))
        if not options.sample_rows:
            # No row will be drawn: only the columns' types matter.
            values[field.name] = pa.array([], floats)
            if options.checks:
                # Unless a check finds a row wrong, none is hashed.
                unhashed.append((field.name, found))
            continue
        # The sample takes decimals and long integers as the floats next to them, and tells rows of the latter apart.
        if found.values.type != floats:
            rounded = PreparedColumn(found.values.cast(floats, safe=False))
            found, sampled = (found, rounded) if pa.types.is_integer(found.values.type) else (rounded, rounded)
        else:
            sampled = found
        values[field.name] = sampled.values
        hashes.add(field.name, found)

    @cache
    def hashed() -> Hashes:
        for name, column in unhashed:
            hashes.add(name, column)
        return hashes.result()

    kinds = {name: column.kind for name, column in columns.items()}
    counted = {**count_rules(prepared, options, before.by_group), **count_segments(prepared, kinds, options)}
    return columns, values, hashed, counted


def _column(field: pa.Field, column: pa.ChunkedArray, key: bytes | None) -> tuple[PreparedColumn, ColumnState]:
    """The canonical values of a column and its states; nulls only, with the problem, where it cannot be profiled."""
    kind, data_type = kind_of(field.type), type_name(field.type)
    try:
        found = PreparedColumn(contiguous(column, kind))
        return found, ColumnState.of(kind, data_type, found, key)
    except MemoryError:
        raise
    except Exception as error:
        # Whatever it is, it concerns this column, and must not lose the others.
        problem = type(error).__name__ if key is not None else f"{type(error).__name__}: {error}"
        nothing = PreparedColumn(pa.nulls(len(column), CANONICAL[kind]))
        return nothing, ColumnState(kind, frozenset({data_type}), {}, problem)


def _tallied(
    table: pa.Table,
    options: ProfileOptions,
    hashes: Callable[[], Hashes],
    before: Tallies,
    exceptions: Mapping[str, Tally],
) -> Tallies:
    """What the checks count in one batch, some of the rows that they find wrong, and the exceptions to learned rules.

    :param before: of the batches before
    """
    if not options.checks:
        return Tallies(exceptions) if exceptions else NO_TALLIES
    batch = Batch(dict(zip(table.column_names, table.columns, strict=True)), table.num_rows)
    return Tallies({**count(batch, options), **draw(batch, options, hashes, before.by_group), **exceptions})


def _merged(left: TableState, right: Mapping[str, ColumnState], rows: int) -> dict[str, ColumnState]:
    """The columns of a state with those of a part of so many rows."""
    if not left.rows and not left.columns:
        return dict(right)
    columns = {}
    for name in dict.fromkeys((*left.columns, *right)):
        ours, theirs = left.columns.get(name), right.get(name)
        if ours is None:
            ours = ColumnState.missing(right[name].kind, left.rows)
        if theirs is None:
            theirs = ColumnState.missing(ours.kind, rows)
        columns[name] = ours.merge(theirs)
    return columns


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
