"""Totals over all partitions of a dataset: merged from what is kept of each, from the last snapshot before a change on.

A partition that is profiled again takes the place of what it was: its row is replaced, snapshots that hold it are
dropped, and the totals from it on are made anew.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from airflow_dq.check.model import Check
from airflow_dq.options.job import NULL_KEY
from airflow_dq.options.key import order_key
from airflow_dq.profile.check.many_keys import KeyFolder, ManyKeys
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.tallies import NO_TALLIES, Tallies
from airflow_dq.profile.check.total import Running, measured_in_folder, of_totals
from airflow_dq.states.layout import compress
from airflow_dq.store.key_piece import drop_unnamed, unpacked
from airflow_dq.store.lock import lock_totals
from airflow_dq.store.table import CheckTotalRow, DatasetRow, ProfileRow
from airflow_dq.store.value import storable_text

log = logging.getLogger(__name__)

EVERY = 16
"""Partitions from one snapshot to the next: a new partition merges at most so many, about as much as one snapshot."""
KEPT = 3
"""Snapshots that are kept, the newest: what is profiled again is nearly always as new, and else all is merged."""
_AT_ONCE = 8
"""Partitions that are read at once: each may have as many keys as are counted."""


@dataclass(frozen=True, slots=True)
class _Start:
    """Where merging begins: behind a snapshot, or with the first partition."""

    after: str
    running: Running


def update_totals(
    connection: Connection,
    dataset: str,
    checks: Sequence[Check],
    changed: Sequence[str],
    folder: KeyFolder | None = None,
) -> int:
    """Measure the totals of the partitions from the first that changed on; the number of partitions that were merged.

    :param checks: of which those are looked at that are of all partitions so far
    :param changed: keys of partitions that were profiled
    :param folder: where keys are that are too many to be stored here
    """
    checks, keys = of_totals(checks), [order_key(key) for key in changed if key != NULL_KEY]
    owner = connection.execute(select(DatasetRow.id).where(DatasetRow.name == dataset)).scalar()
    if not keys or owner is None:
        return 0
    lock_totals(connection, dataset)
    if folder is not None:
        drop_unnamed(connection, owner, folder)
    first = min(keys)
    forget(connection, owner, first)
    start = _start(connection, owner, checks)
    merged = _Merging(connection, owner, checks, folder).run(start, first)
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
        running = Running(unpacked(row.data), row.partitions)
        if running.covers(checks):
            return _Start(row.sort_key, running)
    return _Start("", Running())


class _Merging:
    """Merges what is kept of one partition after the other, and stores what is measured of each total.

    What only the folder for keys can tell is asked for once for many partitions, before their pieces are made one.
    """

    def __init__(self, connection: Connection, owner: int, checks: Sequence[Check], folder: KeyFolder | None) -> None:
        """Nothing is merged yet."""
        self._connection = connection
        self._owner = owner
        self._checks = checks
        self._folder = folder
        self._waiting: list[tuple[int, dict[str, Any], dict[str, ManyKeys]]] = []

    def run(self, start: _Start, first: str) -> int:
        """Merge what lies behind the start; the number of partitions.

        :param first: what the first partition is sorted by whose total has changed
        """
        running, merged = start.running, 0
        for row in self._connection.execute(self._wanted(start), execution_options={"yield_per": _AT_ONCE}):
            kept = NO_TALLIES if row.tallies is None else unpacked(row.tallies)
            running = running.add(row.partition_key, kept, self._checks, self._folder)
            merged += 1
            if row.sort_key >= first:
                self._store(row, running)
            if running.partitions % EVERY == 0 and running.whole:
                running = self._kept(row.sort_key, running)
        self._ask_folder()
        return merged

    def _wanted(self, start: _Start) -> Any:
        columns = (ProfileRow.id, ProfileRow.partition_key, ProfileRow.sort_key, ProfileRow.checks, ProfileRow.tallies)
        behind = (ProfileRow.sort_key > start.after, ProfileRow.partition_key != NULL_KEY)
        found = select(*columns).where(ProfileRow.dataset_id == self._owner, *behind)
        return found.order_by(ProfileRow.sort_key, ProfileRow.partition_key)

    def _store(self, row: Any, running: Running) -> None:
        measured = {**row.checks, **_documents(running.measured(self._checks))}
        if many := running.many:
            self._waiting.append((row.id, measured, many))
        else:
            self._write(row.id, measured)

    def _kept(self, sort_key: str, running: Running) -> Running:
        """The total as it is kept, where there is a folder for what must be in one."""
        if running.many:
            self._ask_folder()
            if self._folder is None:
                return running
            try:
                running = running.packed(self._folder)
            except Exception:
                log.warning(
                    "The total up to %s cannot be kept, and is merged again next time.", sort_key, exc_info=True
                )
                return replace(running, whole=False)
        _snapshot(self._connection, self._owner, sort_key, running)
        return running

    def _ask_folder(self) -> None:
        found = measured_in_folder(self._checks, [many for _, _, many in self._waiting], self._folder)
        for (profile, measured, _), more in zip(self._waiting, found, strict=True):
            self._write(profile, {**measured, **_documents(more)})
        self._waiting = []

    def _write(self, profile: int, measured: dict[str, Any]) -> None:
        self._connection.execute(update(ProfileRow).where(ProfileRow.id == profile).values(checks=measured))


def _documents(measured: Mapping[str, Measured]) -> dict[str, Any]:
    return {storable_text(name): one.to_dict() for name, one in measured.items()}


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
