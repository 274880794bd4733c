"""A column's metrics take a third of the bytes: compressed, as programs and verdicts are.

Tables that grow are vacuumed after a fiftieth of them has changed: at a fifth, the default, millions of dead rows would
lie between those that a gate reads.
"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

from airflow_dq.store.document import METRIC_WORDS, decode

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

SCHEMA = "airflow_dq"
_METRICS = ("metrics", "pairs")
_GROWING = ("profile_attempt", "profile", "column_profile", "column_state", "column_variant", "program", "verdict")
_SOON = ("autovacuum_vacuum_scale_factor", "autovacuum_analyze_scale_factor")
_ROWS_AT_ONCE = 5000


def upgrade() -> None:
    # Those that are there stay as text: the package reads both, and writes compressed ones.
    _change_type("bytea", "convert_to({0}::text, 'UTF8')")
    for table in _GROWING:
        op.execute(f"ALTER TABLE {SCHEMA}.{table} SET ({', '.join(f'{name} = 0.02' for name in _SOON)})")


def downgrade() -> None:
    for table in _GROWING:
        op.execute(f"ALTER TABLE {SCHEMA}.{table} RESET ({', '.join(_SOON)})")
    _decompress()
    _change_type("jsonb", "convert_from({0}, 'UTF8')::jsonb")


def _change_type(to: str, using: str) -> None:
    """Both columns at once: the table is written anew, once."""
    steps = [f"ALTER {name} TYPE {to} USING {using.format(name)}" for name in _METRICS]
    op.execute(
        f"ALTER TABLE {SCHEMA}.column_profile ALTER pairs DROP DEFAULT, {', '.join(steps)}, "
        f"ALTER pairs SET DEFAULT '{{}}'"
    )


def _decompress() -> None:
    """PostgreSQL cannot read what the package has compressed."""
    table = sa.table(
        "column_profile",
        sa.column("id", sa.BigInteger),
        *(sa.column(name, sa.LargeBinary) for name in _METRICS),
        schema=SCHEMA,
    )
    connection, done = op.get_bind(), 0
    change = table.update().where(table.c.id == sa.bindparam("row"))
    change = change.values({name: sa.bindparam(name) for name in _METRICS})
    batch = sa.select(table).order_by(table.c.id).limit(_ROWS_AT_ONCE)
    while rows := connection.execute(batch.where(table.c.id > done)).all():
        plain = [{name: _plain(getattr(row, name)) for name in _METRICS} for row in rows]
        connection.execute(change, [{"row": row.id, **values} for row, values in zip(rows, plain, strict=True)])
        done = rows[-1].id


def _plain(stored: bytes) -> bytes:
    return json.dumps(decode(bytes(stored), METRIC_WORDS)).encode()
