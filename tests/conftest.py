"""Before anything imports Airflow: a home of its own for the tests, and nobody's statistics database."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

_HOME = tempfile.mkdtemp(prefix="airflow-dq-tests-")
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)

os.environ.update(
    AIRFLOW_HOME=_HOME,
    AIRFLOW__CORE__LOAD_EXAMPLES="False",
    AIRFLOW__CORE__UNIT_TEST_MODE="False",
    AIRFLOW__DATABASE__SQL_ALCHEMY_CONN=f"sqlite:///{_HOME}/airflow.db",
)
os.environ.pop("AIRFLOW_DQ_DSN", None)
