"""Totals over all partitions of a dataset: merged from what is kept of each, from the last snapshot before a change on.

A partition that is profiled again takes the place of what it was: its row is replaced, snapshots that hold it are
dropped, and the totals from it on are made anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from airflow_dq.check.model import Check
from airflow_dq.options.job import NULL_KEY
from airflow_dq.options.key import order_key
from airflow_dq.profile.check.tallies import NO_TALLIES, Tallies
from airflow_dq.profile.check.total import Running, of_totals
from airflow_dq.states.layout import compress, decompress
from airflow_dq.store.lock import lock_totals
from airflow_dq.store.table import CheckTotalRow, DatasetRow, ProfileRow
from airflow_dq.store.value import storable_text

EVERY = 16
"""Partitions from one snapshot to the next: a new partition merges at most so many, about as much as one snapshot."""
KEPT = 3
"""Snapshots that are kept, the newest: what is profiled again is nearly always as new, and else all is merged."""
_LARGEST = 2**31
"""Bytes of what is kept for all checks of one partition, as of a table's state."""
_AT_ONCE = 8
"""Partitions that are read at once: each may have as many keys as are counted."""


@dataclass(frozen=True, slots=True)
class _Start:
    """Where merging begins: behind a snapshot, or with the first partition."""

    after: str
    running: Running


def update_totals(connection: Connection, dataset: str, checks: Sequence[Check], changed: Sequence[str]) -> int:
    """Measure the totals of the partitions from the first that changed on; the number of partitions that were merged.

    :param checks: of which those are looked at that are of all partitions so far
    :param changed: keys of partitions that were profiled
    """
    checks, keys = of_totals(checks), [order_key(key) for key in changed if key != NULL_KEY]
    owner = connection.execute(select(DatasetRow.id).where(DatasetRow.name == dataset)).scalar()
    if not keys or owner is None:
        return 0
    lock_totals(connection, dataset)
    first = min(keys)
    connection.execute(delete(CheckTotalRow).where(CheckTotalRow.dataset_id == owner, CheckTotalRow.sort_key >= first))
    start = _start(connection, owner, checks)
    merged = _merge(connection, owner, checks, start, first)
    _keep_newest(connection, owner)
    return merged


def forget(connection: Connection, owner: int, first: str) -> None:
    """Drop the snapshots that a partition is in, for it is no longer what it was.

    :param owner: the dataset's id
    :param first: what the partition is sorted by
    """
    connection.execute(delete(CheckTotalRow).where(CheckTotalRow.dataset_id == owner, CheckTotalRow.sort_key >= first))


def _start(connection: Connection, owner: int, checks: Sequence[Check]) -> _Start:
    """Behind the newest snapshot that has all that the checks need."""
    stored = select(CheckTotalRow.sort_key, CheckTotalRow.partitions, CheckTotalRow.data)
    newest = stored.where(CheckTotalRow.dataset_id == owner).order_by(CheckTotalRow.sort_key.desc())
    for row in connection.execute(newest).all():
        running = Running(_read(row.data), row.partitions)
        if running.covers(checks):
            return _Start(row.sort_key, running)
    return _Start("", Running())


def _merge(connection: Connection, owner: int, checks: Sequence[Check], start: _Start, first: str) -> int:
    """Merge what is kept of one partition after the other, and store what is measured from the first changed one on."""
    running, merged = start.running, 0
    wanted = (
        select(ProfileRow.id, ProfileRow.partition_key, ProfileRow.sort_key, ProfileRow.checks, ProfileRow.tallies)
        .where(ProfileRow.dataset_id == owner, ProfileRow.sort_key > start.after, ProfileRow.partition_key != NULL_KEY)
        .order_by(ProfileRow.sort_key, ProfileRow.partition_key)
    )
    for row in connection.execute(wanted, execution_options={"yield_per": _AT_ONCE}):
        running = running.add(row.partition_key, NO_TALLIES if row.tallies is None else _read(row.tallies), checks)
        merged += 1
        if row.sort_key >= first:
            measured = {storable_text(name): one.to_dict() for name, one in running.measured(checks).items()}
            values = {**row.checks, **measured}
            connection.execute(update(ProfileRow).where(ProfileRow.id == row.id).values(checks=values))
        if running.partitions % EVERY == 0:
            _snapshot(connection, owner, row.sort_key, running)
    return merged


def _snapshot(connection: Connection, owner: int, sort_key: str, running: Running) -> None:
    data = compress(running.tallies.encode(), level=1)
    key = {"dataset_id": owner, "sort_key": sort_key}
    connection.execute(delete(CheckTotalRow).filter_by(**key))
    connection.execute(insert(CheckTotalRow), {**key, "partitions": running.partitions, "data": data})


def _keep_newest(connection: Connection, owner: int) -> None:
    newest = (
        select(CheckTotalRow.sort_key)
        .where(CheckTotalRow.dataset_id == owner)
        .order_by(CheckTotalRow.sort_key.desc())
        .limit(KEPT)
    )
    connection.execute(
        delete(CheckTotalRow).where(CheckTotalRow.dataset_id == owner, CheckTotalRow.sort_key.not_in(newest))
    )


def packed(tallies: Tallies) -> bytes | None:
    """What is kept of a partition, as it is stored; None where there is nothing."""
    return compress(tallies.encode(), level=1) if tallies.by_group else None


def _read(data: bytes) -> Tallies:
    return Tallies.decode(decompress(bytes(data), _LARGEST))
