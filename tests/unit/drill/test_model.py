from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from airflow_dq.drill.model import Condition


@pytest.mark.parametrize(
    ("value", "words", "sql"),
    [
        ("a'b\\c", "`we``ird` = 'a\\'b\\\\c'", None),
        (None, "`we``ird` IS NULL", None),
        (True, "`we``ird` = true", None),
        (3, "`we``ird` = 3", None),
        (date(2026, 1, 31), "`we``ird` = DATE'2026-01-31'", None),
    ],
)
def test_a_condition_is_written_as_spark_reads_it(value: Any, words: str, sql: None) -> None:
    assert Condition("we`ird", value).sql == words
