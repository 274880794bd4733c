from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_dq.states.moment import Moments
from airflow_dq.states.written import WrittenNumbers

NUMBERS = st.one_of(st.integers(-(10**15), 10**15).map(float), st.floats(allow_nan=False, allow_infinity=False))
FORMS = st.sampled_from(["{!r}", " {!r}", "{!r}\t", "{:.17e}"])


@given(st.lists(st.tuples(NUMBERS, FORMS), max_size=12))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_numbers_are_summarised_as_if_they_were_no_texts(values: list[tuple[float, str]]) -> None:
    numbers = [number for number, _ in values]
    written = WrittenNumbers.of(pa.array([form.format(number) for number, form in values], pa.large_string()))
    expected = Moments.of(pa.array(numbers, pa.float64()))
    for field in ("count", "total", "squares", "low", "high"):
        assert getattr(written, field) == getattr(expected, field)


@pytest.mark.parametrize("code", ["00501", "-007", "01.5", "00", " 042"])
def test_what_begins_like_a_code_is_no_number(code: str) -> None:
    assert WrittenNumbers.of(pa.array([code, "12"])) == WrittenNumbers.of(pa.array(["12"]))


@pytest.mark.parametrize("text", ["1e999", "NaN", "inf", "0x10", "1_000", "1,5", "12 EUR", "٣", "-", "", None])
def test_what_is_no_finite_number_is_left_out(text: str | None) -> None:
    assert WrittenNumbers.of(pa.array([text], pa.string())).count == 0


@pytest.mark.parametrize("text", ["0", "-0.5", "+7", "5.", ".5", "1.e3", "1E-3", "\t7\n"])
def test_each_way_to_write_a_number_is_read(text: str) -> None:
    found = WrittenNumbers.of(pa.array([text, text]))
    assert found.count == 2
    assert math.isclose(found.mean, float(text))


def test_a_hidden_column_keeps_no_value_in_clear() -> None:
    from airflow_dq.states.prepared import PreparedColumn

    column = PreparedColumn.of(pa.array([f"{number:.3f}" for number in np.random.default_rng(1).normal(size=50)]))
    shown, hidden = WrittenNumbers.of_column(column), WrittenNumbers.of_hidden(column, b"key")
    assert hidden.total == shown.total
    assert hidden.low < shown.low
    assert hidden.high > shown.high
