"""Documents and metrics as they are stored."""

from __future__ import annotations

import math
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.exceptions import CodecError
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.evaluate import stored_name
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.states.base import Kind, Representation
from airflow_dq.store.document import METRIC_WORDS, decode, encode, read_distances, read_metrics
from airflow_dq.store.value import encode_metrics

numbers = st.floats(allow_nan=False, allow_infinity=False)
STORED = "78bbd0573a38ab864688a19ea90e52d062cf92b5005f5f0f98"
documents = st.dictionaries(st.text(), st.one_of(numbers, st.sampled_from(Reason)))


@given(documents)
def test_round_trip(metrics: dict[str, float | Reason]) -> None:
    encoded = encode_metrics(metrics)
    for words in (b"", METRIC_WORDS):
        assert decode(encode(encoded, words), words) == encoded


@given(documents)
def test_metrics_come_back_as_floats_and_reasons(metrics: dict[str, float | Reason]) -> None:
    encoded = encode_metrics(metrics)
    assert read_metrics(encode(encoded, METRIC_WORDS)) == metrics
    assert read_distances(encode({"before": encoded, "3:before": {}}, METRIC_WORDS)) == {
        "before": metrics,
        "3:before": {},
    }


@pytest.mark.parametrize(
    "value", ["true", "null", '"1.5"', "1e999", "[1]", '{"reason":"tired"}', '{"why":"no values"}']
)
@pytest.mark.parametrize("others", ["", '"mean":1.5,', '"mean":{"reason":"no values"},'])
def test_a_metric_that_is_none_is_told(value: str, others: str) -> None:
    text = f'{{{others}"std":{value}}}'
    for read, stored in ((read_metrics, text), (read_distances, f'{{"before":{text}}}')):
        packed = zlib.compressobj(zdict=METRIC_WORDS)
        with pytest.raises(CodecError):
            read(packed.compress(stored.encode()) + packed.flush())


def test_what_was_stored_once_stays_readable() -> None:
    """The words that the compression builds on are never changed: this was made in the first version with them."""
    assert decode(bytes.fromhex(STORED), METRIC_WORDS) == {"mean": 1.5, "skewness": {"reason": "no values"}}


@pytest.mark.parametrize("damage", [lambda b: b[:-3], lambda b: b[:8] + b"\xff" + b[9:], lambda b: b"", lambda b: b"{"])
def test_damage_is_told(damage: object) -> None:
    assert callable(damage)
    with pytest.raises(CodecError, match="damaged"):
        decode(damage(encode({"mean": 1.5, "std": 0.25, "l1": 0.1}, METRIC_WORDS)), METRIC_WORDS)


def test_json_is_strict() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode({"mean": math.nan})


@pytest.mark.parametrize("kind", list(Kind))
def test_all_metrics_of_a_column_are_short(kind: Kind) -> None:
    """Every metric of the kind, and its distances from two baselines, all with as many digits as there are."""
    values = {metric.name: math.pi / (7 + place) for place, metric in enumerate(metrics_for(kind, pair=False))}
    distances: dict[str, dict[str, float]] = {}
    for place, metric in enumerate(metrics_for(kind, pair=True)):
        measured = distances.setdefault(f"{metric.pool}:0123456789abcdeffedcba987654321{metric.pool}", {})
        for representation in Representation if metric.represented else [Representation.EXACT]:
            measured[stored_name(metric.name, representation)] = math.e / (7 + place)
    assert len(encode(values, METRIC_WORDS)) + len(encode(distances, METRIC_WORDS)) <= 1024
