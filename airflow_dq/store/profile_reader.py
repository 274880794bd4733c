"""Reading profiles and histories: a handful of queries, however many partitions and columns there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from sqlalchemy import Connection, func, select

import airflow_dq.metrics
import airflow_dq.states  # noqa: F401  (registers the states to decode)
from airflow_dq.learn.history.baseline import Baseline
from airflow_dq.metrics.evaluate import is_complete
from airflow_dq.metrics.registry import largest_pool, pools
from airflow_dq.options.job import NULL_KEY
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.model import ColumnProfile, Profile, Variant
from airflow_dq.states.base import Kind, State, decode_state
from airflow_dq.store.eligibility import ELIGIBLE, SPEAKS_OF_PARTITION
from airflow_dq.store.review import start_key
from airflow_dq.store.state_cache import StateCache
from airflow_dq.store.statement import among
from airflow_dq.store.table import ColumnRow, DatasetRow, ProfileRow, StateRow, VariantRow, VerdictRow
from airflow_dq.store.value import decode_metrics


@dataclass(frozen=True, slots=True)
class Stored:
    """One profile's row and its columns, before states are attached."""

    id: int
    partition: str
    row_count: int
    options: Mapping[str, Any]
    columns: tuple[tuple[int, ColumnProfile], ...]


def load(connection: Connection, dataset: str, partition: str, *, variants: bool = True) -> Profile | None:
    """The current profile of a partition with all its states and variants (or without these), or None."""
    query = (
        select(ProfileRow)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .where(DatasetRow.name == dataset, ProfileRow.partition_key == partition)
    )
    stored = read_stored(connection, connection.execute(query).all())
    ids = {column_id for one in stored for column_id, _ in one.columns}
    injected = _variants(connection, ids) if variants else {}
    return _profile(stored[0], _states(connection, ids), injected) if stored else None


def history(connection: Connection, dataset: str, before: str, limit: int) -> list[Profile]:
    """The newest ``limit`` eligible profiles with keys below ``before``, oldest first.

    A partition that a person has called the new normal is the oldest that later ones are judged against.

    States are loaded where something may still be computed from them: for the newest partitions, and for
    consecutive ones whose two-distribution metrics are not cached.  Variants: of the newest partition.
    """
    query = (
        select(ProfileRow)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .outerjoin(VerdictRow, SPEAKS_OF_PARTITION)
        # Rows without a key are of no time: they come before nothing.
        .where(DatasetRow.name == dataset, ProfileRow.partition_key < before, ProfileRow.partition_key != NULL_KEY)
        .where(ELIGIBLE, ProfileRow.partition_key >= func.coalesce(start_key(dataset, before), ""))
        .order_by(ProfileRow.partition_key.desc())
        .limit(limit)
    )
    stored = read_stored(connection, connection.execute(query).all()[::-1])
    if not stored:
        return []
    states = _states(connection, _needs_states(stored))
    variants = _variants(connection, {column_id for column_id, _ in stored[-1].columns})
    return [_profile(one, states, variants) for one in stored]


def read_stored(connection: Connection, rows: Sequence[Any]) -> list[Stored]:
    """The profiles of these rows of :class:`ProfileRow` with their columns, in the rows' order."""
    columns: dict[int, list[tuple[int, ColumnProfile]]] = defaultdict(list)
    if rows:
        query = select(ColumnRow).where(among(ColumnRow.profile_id, [row.id for row in rows]))
        for found in connection.execute(query.order_by(ColumnRow.profile_id, ColumnRow.ordinal)):
            columns[found.profile_id].append((found.id, _column(found)))
    return [Stored(row.id, row.partition_key, row.row_count, row.options, tuple(columns[row.id])) for row in rows]


def _column(row: Any) -> ColumnProfile:
    return ColumnProfile(
        name=row.name,
        kind=Kind(row.kind),
        data_type=row.data_type,
        metrics=decode_metrics(row.metrics),
        remark=row.remark,
        states_digest=row.states_digest,
        distances={baseline: decode_metrics(metrics) for baseline, metrics in row.distances.items()},
    )


def attach_states(
    connection: Connection, stored: Sequence[Stored], wanted: Collection[int], cache: StateCache
) -> list[Profile]:
    """The profiles in their order, without variants, and with the states that are kept of those with a wanted id."""
    columns = [column for one in stored if one.id in wanted for column in one.columns]
    digests = {column_id: column.states_digest for column_id, column in columns}
    known = {column_id: states for column_id, digest in digests.items() if (states := cache.get(digest)) is not None}
    read = _states(connection, digests.keys() - known.keys())
    for column_id, states in read.items():
        cache.keep(digests[column_id], states)
    return [_profile(one, {**known, **read}, {}) for one in stored]


def _needs_states(stored: Sequence[Stored]) -> set[int]:
    # Always: what the next partition is compared with, and what the last one's injected variants are.
    ids = {column_id for one in stored[-largest_pool() - 1 :] for column_id, _ in one.columns}
    columns = [{column.name: (column_id, column) for column_id, column in one.columns} for one in stored]
    for i, found in enumerate(columns):
        for name, (column_id, now) in found.items():
            for pool in pools(now.kind):
                earlier = [one[name] for one in columns[max(0, i - pool) : i] if name in one]
                before = Baseline.of([column for _, column in earlier], now.kind, pool) if i >= pool else None
                if before is not None and not is_complete(now.kind, now.distances.get(before.fingerprint, {}), pool):
                    ids |= {column_id, *(member_id for member_id, _ in earlier)}
    return ids


def _states(connection: Connection, column_ids: Collection[int]) -> dict[int, dict[str, State]]:
    states: dict[int, dict[str, State]] = defaultdict(dict)
    if column_ids:
        query = select(StateRow).where(among(StateRow.column_profile_id, column_ids))
        for row in connection.execute(query):
            states[row.column_profile_id][row.key] = decode_state(row.key, bytes(row.data))
    return states


def _variants(connection: Connection, column_ids: Collection[int]) -> dict[int, tuple[Variant, ...]]:
    from airflow_dq.corruption.blob import decode_variants

    if not column_ids:
        return {}
    query = select(VariantRow).where(among(VariantRow.column_profile_id, column_ids))
    return {row.column_profile_id: decode_variants(bytes(row.data)) for row in connection.execute(query)}


def _profile(
    stored: Stored, states: Mapping[int, dict[str, State]], variants: Mapping[int, tuple[Variant, ...]]
) -> Profile:
    columns = [replace(column, states=states[id]) if id in states else column for id, column in stored.columns]
    return Profile(
        partition=stored.partition,
        row_count=stored.row_count,
        columns={column.name: column for column in columns},
        variants={column.name: variants[column_id] for column_id, column in stored.columns if column_id in variants},
        options=_options(stored.options),
    )


def _options(stored: Mapping[str, Any]) -> ProfileOptions:
    """The options as far as this version knows them; an older or newer one may have others."""
    known = {one.name for one in fields(ProfileOptions)}
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in stored.items() if name in known
    }
    return ProfileOptions(**values)
