"""What a person would call another level is found after a month, however many columns share the rate."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.judge.evaluation import evaluate
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from tests.unit.learn.builder import day

COLUMNS = 10


def _orders(index: int, factor: float = 1.0) -> Profile:
    rng = np.random.default_rng(index)
    columns = {f"amount_{number}": rng.gamma(4.0, 10.0, 600).round(2) for number in range(COLUMNS)}
    columns["amount_3"] = columns["amount_3"] * factor
    return profile_table(pa.table(columns), day(index), ProfileOptions(sample_rows=200))


HISTORY = [_orders(index) for index in range(31)]
PROGRAM = synthesize(HISTORY, SynthesisOptions())


@pytest.mark.parametrize("factor", [2.0, 0.5, 10.0])
def test_another_level_fails(factor: float) -> None:
    verdict = evaluate(PROGRAM, _orders(31, factor), HISTORY)
    assert {alert.column for alert in verdict.alerts} == {"amount_3"}


def test_the_usual_level_passes() -> None:
    assert evaluate(PROGRAM, _orders(31), HISTORY).status == "pass"
