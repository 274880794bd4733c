from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["airflow_dq.states.base", "airflow_dq.metrics.registry", "airflow_dq.learn.model"])
def test_vocabulary_modules_import_no_numeric_library(module: str) -> None:
    code = f"import {module}, sys; print(sorted({{'numpy', 'pyarrow', 'scipy'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_first_look_up_finds_everything() -> None:
    code = (
        "from airflow_dq.metrics.registry import metrics_for; from airflow_dq.states.base import Kind, state_types;"
        "print(len(metrics_for(Kind.STRING)) > 15, len(state_types()) > 5)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]
