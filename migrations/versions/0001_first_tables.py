"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "dataset",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dataset")),
        sa.UniqueConstraint("name", name=op.f("uq_dataset_name")),
        schema="airflow_dq",
    )
    op.create_table(
        "profile_attempt",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("dataset_id", sa.BigInteger(), nullable=False),
        sa.Column("partition_key", sa.Text(collation="C"), nullable=False),
        sa.Column("state", sa.Text(), server_default="running", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("read_options", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("engine", sa.Text(), nullable=True),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('running', 'succeeded', 'failed')", name=op.f("ck_profile_attempt_state")),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["airflow_dq.dataset.id"], name=op.f("fk_profile_attempt_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile_attempt")),
        schema="airflow_dq",
    )
    op.create_index(
        op.f("ix_profile_attempt_dataset_id"),
        "profile_attempt",
        ["dataset_id", "partition_key", "id"],
        unique=False,
        schema="airflow_dq",
    )
    op.create_table(
        "program",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("dataset_id", sa.BigInteger(), nullable=False),
        sa.Column("partition_key", sa.Text(collation="C"), nullable=False),
        sa.Column("inputs", sa.Text(), nullable=True),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["airflow_dq.dataset.id"], name=op.f("fk_program_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_program")),
        sa.UniqueConstraint("dataset_id", "partition_key", name=op.f("uq_program_dataset_id")),
        schema="airflow_dq",
    )
    op.create_table(
        "profile",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("dataset_id", sa.BigInteger(), nullable=False),
        sa.Column("partition_key", sa.Text(collation="C"), nullable=False),
        sa.Column("attempt_id", sa.BigInteger(), nullable=False),
        sa.Column("row_count", sa.BigInteger(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("options", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["airflow_dq.profile_attempt.id"], name=op.f("fk_profile_attempt_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["airflow_dq.dataset.id"], name=op.f("fk_profile_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile")),
        sa.UniqueConstraint("dataset_id", "partition_key", name=op.f("uq_profile_dataset_id")),
        schema="airflow_dq",
    )
    op.create_index(op.f("ix_profile_attempt_id"), "profile", ["attempt_id"], unique=False, schema="airflow_dq")
    op.create_index(
        op.f("ix_profile_dataset_id"), "profile", ["dataset_id", "updated_at"], unique=False, schema="airflow_dq"
    )
    op.create_table(
        "verdict",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("dataset_id", sa.BigInteger(), nullable=False),
        sa.Column("partition_key", sa.Text(collation="C"), nullable=False),
        sa.Column("program_id", sa.BigInteger(), nullable=True),
        sa.Column("profile_fingerprint", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("judged_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("decision", sa.Text(), nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.CheckConstraint("decision IN ('accepted', 'rejected')", name=op.f("ck_verdict_decision")),
        sa.CheckConstraint(
            "status IN ('pass', 'fail', 'warming_up', 'not_evaluated', 'error')", name=op.f("ck_verdict_status")
        ),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["airflow_dq.dataset.id"], name=op.f("fk_verdict_dataset_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["program_id"], ["airflow_dq.program.id"], name=op.f("fk_verdict_program_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdict")),
        sa.UniqueConstraint("dataset_id", "partition_key", name=op.f("uq_verdict_dataset_id")),
        schema="airflow_dq",
    )
    op.create_index(op.f("ix_verdict_program_id"), "verdict", ["program_id"], unique=False, schema="airflow_dq")
    op.create_table(
        "alert",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("verdict_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("column_name", sa.Text(collation="C"), nullable=True),
        sa.Column("metric", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("headline", sa.Text(), nullable=False),
        sa.Column("observed", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("lower", sa.Double(), nullable=True),
        sa.Column("upper", sa.Double(), nullable=True),
        sa.Column("fpr", sa.Double(), nullable=True),
        sa.Column("severity", sa.Text(), server_default="fail", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_reason", sa.Text(), nullable=True),
        sa.CheckConstraint("severity IN ('fail', 'warn')", name=op.f("ck_alert_severity")),
        sa.ForeignKeyConstraint(
            ["verdict_id"], ["airflow_dq.verdict.id"], name=op.f("fk_alert_verdict_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert")),
        sa.UniqueConstraint("verdict_id", "key", name=op.f("uq_alert_verdict_id")),
        schema="airflow_dq",
    )
    op.create_table(
        "clause_result",
        sa.Column("verdict_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ordinal", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("column_name", sa.Text(collation="C"), nullable=True),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("observed", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("lower", sa.Double(), nullable=True),
        sa.Column("upper", sa.Double(), nullable=True),
        sa.Column("fpr", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["verdict_id"], ["airflow_dq.verdict.id"], name=op.f("fk_clause_result_verdict_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("verdict_id", "ordinal", name=op.f("pk_clause_result")),
        schema="airflow_dq",
    )
    op.create_table(
        "column_profile",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("profile_id", sa.BigInteger(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("data_type", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("states_digest", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("metrics", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("pairs", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.ForeignKeyConstraint(
            ["profile_id"], ["airflow_dq.profile.id"], name=op.f("fk_column_profile_profile_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_column_profile")),
        sa.UniqueConstraint("profile_id", "ordinal", name=op.f("uq_column_profile_profile_id")),
        schema="airflow_dq",
    )
    op.create_table(
        "column_state",
        sa.Column("column_profile_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(collation="C"), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["column_profile_id"],
            ["airflow_dq.column_profile.id"],
            name=op.f("fk_column_state_column_profile_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("column_profile_id", "key", name=op.f("pk_column_state")),
        schema="airflow_dq",
    )
    op.create_table(
        "column_variant",
        sa.Column("column_profile_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["column_profile_id"],
            ["airflow_dq.column_profile.id"],
            name=op.f("fk_column_variant_column_profile_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("column_profile_id", name=op.f("pk_column_variant")),
        schema="airflow_dq",
    )


def downgrade() -> None:
    op.drop_table("column_variant", schema="airflow_dq")
    op.drop_table("column_state", schema="airflow_dq")
    op.drop_table("column_profile", schema="airflow_dq")
    op.drop_table("clause_result", schema="airflow_dq")
    op.drop_table("alert", schema="airflow_dq")
    op.drop_index(op.f("ix_verdict_program_id"), table_name="verdict", schema="airflow_dq")
    op.drop_table("verdict", schema="airflow_dq")
    op.drop_index(op.f("ix_profile_dataset_id"), table_name="profile", schema="airflow_dq")
    op.drop_index(op.f("ix_profile_attempt_id"), table_name="profile", schema="airflow_dq")
    op.drop_table("profile", schema="airflow_dq")
    op.drop_table("program", schema="airflow_dq")
    op.drop_index(op.f("ix_profile_attempt_dataset_id"), table_name="profile_attempt", schema="airflow_dq")
    op.drop_table("profile_attempt", schema="airflow_dq")
    op.drop_table("dataset", schema="airflow_dq")
