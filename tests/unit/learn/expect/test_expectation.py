from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from airflow_dq.learn.expect.expectation import Expectation, Forecast


def test_every_positive_number_comes_back_from_its_scale() -> None:
    """The largest ones, too: a bound that overflows would be one that no value can keep."""
    expected = Expectation(Forecast.LEVEL, logarithmic=True, center=0.0, cycle=1)
    values = np.array([5e-324, 1e-300, 1.0, 1e300, 1.2e307, sys.float_info.max])
    back = [expected.from_scale(value) for value in expected.to_scale(values).tolist()]
    assert back == pytest.approx(values, rel=1e-12)
    assert expected.from_scale(710.0) == math.inf
