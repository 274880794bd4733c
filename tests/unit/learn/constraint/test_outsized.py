"""A value many times as large as any before it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.program import Verdict, evaluate, synthesize

ROWS = 2_000


def _profile(index: int, column: str = "", longest: int = 0) -> Profile:
    rng = np.random.default_rng(index)
    made = {
        "code": [f"{number:02d}" for number in rng.integers(0, 30, ROWS)],
        # Free text: the longest is another one every day.
        "note": ["x" * (1 + int(length)) for length in rng.lognormal(3.0, 1.0, ROWS)],
        "photo": [b"." * int(size) for size in rng.integers(50, 100, ROWS)],
        "tags": [["a"] * int(count) for count in rng.integers(1, 6, ROWS)],
    }
    if column:
        value = made[column][0]
        # Of one character, of one byte, of one element.
        made[column][0] = value[:1] * longest  # type: ignore[call-overload]
    return profile_table(pa.table(made), f"2026-01-{index + 1:02d}")


HISTORY = [_profile(index) for index in range(12)]
PROGRAM = synthesize(HISTORY)


def _outsized(column: str = "", longest: int = 0, index: int = 12) -> list[str]:
    verdict: Verdict = evaluate(PROGRAM, _profile(index, column, longest), HISTORY)
    return [alert.message for alert in verdict.alerts if alert.rule == "outsized_value"]


@pytest.mark.parametrize("index", range(12, 18))
def test_an_ordinary_maximum_varies(index: int) -> None:
    assert _outsized(index=index) == []


@pytest.mark.parametrize(("column", "usual"), [("code", 2), ("note", 30), ("photo", 75), ("tags", 3)])
def test_one_value_a_hundred_times_the_usual_size_is_an_alert(column: str, usual: int) -> None:
    (message,) = _outsized(column, 100 * usual * (4 if column == "note" else 1))
    assert message.startswith(f"{column}: ")
    assert "; it was at most " in message
    # And a larger one is never easier to miss.
    assert len(_outsized(column, 20_000)) == 1


def test_a_longer_code_is_no_file_in_place_of_a_field() -> None:
    assert _outsized("code", 40) == []
