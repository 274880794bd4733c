"""The tables of what people say: the audit trail, snoozes, the calendar; and what the last backtest has found."""

from __future__ import annotations

from datetime import datetime
from typing import Any, get_args

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, Text, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from airflow_dq.settings import SCHEMA
from airflow_dq.store.review_model import Action
from airflow_dq.store.table_base import Base, Key, Timestamp, id_column, owner_column, sort_key_of


class ReviewEventRow(Base):
    """One thing that a person did: the audit trail.  Rows are added, never changed."""

    __tablename__ = "review_event"
    __table_args__ = (
        CheckConstraint(f"action IN {get_args(Action)}", name="action"),
        Index(None, "dataset_id", "partition_key", "id"),
        Index("ix_review_event_new_normal", "dataset_id", "sort_key", postgresql_where=text("action = 'new_normal'")),
        Index("ix_review_event_problem", "dataset_id", "sort_key", postgresql_where=text("problem IS NOT NULL")),
    )

    id: Mapped[int] = id_column()
    dataset_id: Mapped[int] = owner_column("dataset")
    partition_key: Mapped[str | None] = mapped_column(Key)
    """None for what is about the whole dataset."""
    sort_key: Mapped[str | None] = mapped_column(Key, default=sort_key_of)
    action: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())
    comment: Mapped[str | None] = mapped_column(Text)
    detail: Mapped[str | None] = mapped_column(Text)
    problem: Mapped[str | None] = mapped_column(Text)
    """Key of the problem of this partition that it is about."""
    value: Mapped[Any] = mapped_column(JSONB(none_as_null=True), nullable=True)
    """What was said of the problem: its owner, the ticket's address, the columns and metrics that are noise."""


class ReplayRow(Base):
    """What the last backtest of a dataset's stored history found."""

    __tablename__ = "replay"

    dataset_id: Mapped[int] = owner_column("dataset", primary_key=True, autoincrement=False)
    options: Mapped[str] = mapped_column(Text)
    """Digest of the options that it was made with."""
    judged: Mapped[int]
    """Partitions judged, without those that a person has rejected."""
    alarms: Mapped[int]
    newest: Mapped[str] = mapped_column(Key)
    """Key of the newest partition that was replayed."""
    outcomes: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default="{}")
    """What the gate would have said of each partition: its key -> the verdict's status."""
    made_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())


class SnoozeRow(Base):
    """Alerts that only warn for a while."""

    __tablename__ = "snooze"
    __table_args__ = (Index(None, "dataset_id", "until"),)

    id: Mapped[int] = id_column()
    dataset_id: Mapped[int] = owner_column("dataset")
    column_name: Mapped[str | None] = mapped_column(Key)
    metric: Mapped[str | None] = mapped_column(Text)
    until: Mapped[datetime] = mapped_column(Timestamp)
    """Moved to now when a person ends it early."""
    by: Mapped[str] = mapped_column(Text)
    comment: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())


class CalendarEventRow(Base):
    """Days, or keys, of which something out of the ordinary is known.  One that is deleted stays, and says by whom."""

    __tablename__ = "calendar_event"
    __table_args__ = (
        CheckConstraint("kind IN ('promotion', 'holiday', 'migration', 'other')", name="kind"),
        CheckConstraint("effect IN ('expected', 'left_out')", name="effect"),
        Index(None, "dataset_id"),
    )

    id: Mapped[int] = id_column()
    dataset_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey(f"{SCHEMA}.dataset.id", ondelete="CASCADE"))
    """None: all datasets."""
    name: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    effect: Mapped[str] = mapped_column(Text)
    first_key: Mapped[str] = mapped_column(Key)
    last_key: Mapped[str] = mapped_column(Key)
    low: Mapped[str] = mapped_column(Key)
    """Sort keys of its partitions begin here, and end before ``high``."""
    high: Mapped[str] = mapped_column(Key)
    by: Mapped[str] = mapped_column(Text)
    comment: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())
    deleted_by: Mapped[str | None] = mapped_column(Text)
    deleted_at: Mapped[datetime | None] = mapped_column(Timestamp)
