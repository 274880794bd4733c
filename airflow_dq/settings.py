"""Names that the whole package agrees on, and what is read from the environment."""

from __future__ import annotations

import os

DEFAULT_CONN_ID = "dq_default"
"""Airflow connection to the statistics database when no other is named."""
SCHEMA = "airflow_dq"
"""PostgreSQL schema that holds all tables, and the version table of the migrations."""
DSN_VARIABLE = "AIRFLOW_DQ_DSN"
"""Environment variable with the database's URL; it wins over the Airflow connection."""

SOURCE_VARIABLE = "AIRFLOW_DQ_SOURCE_SECRET"
"""Environment variable with the options of a source's reader that no command line may show, as a JSON object."""

REVIEW_PATH = "/dq-alerts"
"""Path of the review pages below Airflow's own.  ``/dq`` belongs to the PyPI distribution ``airflow-dq``."""

HASH_KEY_VARIABLE = "AIRFLOW_DQ_HASH_SECRET"
"""Environment variable with the secret that hashes values which must not be stored.

Spark's own ``spark.redaction.regex`` knows a secret by this name: it stands in no event log and on no page.
"""
HASH_SECRET_LENGTH = 16
"""Fewest characters of that secret: a shorter one is found by trying."""
REDACTED = f"{DSN_VARIABLE}|{HASH_KEY_VARIABLE}"
"""What ``spark.redaction.regex`` has to match: variables whose values no log and no page of Spark may show."""
SPARK_REDACTION = "(?i)secret|password|token|access[.]?key"
"""The regular expression that Spark redacts by when nobody has set another."""


def dsn_from_environment() -> str | None:
    """The database URL in ``AIRFLOW_DQ_DSN``, or None when it is unset or blank."""
    return os.environ.get(DSN_VARIABLE, "").strip() or None


def hash_key_from_environment() -> str | None:
    """The secret in ``AIRFLOW_DQ_HASH_SECRET``, or None when it is unset or blank."""
    return os.environ.get(HASH_KEY_VARIABLE, "").strip() or None
