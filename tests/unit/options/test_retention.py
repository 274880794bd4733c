"""The retention policy keeps what its parts need of each other, and costs a DAG file nothing."""

from __future__ import annotations

import subprocess
import sys

from airflow_dq.metrics.registry import largest_pool
from airflow_dq.options.retention import RETENTION, RetentionPolicy


def test_states_reach_as_far_back_as_the_oldest_errors_are_compared() -> None:
    assert RetentionPolicy(with_injected_errors=2).with_states(3) == 5
    assert RETENTION.with_states(largest_pool()) == RETENTION.with_injected_errors + largest_pool()


def test_no_error_is_injected_in_vain() -> None:
    assert 1 <= RETENTION.injected_by_job <= RETENTION.with_injected_errors


def test_it_imports_nothing_numeric() -> None:
    code = "import sys, airflow_dq.options.retention; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
