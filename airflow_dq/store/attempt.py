"""Attempts at profiling a partition: the newest one of a partition is the only one that may write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.dialects import postgresql

from airflow_dq import __version__
from airflow_dq.exceptions import StaleAttemptError, StoreError
from airflow_dq.store.statement import among, any_of
from airflow_dq.store.summary import AttemptStatus, WhereRead
from airflow_dq.store.table import AttemptRow, DatasetRow, ProfileRow
from airflow_dq.store.value import storable_key, storable_text


def dataset_id(connection: Connection, name: str) -> int | None:
    """Id of a dataset, or None when nothing was ever stored for it."""
    return connection.execute(select(DatasetRow.id).where(DatasetRow.name == name)).scalar()


def begin(
    connection: Connection,
    dataset: str,
    partitions: Sequence[str],
    source: str | None,
    read_options: Mapping[str, str] | None,
    engine: str | None,
    place: Mapping[str, str] | None = None,
) -> dict[str, int]:
    """Start one attempt for each partition and fence off the earlier ones; the ids by partition."""
    names = [storable_key(partition, f"partition of dataset {dataset!r}") for partition in dict.fromkeys(partitions)]
    if not names:
        return {}
    connection.execute(
        postgresql.insert(DatasetRow).values(name=storable_key(dataset, "dataset")).on_conflict_do_nothing()
    )
    owner = dataset_id(connection, dataset)
    # Python's order of strings is the order of their UTF-8 bytes, as in the index.
    rows = [
        {
            "dataset_id": owner,
            "partition_key": name,
            "source": None if source is None else storable_text(source),
            "read_options": {
                storable_text(option): storable_text(str(value)) for option, value in (read_options or {}).items()
            },
            "place": {name: storable_text(value) for name, value in (place or {}).items()},
            "engine": engine,
            "version": __version__,
        }
        for name in sorted(names)
    ]
    made = connection.execute(insert(AttemptRow).returning(AttemptRow.partition_key, AttemptRow.id), rows)
    return {row.partition_key: row.id for row in made}


def where_read(connection: Connection, dataset: str, partition: str) -> WhereRead | None:
    """Where the rows of a partition's current profile were read; None when there is none."""
    query = (
        select(AttemptRow.place, AttemptRow.read_options, AttemptRow.engine)
        .join(ProfileRow, ProfileRow.attempt_id == AttemptRow.id)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .where(DatasetRow.name == dataset, ProfileRow.partition_key == partition)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else WhereRead(row.place, row.read_options, row.engine or "")


def fail(connection: Connection, attempt: int, error: str) -> None:
    """Record why an attempt failed; one that has succeeded stays so."""
    connection.execute(
        update(AttemptRow)
        .where(AttemptRow.id == attempt, AttemptRow.state == "running")
        .values(state="failed", error=storable_text(error), finished_at=func.clock_timestamp())
    )


def succeed(connection: Connection, some: Iterable[int]) -> None:
    """Record that the profiles of attempts are stored."""
    connection.execute(
        update(AttemptRow)
        .where(among(AttemptRow.id, some))
        .values(state="succeeded", error=None, finished_at=func.clock_timestamp())
    )


def require_newest(connection: Connection, dataset: str, partitions: Mapping[int, str]) -> int:
    """Lock the rows of attempts and return their dataset's id, if each of them may write.

    :param partitions: of each attempt, by its id
    :raises StaleAttemptError: when a newer attempt at one of the partitions has started
    :raises StoreError: when an attempt is unknown, is for another partition, or was reported as failed
    """
    query = (
        select(AttemptRow.id, AttemptRow.dataset_id, AttemptRow.partition_key, AttemptRow.state, DatasetRow.name)
        .join(DatasetRow, DatasetRow.id == AttemptRow.dataset_id)
        .where(among(AttemptRow.id, partitions))
        .order_by(AttemptRow.id)
        .with_for_update(of=AttemptRow)
    )
    found = {row.id: row for row in connection.execute(query)}
    for attempt, partition in partitions.items():
        where, row = _where(dataset, partition, attempt), found.get(attempt)
        if row is None:
            raise StoreError(f"{where} does not exist: begin an attempt before saving its profile.")
        if (row.name, row.partition_key) != (dataset, partition):
            raise StoreError(f"{where} was begun for dataset {row.name!r}, partition {row.partition_key!r}.")
    (owner,) = {row.dataset_id for row in found.values()}
    newest = dict(
        connection.execute(
            select(AttemptRow.partition_key, func.max(AttemptRow.id))
            .where(AttemptRow.dataset_id == owner, AttemptRow.partition_key == any_of(partitions.values()))
            .group_by(AttemptRow.partition_key)
        ).all()
    )
    for attempt, partition in partitions.items():
        where = _where(dataset, partition, attempt)
        if newest[partition] > attempt:
            raise StaleAttemptError(
                f"{where} must not write: attempt {newest[partition]} at the same partition has started since. Its "
                "result counts."
            )
        if found[attempt].state == "failed":
            raise StoreError(f"{where} was reported as failed and cannot store a profile: begin a new attempt.")
    return int(owner)


def _where(dataset: str, partition: str, attempt: int) -> str:
    return f"Dataset {dataset!r}, partition {partition!r}: attempt {attempt}"


def status(connection: Connection, dataset: str, partition: str) -> AttemptStatus | None:
    """The newest attempt at a partition, or None when there was none."""
    newest = (
        select(AttemptRow, ProfileRow.attempt_id, func.clock_timestamp().label("clock"))
        .join(DatasetRow, DatasetRow.id == AttemptRow.dataset_id)
        .outerjoin(
            ProfileRow,
            (ProfileRow.dataset_id == AttemptRow.dataset_id) & (ProfileRow.partition_key == AttemptRow.partition_key),
        )
        .where(DatasetRow.name == dataset, AttemptRow.partition_key == partition)
        .order_by(AttemptRow.id.desc())
        .limit(1)
    )
    asked = datetime.now(UTC)
    row: Any = connection.execute(newest).one_or_none()
    if row is None:
        return None
    answered = datetime.now(UTC)
    return AttemptStatus(
        attempt=row.id,
        state=row.state,
        error=row.error,
        started_at=row.started_at,
        finished_at=row.finished_at,
        has_profile=row.attempt_id is not None,
        is_current=row.attempt_id == row.id,
        # No more than the time that the answer took cannot explain.
        clock_ahead=max(row.clock - answered, timedelta(0)) + min(row.clock - asked, timedelta(0)),
    )
