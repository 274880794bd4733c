"""Profiles through JSON and back."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pyarrow as pa
import pytest

from airflow_dq.codec import from_builtins, from_json, to_builtins, to_json
from airflow_dq.corruption.variant import all_variants
from airflow_dq.exceptions import CodecError
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.profile.model import Variant

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
    column = replace(profile.columns["s"], distances={"baseline": {"l1": 0.25, "kl_div": Reason.NO_VALUES}})
    profile = replace(profile, columns={**profile.columns, "s": column})
    again = from_json(Profile, to_json(profile))
    assert again == profile
    assert again.fingerprint == profile.fingerprint
    assert again.options == profile.options
    assert again.variants == all_variants(profile)
    assert list(again.columns) == ["s", "x", "u"]
    assert {n: c.states for n, c in again.columns.items()} == {n: c.states for n, c in profile.columns.items()}
    assert again.columns["s"].distances == column.distances


def test_the_document_is_strict_json_without_the_sample():
    text = to_json(made())
    document = json.loads(text, parse_constant=lambda constant: pytest.fail(f"{constant} in the document"))
    assert "sample" not in document
    assert document["columns"]["u"]["metrics"]["complete_ratio"] == 0.0
    assert document["columns"]["x"]["metrics"]["mean"] == 1.5


def test_variants_can_be_left_out_or_kept_without_a_sample():
    profile = made()
    assert json.loads(to_json(replace(profile, sample=None)))["variants"] == {}
    stored = from_json(Profile, to_json(profile))
    assert stored.sample is None
    assert from_json(Profile, to_json(stored)).variants == stored.variants == all_variants(profile)


def test_reasons_are_written_in_words():
    values = {"mean": Reason.NO_VALUES, "min": 1.0}
    variant = Variant("null_values", "10%", values, {})
    written = to_builtins(variant)
    assert written["metrics"] == {"mean": {"reason": "no values"}, "min": 1.0}
    assert from_builtins(Variant, written) == variant


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_metric_is_finite_or_a_reason_both_ways(bad):
    with pytest.raises(CodecError, match=r"Variant\.metrics\['mean'\]: (nan|-?inf) is not a finite number or"):
        to_builtins(Variant("null_values", "10%", {"mean": bad}, {}))
    written = {"type": "null_values", "parameter": "10%", "metrics": {"mean": bad}, "states": {}}
    with pytest.raises(CodecError, match=r"Variant\.metrics\['mean'\]: (nan|-?inf) is not a finite number or"):
        from_builtins(Variant, written)


def test_a_damaged_state_is_named():
    document = to_builtins(made())
    document["columns"]["s"]["states"]["nobody/7"] = ""
    with pytest.raises(CodecError, match=r"Profile\.columns\['s'\]\.states\['nobody/7'\]: "):
        from_builtins(Profile, document)


@pytest.mark.parametrize(
    "damage",
    [
        lambda document: document.update(format="profile/99"),
        lambda document: document.pop("columns"),
        lambda document: document["columns"]["s"].update(kind="blob"),
        lambda document: document["columns"]["s"]["states"].update({"counts/1": "AAAA"}),
        lambda document: document["columns"]["s"]["states"].update({"nobody/7": ""}),
        lambda document: document["columns"]["s"]["metrics"].update(mean={"reason": "because"}),
        lambda document: document["variants"]["s"][0].pop("states"),
        lambda document: document["options"].update(unheard_of=1),
    ],
)
def test_damage_is_reported(damage):
    document = json.loads(to_json(made()))
    damage(document)
    with pytest.raises(CodecError):
        from_json(Profile, json.dumps(document))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": NaN}'])
def test_what_is_no_profile_is_refused(text):
    with pytest.raises(CodecError):
        from_json(Profile, text)
