"""Advisory locks, held to the end of the transaction: they need no row to exist, and pass through a pooler."""

from __future__ import annotations

from sqlalchemy import Connection, text

from airflow_dq.settings import SCHEMA

_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")

_TRY_LOCK = text("SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0))")


def lock_partition(connection: Connection, dataset: str, partition: str) -> None:
    """Wait until no other transaction writes this partition's profile or verdict."""
    connection.execute(_LOCK, {"name": f"{SCHEMA} partition {dataset!r} {partition!r}"})


def try_lock_retention(connection: Connection, dataset: str) -> bool:
    """False, at once, while another transaction drops what is old of this dataset."""
    return bool(connection.execute(_TRY_LOCK, {"name": f"{SCHEMA} retention {dataset!r}"}).scalar())


def try_lock_rules(connection: Connection, dataset: str) -> bool:
    """False, at once, while another transaction learns rules of this dataset."""
    return bool(connection.execute(_TRY_LOCK, {"name": f"{SCHEMA} rules {dataset!r}"}).scalar())


def lock_migration(connection: Connection) -> None:
    """Wait until no other transaction migrates the schema."""
    connection.execute(_LOCK, {"name": f"{SCHEMA} migration"})
