"""Alembic's entry point.  It runs on the connection that `airflow_dq.store.migration` hands over.

There is no alembic.ini; `python migrations/new.py "what it does"` writes the next migration from the models.
"""

from __future__ import annotations

from alembic import context

from airflow_dq.store.migration import comparison_options

connection = context.config.attributes.get("connection")
if connection is None:
    raise SystemExit("Run `airflow dq db upgrade` (or airflow_dq.store.migration.upgrade): it makes the connection.")

context.configure(connection=connection, **comparison_options())
with context.begin_transaction():
    context.run_migrations()
