"""The pattern language: what is written is read back, and means what it says to RE2."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.pattern.language import CLASSES, Characters, Constant, Number, Pattern, whole_value

CHARACTERS = st.builds(
    lambda members, least, more: Characters(tuple(members), least, None if more is None else least + more),
    st.lists(st.sampled_from([*CLASSES, "-", "|", "<", ">", "\\", "^", "]", "é"]), min_size=1, max_size=3, unique=True),
    st.integers(1, 5),
    st.none() | st.integers(0, 5),
)
PATTERNS = st.lists(
    st.builds(Constant, st.text(min_size=1, max_size=5)) | CHARACTERS | st.just(Number()), min_size=1, max_size=6
).map(lambda found: Pattern(tuple(found)))


def matches(pattern: str, *values: str) -> list[bool]:
    found: list[bool] = pc.match_substring_regex(pa.array(values), whole_value((pattern,))).to_pylist()
    return found


@settings(deadline=None, max_examples=60)
@given(PATTERNS)
def test_what_is_written_reads_back_and_the_engine_takes_it(pattern: Pattern) -> None:
    again = Pattern.parse(str(pattern))
    assert str(again) == str(pattern)
    assert again.expression == pattern.expression
    pc.match_substring_regex(pa.array(["x"]), whole_value((str(pattern),)))


def test_a_character_behind_a_constant_counts_nothing() -> None:
    parts = Pattern((Constant("1>"), Constant("+"), Constant("{2}")))
    assert str(parts) == "1>+{2}"
    assert str(Pattern((Characters(("digit",)), Constant("+")))) == r"<digit>\+"
    assert Pattern.parse(str(parts)) == Pattern((Constant("1>+{2}"),))


@settings(deadline=None, max_examples=60)
@given(st.text(min_size=1, max_size=30))
def test_a_constant_matches_itself_and_nothing_longer(text: str) -> None:
    assert matches(str(Pattern((Constant(text),))), text, text + "x", "x" + text) == [True, False, False]


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("<digit>{4}-<digit>{2}", "2020-01", "2020-1"),
        ("ORD-<digit>+", "ORD-1", "ORD-"),
        ("<upper>?<lower>+", "Abc", "ABc"),
        ("<letter|->{2,3}", "a-", "a-bc"),
        ("<num>", "-1.50", "1."),
        ("<digit>{0,}-<digit>{2,}", "-12", "1-2"),
        ("<hex>{4}", "00ff", "00FG"),
        ("<letter>+", "Ab", "Аb"),
        ("<letter|other>+", "Аb", "А1"),
        (r"a\<b\\", "a<b\\", "a<b"),
        ("a.b", "a.b", "axb"),
        ("<any>{3}", "a\né", "ab"),
    ],
)
def test_a_pattern_means_what_it_says(pattern: str, inside: str, outside: str) -> None:
    assert matches(pattern, inside, outside) == [True, False]


@pytest.mark.parametrize(
    "text", ["", "<digt>", "<digit", "a<", "\\n", "<digit>{3,2}", "<digit>{1001}", "<a||b>", "<digit>{0}"]
)
def test_what_is_no_pattern_is_refused_with_an_explanation(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"[Pp]attern"):
        Pattern.parse(text)
