"""Advisory locks, held to the end of the transaction: they need no row to exist, and pass through a pooler."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, text

from airflow_dq.options.key import order_key
from airflow_dq.settings import SCHEMA

_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")

_LOCK_EACH = text("SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest(CAST(:names AS text[])) AS name")

_TRY_LOCK = text("SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0))")


def lock_partition(connection: Connection, dataset: str, partition: str) -> None:
    """Wait until no other transaction writes this partition's profile or verdict."""
    connection.execute(_LOCK, {"name": _of_partition(dataset, partition)})


def lock_partitions(connection: Connection, dataset: str, partitions: Iterable[str]) -> None:
    """The same of several, in the order of their keys: two transactions that do so do not wait for each other."""
    names = [_of_partition(dataset, partition) for partition in sorted(partitions, key=order_key)]
    connection.execute(_LOCK_EACH, {"names": names})


def _of_partition(dataset: str, partition: str) -> str:
    return f"{SCHEMA} partition {dataset!r} {partition!r}"


def lock_totals(connection: Connection, dataset: str) -> None:
    """Wait until no other transaction adds up the partitions of this dataset."""
    connection.execute(_LOCK, {"name": f"{SCHEMA} totals {dataset!r}"})


def try_lock_retention(connection: Connection, dataset: str) -> bool:
    """False, at once, while another transaction drops what is old of this dataset."""
    return bool(connection.execute(_TRY_LOCK, {"name": f"{SCHEMA} retention {dataset!r}"}).scalar())


def try_lock_rules(connection: Connection, dataset: str) -> bool:
    """False, at once, while another transaction learns rules of this dataset."""
    return bool(connection.execute(_TRY_LOCK, {"name": f"{SCHEMA} rules {dataset!r}"}).scalar())


def lock_migration(connection: Connection) -> None:
    """Wait until no other transaction migrates the schema."""
    connection.execute(_LOCK, {"name": f"{SCHEMA} migration"})
