"""Decisions, snoozes and their audit trail; which task judged."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

SCHEMA = "airflow_dq"


def upgrade() -> None:
    op.create_table(
        "review",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("dataset_id", sa.BigInteger(), nullable=False),
        sa.Column("partition_key", sa.Text(collation="C"), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "action IN ('accepted', 'rejected', 'new_normal', 'snoozed', 'unsnoozed')", name=op.f("ck_review_action")
        ),
        sa.ForeignKeyConstraint(
            ["dataset_id"], [f"{SCHEMA}.dataset.id"], name=op.f("fk_review_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review")),
        schema=SCHEMA,
    )
    op.create_index(op.f("ix_review_dataset_id"), "review", ["dataset_id", "partition_key", "id"], schema=SCHEMA)
    op.create_index(
        "ix_review_new_normal",
        "review",
        ["dataset_id", "partition_key"],
        schema=SCHEMA,
        postgresql_where=sa.text("action = 'new_normal'"),
    )
    op.create_table(
        "snooze",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("dataset_id", sa.BigInteger(), nullable=False),
        sa.Column("column_name", sa.Text(collation="C"), nullable=True),
        sa.Column("metric", sa.Text(), nullable=True),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], [f"{SCHEMA}.dataset.id"], name=op.f("fk_snooze_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_snooze")),
        schema=SCHEMA,
    )
    op.create_index(op.f("ix_snooze_dataset_id"), "snooze", ["dataset_id", "until"], schema=SCHEMA)
    _widen_verdict()


def _widen_verdict() -> None:
    op.add_column("alert", sa.Column("rank", sa.Integer(), server_default="0", nullable=False), schema=SCHEMA)
    for column in (
        sa.Column("dag_id", sa.Text(collation="C"), nullable=True),
        sa.Column("run_id", sa.Text(collation="C"), nullable=True),
        sa.Column("task_id", sa.Text(collation="C"), nullable=True),
        sa.Column("map_index", sa.Integer(), nullable=True),
        sa.Column("alert_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("open_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("severity", sa.Text(), nullable=True),
    ):
        op.add_column("verdict", column, schema=SCHEMA)
    _set_decisions("'accepted', 'rejected', 'new_normal'")
    # 'fail' sorts before 'warn'.
    op.execute(
        f"""
        UPDATE {SCHEMA}.verdict AS v SET alert_count = a.alerts, open_count = a.open, severity = a.severity
        FROM (
            SELECT verdict_id, count(*) AS alerts, count(*) FILTER (WHERE closed_at IS NULL) AS open,
                coalesce(min(severity) FILTER (WHERE closed_at IS NULL), min(severity)) AS severity
            FROM {SCHEMA}.alert GROUP BY verdict_id
        ) AS a WHERE a.verdict_id = v.id
        """
    )
    alerted = sa.text("alert_count > 0")
    op.create_index("ix_verdict_alerted", "verdict", ["id"], schema=SCHEMA, postgresql_where=alerted)
    op.create_index(
        "ix_verdict_alerted_dataset_id", "verdict", ["dataset_id", "id"], schema=SCHEMA, postgresql_where=alerted
    )
    op.create_index("ix_verdict_open", "verdict", ["id"], schema=SCHEMA, postgresql_where=sa.text("open_count > 0"))
    op.create_index(op.f("ix_verdict_dag_id"), "verdict", ["dag_id", "dataset_id"], schema=SCHEMA)


def downgrade() -> None:
    for index in ("ix_verdict_dag_id", "ix_verdict_open", "ix_verdict_alerted_dataset_id", "ix_verdict_alerted"):
        op.drop_index(index, table_name="verdict", schema=SCHEMA)
    # The word is new: what is left of a new normal is that the partition was accepted.
    op.execute(f"UPDATE {SCHEMA}.verdict SET decision = 'accepted' WHERE decision = 'new_normal'")
    _set_decisions("'accepted', 'rejected'")
    for column in ("severity", "open_count", "alert_count", "map_index", "task_id", "run_id", "dag_id"):
        op.drop_column("verdict", column, schema=SCHEMA)
    op.drop_column("alert", "rank", schema=SCHEMA)
    op.drop_table("snooze", schema=SCHEMA)
    op.drop_table("review", schema=SCHEMA)


def _set_decisions(allowed: str) -> None:
    op.drop_constraint(op.f("ck_verdict_decision"), "verdict", schema=SCHEMA)
    op.create_check_constraint(op.f("ck_verdict_decision"), "verdict", f"decision IN ({allowed})", schema=SCHEMA)
