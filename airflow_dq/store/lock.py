"""Advisory locks, held to the end of the transaction: they need no row to exist, and pass through a pooler."""

from __future__ import annotations

from sqlalchemy import Connection, text

from airflow_dq.settings import SCHEMA

_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")


def lock_partition(connection: Connection, dataset: str, partition: str) -> None:
    """Wait until no other transaction writes this partition's profile or verdict."""
    connection.execute(_LOCK, {"name": f"{SCHEMA} partition {dataset!r} {partition!r}"})


def lock_migration(connection: Connection) -> None:
    """Wait until no other transaction migrates the schema."""
    connection.execute(_LOCK, {"name": f"{SCHEMA} migration"})
