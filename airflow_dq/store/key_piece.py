"""Pieces of a dataset's folder for keys that nothing here names any longer."""

from __future__ import annotations

from time import time_ns

from sqlalchemy import Connection, func, select

from airflow_dq.profile.check.many_keys import KeyFolder, ManyKeys, digest, made_at, partition_of
from airflow_dq.profile.check.tallies import Tallies
from airflow_dq.states.layout import decompress
from airflow_dq.store.table import CheckTotalRow, ProfileRow

LARGEST = 2**31
"""Bytes of what is kept for all checks of one partition, as of a table's state."""
_SMALL = 2**16
"""Bytes of what is kept of a partition up to which it is read for the names in it: they take some hundred."""
_YOUNG = 24 * 3600 * 10**9
"""Nanoseconds after which a partition's piece that no profile names will never be named: its job has ended."""


def unpacked(data: bytes) -> Tallies:
    """What is kept of a partition, or of several."""
    return Tallies.decode(decompress(bytes(data), LARGEST))


def drop_unnamed(connection: Connection, owner: int, folder: KeyFolder) -> None:
    """Drop what no total or profile names; to be called under the lock of the dataset's totals, before they change.

    What is kept of totals is written under that lock only; that of partitions while others are profiled, too.
    """
    names = folder.names()
    written = [name for name in names if partition_of(name) is None]
    if written:
        stored = connection.execute(select(CheckTotalRow.data).where(CheckTotalRow.dataset_id == owner)).scalars()
        named = {piece for data in stored for piece in _named(data)}
        folder.drop([name for name in written if name not in named])
    old = [name for name in names if partition_of(name) is not None and made_at(name) < time_ns() - _YOUNG]
    if old:
        folder.drop(_unnamed(connection, owner, old))


def _unnamed(connection: Connection, owner: int, pieces: list[str]) -> list[str]:
    """Pieces of partitions that do not name them, or that there are no longer.

    Those of a partition are left alone beside whose names many keys of other checks are stored: to look would be slow.
    """
    mine, size = ProfileRow.dataset_id == owner, func.coalesce(func.octet_length(ProfileRow.tallies), 0)
    keys = connection.execute(select(ProfileRow.partition_key).where(mine)).scalars()
    known = {digest(key): key for key in keys}
    wanted = [known[of] for of in {partition_of(name) for name in pieces} if of in known]
    stored = select(ProfileRow.partition_key, ProfileRow.tallies).where(mine, size < _SMALL)
    rows = connection.execute(stored.where(ProfileRow.partition_key.in_(wanted))).all()
    named = {digest(row.partition_key): _named(row.tallies) for row in rows}
    found = ((name, partition_of(name)) for name in pieces)
    return [name for name, of in found if of not in known or (of in named and name not in named[of])]


def _named(data: bytes | None) -> set[str]:
    tallies = () if data is None else unpacked(data).by_group.values()
    return {piece for tally in tallies if isinstance(tally, ManyKeys) for piece in tally.pieces}
