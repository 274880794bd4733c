"""A pattern rule: its JSON form, what it counts, how it judges."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from airflow_dq.exceptions import CodecError, ConfigurationError
from airflow_dq.pattern import PatternRule, learn_pattern

RULE = PatternRule(
    *(("<digit>{4}", "n\\<a"), ("NA",), 2, 6),
    **{"values": 200, "distinct": 150, "nonconforming": 1, "usual": ("20<digit>{2}",), "unusual": 3, "runs": 170},
)


def test_a_rule_comes_back_from_json() -> None:
    assert PatternRule.from_json(RULE.to_json()) == RULE


def test_a_rule_that_was_stored_before_runs_were_counted_is_read() -> None:
    document = json.loads(RULE.to_json())
    del document["runs"]
    assert PatternRule.from_json(json.dumps(document)) == replace(RULE, runs=0)


def changed(**fields: Any) -> str:
    return json.dumps({**json.loads(RULE.to_json()), **fields})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "version 'list'"),
        (changed(version=9), "version 9"),
        (changed(values="7"), "'values' is '7'"),
        (changed(values=True), "'values' is True"),
        (changed(patterns=[1]), "'patterns' is no list of texts"),
        (changed(patterns=["<nothing>"]), "damaged: .*no class <nothing>"),
        (changed(nonconforming=999), "damaged: 999 of 200"),
        (changed(method="magic"), "damaged: Method 'magic'"),
        (changed(colour="red"), "unknown fields: colour"),
        (json.dumps({k: v for k, v in json.loads(RULE.to_json()).items() if k != "values"}), "lacks 'values'"),
    ],
)
def test_what_is_no_stored_rule_is_refused_by_name(text: str, said: str) -> None:
    with pytest.raises(CodecError, match=said):
        PatternRule.from_json(text)


def test_values_are_counted_by_what_they_are() -> None:
    found = RULE.count({"2020": 3, "1999": 2, "NA": 1, "n<a": 1, "12345": 4, "x": 1, " ": 2, None: 5})
    assert (found.values, found.nonconforming, found.unusual, found.missing) == (12, 5, 9, 7)
    assert found.examples == ("12345", "x")


def test_conforming_takes_any_text_type_and_chunks() -> None:
    for kind in (pa.string(), pa.large_string()):
        array = pa.chunked_array([pa.array(["2020", None], kind), pa.array(["x"], kind)])
        assert RULE.conforming(array).to_pylist() == [True, None, False]


def test_a_larger_error_is_never_easier_to_miss() -> None:
    p_values = [RULE.judge(500, bad, bad).p_value for bad in range(0, 501, 5)]
    assert p_values == sorted(p_values, reverse=True)
    assert RULE.judge(500, 0, 0).accepted
    assert not RULE.judge(500, 500, 500).accepted


def test_large_counts_are_judged_like_small_ones() -> None:
    small, large = RULE.judge(9_999, 600), RULE.judge(99_990_000, 6_000_000)
    assert small.p_value == pytest.approx(large.p_value, rel=0.2)


def test_a_set_outside_what_is_usual_is_not_accepted_though_it_conforms() -> None:
    rule = learn_pattern([f"{n * 37 % 90 + 10}.{n % 10}{n % 7}" for n in range(60)])
    assert rule is not None
    assert rule.test(["12"]).accepted
    assert not rule.test([str(n) for n in range(10, 99)]).accepted


def test_nothing_tested_is_accepted_and_says_so() -> None:
    found = RULE.test([None, "", "  "])
    assert (found.accepted, found.values, found.missing) == (True, 0, 3)


def test_counts_that_cannot_be_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="6 or None of 5 values"):
        RULE.judge(5, 6)
