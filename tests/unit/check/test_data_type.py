"""The types that a check may ask for are those that columns have, and no others."""

from __future__ import annotations

import pyarrow as pa
import pytest

from airflow_dq.check import Checks
from airflow_dq.check.data_type import KINDS, require_type
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.profile.column import type_name
from airflow_dq.states.base import Kind


def test_every_kind_and_every_type_of_a_column_can_be_asked_for() -> None:
    assert tuple(Kind) == KINDS
    simple = (pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.string(), pa.null())
    days = (pa.date32(), pa.date64(), pa.timestamp("us", "UTC"), pa.time32("s"), pa.duration("ms"))
    more = (
        pa.decimal128(10, 2),
        pa.list_(pa.int64()),
        pa.map_(pa.string(), pa.int8()),
        pa.binary(4),
        pa.large_binary(),
    )
    for data_type in (*simple, *days, *more, pa.struct({"a": pa.string()}), pa.month_day_nano_interval()):
        require_type(type_name(data_type))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nmeric", "did you mean 'numeric'"),
        ("integer", "allowed: numeric, string"),
        ("varchar", "there is no type"),
        (3, "give a text"),
    ],
)
def test_a_word_that_is_no_type_is_refused_by_name(given: object, said: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"Check 'type\.a': .*{said}"):
        Checks("t").add("type", ("a",), type=given)
