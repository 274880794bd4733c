"""Whatever stands in a column, a stored rule or an index: a rule that holds, or one clear error."""

from __future__ import annotations

import json
import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.exceptions import CodecError, ConfigurationError
from airflow_dq.pattern import (
    FmdvOptions,
    NoPattern,
    Pattern,
    PatternIndex,
    PatternRule,
    Tag,
    find_pattern,
    learn_pattern,
)

ODD = "0123aZé²③٣Ⅷ \t\n\v\x00\x1c\x7f\x85\xa0\u2028\u3000\u200b\u0301😀日\ud800\udfff-_./|<>\\{}+?[]()^$*,'%"
TEXTS = st.one_of(
    st.text(alphabet=ODD, max_size=12),
    st.text(alphabet=st.characters(codec=None), max_size=8),
    st.builds(lambda text, times: text * times, st.sampled_from(["a", "0", "²", "-", "a1-"]), st.integers(1, 1_001)),
    st.sampled_from(["NA", "-", "", " ", "\x1c", "n/a", " 1 234", "1e5", "1,234.50 "]),
)
COLUMNS = st.lists(st.one_of(TEXTS, st.none()), max_size=40)
MIXED = st.lists(st.one_of(TEXTS, st.integers(), st.floats(), st.binary(max_size=4), st.booleans()), max_size=9)
INDEX = PatternIndex.build((f"t{n // 2}", [f"K{n}{m}-{m % 7}²" for m in range(20)]) for n in range(12))


@given(values=COLUMNS, later=COLUMNS, method=st.sampled_from(["calibrated", "fmdv-vh"]))
def test_a_rule_fits_what_it_was_learned_of_and_comes_back(values: list[str | None], later: Any, method: Any) -> None:
    rule = find_pattern(values, index=INDEX.without("t0"), method=method, options=FmdvOptions(m=1))
    if isinstance(rule, NoPattern):
        assert rule.reason in ("no values", "free text", "not in the index", "refused")
        return
    assert PatternRule.from_json(rule.to_json()) == rule
    found = rule.count(Counter(values))
    assert (found.values, rule.test(values).accepted) == (rule.values, True)
    assert found.nonconforming <= rule.nonconforming
    if rule.usual:
        assert found.unusual <= rule.unusual
    tested = rule.test(later)
    assert tested.values + tested.missing == len(later)
    assert 0.0 <= tested.p_value <= 1.0


@given(values=MIXED)
def test_what_is_no_text_is_named(values: list[Any]) -> None:
    if all(isinstance(value, str) for value in values):
        return
    for refused in (lambda: learn_pattern(values), lambda: INDEX.extended([("new", values)])):
        with pytest.raises(ConfigurationError, match="is of type"):
            refused()


@given(text=st.text(alphabet=ODD + "digtlowersymbo|{,}", max_size=20))
def test_a_written_pattern_is_read_or_refused(text: str) -> None:
    try:
        pattern = Pattern.parse(text)
        rule = PatternRule((text,), method="declared")
    except ConfigurationError:
        return
    assert Pattern.parse(str(pattern)) == pattern
    assert PatternRule((str(pattern),)).expression == rule.expression


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from([10**30, -1, "\ud800", "<", ""])),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=2), inner, max_size=2)),
    max_leaves=4,
)
STORED = json.loads(PatternRule(("<digit>{4}",), values=9, distinct=3, usual=("19<digit>{2}",), runs=5).to_json())


@given(field=st.sampled_from(sorted(STORED)), value=VALUES)
def test_a_stored_rule_with_a_field_of_any_value_counts_or_is_refused(field: str, value: Any) -> None:
    try:
        rule = PatternRule.from_json(json.dumps({**STORED, field: value}))
    except CodecError:
        return
    rule.to_json().encode()
    tested = rule.test(["1999", "x", None])
    assert (tested.values, tested.missing) == (2, 1)


@pytest.mark.parametrize("text", ["", "[" * 100_000, "\x00", "9" * 5_000, '{"version": 1}', "NaN"])
def test_what_is_no_json_of_a_rule_is_refused(text: str) -> None:
    with pytest.raises(CodecError, match="stored pattern rule"):
        PatternRule.from_json(text)


@pytest.mark.parametrize("patterns", ["<digit>+", ["<digit>+"], (5,), (None,), ("\ud800",)], ids=repr)
def test_patterns_that_are_no_texts_are_refused(patterns: Any) -> None:
    with pytest.raises(ConfigurationError):
        PatternRule(patterns)
    with pytest.raises(ConfigurationError, match="surrogate pair"):
        Tag("half", "a\udfff")


@given(place=st.integers(0, len(INDEX.to_bytes()) - 1), bits=st.integers(1, 255), cut=st.booleans())
def test_an_index_with_any_damage_is_refused(place: int, bits: int, cut: bool) -> None:
    data = bytearray(INDEX.to_bytes())
    data[place] ^= bits
    with pytest.raises(CodecError, match=r"no pattern index|version|damaged"):
        PatternIndex.from_bytes(bytes(data[:place] if cut else data))


def test_an_empty_index_knows_nothing_and_says_so() -> None:
    empty = PatternIndex.from_bytes(PatternIndex.build([("t", [None, " "])]).to_bytes())
    found = find_pattern(["K1", "K2"], index=empty.without("t"), method="fmdv-vh")
    assert isinstance(found, NoPattern)
    assert found.reason == "not in the index"
    assert empty.merge(INDEX).to_bytes() == INDEX.merge(empty).to_bytes() == INDEX.to_bytes()


def test_what_an_index_cannot_have_it_does_not_have() -> None:
    assert INDEX.known("\ud800") is None
    assert "\ud800" not in INDEX.without("nowhere")
    with pytest.raises(ConfigurationError, match="6 tables, and none of the name 'nowhere'"):
        INDEX.part("nowhere")
    for start in (len(b"airflow-dq pattern index\n"), 30):
        with pytest.raises(CodecError, match=f"cut after {start} bytes"):
            PatternIndex.from_bytes(INDEX.to_bytes()[:start])


def test_values_of_megabytes_are_told_in_linear_time() -> None:
    rule = learn_pattern([f"{n % 7}-{'ab'[n % 2]}{'.x' * (n % 4)}" for n in range(60)])
    assert rule is not None
    began = time.process_time()
    for text in ("-", ".x", "0-a", "\x00", "😀", "\ud800", " "):
        assert rule.test([text * 2**20, "1-a"]).values == 1 + (text != " ")
    assert time.process_time() - began < 5.0
