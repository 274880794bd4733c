from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.evaluate import measure
from airflow_dq.states.base import Kind, states_of


def measured(values: np.ndarray) -> dict[str, object]:
    return measure(Kind.NUMERIC, states_of(Kind.NUMERIC, pa.array(values)))


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_skewness_and_kurtosis_of_a_sketch_are_close(offset: float) -> None:
    values = offset + np.random.default_rng(0).gamma(2.0, 300.0, 40_000)
    metrics = measured(values)
    assert metrics["skewness"] == pytest.approx(stats.skew(values), rel=0.01)
    assert metrics["kurtosis"] == pytest.approx(stats.kurtosis(values), rel=0.02)


def test_a_constant_has_no_shape() -> None:
    for values in (np.full(9, 0.1), np.array([1e308]), np.array([5e-324, 5e-324])):
        assert measured(values)["skewness"] is measured(values)["kurtosis"] is Reason.NOT_APPLICABLE


def test_extreme_values_have_a_shape() -> None:
    for scale in (1e300, 1e-300):
        values = scale * np.array([1.0, 2.0, 2.0, 9.0])
        assert measured(values)["skewness"] == pytest.approx(stats.skew([1.0, 2.0, 2.0, 9.0]))


_ALL_DIGITS = """
import numpy as np, pyarrow as pa
from airflow_dq.metrics.evaluate import compare, measure
from airflow_dq.states.base import Kind, states_of

random = np.random.default_rng(0)
numbers = [pa.array(random.gamma(2.0, 300.0, 20_000)) for _ in range(8)]
words = [pa.array(random.integers(0, 12_000, 60_000)).cast(pa.large_string()) for _ in range(8)]
for values in numbers:
    print(measure(Kind.NUMERIC, states_of(Kind.NUMERIC, values)))
for now, before in zip(words, words[1:]):
    print(compare(Kind.STRING, *(states_of(Kind.STRING, values) for values in (now, before))))
"""


def test_no_digit_depends_on_the_number_of_processors() -> None:
    # NumPy's dot product of long arrays is summed in as many parts as there are threads.
    printed = [
        subprocess.run(
            [sys.executable, "-c", _ALL_DIGITS],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert len(printed[0].splitlines()) == 15
    assert printed[0] == printed[1]
