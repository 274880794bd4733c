"""What may enter a JSONB column."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.exceptions import CodecError, StoreError
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.store.value import (
    decode_metrics,
    encode_metrics,
    finite,
    storable_key,
    storable_text,
    strict_json,
)

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.dictionaries(st.text(), st.one_of(numbers, st.sampled_from(Reason))))
def test_metrics_round_trip_through_json(metrics: dict[str, float | Reason]) -> None:
    assert decode_metrics(json.loads(strict_json(encode_metrics(metrics)))) == metrics


def test_numbers_without_a_value_become_reasons() -> None:
    encoded = encode_metrics({"a": math.nan, "b": math.inf, "c": -math.inf, "d": -0.0, "e": 3})
    assert encoded == {
        "a": {"reason": "not applicable"},
        "b": {"reason": "overflow"},
        "c": {"reason": "overflow"},
        "d": 0.0,
        "e": 3.0,
    }
    assert math.copysign(1, encoded["d"]) == 1


def test_json_is_strict() -> None:
    with pytest.raises(ValueError, match="JSON"):
        strict_json({"a": math.nan})


@pytest.mark.parametrize("stored", [{"reason": "bad mood"}, {"value": 1}])
def test_unknown_reason_is_a_codec_error(stored: dict[str, object]) -> None:
    with pytest.raises(CodecError, match="'mean'"):
        decode_metrics({"mean": stored})


def test_only_finite_numbers_are_stored() -> None:
    assert [finite(value) for value in (None, Reason.OVERFLOW, math.nan, math.inf, 2)] == [None, None, None, None, 2.0]


def test_keys_are_kept_as_they_are_or_refused() -> None:
    assert storable_key("2024-01-01", "partition") == "2024-01-01"
    assert storable_key("", "column") == ""
    for bad in (None, "", "a\x00", "\udcff"):
        with pytest.raises(StoreError, match="partition"):
            storable_key(bad, "partition")
    # Six characters that look like an escaped NUL are not one.
    assert storable_key("\\u0000", "column") == "\\u0000"


@pytest.mark.parametrize("what", ["dataset", "partition"])
def test_a_name_that_no_index_holds_is_refused(what: str) -> None:
    assert storable_key("é" * 500, what) == "é" * 500
    with pytest.raises(StoreError, match=f"The {what} has a name of 1,001 bytes .* is it the right column"):
        storable_key("é" * 500 + "a", what)
    assert len(storable_key("a" * 5000, "column")) == 5000


def test_prose_shows_what_postgresql_cannot_store() -> None:
    assert storable_text("a\x00b\ud800c é") == "a\u2400b?c é"
