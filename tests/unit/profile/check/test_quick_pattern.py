"""What bytes accept, the rule accepts: of any pattern and any text."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_dq.options.rule import LearnedRule
from airflow_dq.pattern import Pattern, PatternRule, learn_pattern
from airflow_dq.profile.check.learned import RowPattern
from airflow_dq.profile.check.quick_pattern import QuickPattern, implies

PATTERNS = (
    "ORD-<digit>{3}",
    "<digit>{4}-<digit>{2}",
    "<digit>+",
    "<alnum|->+",
    "<lower>{2,4}",
    "<letter| >+",
    "<symbol>{2}",
    "<hex>{4}",
    "<any>{2}",
    "<other>+",
    "é<digit>",
    "<num>",
    "<letter>+<digit>+",
    " <digit>",
    "<digit| >{2}",
    "<digit>{0,}-<digit|->{0,}",
    "<digit| >{0,}<letter><digit|letter| >{0,}",
    "<digit>{0,} <digit| >{0,}",
)
TEXTS = st.one_of(
    st.text(alphabet="ORD-0123456789abcf é\t_", min_size=1, max_size=8),
    st.from_regex(r"ORD-[0-9]{3}|[0-9]{4}-[0-9]{2}|[a-z]{2,4}|[0-9a-f]{4}", fullmatch=True),
    st.sampled_from([" ", "  ", "\t", "1 ", "12", "é1", "ab", "ORD-1234"]),
)


@pytest.mark.parametrize("limits", [(0, None), (2, 3)], ids=str)
@settings(max_examples=settings.default.max_examples // 4)
@given(texts=st.lists(TEXTS, min_size=1, max_size=30), cut=st.integers(0, 5))
def test_what_bytes_accept_the_rule_accepts(limits: tuple[int, int | None], texts: list[str], cut: int) -> None:
    # An array that begins within another one has offsets of its own.
    values = pa.array(["xyz", *texts], pa.large_string())[min(cut, len(texts)) :]
    for pattern in PATTERNS:
        for usual in ((), ("ORD-<digit>{3}", "<digit>{2}", "<lower>{2,4}")):
            rule = PatternRule((pattern, "<upper>{3}"), (), *limits, usual=usual)
            sure = QuickPattern(rule).accepts(values).tolist()
            conforms, is_usual = rule.conforming(values).to_pylist(), rule.usual_of(values).to_pylist()
            found = [right and plain for right, plain in zip(conforms, is_usual, strict=True)]
            assert all(right for one, right in zip(sure, found, strict=True) if one), (pattern, usual, values)


IMPLIED = [
    ("CUST-<digit>{8}", "<letter>+-<digit>+", True),
    ("CUST-<digit>{8}", "<alnum|->+", True),
    ("CUST-<digit>{8}", "<letter>+-<hex>{1,9}", True),
    ("<digit>{4}", "<num>", True),
    ("<digit>{2}", "-<digit>{2}", False),
    ("<digit>{2}", "<digit>{3,4}", False),
    ("<alnum>{2}", "<digit>{2}", False),
    ("<digit>+", "<digit>{1,9}", False),
    ("<digit>{1,3}", "<alnum>+", True),
    ("<lower>{2}", "<lower><digit>?<lower>", True),
    ("<digit>+", "<digit>+<lower>?", False),
    ("<digit>{0,}-<digit|->{0,}", "<digit|symbol>+", True),
    ("<digit>{0,}-<digit|->{0,}", "<digit>+", False),
    ("<digit>{0,}-<digit|->{0,}", "<digit|symbol>{2,}", False),
]


@pytest.mark.parametrize(("narrow", "wide", "plain"), IMPLIED)
def test_a_form_that_shows_that_it_has_another_one(narrow: str, wide: str, plain: bool) -> None:
    assert implies(Pattern.parse(narrow).elements, Pattern.parse(wide).elements) is plain


RUN = "<digit| >{0,}<letter><digit|letter| >{0,}"


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("ORD-<digit>{3}", "ORD-123"), ("<digit>+", "98765"), ("<lower>{2,4}", "abc"), (RUN, "12 a 3")],
)
def test_the_usual_forms_are_accepted_by_their_bytes(pattern: str, text: str) -> None:
    rule = PatternRule((pattern,))
    for values in ([text], [text, "é", text], ["_" * 100, text]):
        array = pa.array(values, pa.large_string())
        assert QuickPattern(rule).accepts(array).tolist() == [value == text for value in values]


def test_no_values_and_no_quick_form_accept_nothing() -> None:
    assert QuickPattern(PatternRule(("<digit>+",))).accepts(pa.array([], pa.large_string())).tolist() == []
    assert not QuickPattern(PatternRule(("<num>",))).accepts(pa.array(["1"], pa.large_string())).any()


ANY = st.one_of(
    st.text(min_size=1, max_size=12),
    st.text(alphabet="ab1-. |\t\x00\x7f\u0661\xb2\u00e9\u2028\U0001f600", min_size=1, max_size=9),
    st.from_regex(r"-?[0-9]{1,3}\|[0-9.]{1,4}|[0-9]{1,2}\.[0-9][~+][a-z]{1,3}|[a-z]+(-[a-z0-9]+){1,4}", fullmatch=True),
)


@given(
    train=st.lists(ANY, min_size=1, max_size=40),
    later=st.lists(st.one_of(ANY, st.none(), st.just("")), max_size=40),
    usual=st.sampled_from(PATTERNS),
)
def test_rows_are_counted_as_the_rule_itself_counts_them(train: list[str], later: list[str | None], usual: str) -> None:
    declared = PatternRule((usual, "<letter| >+"), ("-",), 2, 8, method="declared", usual=(usual,))
    for rule in (learn_pattern(train), declared):
        if rule is None:
            continue
        values = [*later, *train]
        found = RowPattern(LearnedRule("pattern", ("c",), "", rule.to_json())).held_against(pa.array(values))
        wanted = rule.count(Counter(values))
        assert (found.values, found.broken, found.unusual) == (wanted.values, wanted.nonconforming, wanted.unusual)
