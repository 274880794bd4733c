"""Writing profiles: one transaction replaces the partitions' old ones, or leaves all of them as they were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql

from airflow_dq.corruption.blob import encode_variants
from airflow_dq.options.key import order_key
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.total import kept_for_totals
from airflow_dq.profile.model import ColumnProfile, Profile, encode_states
from airflow_dq.states.layout import compress
from airflow_dq.store import attempt as attempts
from airflow_dq.store import between
from airflow_dq.store.lock import lock_partitions
from airflow_dq.store.statement import among, any_of
from airflow_dq.store.table import ColumnRow, ProfileRow, StateRow, VariantRow
from airflow_dq.store.total import forget, packed
from airflow_dq.store.value import builtin_metrics, encode_metrics, storable_key, storable_text

BATCH_BYTES = 8_000_000
"""Blobs are sent in batches of about this size: one statement with all of a wide table's would not fit in memory."""


def save(connection: Connection, attempt: int, dataset: str, profile: Profile) -> bool:
    """Store a profile as the partition's current one; False when it only confirmed what was stored.

    :raises StaleAttemptError: when a newer attempt at the partition has started
    """
    return save_all(connection, dataset, {attempt: profile}) == 1


def save_all(connection: Connection, dataset: str, profiles: Mapping[int, Profile]) -> int:
    """Store the profiles of several partitions, and return how many did not only confirm what was stored.

    :param profiles: by the attempts at them, each of another partition
    :raises StaleAttemptError: when a newer attempt at one of the partitions has started
    """
    what = f"partition of dataset {dataset!r}"
    partitions = {attempt: storable_key(profile.partition, what) for attempt, profile in profiles.items()}
    profiles = {attempt: normalise(profile) for attempt, profile in profiles.items()}
    lock_partitions(connection, dataset, partitions.values())
    owner = attempts.require_newest(connection, dataset, partitions)
    query = select(ProfileRow.partition_key, ProfileRow.id, ProfileRow.fingerprint)
    query = query.where(ProfileRow.dataset_id == owner, ProfileRow.partition_key == any_of(partitions.values()))
    stored = {row.partition_key: row for row in connection.execute(query)}
    new, replaced = {}, []
    for attempt, profile in profiles.items():
        row = stored.get(partitions[attempt])
        if row is not None and row.fingerprint == profile.fingerprint:
            _confirm(connection, row.id, attempt, profile)
            continue
        new[attempt] = profile
        if row is not None:
            replaced.append(row.id)
    if replaced:
        connection.execute(delete(ProfileRow).where(among(ProfileRow.id, replaced)))
    if new:
        _insert(connection, owner, new)
    forget(connection, owner, min(map(order_key, partitions.values())))
    attempts.succeed(connection, profiles)
    return len(new)


def normalise(profile: Profile) -> Profile:
    """The profile with plain metric values, so that its fingerprint is the same before and after storing."""
    columns = {
        name: replace(column, metrics=builtin_metrics(column.metrics)) for name, column in profile.columns.items()
    }
    return replace(profile, row_count=int(profile.row_count), columns=columns)


def _confirm(connection: Connection, profile_id: int, attempt: int, profile: Profile) -> None:
    """The same content again: only what retention has dropped of it is stored, and what was measured of it stays.

    So do the counts of learned rules: a job that begins before the partitions that a rule was learned from counts none.
    """
    kept = connection.execute(select(ProfileRow.checks, ProfileRow.held).where(ProfileRow.id == profile_id)).one()
    counted = {name: one for name, one in kept.checks.items() if Measured.of_dict(one).learned}
    found = connection.execute(select(ColumnRow.name, ColumnRow.id).where(ColumnRow.profile_id == profile_id))
    _insert_blobs(connection, [({row.name: row.id for row in found}, profile)])
    values = {name: True for name, given in _kept(profile).items() if given}
    connection.execute(
        update(ProfileRow)
        .where(ProfileRow.id == profile_id)
        # What was measured by the clock is another value every time.
        .values(
            attempt_id=attempt,
            updated_at=func.clock_timestamp(),
            checks={**counted, **_checks(profile)},
            tallies=packed(kept_for_totals(profile)),
            held=between.packed({**between.unpacked(kept.held), **profile.held}),
            failing=_failing(profile),
            **values,
        )
    )


def _insert(connection: Connection, owner: int, profiles: Mapping[int, Profile]) -> None:
    rows = [
        {
            "dataset_id": owner,
            "partition_key": profile.partition,
            "attempt_id": attempt,
            "row_count": profile.row_count,
            "fingerprint": profile.fingerprint,
            "options": _options(profile),
            "checks": _checks(profile),
            "tallies": packed(kept_for_totals(profile)),
            "held": between.packed(profile.held),
            "failing": _failing(profile),
            **_kept(profile),
        }
        for attempt, profile in profiles.items()
    ]
    made = connection.execute(insert(ProfileRow).returning(ProfileRow.attempt_id, ProfileRow.id), rows)
    ids = {row.attempt_id: row.id for row in made}
    columns = [
        _column(ids[attempt], ordinal, column)
        for attempt, profile in profiles.items()
        for ordinal, column in enumerate(profile.columns.values())
    ]
    if not columns:
        return
    named: dict[int, dict[str, int]] = {id: {} for id in ids.values()}
    for row in connection.execute(
        insert(ColumnRow).returning(ColumnRow.profile_id, ColumnRow.name, ColumnRow.id), columns
    ):
        named[row.profile_id][row.name] = row.id
    _insert_blobs(connection, [(named[ids[attempt]], profile) for attempt, profile in profiles.items()])


def _options(profile: Profile) -> dict[str, Any]:
    """The options without what was asked for, checks and learned rules, of which the answers are stored."""
    left_out = ("checks", "rules", "key_pass")
    return {name: value for name, value in asdict(profile.options).items() if name not in left_out}


def _checks(profile: Profile) -> dict[str, Any]:
    return {storable_text(name): one.to_dict() for name, one in profile.checks.items()}


def _failing(profile: Profile) -> dict[str, Any]:
    return {storable_text(name): one.to_dict() for name, one in profile.failing.items()}


def _kept(profile: Profile) -> dict[str, bool]:
    """What retention will have to drop."""
    states = any(column.states for column in profile.columns.values())
    return {"has_states": states, "has_variants": any(profile.variants.values())}


def _column(profile_id: int, ordinal: int, column: ColumnProfile) -> dict[str, Any]:
    return {
        "profile_id": profile_id,
        "ordinal": ordinal,
        "name": storable_key(column.name, "column"),
        "kind": column.kind.value,
        "data_type": storable_text(column.data_type),
        "remark": None if column.remark is None else storable_text(column.remark),
        "states_digest": column.states_digest,
        "fingerprint": column.fingerprint,
        "metrics": encode_metrics(column.metrics),
        "distances": {baseline: encode_metrics(metrics) for baseline, metrics in column.distances.items()},
    }


def _insert_blobs(connection: Connection, profiles: Sequence[tuple[Mapping[str, int], Profile]]) -> None:
    """Store states and variants; those already there are kept, they come from the same content.

    :param profiles: with the ids of their columns, by name
    """
    states = (
        {"column_profile_id": ids[column.name], "key": name, "data": compress(blob)}
        for ids, profile in profiles
        for column in profile.columns.values()
        for name, blob in encode_states(column.states).items()
    )
    variants = (
        {"column_profile_id": ids[name], "data": encode_variants(found)}
        for ids, profile in profiles
        for name, found in profile.variants.items()
        if name in ids
    )
    for table, blobs in ((StateRow, states), (VariantRow, variants)):
        # Asked for what it has stored, the server gets all of a batch in one statement.
        store = postgresql.insert(table).on_conflict_do_nothing().returning(table.column_profile_id)
        for batch in _batches(blobs):
            connection.execute(store, batch)


def _batches(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        if batch and size + len(row["data"]) > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += len(row["data"])
    if batch:
        yield batch
