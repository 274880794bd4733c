"""Millions of column profiles: retention finds what it drops by an index, and documents are compressed.

The results of single clauses go: nothing reads them, the verdict's document has them, and they were larger than all the
rest of a judgement.
"""

from __future__ import annotations

import zlib

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

SCHEMA = "airflow_dq"
_KEPT = ("has_states", "has_variants")
_DOCUMENTS = ("program", "verdict")


def upgrade() -> None:
    op.drop_table("clause_result", schema=SCHEMA)
    for kept in _KEPT:
        op.add_column("profile", sa.Column(kept, sa.Boolean(), server_default=sa.true(), nullable=False), schema=SCHEMA)
        op.create_index(
            f"ix_profile_{kept}",
            "profile",
            ["dataset_id", "partition_key"],
            schema=SCHEMA,
            postgresql_where=sa.text(kept),
        )
    op.create_index(
        "ix_profile_attempt_running",
        "profile_attempt",
        ["dataset_id", "partition_key"],
        schema=SCHEMA,
        postgresql_where=sa.text("state = 'running'"),
    )
    for table in _DOCUMENTS:
        # Those that are there stay as text: the package reads both, and writes compressed ones.
        op.alter_column(
            table,
            "document",
            type_=sa.LargeBinary(),
            postgresql_using="convert_to(document::text, 'UTF8')",
            schema=SCHEMA,
        )


def downgrade() -> None:
    for table in _DOCUMENTS:
        _decompress(table)
        op.alter_column(
            table, "document", type_=sa.JSON(), postgresql_using="convert_from(document, 'UTF8')::json", schema=SCHEMA
        )
    op.drop_index("ix_profile_attempt_running", table_name="profile_attempt", schema=SCHEMA)
    for kept in _KEPT:
        op.drop_index(f"ix_profile_{kept}", table_name="profile", schema=SCHEMA)
        op.drop_column("profile", kept, schema=SCHEMA)
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
            ["verdict_id"], [f"{SCHEMA}.verdict.id"], name=op.f("fk_clause_result_verdict_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("verdict_id", "ordinal", name=op.f("pk_clause_result")),
        schema=SCHEMA,
    )


def _decompress(name: str) -> None:
    """PostgreSQL cannot read what the package has compressed."""
    table = sa.table(name, sa.column("id"), sa.column("document", sa.LargeBinary()), schema=SCHEMA)
    connection = op.get_bind()
    for one in connection.execute(sa.select(table.c.id)).scalars().all():
        stored = bytes(connection.execute(sa.select(table.c.document).where(table.c.id == one)).scalar_one())
        if not stored.startswith(b"{"):
            plain = zlib.decompress(stored)
            connection.execute(table.update().where(table.c.id == one).values(document=plain))
