"""What the tables are made of: their common base, and columns that many of them have."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, DateTime, ForeignKey, Identity, MetaData, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from airflow_dq.options.key import order_key
from airflow_dq.settings import SCHEMA

Key = Text(collation="C")
"""Names that are compared: datasets, partitions, columns."""
Timestamp = DateTime(timezone=True)


class Base(DeclarativeBase):
    """Base of all tables."""

    metadata = MetaData(
        schema=SCHEMA,
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "ix": "ix_%(table_name)s_%(column_0_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
        },
    )


def id_column() -> Mapped[int]:
    """A number that the database gives."""
    return mapped_column(BigInteger, Identity(always=True), primary_key=True)


def owner_column(target: str, **options: Any) -> Mapped[int]:
    """The row of another table that a row goes with."""
    return mapped_column(BigInteger, ForeignKey(f"{SCHEMA}.{target}.id", ondelete="CASCADE"), **options)


def sort_key_of(context: Any) -> str | None:
    """What a row is sorted by, made of its partition's key when it is inserted."""
    key = context.get_current_parameters()["partition_key"]
    return None if key is None else order_key(key)
