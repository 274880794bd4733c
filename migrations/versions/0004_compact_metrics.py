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
    connection, done = op.get_bind(), 0
    batch = sa.text(
        f"SELECT id, metrics, pairs FROM {SCHEMA}.column_profile WHERE id > :done ORDER BY id LIMIT {_ROWS_AT_ONCE}"
    )
    change = sa.text(
        f"UPDATE {SCHEMA}.column_profile AS stored SET metrics = convert_to(plain.metrics, 'UTF8'), "
        "pairs = convert_to(plain.pairs, 'UTF8') "
        "FROM unnest(CAST(:ids AS bigint[]), CAST(:metrics AS text[]), CAST(:pairs AS text[])) "
        "AS plain (id, metrics, pairs) WHERE stored.id = plain.id"
    )
    while rows := connection.execute(batch, {"done": done}).all():
        plain = {name: [_plain(getattr(row, name)) for row in rows] for name in _METRICS}
        connection.execute(change, {"ids": [row.id for row in rows], **plain})
        done = rows[-1].id


def _plain(stored: bytes) -> str:
    return json.dumps(decode(bytes(stored), METRIC_WORDS))
