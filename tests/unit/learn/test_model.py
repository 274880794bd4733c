from __future__ import annotations

import subprocess
import sys

import pytest
from airflow_dq.XX import Transform

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.learn.constraint.range import Clause
from airflow_dq.learn.program import ColumnProgram
from airflow_dq.metrics.descriptor import Bound
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.states.base import Kind


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"target_fpr": 0.0}, r"target_fpr=0\.0"),
        ({"target_fpr": 1.0}, r"target_fpr=1\.0"),
        ({"target_fpr": float("nan")}, "target_fpr=nan"),
        ({"scope": "row"}, "scope='row'.*'partition' or 'column'"),
        ({"mode": "magic"}, "mode='magic'"),
        ({"min_history": 2}, "min_history=2.*at least 3"),
        ({"history": 5}, r"history=5.*at least min_history \(7\)"),
        ({"max_clauses": 0}, "max_clauses=0"),
    ],
)
def test_options_that_no_history_could_satisfy(given: dict[str, object], named: str) -> None:
    with pytest.raises(ConfigurationError, match=named):
        SynthesisOptions(**given)


def test_programs_bound_is_the_sum_of_its_clauses() -> None:
    clause = Clause("mean", "a", False, Transform(), 1.0, 2.0, 0.01, Bound.CLT, 1.5, 0.1, 30)
    assert ColumnProgram("a", Kind.NUMERIC, (clause, clause), 60, 40).fpr == 0.02


def test_options_can_be_imported_without_a_numeric_library() -> None:
    code = "import sys; from airflow_dq.program import SynthesisOptions; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
