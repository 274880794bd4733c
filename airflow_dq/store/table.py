"""The tables, in PostgreSQL schema ``airflow_dq``.

Text keys collate "C": they order by their bytes, the same on every server and in Python.  Partitions are ordered by
``sort_key``, which :func:`~airflow_dq.options.key.order_key` makes of their keys.  Names of datasets, partitions and
columns are data in rows, never identifiers.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
    false,
    func,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

import airflow_dq.store.table_review  # noqa: F401  (the other tables of the same base)
from airflow_dq.settings import SCHEMA
from airflow_dq.store.document import Document, Metrics
from airflow_dq.store.table_base import Base, Key, Timestamp, id_column, owner_column, sort_key_of

REVISION = "0001"
"""The migration that these models are in step with (a test compares it with the head of the migrations)."""


class DatasetRow(Base):
    """A recurring table."""

    __tablename__ = "dataset"
    __table_args__ = (UniqueConstraint("name"),)

    id: Mapped[int] = id_column()
    name: Mapped[str] = mapped_column(Key)
    created_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())


class AttemptRow(Base):
    """One attempt to profile a partition; a later one of the same partition fences off the earlier ones."""

    __tablename__ = "profile_attempt"
    __table_args__ = (
        CheckConstraint("state IN ('running', 'succeeded', 'failed')", name="state"),
        Index(None, "dataset_id", "partition_key", "id"),
        Index("ix_profile_attempt_sort_key", "dataset_id", "sort_key", "id"),
        Index("ix_profile_attempt_running", "dataset_id", "sort_key", postgresql_where=text("state = 'running'")),
    )

    id: Mapped[int] = id_column()
    dataset_id: Mapped[int] = owner_column("dataset")
    partition_key: Mapped[str] = mapped_column(Key)
    sort_key: Mapped[str] = mapped_column(Key, default=sort_key_of)
    state: Mapped[str] = mapped_column(Text, server_default="running")
    error: Mapped[str | None] = mapped_column(Text)
    source: Mapped[str | None] = mapped_column(Text)
    read_options: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default="{}")
    place: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default="{}")
    """Where the rows are: ``path``, ``pattern``, ``table``, ``sql``, ``partition_by``; empty for what was imported."""
    engine: Mapped[str | None] = mapped_column(Text)
    """What read the data, and its version (``spark 4.2.0``)."""
    version: Mapped[str] = mapped_column(Text)
    """Version of this package."""
    started_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())
    finished_at: Mapped[datetime | None] = mapped_column(Timestamp)


class ProfileRow(Base):
    """The current profile of a partition: one row, replaced as a whole."""

    __tablename__ = "profile"
    __table_args__ = (
        UniqueConstraint("dataset_id", "partition_key"),
        Index(None, "dataset_id", "updated_at"),
        Index("ix_profile_sort_key", "dataset_id", "sort_key"),
        # Retention looks for the few profiles that still have them.
        Index("ix_profile_has_states", "dataset_id", "sort_key", postgresql_where=text("has_states")),
        Index("ix_profile_has_variants", "dataset_id", "sort_key", postgresql_where=text("has_variants")),
    )

    id: Mapped[int] = id_column()
    dataset_id: Mapped[int] = owner_column("dataset")
    partition_key: Mapped[str] = mapped_column(Key)
    sort_key: Mapped[str] = mapped_column(Key, default=sort_key_of)
    attempt_id: Mapped[int] = owner_column("profile_attempt", index=True)
    row_count: Mapped[int] = mapped_column(BigInteger)
    fingerprint: Mapped[str] = mapped_column(Text)
    options: Mapped[dict[str, Any]] = mapped_column(JSONB)
    has_states: Mapped[bool] = mapped_column(server_default=true())
    """Whether its columns' states may still be there; retention drops them."""
    has_variants: Mapped[bool] = mapped_column(server_default=true())
    """The same of the injected variants."""
    checks: Mapped[dict[str, Any]] = mapped_column(Document)
    """What a declared check measures -> what was measured for it."""
    tallies: Mapped[bytes | None] = mapped_column(LargeBinary)
    """What the checks of all partitions so far need of this one, packed; None where there are none."""
    held: Mapped[bytes | None] = mapped_column(LargeBinary)
    """What relations between rows are judged by, in this partition and the next ones, packed; of the newest alone."""
    failing: Mapped[dict[str, Any]] = mapped_column(Document)
    """What a declared check of each row measures -> some of the rows that fail it; retention drops them with states."""
    drilled: Mapped[dict[str, Any] | None] = mapped_column(Document)
    """Which slices carry its change, with some of their rows; None where nobody has looked; dropped with states."""
    created_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())


class CheckTotalRow(Base):
    """What the checks of all partitions so far need of all up to one: merged, so that fewer are to be read."""

    __tablename__ = "check_total"

    dataset_id: Mapped[int] = owner_column("dataset", primary_key=True, autoincrement=False)
    sort_key: Mapped[str] = mapped_column(Key, primary_key=True)
    """That of the last of them."""
    partitions: Mapped[int] = mapped_column(BigInteger)
    """How many they are."""
    data: Mapped[bytes] = mapped_column(LargeBinary)


class ColumnRow(Base):
    """One column of a profile; together a profile's columns are the schema the partition was read with."""

    __tablename__ = "column_profile"
    __table_args__ = (UniqueConstraint("profile_id", "ordinal"),)

    id: Mapped[int] = id_column()
    profile_id: Mapped[int] = owner_column("profile")
    ordinal: Mapped[int]
    name: Mapped[str] = mapped_column(Key)
    kind: Mapped[str] = mapped_column(Text)
    data_type: Mapped[str] = mapped_column(Text)
    remark: Mapped[str | None] = mapped_column(Text)
    states_digest: Mapped[str] = mapped_column(Text)
    fingerprint: Mapped[str] = mapped_column(Text)
    metrics: Mapped[dict[str, Any]] = mapped_column(Metrics)
    """Name -> finite number, or ``{"reason": "..."}``."""
    distances: Mapped[dict[str, Any]] = mapped_column(Metrics)
    """Fingerprint of a baseline -> two-distribution metrics, as above: measured while both sides' states are kept."""


class StateRow(Base):
    """One encoded state of a column."""

    __tablename__ = "column_state"

    column_profile_id: Mapped[int] = owner_column("column_profile", primary_key=True, autoincrement=False)
    key: Mapped[str] = mapped_column(Key, primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class VariantRow(Base):
    """The injected variants of a column; kept for the partitions that may be learned from next."""

    __tablename__ = "column_variant"

    column_profile_id: Mapped[int] = owner_column("column_profile", primary_key=True, autoincrement=False)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class ProgramRow(Base):
    """The program that a partition was judged by."""

    __tablename__ = "program"
    __table_args__ = (UniqueConstraint("dataset_id", "partition_key"), Index(None, "dataset_id", "sort_key"))

    id: Mapped[int] = id_column()
    dataset_id: Mapped[int] = owner_column("dataset")
    partition_key: Mapped[str] = mapped_column(Key)
    sort_key: Mapped[str] = mapped_column(Key, default=sort_key_of)
    inputs: Mapped[str | None] = mapped_column(Text)
    """Digest of what it was synthesized from; equal inputs, equal program."""
    document: Mapped[dict[str, Any]] = mapped_column(Document)
    created_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())


class VerdictRow(Base):
    """The current verdict on a partition, and what a person said about it.

    It speaks of the profile with ``profile_fingerprint``: once the partition is profiled anew with other content, the
    partition is not judged.
    """

    __tablename__ = "verdict"
    __table_args__ = (
        CheckConstraint("status IN ('pass', 'fail', 'warming_up', 'not_evaluated', 'error')", name="status"),
        CheckConstraint("decision IN ('accepted', 'rejected', 'new_normal')", name="decision"),
        UniqueConstraint("dataset_id", "partition_key"),
        # What a person pages through: the few partitions with alerts among the many without.
        Index("ix_verdict_alerted", "id", postgresql_where=text("alert_count > 0")),
        Index("ix_verdict_alerted_dataset_id", "dataset_id", "id", postgresql_where=text("alert_count > 0")),
        Index("ix_verdict_open", "id", postgresql_where=text("open_count > 0")),
    )

    id: Mapped[int] = id_column()
    dataset_id: Mapped[int] = owner_column("dataset")
    partition_key: Mapped[str] = mapped_column(Key)
    program_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(f"{SCHEMA}.program.id", ondelete="SET NULL"), index=True
    )
    profile_fingerprint: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text)
    reason: Mapped[str | None] = mapped_column(Text)
    headline: Mapped[str | None] = mapped_column(Text)
    """Its worst problem in one line, and how many more there are; None without any."""
    document: Mapped[dict[str, Any]] = mapped_column(Document)
    created_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())
    judged_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())
    decision: Mapped[str | None] = mapped_column(Text)
    decided_by: Mapped[str | None] = mapped_column(Text)
    decided_at: Mapped[datetime | None] = mapped_column(Timestamp)
    comment: Mapped[str | None] = mapped_column(Text)
    alert_count: Mapped[int] = mapped_column(server_default="0")
    """Alerts, open and closed; this and the next two repeat what the alerts say, so that a list needs no count."""
    open_count: Mapped[int] = mapped_column(server_default="0")
    severity: Mapped[str | None] = mapped_column(Text)
    """The worst of the open alerts, of all when none is open."""
    withheld: Mapped[bool] = mapped_column(server_default=false())
    """Whether the partition stays out of every history, also once it is profiled anew with other content; see
    :mod:`airflow_dq.store.eligibility`."""


class OriginRow(Base):
    """A task that has judged a partition: several DAGs may gate one dataset, and share its verdicts."""

    __tablename__ = "verdict_origin"
    __table_args__ = (
        Index(None, "dataset_id", "dag_id"),
        Index(None, "dag_id", "run_id", "task_id"),
    )

    verdict_id: Mapped[int] = owner_column("verdict", primary_key=True, autoincrement=False)
    dag_id: Mapped[str] = mapped_column(Key, primary_key=True)
    run_id: Mapped[str] = mapped_column(Key, primary_key=True)
    task_id: Mapped[str] = mapped_column(Key, primary_key=True)
    map_index: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    owner: Mapped[str | None] = mapped_column(Text)
    """Who answers for the task."""
    dataset_id: Mapped[int] = owner_column("dataset")
    judged_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())


class AlertRow(Base):
    """One alert of a verdict; judging the partition again keeps its id, and closes it when it is no longer true."""

    __tablename__ = "alert"
    __table_args__ = (
        CheckConstraint("severity IN ('fail', 'warn')", name="severity"),
        UniqueConstraint("verdict_id", "key"),
    )

    id: Mapped[int] = id_column()
    verdict_id: Mapped[int] = owner_column("verdict")
    key: Mapped[str] = mapped_column(Text)
    """Rule, column, metric and their occurrence, as JSON: what makes it the same alert again."""
    rule: Mapped[str] = mapped_column(Text)
    column_name: Mapped[str | None] = mapped_column(Key)
    metric: Mapped[str | None] = mapped_column(Text)
    message: Mapped[str] = mapped_column(Text)
    headline: Mapped[str] = mapped_column(Text)
    """What its problem is called, where it speaks for one; else the message with its likely cause in front."""
    problem: Mapped[str] = mapped_column(Text)
    """Key of the problem that it is evidence of: the same on the following day."""
    owner: Mapped[str | None] = mapped_column(Text)
    """Whom it concerns, as the declared check says that gave it."""
    observed: Mapped[float | None]
    reason: Mapped[str | None] = mapped_column(Text)
    lower: Mapped[float | None]
    upper: Mapped[float | None]
    severity: Mapped[str] = mapped_column(Text, server_default="fail")
    rank: Mapped[int] = mapped_column(server_default="0")
    """Place among the verdict's alerts; 0 speaks for the others."""
    created_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())
    closed_at: Mapped[datetime | None] = mapped_column(Timestamp)
    """When a person decided, or a later judgement of the partition no longer gave it; None while it is open."""
    closed_reason: Mapped[str | None] = mapped_column(Text)


class LearnedRuleRow(Base):
    """A rule on rows that was learned of a dataset.  Another one may take its place; what was judged by it stays."""

    __tablename__ = "learned_rule"
    __table_args__ = (
        CheckConstraint("state IN ('active', 'relearned', 'muted', 'dropped')", name="state"),
        Index(None, "dataset_id", "id"),
    )

    id: Mapped[int] = id_column()
    dataset_id: Mapped[int] = owner_column("dataset")
    family: Mapped[str] = mapped_column(Text)
    columns: Mapped[list[str]] = mapped_column(JSONB)
    """The names of the columns that it reads."""
    partitions: Mapped[list[str]] = mapped_column(JSONB)
    """Keys of the partitions that it was learned from, oldest first."""
    document: Mapped[dict[str, Any]] = mapped_column(Document)
    """What a row is asked, and all that the family keeps of the rule."""
    state: Mapped[str] = mapped_column(Text, server_default="active")
    reason: Mapped[str] = mapped_column(Text)
    """Why it was learned."""
    created_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())
    changed_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())


class PatternIndexRow(Base):
    """What the string columns of a lake look like: one row, replaced as a whole."""

    __tablename__ = "pattern_index"
    __table_args__ = (CheckConstraint("id = 1", name="one"),)

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    data: Mapped[bytes] = mapped_column(LargeBinary)
    """As :meth:`airflow_dq.pattern.PatternIndex.to_bytes` writes it, every table's contribution apart."""
    updated_at: Mapped[datetime] = mapped_column(Timestamp, server_default=func.now())
