"""Retention of what is large: dropping the states and injected errors that :data:`RETENTION` does not keep."""

from __future__ import annotations

import logging
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    and_,
    delete,
    func,
    literal,
    select,
    text,
    update,
)
from sqlalchemy.orm import aliased

from airflow_dq.exceptions import StoreError
from airflow_dq.metrics.registry import largest_pool
from airflow_dq.options.job import NULL_KEY
from airflow_dq.options.retention import AT_ONCE, COLUMNS_AT_ONCE, RETENTION
from airflow_dq.store.attempt import dataset_id
from airflow_dq.store.distance_measure import measure_around
from airflow_dq.store.eligibility import ELIGIBLE, SPEAKS_OF_PARTITION
from airflow_dq.store.lock import lock_partitions, try_lock_retention
from airflow_dq.store.state_cache import StateCache
from airflow_dq.store.statement import among
from airflow_dq.store.table import AttemptRow, ColumnRow, ProfileRow, StateRow, VariantRow, VerdictRow
from airflow_dq.store.transaction import run

log = logging.getLogger(__name__)


def tidy(engine: Engine, dataset: str, cache: StateCache) -> None:
    """Drop all that is not needed any more, in many transactions; what goes wrong is logged, and left for next time.

    :param cache: states that are at hand
    """
    try:
        while run(engine, lambda c: drop_old(c, dataset, cache)):
            pass
    except StoreError as error:
        # The profile is stored, and the next one that is drops what this one did not.
        log.warning("Dataset %r: old states are kept for now: %s", dataset, error)
    except Exception:
        # Whatever is wrong with old partitions, this one is stored.
        log.exception("Dataset %r: old states are kept for now", dataset)


def drop_old(connection: Connection, dataset: str, cache: StateCache | None = None) -> bool:
    """Drop the variants that are not needed any more, and the states of the oldest partitions that have them in vain.

    A transaction is that of a few partitions: call it until it returns False.  Only one caller at a time does
    anything, the others return at once.

    :param cache: who drops several partitions one after the other needs most states several times
    :return: whether there may be more to drop
    """
    owner = dataset_id(connection, dataset)
    if owner is None or not try_lock_retention(connection, dataset):
        return False
    _drop_variants(connection, owner)
    return _drop_states(connection, dataset, owner, cache or StateCache())


def _drop_variants(connection: Connection, owner: int) -> None:
    oldest_kept = _oldest_kept(connection, owner, RETENTION.with_injected_errors)
    if oldest_kept is None:
        return
    old = select(ProfileRow.id).where(ProfileRow.has_variants, _is_old(owner, oldest_kept))
    ids = list(connection.execute(old).scalars())
    if ids:
        connection.execute(delete(VariantRow).where(VariantRow.column_profile_id.in_(_columns_of(ids))))
        connection.execute(update(ProfileRow).where(ProfileRow.id.in_(ids)).values(has_variants=False))


def _drop_states(connection: Connection, dataset: str, owner: int, cache: StateCache) -> bool:
    oldest_kept = _oldest_kept(connection, owner, RETENTION.with_states(largest_pool()))
    if oldest_kept is None or _is_filling(connection, owner, oldest_kept):
        return False
    query = select(ProfileRow.id, ProfileRow.partition_key).where(ProfileRow.has_states, _is_old(owner, oldest_kept))
    found = connection.execute(query.order_by(ProfileRow.sort_key).limit(AT_ONCE + 1)).all()
    if not found:
        return False
    width = connection.execute(select(func.count()).where(ColumnRow.profile_id == found[0].id)).scalar_one()
    oldest = found[: max(1, min(AT_ONCE, COLUMNS_AT_ONCE // max(1, width)))]
    lock_partitions(connection, dataset, [one.partition_key for one in oldest])
    # Profiled anew while we waited: then it is another row, and among the recent ones.
    ids = [one.id for one in oldest]
    measure_around(connection, dataset, owner, ids, cache)
    connection.execute(delete(StateRow).where(StateRow.column_profile_id.in_(_columns_of(ids))))
    dropped = {"has_states": False, "failing": {}, "drilled": None}
    connection.execute(update(ProfileRow).where(ProfileRow.id.in_(ids)).values(dropped))
    return len(found) > len(oldest)


def _oldest_kept(connection: Connection, owner: int, newest: int) -> str | None:
    """Sort key of the ``newest``-th eligible partition, counted from the end; None when there are not so many."""
    query = (
        select(ProfileRow.sort_key)
        .outerjoin(VerdictRow, SPEAKS_OF_PARTITION)
        # Rows without a key sort behind the dates, and are in no history.
        .where(ProfileRow.dataset_id == owner, ProfileRow.partition_key != NULL_KEY, ELIGIBLE)
        .order_by(ProfileRow.sort_key.desc())
        .offset(newest - 1)
        .limit(1)
    )
    return connection.execute(query).scalar()


def _is_old(owner: int, oldest_kept: str) -> ColumnElement[bool]:
    recent = (
        select(ProfileRow.id)
        .where(ProfileRow.dataset_id == owner)
        # Of those that were stored together the last one is the newest.
        .order_by(ProfileRow.updated_at.desc(), ProfileRow.id.desc())
        .limit(RETENTION.recent)
        .subquery()
    )
    return and_(
        ProfileRow.dataset_id == owner,
        ProfileRow.sort_key < oldest_kept,
        ProfileRow.id.not_in(select(recent.c.id)),
    )


def _is_filling(connection: Connection, owner: int, oldest_kept: str) -> bool:
    """Whether older partitions are being profiled now: the states around them are what they will be compared with.

    A backfill stores in any order.  One that was killed leaves attempts that run for ever: a day is enough.
    """
    later = aliased(AttemptRow)
    superseded = select(later.id).where(
        later.dataset_id == AttemptRow.dataset_id,
        later.partition_key == AttemptRow.partition_key,
        later.id > AttemptRow.id,
    )
    running = select(AttemptRow.id).where(
        AttemptRow.dataset_id == owner,
        AttemptRow.sort_key < oldest_kept,
        AttemptRow.state == literal("running", literal_execute=True),
        AttemptRow.started_at > func.now() - text("interval '1 day'"),
        ~superseded.exists(),
    )
    return connection.execute(running.limit(1)).scalar() is not None


def _columns_of(profile_ids: list[int]) -> Select[Any]:
    return select(ColumnRow.id).where(among(ColumnRow.profile_id, profile_ids))
