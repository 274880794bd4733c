from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_dq.states.text import TextShape


def test_what_is_counted() -> None:
    shape = TextShape.of(pa.array(["AB-12", " pad", "tail\t", "Zürich", "", None, "a\x00"]))
    assert shape == TextShape(
        count=5,
        length=5 + 4 + 5 + 6 + 2,
        letters=2 + 3 + 4 + 6 + 1,
        digits=2,
        punctuation=1,
        whitespace=2,
        upper=2 + 1,
        lower=3 + 4 + 5 + 1,
        control=2,
        leading_blank=1,
        trailing_blank=1,
        non_ascii=1,
        with_control=2,
    )


@given(st.lists(st.text(max_size=8), max_size=10))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_against_python_strings(values: list[str]) -> None:
    shape = TextShape.of(pa.array(values, pa.string()))
    present = [value for value in values if value]
    assert shape.count == len(present)
    assert shape.length == sum(map(len, present))
    assert shape.whitespace == sum(c.isspace() for value in present for c in value)
    assert shape.leading_blank == sum(value[0].isspace() for value in present)
    assert shape.trailing_blank == sum(value[-1].isspace() for value in present)
    assert shape.non_ascii == sum(not value.isascii() for value in present)
    assert shape.digits == sum(c.isdecimal() for value in present for c in value)
    assert shape.letters == sum(c.isalpha() for value in present for c in value)


NUMBERS = ["0", "-1", "+1.5", ".5", "5.", "1e3", "1.5E-10", " 12 ", "00123", "1\n"]
OTHERS = ["", "1,000", "0x1f", "1_000", "NaN", "inf", "1e", "e5", ".", "-", "1.2.3", "2022-03-01", "12 34", "١٢", "5é"]


def test_strings_that_read_as_numbers_are_counted() -> None:
    assert TextShape.of(pa.array(NUMBERS)).numeric == len(NUMBERS)
    assert TextShape.of(pa.array(OTHERS)).numeric == 0
    # Beside a character beyond ASCII the whole array takes the other way.
    assert TextShape.of(pa.array([*NUMBERS, *OTHERS, "Zürich"])).numeric == len(NUMBERS)
    for text in NUMBERS:
        assert float(text) is not None
