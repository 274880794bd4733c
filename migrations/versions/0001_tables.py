"""The tables.

Those that grow are vacuumed after a fiftieth of them has changed: at a fifth, the default, millions of dead rows would
lie between those that a gate reads.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SCHEMA = "airflow_dq"
_GROWING = ("profile_attempt", "profile", "column_profile", "column_state", "column_variant", "program", "verdict")
_SOON = ("autovacuum_vacuum_scale_factor", "autovacuum_analyze_scale_factor")


def upgrade() -> None:
    _create_dataset()
    _create_attempt()
    _create_profile()
    _create_total()
    _create_column()
    _create_program()
    _create_verdict()
    _create_origin()
    _create_alert()
    _create_review()
    _create_calendar()
    _create_rule()
    _create_pattern_index()
    for table in _GROWING:
        op.execute(f"ALTER TABLE {SCHEMA}.{table} SET ({', '.join(f'{name} = 0.02' for name in _SOON)})")


def downgrade() -> None:
    for table in (
        "pattern_index",
        "learned_rule",
        "calendar_event",
        "snooze",
        "replay",
        "review_event",
        "alert",
        "verdict_origin",
        "verdict",
        "program",
        "column_variant",
        "column_state",
        "column_profile",
        "check_total",
        "profile",
        "profile_attempt",
        "dataset",
    ):
        op.drop_table(table, schema=SCHEMA)


def _create_dataset() -> None:
    op.create_table(
        "dataset",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dataset")),
        sa.UniqueConstraint("name", name=op.f("uq_dataset_name")),
        schema=SCHEMA,
    )


def _create_attempt() -> None:
    op.create_table(
        "profile_attempt",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("dataset_id", sa.BigInteger(), nullable=False),
        sa.Column("partition_key", sa.Text(collation="C"), nullable=False),
        sa.Column("sort_key", sa.Text(collation="C"), nullable=False),
        sa.Column("state", sa.Text(), server_default="running", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("read_options", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("place", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("engine", sa.Text(), nullable=True),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('running', 'succeeded', 'failed')", name=op.f("ck_profile_attempt_state")),
        sa.ForeignKeyConstraint(
            ["dataset_id"], [f"{SCHEMA}.dataset.id"], name=op.f("fk_profile_attempt_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile_attempt")),
        schema=SCHEMA,
    )
    _index("profile_attempt", op.f("ix_profile_attempt_dataset_id"), "dataset_id", "partition_key", "id")
    _index("profile_attempt", "ix_profile_attempt_sort_key", "dataset_id", "sort_key", "id")
    _index("profile_attempt", "ix_profile_attempt_running", "dataset_id", "sort_key", where="state = 'running'")


def _create_profile() -> None:
    op.create_table(
        "profile",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("dataset_id", sa.BigInteger(), nullable=False),
        sa.Column("partition_key", sa.Text(collation="C"), nullable=False),
        sa.Column("sort_key", sa.Text(collation="C"), nullable=False),
        sa.Column("attempt_id", sa.BigInteger(), nullable=False),
        sa.Column("row_count", sa.BigInteger(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("options", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("has_states", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("has_variants", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("checks", sa.LargeBinary(), nullable=False),
        sa.Column("tallies", sa.LargeBinary(), nullable=True),
        sa.Column("held", sa.LargeBinary(), nullable=True),
        sa.Column("failing", sa.LargeBinary(), nullable=False),
        sa.Column("drilled", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt_id"], [f"{SCHEMA}.profile_attempt.id"], name=op.f("fk_profile_attempt_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["dataset_id"], [f"{SCHEMA}.dataset.id"], name=op.f("fk_profile_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile")),
        sa.UniqueConstraint("dataset_id", "partition_key", name=op.f("uq_profile_dataset_id")),
        schema=SCHEMA,
    )
    _index("profile", op.f("ix_profile_attempt_id"), "attempt_id")
    _index("profile", op.f("ix_profile_dataset_id"), "dataset_id", "updated_at")
    _index("profile", "ix_profile_sort_key", "dataset_id", "sort_key")
    for kept in ("has_states", "has_variants"):
        _index("profile", f"ix_profile_{kept}", "dataset_id", "sort_key", where=kept)


def _create_total() -> None:
    op.create_table(
        "check_total",
        sa.Column("dataset_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("sort_key", sa.Text(collation="C"), nullable=False),
        sa.Column("partitions", sa.BigInteger(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], [f"{SCHEMA}.dataset.id"], name=op.f("fk_check_total_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("dataset_id", "sort_key", name=op.f("pk_check_total")),
        schema=SCHEMA,
    )


def _create_column() -> None:
    op.create_table(
        "column_profile",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("profile_id", sa.BigInteger(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("data_type", sa.Text(), nullable=False),
        sa.Column("remark", sa.Text(), nullable=True),
        sa.Column("states_digest", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("metrics", sa.LargeBinary(), nullable=False),
        sa.Column("distances", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["profile_id"], [f"{SCHEMA}.profile.id"], name=op.f("fk_column_profile_profile_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_column_profile")),
        sa.UniqueConstraint("profile_id", "ordinal", name=op.f("uq_column_profile_profile_id")),
        schema=SCHEMA,
    )
    op.create_table(
        "column_state",
        sa.Column("column_profile_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(collation="C"), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["column_profile_id"],
            [f"{SCHEMA}.column_profile.id"],
            name=op.f("fk_column_state_column_profile_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("column_profile_id", "key", name=op.f("pk_column_state")),
        schema=SCHEMA,
    )
    op.create_table(
        "column_variant",
        sa.Column("column_profile_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["column_profile_id"],
            [f"{SCHEMA}.column_profile.id"],
            name=op.f("fk_column_variant_column_profile_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("column_profile_id", name=op.f("pk_column_variant")),
        schema=SCHEMA,
    )


def _create_program() -> None:
    op.create_table(
        "program",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("dataset_id", sa.BigInteger(), nullable=False),
        sa.Column("partition_key", sa.Text(collation="C"), nullable=False),
        sa.Column("sort_key", sa.Text(collation="C"), nullable=False),
        sa.Column("inputs", sa.Text(), nullable=True),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], [f"{SCHEMA}.dataset.id"], name=op.f("fk_program_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_program")),
        sa.UniqueConstraint("dataset_id", "partition_key", name=op.f("uq_program_dataset_id")),
        schema=SCHEMA,
    )
    _index("program", op.f("ix_program_dataset_id"), "dataset_id", "sort_key")


def _create_verdict() -> None:
    op.create_table(
        "verdict",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("dataset_id", sa.BigInteger(), nullable=False),
        sa.Column("partition_key", sa.Text(collation="C"), nullable=False),
        sa.Column("program_id", sa.BigInteger(), nullable=True),
        sa.Column("profile_fingerprint", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("headline", sa.Text(), nullable=True),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("judged_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("decision", sa.Text(), nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("alert_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("open_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("severity", sa.Text(), nullable=True),
        sa.Column("withheld", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.CheckConstraint("decision IN ('accepted', 'rejected', 'new_normal')", name=op.f("ck_verdict_decision")),
        sa.CheckConstraint(
            "status IN ('pass', 'fail', 'warming_up', 'not_evaluated', 'error')", name=op.f("ck_verdict_status")
        ),
        sa.ForeignKeyConstraint(
            ["dataset_id"], [f"{SCHEMA}.dataset.id"], name=op.f("fk_verdict_dataset_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["program_id"], [f"{SCHEMA}.program.id"], name=op.f("fk_verdict_program_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdict")),
        sa.UniqueConstraint("dataset_id", "partition_key", name=op.f("uq_verdict_dataset_id")),
        schema=SCHEMA,
    )
    _index("verdict", op.f("ix_verdict_program_id"), "program_id")
    _index("verdict", "ix_verdict_alerted", "id", where="alert_count > 0")
    _index("verdict", "ix_verdict_alerted_dataset_id", "dataset_id", "id", where="alert_count > 0")
    _index("verdict", "ix_verdict_open", "id", where="open_count > 0")


def _create_origin() -> None:
    op.create_table(
        "verdict_origin",
        sa.Column("verdict_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("dag_id", sa.Text(collation="C"), nullable=False),
        sa.Column("run_id", sa.Text(collation="C"), nullable=False),
        sa.Column("task_id", sa.Text(collation="C"), nullable=False),
        sa.Column("map_index", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("dataset_id", sa.BigInteger(), nullable=False),
        sa.Column("judged_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["verdict_id"], [f"{SCHEMA}.verdict.id"], name=op.f("fk_verdict_origin_verdict_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["dataset_id"], [f"{SCHEMA}.dataset.id"], name=op.f("fk_verdict_origin_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint(
            "verdict_id", "dag_id", "run_id", "task_id", "map_index", name=op.f("pk_verdict_origin")
        ),
        schema=SCHEMA,
    )
    _index("verdict_origin", op.f("ix_verdict_origin_dataset_id"), "dataset_id", "dag_id")
    _index("verdict_origin", op.f("ix_verdict_origin_dag_id"), "dag_id", "run_id", "task_id")


def _create_alert() -> None:
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
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("observed", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("lower", sa.Double(), nullable=True),
        sa.Column("upper", sa.Double(), nullable=True),
        sa.Column("severity", sa.Text(), server_default="fail", nullable=False),
        sa.Column("rank", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_reason", sa.Text(), nullable=True),
        sa.CheckConstraint("severity IN ('fail', 'warn')", name=op.f("ck_alert_severity")),
        sa.ForeignKeyConstraint(
            ["verdict_id"], [f"{SCHEMA}.verdict.id"], name=op.f("fk_alert_verdict_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert")),
        sa.UniqueConstraint("verdict_id", "key", name=op.f("uq_alert_verdict_id")),
        schema=SCHEMA,
    )


def _create_review() -> None:
    op.create_table(
        "review_event",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("dataset_id", sa.BigInteger(), nullable=False),
        sa.Column("partition_key", sa.Text(collation="C"), nullable=True),
        sa.Column("sort_key", sa.Text(collation="C"), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("value", postgresql.JSONB(), nullable=True),
        sa.CheckConstraint(
            "action IN ('accepted', 'rejected', 'new_normal', 'snoozed', 'unsnoozed', 'acknowledged', 'assigned', "
            "'ticket', 'noise', 'not_noise', 'event_added', 'event_deleted', 'rule_confirmed', 'rule_muted', "
            "'rule_deleted')",
            name=op.f("ck_review_event_action"),
        ),
        sa.ForeignKeyConstraint(
            ["dataset_id"], [f"{SCHEMA}.dataset.id"], name=op.f("fk_review_event_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review_event")),
        schema=SCHEMA,
    )
    _index("review_event", op.f("ix_review_event_dataset_id"), "dataset_id", "partition_key", "id")
    _index("review_event", "ix_review_event_new_normal", "dataset_id", "sort_key", where="action = 'new_normal'")
    _index("review_event", "ix_review_event_problem", "dataset_id", "sort_key", where="problem IS NOT NULL")
    op.create_table(
        "replay",
        sa.Column("dataset_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("judged", sa.Integer(), nullable=False),
        sa.Column("alarms", sa.Integer(), nullable=False),
        sa.Column("newest", sa.Text(collation="C"), nullable=False),
        sa.Column("outcomes", postgresql.JSONB(), server_default="{}", nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], [f"{SCHEMA}.dataset.id"], name=op.f("fk_replay_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("dataset_id", name=op.f("pk_replay")),
        schema=SCHEMA,
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
    _index("snooze", op.f("ix_snooze_dataset_id"), "dataset_id", "until")


def _create_calendar() -> None:
    op.create_table(
        "calendar_event",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("dataset_id", sa.BigInteger(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("effect", sa.Text(), nullable=False),
        sa.Column("first_key", sa.Text(collation="C"), nullable=False),
        sa.Column("last_key", sa.Text(collation="C"), nullable=False),
        sa.Column("low", sa.Text(collation="C"), nullable=False),
        sa.Column("high", sa.Text(collation="C"), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_by", sa.Text(), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "kind IN ('promotion', 'holiday', 'migration', 'other')", name=op.f("ck_calendar_event_kind")
        ),
        sa.CheckConstraint("effect IN ('expected', 'left_out')", name=op.f("ck_calendar_event_effect")),
        sa.ForeignKeyConstraint(
            ["dataset_id"], [f"{SCHEMA}.dataset.id"], name=op.f("fk_calendar_event_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calendar_event")),
        schema=SCHEMA,
    )
    _index("calendar_event", op.f("ix_calendar_event_dataset_id"), "dataset_id")


def _create_rule() -> None:
    op.create_table(
        "learned_rule",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("dataset_id", sa.BigInteger(), nullable=False),
        sa.Column("family", sa.Text(), nullable=False),
        sa.Column("columns", postgresql.JSONB(), nullable=False),
        sa.Column("partitions", postgresql.JSONB(), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.Text(), server_default="active", nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("state IN ('active', 'relearned', 'muted', 'dropped')", name=op.f("ck_learned_rule_state")),
        sa.ForeignKeyConstraint(
            ["dataset_id"], [f"{SCHEMA}.dataset.id"], name=op.f("fk_learned_rule_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_learned_rule")),
        schema=SCHEMA,
    )
    _index("learned_rule", op.f("ix_learned_rule_dataset_id"), "dataset_id", "id")


def _create_pattern_index() -> None:
    op.create_table(
        "pattern_index",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_pattern_index_one")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pattern_index")),
        schema=SCHEMA,
    )


def _index(table: str, name: str, *columns: str, where: str | None = None) -> None:
    """Create an index, of the rows alone for which a condition holds."""
    condition = None if where is None else sa.text(where)
    op.create_index(name, table, list(columns), schema=SCHEMA, postgresql_where=condition)
