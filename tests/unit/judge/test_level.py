"""What a person would call another level is found after a week, however many columns share the rate."""

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


def _orders(index: int, factor: float = 1.0, share: float = 1.0) -> Profile:
    rng = np.random.default_rng(index)
    rows = round(share * rng.integers(570, 630))
    columns = {f"amount_{number}": rng.gamma(4.0, 10.0, rows).round(2) for number in range(COLUMNS)}
    columns["amount_3"] = columns["amount_3"] * factor
    return profile_table(pa.table(columns), day(index), ProfileOptions(sample_rows=200))


HISTORY = [_orders(index) for index in range(31)]


@pytest.mark.parametrize("partitions", [7, 14, 31])
def test_another_level_fails_and_the_usual_one_passes(partitions: int) -> None:
    history = HISTORY[-partitions:]
    program = synthesize(history, SynthesisOptions())
    assert evaluate(program, _orders(31), history).status == "pass"
    for factor in (2.0, 0.4, 10.0):
        verdict = evaluate(program, _orders(31, factor), history)
        assert {alert.column for alert in verdict.alerts} == {"amount_3"}, factor


@pytest.mark.parametrize("partitions", [7, 14, 31])
def test_half_of_the_rows_is_found_missing(partitions: int) -> None:
    history = HISTORY[-partitions:]
    verdict = evaluate(synthesize(history, SynthesisOptions()), _orders(31, share=0.45), history)
    assert verdict.table.status == "fail"
