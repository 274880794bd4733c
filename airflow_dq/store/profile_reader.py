"""Reading profiles and histories: a handful of queries, however many partitions and columns there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, TypeVarTuple

from sqlalchemy import Connection, Select, func, select

import airflow_dq.metrics
import airflow_dq.states  # noqa: F401  (registers the states to decode)
from airflow_dq.learn.history.baseline import Baseline, Columns, kept_distances
from airflow_dq.learn.history.like_days import like_days as choose_like_days
from airflow_dq.metrics.registry import largest_pool, pools
from airflow_dq.options.job import NULL_KEY
from airflow_dq.options.key import order_key
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.options.retention import RETENTION
from airflow_dq.profile.check.failed_rows import FailedRows
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.trial import SeenColumn
from airflow_dq.profile.model import ColumnProfile, Profile, Variant
from airflow_dq.states.base import Kind, State, decode_state
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.text_sample import TextSample
from airflow_dq.store.damage import named, raw, skipping
from airflow_dq.store.document import decode, read_distances, read_metrics
from airflow_dq.store.eligibility import ELIGIBLE, SPEAKS_OF_PARTITION
from airflow_dq.store.review import start_key
from airflow_dq.store.state_cache import StateCache
from airflow_dq.store.statement import among
from airflow_dq.store.table import ColumnRow, DatasetRow, ProfileRow, StateRow, VariantRow, VerdictRow

MOST_KEYS = 4_000
"""Keys among which like days are looked for: eleven years of days, five months of hours."""
SEEN = 30
"""Partitions whose columns count as known: the history that a program is learned from by default."""
ROWS_AT_ONCE = 1_000
"""Columns that are fetched together: a year of a wide table has tens of thousands, and a thousand are less than two
megabytes."""
Found = TypeVarTuple("Found")
Reading = Callable[[str, Callable[[], Any]], Any]
"""How what may be damaged is read: :func:`~airflow_dq.store.damage.named` or
:func:`~airflow_dq.store.damage.skipping`."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One profile's row and its columns, before states are attached."""

    id: int
    partition: str
    row_count: int
    options: Mapping[str, Any]
    checks: Mapping[str, Measured]
    has_states: bool
    """Whether states are kept of any of its columns."""
    columns: tuple[tuple[int, ColumnProfile], ...]


_READ = ("id", "partition_key", "sort_key", "row_count", "options", "has_states")
PROFILE = (*(getattr(ProfileRow, name) for name in _READ), raw(ProfileRow.checks, "checks"))
"""What is read of a profile's row, see :func:`read_stored`."""


def load(connection: Connection, dataset: str, partition: str, *, variants: bool = True) -> Profile | None:
    """The current profile of a partition with all its states and variants (or without these), or None."""
    query = (
        select(*PROFILE)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .where(DatasetRow.name == dataset, ProfileRow.partition_key == partition)
    )
    stored = read_stored(connection, dataset, connection.execute(query).all(), named)
    names = _names(dataset, stored)
    injected = _variants(connection, names, named) if variants else {}
    if not stored:
        return None
    found = _profile(stored[0], _states(connection, names, named), injected)
    kept = select(raw(ProfileRow.failing, "failing")).where(ProfileRow.id == stored[0].id)
    failing = named(_where(dataset, partition), partial(_failing, bytes(connection.execute(kept).scalar_one())))
    return replace(found, failing=failing)


def _failing(document: bytes) -> dict[str, FailedRows]:
    return {name: FailedRows.of_dict(one) for name, one in decode(document).items()}


def unreadable_columns(connection: Connection, dataset: str, partition: str) -> tuple[str, ...]:
    """The columns of a partition of whose profile something cannot be read, in the table's order."""
    of_partition = (
        select(ColumnRow.id)
        .join(ProfileRow, ProfileRow.id == ColumnRow.profile_id)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .where(DatasetRow.name == dataset, ProfileRow.partition_key == partition)
    )
    rows = connection.execute(select(*_COLUMN).where(ColumnRow.id.in_(of_partition)).order_by(ColumnRow.ordinal)).all()
    names = {row.id: _where(dataset, partition, row.name) for row in rows}
    states = select(StateRow.column_profile_id, StateRow.key, StateRow.data)
    damaged = {row.id for row in rows if skipping(names[row.id], partial(_column, row)) is None}
    for state in connection.execute(states.where(StateRow.column_profile_id.in_(of_partition))):
        owner = state.column_profile_id
        if skipping(names[owner], partial(decode_state, state.key, bytes(state.data))) is None:
            damaged.add(owner)
    return tuple(row.name for row in rows if row.id in damaged)


def history(connection: Connection, dataset: str, before: str, limit: int) -> list[Profile]:
    """The newest ``limit`` eligible profiles with keys before another, oldest first.

    A partition that a person has called the new normal is the oldest that later ones are judged against.

    States are loaded where something may still be computed from them: for the newest partitions, and for
    consecutive ones whose two-distribution metrics are not cached.  Variants: of the newest partition.

    A past partition that cannot be read is left out, with a warning: one damaged row stops no dataset.
    """
    query = _eligible(select(*PROFILE), dataset, before, limit)
    stored = read_stored(connection, dataset, connection.execute(query).all()[::-1], skipping)
    if not stored:
        return []
    states = _states(connection, _names(dataset, stored, _needs_states(stored)), skipping)
    variants = _variants(connection, _names(dataset, stored[-1:]), skipping)
    return [_profile(one, states, variants) for one in stored]


def newest_eligible(connection: Connection, dataset: str, before: str, with_texts: Collection[str]) -> list[Profile]:
    """The newest eligible profiles before another one of which states are kept, oldest first, without variants.

    :param with_texts: columns whose texts are loaded too, as far as they are kept
    """
    limit = RETENTION.with_states(largest_pool())
    query = _eligible(select(*PROFILE), dataset, before, limit).where(ProfileRow.has_states)
    stored = read_stored(connection, dataset, connection.execute(query).all()[::-1], skipping)
    wanted = {id for one in stored for id, column in one.columns if column.name in with_texts}
    names = {id: name for id, name in _names(dataset, stored).items() if id in wanted}
    states = _states(connection, names, skipping, (TextSample.key, CategoryDistribution.key))
    return [_profile(one, states, {}) for one in stored]


def newest_texts(connection: Connection, dataset: str, before: str) -> list[Profile]:
    """The newest eligible profile before another one of which states are kept, with its texts alone; or none."""
    query = _eligible(select(*PROFILE), dataset, before, 1).where(ProfileRow.has_states)
    stored = read_stored(connection, dataset, connection.execute(query).all(), skipping)
    states = _states(connection, _names(dataset, stored), skipping, (TextSample.key,))
    return [_profile(one, states, {}) for one in stored]


def seen_columns(connection: Connection, dataset: str) -> list[SeenColumn]:
    """Every column of the newest profiles, with each of the types that it has had in them."""
    newest = (
        select(ProfileRow.id)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .where(DatasetRow.name == dataset)
        .order_by(ProfileRow.sort_key.desc())
        .limit(SEEN)
    )
    query = select(ColumnRow.name, ColumnRow.kind, ColumnRow.data_type).where(ColumnRow.profile_id.in_(newest))
    return [SeenColumn(row.name, Kind(row.kind), row.data_type) for row in connection.execute(query.distinct())]


def like_days(connection: Connection, dataset: str, before: str, limit: int, *, every: bool) -> list[Profile]:
    """The eligible profiles before the newest ``limit`` that tell what is usual at a partition's place in the calendar.

    Without states: a handful of partitions, chosen by their keys alone.
    """
    query = _eligible(select(ProfileRow.id, ProfileRow.partition_key), dataset, before, MOST_KEYS)
    found = connection.execute(query).all()[::-1]
    chosen = choose_like_days([key for _, key in found], before, limit, every=every)
    if not chosen:
        return []
    wanted = select(*PROFILE).where(among(ProfileRow.id, [found[place].id for place in chosen]))
    stored = read_stored(connection, dataset, connection.execute(wanted.order_by(ProfileRow.sort_key)).all(), skipping)
    return [_profile(one, {}, {}) for one in stored]


def _eligible(query: Select[*Found], dataset: str, before: str, limit: int) -> Select[*Found]:
    """What is asked for of the newest profiles that may be learned from, newest first."""
    return (
        query.join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .outerjoin(VerdictRow, SPEAKS_OF_PARTITION)
        # Rows without a key are of no time: they come before nothing.
        .where(
            DatasetRow.name == dataset, ProfileRow.sort_key < order_key(before), ProfileRow.partition_key != NULL_KEY
        )
        .where(ELIGIBLE, ProfileRow.sort_key >= func.coalesce(start_key(dataset, before), ""))
        .order_by(ProfileRow.sort_key.desc())
        .limit(limit)
    )


def read_stored(connection: Connection, dataset: str, rows: Sequence[Any], read: Reading) -> list[Stored]:
    """The profiles of these rows of :data:`PROFILE` with their columns, in the rows' order.

    :param read: what becomes of a damaged column, or of damaged checks: an error, or the partition is left out
    """
    keys = {row.id: row.partition_key for row in rows}
    columns: dict[int, list[tuple[int, ColumnProfile | None]]] = defaultdict(list)
    if rows:
        query = select(*_COLUMN).where(among(ColumnRow.profile_id, keys))
        result = connection.execute(query.order_by(ColumnRow.profile_id, ColumnRow.ordinal))
        for found in (row for batch in result.partitions(ROWS_AT_ONCE) for row in batch):
            where = _where(dataset, keys[found.profile_id], found.name)
            columns[found.profile_id].append((found.id, read(where, partial(_column, found))))
    whole = {
        id: tuple((column_id, column) for column_id, column in found if column is not None)
        for id, found in columns.items()
        if all(column is not None for _, column in found)
    }
    found_checks = {row.id: read(_where(dataset, row.partition_key), partial(_checks, row)) for row in rows}
    return [
        Stored(row.id, row.partition_key, row.row_count, row.options, checks, row.has_states, whole.get(row.id, ()))
        for row in rows
        if (row.id in whole or row.id not in columns) and (checks := found_checks[row.id]) is not None
    ]


_COLUMN = (
    *(ColumnRow.id, ColumnRow.profile_id, ColumnRow.name, ColumnRow.kind, ColumnRow.data_type, ColumnRow.remark),
    *(ColumnRow.states_digest, ColumnRow.fingerprint),
    *(raw(ColumnRow.metrics, "metrics"), raw(ColumnRow.distances, "distances")),
)


def _where(dataset: str, partition: str, column: str | None = None) -> str:
    where = f"Dataset {dataset!r}, partition {partition!r}"
    return where if column is None else f"{where}, column {column!r}"


def _checks(row: Any) -> dict[str, Measured]:
    return {name: Measured.of_dict(one) for name, one in decode(bytes(row.checks)).items()}


def _names(dataset: str, stored: Sequence[Stored], wanted: Collection[int] | None = None) -> dict[int, str]:
    """What each column (or each of those with a wanted id) is called in a message, by its id."""
    return {
        id: _where(dataset, one.partition, column.name)
        for one in stored
        for id, column in one.columns
        if wanted is None or id in wanted
    }


def _column(row: Any) -> ColumnProfile:
    column = ColumnProfile(
        name=row.name,
        kind=Kind(row.kind),
        data_type=row.data_type,
        metrics=read_metrics(bytes(row.metrics)),
        remark=row.remark,
        states_digest=row.states_digest,
        distances=read_distances(bytes(row.distances)),
    )
    return column.known_as(row.fingerprint)


def attach_states(
    connection: Connection, dataset: str, stored: Sequence[Stored], wanted: Collection[int], cache: StateCache
) -> list[Profile]:
    """The profiles in their order, without variants, and with the states that are kept of those with a wanted id."""
    columns = [column for one in stored if one.id in wanted for column in one.columns]
    digests = {column_id: column.states_digest for column_id, column in columns}
    known = {column_id: states for column_id, digest in digests.items() if (states := cache.get(digest)) is not None}
    names = _names(dataset, stored)
    read = _states(connection, {one: names[one] for one in digests.keys() - known.keys()}, skipping)
    for column_id, states in read.items():
        cache.keep(digests[column_id], states)
    return [_profile(one, {**known, **read}, {}) for one in stored]


def _needs_states(stored: Sequence[Stored]) -> set[int]:
    # Always: what the next partition is compared with, and what the last one's injected variants are.
    ids = {column_id for one in stored[-largest_pool() - 1 :] for column_id, _ in one.columns}
    columns = [{column.name: (column_id, column) for column_id, column in one.columns} for one in stored]
    # Of a partition whose own states are gone nothing can be measured any more: most of a long history.
    measurable = [place for place, one in enumerate(stored) if one.has_states]
    for name in dict.fromkeys(name for place in measurable for name in columns[place]):
        own = [found.get(name) for found in columns]
        past = [None if one is None else one[1] for one in own]
        for i in measurable:
            now = past[i]
            for pool in () if now is None else pools(now.kind):
                if now is not None and i >= pool and _is_unmeasured(now, past[i - pool : i], pool):
                    ids |= {one[0] for one in own[i - pool : i + 1] if one is not None}
    return ids


def _is_unmeasured(now: ColumnProfile, earlier: Columns, pool: int) -> bool:
    """Whether there is a baseline to compare with, and not all distances from it are kept."""
    return kept_distances(now, earlier, pool) is None and Baseline.of(earlier, now.kind, pool) is not None


def _states(
    connection: Connection, names: Mapping[int, str], read: Reading, keys: Collection[str] | None = None
) -> dict[int, dict[str, State]]:
    """The states of columns; one of which any cannot be read has none, as if they were no longer kept.

    :param names: what the columns are called in a message, by their ids
    :param keys: of these states only; None: of all
    """
    states: dict[int, dict[str, State]] = defaultdict(dict)
    damaged = set()
    if names:
        query = select(StateRow).where(among(StateRow.column_profile_id, names))
        query = query if keys is None else query.where(StateRow.key.in_(keys))
        for row in connection.execute(query):
            state = read(names[row.column_profile_id], partial(decode_state, row.key, bytes(row.data)))
            if state is None:
                damaged.add(row.column_profile_id)
            else:
                states[row.column_profile_id][row.key] = state
    return {column_id: found for column_id, found in states.items() if column_id not in damaged}


def _variants(connection: Connection, names: Mapping[int, str], read: Reading) -> dict[int, tuple[Variant, ...]]:
    from airflow_dq.corruption.blob import decode_variants

    if not names:
        return {}
    query = select(VariantRow).where(among(VariantRow.column_profile_id, names))
    found = {
        row.column_profile_id: read(names[row.column_profile_id], partial(decode_variants, bytes(row.data)))
        for row in connection.execute(query)
    }
    return {column_id: variants for column_id, variants in found.items() if variants is not None}


def _profile(
    stored: Stored, states: Mapping[int, dict[str, State]], variants: Mapping[int, tuple[Variant, ...]]
) -> Profile:
    columns = [column.with_states(states[id]) if id in states else column for id, column in stored.columns]
    return Profile(
        partition=stored.partition,
        row_count=stored.row_count,
        columns={column.name: column for column in columns},
        checks=stored.checks,
        variants={column.name: variants[column_id] for column_id, column in stored.columns if column_id in variants},
        options=_options(stored.options),
    )


def _options(stored: Mapping[str, Any]) -> ProfileOptions:
    """The options as far as this version knows them; an older or newer one may have others."""
    known = {one.name for one in fields(ProfileOptions)} - {"checks", "rules"}
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in stored.items() if name in known
    }
    return ProfileOptions(**values)
