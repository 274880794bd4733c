"""Profiles through JSON and back."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from airflow_dq.codec.profile import metrics_from_dict, metrics_to_dict, profile_to_json
from airflow_dq.corruption.variant import all_variants
from airflow_dq.exceptions import CodecError
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.profile import Profile, ProfileOptions, profile_table

TABLE = pa.table(
    {
        "s": ["a", "é", None, ""],
        "x": [1.5, float("nan"), float("inf"), None],
        "u": pa.nulls(4),
        "l": pa.array([[1], None, [], [2]]),
    }
)


def made(**options):
    return profile_table(TABLE, "2013-02-01", ProfileOptions(exclude=("z",), **options))


def test_a_profile_survives():
    profile = made(columns=("s", "x", "u"), sample_rows=10)
    profile.columns["s"].pairs["baseline"] = {"l1": 0.25, "kl_div": Reason.NO_VALUES}
    again = Profile.from_json(profile.to_json())
    assert again == profile
    assert again.fingerprint == profile.fingerprint
    assert again.options == profile.options
    assert again.variants == all_variants(profile)
    assert list(again.columns) == ["s", "x", "u"]
    assert {n: c.states for n, c in again.columns.items()} == {n: c.states for n, c in profile.columns.items()}
    assert again.columns["s"].pairs == profile.columns["s"].pairs


def test_the_document_is_strict_json_without_the_sample():
    text = made().to_json()
    document = json.loads(text, parse_constant=lambda constant: pytest.fail(f"{constant} in the document"))
    assert "sample" not in document
    assert document["columns"][2]["metrics"]["complete_ratio"] == 0.0
    assert document["columns"][1]["metrics"]["mean"] == 1.5


def test_variants_can_be_left_out_or_kept_without_a_sample():
    profile = made()
    assert json.loads(profile_to_json(profile, variants=False))["variants"] == {}
    stored = Profile.from_json(profile.to_json())
    assert stored.sample is None
    assert Profile.from_json(stored.to_json()).variants == stored.variants == all_variants(profile)


def test_reasons_are_written_in_words():
    values = {"mean": Reason.NO_VALUES, "min": 1.0}
    assert metrics_to_dict(values) == {"mean": {"reason": "no values"}, "min": 1.0}
    assert metrics_from_dict(metrics_to_dict(values)) == values


@pytest.mark.parametrize(
    "damage",
    [
        lambda document: document.update(version=99),
        lambda document: document.pop("columns"),
        lambda document: document["columns"][0].update(kind="blob"),
        lambda document: document["columns"][0]["states"].update({"counts/1": "AAAA"}),
        lambda document: document["columns"][0]["states"].update({"nobody/7": ""}),
        lambda document: document["columns"][0]["metrics"].update(mean={"reason": "because"}),
        lambda document: document["variants"]["s"][0].pop("states"),
        lambda document: document["options"].update(unheard_of=1),
    ],
)
def test_damage_is_reported(damage):
    document = json.loads(made().to_json())
    damage(document)
    with pytest.raises(CodecError):
        Profile.from_json(json.dumps(document))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": NaN}'])
def test_what_is_no_profile_is_refused(text):
    with pytest.raises(CodecError):
        Profile.from_json(text)
