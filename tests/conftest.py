"""Before anything imports Airflow: a home of its own for the tests, and nobody's statistics database."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile

from hypothesis import HealthCheck, settings

_HOME = tempfile.mkdtemp(prefix="airflow-dq-tests-")
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)

os.environ.update(
    AIRFLOW_HOME=_HOME,
    AIRFLOW__CORE__LOAD_EXAMPLES="False",
    AIRFLOW__CORE__UNIT_TEST_MODE="False",
    AIRFLOW__DATABASE__SQL_ALCHEMY_CONN=f"sqlite:///{_HOME}/airflow.db",
)
os.environ.pop("AIRFLOW_DQ_DSN", None)

# Many tests start processes that import Airflow: 7 s when each compiles it anew, 3 s when they find its bytecode. Where
# none may be left beside the sources, it is kept for this run only.
if sys.dont_write_bytecode:
    del os.environ["PYTHONDONTWRITEBYTECODE"]
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = f"{_HOME}/bytecode"
    sys.dont_write_bytecode = False

# Every run of `make test` draws the same examples, as many as it has time for; a search for more of them, anew each
# time: HYPOTHESIS_PROFILE=thorough make test.  A machine may be slow: no example has a deadline.
settings.register_profile(
    "fast", max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("fast"), max_examples=300, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))
