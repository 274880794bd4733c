"""Names that the whole package agrees on, and what is read from the environment."""

from __future__ import annotations

import os

DEFAULT_CONN_ID = "dq_default"
"""Airflow connection to the statistics database when no other is named."""
SCHEMA = "airflow_dq"
"""PostgreSQL schema that holds all tables, and the version table of the migrations."""
DSN_VARIABLE = "AIRFLOW_DQ_DSN"
"""Environment variable with the database's URL; it wins over the Airflow connection."""

REVIEW_PATH = "/dq-alerts"
"""Path of the review pages below Airflow's own.  ``/dq`` belongs to the PyPI distribution ``airflow-dq``."""

HASH_KEY_VARIABLE = "AIRFLOW_DQ_HASH_KEY"
"""Environment variable with the secret that hashes values which must not be stored."""


def dsn_from_environment() -> str | None:
    """The database URL in ``AIRFLOW_DQ_DSN``, or None when it is unset or blank."""
    return os.environ.get(DSN_VARIABLE, "").strip() or None


def hash_key_from_environment() -> str | None:
    """The secret in ``AIRFLOW_DQ_HASH_KEY``, or None when it is unset or blank."""
    return os.environ.get(HASH_KEY_VARIABLE, "").strip() or None
