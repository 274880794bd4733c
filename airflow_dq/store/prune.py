"""Dropping old partitions altogether: a few at a time, so that nobody who judges a new one waits."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import Connection, Engine, delete, func, select

from airflow_dq.exceptions import StoreError
from airflow_dq.options.job import NULL_KEY
from airflow_dq.options.key import order_key
from airflow_dq.store import metric_history, review
from airflow_dq.store.attempt import dataset_id
from airflow_dq.store.eligibility import ELIGIBLE, SPEAKS_OF_PARTITION
from airflow_dq.store.statement import among, any_of
from airflow_dq.store.summary import Pruned
from airflow_dq.store.table import AttemptRow, ColumnRow, DatasetRow, ProfileRow, ProgramRow, VerdictRow
from airflow_dq.store.total import forget
from airflow_dq.store.transaction import run

COLUMNS_AT_ONCE = 1000
"""Column profiles that one transaction drops, about: a fraction of a second, however wide the table is."""
PARTITIONS_AT_ONCE = 100
"""Partitions that one transaction drops at most, of a table with few columns."""
_END = "\U0010ffff"
"""Sorts behind every partition key."""


def prune(engine: Engine, keep: int, dataset: str | None, say: Callable[[str, Pruned], None] | None) -> Pruned:
    """Drop all but the newest partitions, in many transactions; see :meth:`Repository.prune`.

    :raises StoreError: before anything is dropped, when it must not be
    """
    if keep < 1:
        raise StoreError(f"Pruning cannot keep {keep} partitions: keep at least 1.")
    total = Pruned()
    names = run(engine, lambda c: targets(c, dataset))
    for name in names:
        run(engine, lambda c, name=name: require_enough(c, name, keep))  # type: ignore[misc]
    for name in names:
        done = _prune(engine, name, keep)
        total += done
        if say is not None:
            say(name, done)
    return total


def _prune(engine: Engine, dataset: str, keep: int) -> Pruned:
    before = run(engine, lambda c: cut(c, dataset, keep))
    done = Pruned()
    while before is not None:
        began = time.monotonic()
        partitions, columns = run(engine, lambda c: drop_some(c, dataset, str(before)))
        if not partitions:
            break
        done += Pruned(1 - done.datasets, partitions, columns)
        # Half of the server's disk and processor is for the gates.
        time.sleep(time.monotonic() - began)
    return done


def targets(connection: Connection, dataset: str | None) -> list[str]:
    """The datasets to go through, by name.

    :raises StoreError: when the named one is unknown
    """
    if dataset is None:
        return list(connection.execute(select(DatasetRow.name).order_by(DatasetRow.name)).scalars())
    if dataset_id(connection, dataset) is None:
        raise StoreError(f"Dataset {dataset!r} is not known: nothing of it was ever profiled. Check its name.")
    return [dataset]


def cut(connection: Connection, dataset: str, keep: int) -> str | None:
    """Sort key of the oldest of the newest ``keep`` partitions; None when there are not more than these."""
    newest = (
        select(AttemptRow.sort_key)
        .join(DatasetRow, DatasetRow.id == AttemptRow.dataset_id)
        # Rows without a key are of no time: they are neither new nor old.
        .where(DatasetRow.name == dataset, AttemptRow.partition_key != NULL_KEY)
        .group_by(AttemptRow.sort_key)
        .order_by(AttemptRow.sort_key.desc())
    )
    return connection.execute(newest.offset(keep - 1).limit(1)).scalar()


def require_enough(connection: Connection, dataset: str, keep: int) -> None:
    """Refuse to leave a gate so little that it would pass what comes next as it passes a new dataset.

    :raises StoreError: naming the dataset, and what would be left
    """
    first = cut(connection, dataset, keep)
    if first is None:
        return
    found = metric_history.newest_options(connection, dataset)
    restart = review.history_start(connection, dataset, _END)
    if found is None or (restart is not None and order_key(restart.partition) >= first):
        return  # no gate judges it, or its history begins with what is kept anyway
    query = (
        select(func.count())
        .select_from(ProfileRow)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .outerjoin(VerdictRow, SPEAKS_OF_PARTITION)
        .where(DatasetRow.name == dataset, ProfileRow.sort_key >= first, ProfileRow.partition_key != NULL_KEY, ELIGIBLE)
    )
    left = connection.execute(query).scalar_one()
    # The newest one may have to be judged again, by those before it.
    needed = found.min_history + 1
    if left < needed:
        raise StoreError(
            f"Dataset {dataset!r}: of its newest {keep} partitions a gate could learn from {left}, and needs {needed} "
            f"(min_history={found.min_history}, and the newest itself). Nothing was dropped: keep more."
        )


def drop_some(connection: Connection, dataset: str, before: str) -> tuple[int, int]:
    """Drop the oldest few partitions before a sort key: attempts, profiles, programs, verdicts and alerts of them.

    What people decided stays in the audit trail.

    :return: how many partitions and column profiles are gone; (0, 0) when none is left
    """
    owner = dataset_id(connection, dataset)
    old = (
        select(AttemptRow.partition_key, func.max(ProfileRow.id).label("profile_id"))
        .outerjoin(
            ProfileRow,
            (ProfileRow.dataset_id == AttemptRow.dataset_id) & (ProfileRow.partition_key == AttemptRow.partition_key),
        )
        .where(AttemptRow.dataset_id == owner, AttemptRow.sort_key < before, AttemptRow.partition_key != NULL_KEY)
        .group_by(AttemptRow.partition_key, AttemptRow.sort_key)
        .order_by(AttemptRow.sort_key)
        .limit(PARTITIONS_AT_ONCE)
    )
    found = connection.execute(old).all()
    widths = _widths(connection, [row.profile_id for row in found if row.profile_id is not None])
    keys: list[str] = []
    columns = 0
    for row in found:
        width = widths.get(row.profile_id, 0)
        if keys and columns + width > COLUMNS_AT_ONCE:
            break
        keys.append(row.partition_key)
        columns += width
    for table in (VerdictRow, ProgramRow, ProfileRow, AttemptRow):
        wanted = table.partition_key == any_of(keys)
        connection.execute(delete(table).where(table.dataset_id == owner, wanted))
    if keys and owner is not None:
        # A total is that of the partitions that are kept.
        forget(connection, owner, "")
    return len(keys), columns


def _widths(connection: Connection, profile_ids: list[int]) -> dict[int, int]:
    """Number of columns by profile."""
    query = (
        select(ColumnRow.profile_id, func.count())
        .where(among(ColumnRow.profile_id, profile_ids))
        .group_by(ColumnRow.profile_id)
    )
    return {row[0]: row[1] for row in connection.execute(query)}
