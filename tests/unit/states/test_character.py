from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_dq.states.character import DIGIT, LETTER, PUNCTUATION, classify
from airflow_dq.states.prepared import PreparedColumn

NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*\Z", re.ASCII)


def generalised(value: str) -> str:
    """Algorithm 2 character by character."""
    out = []
    for c in value:
        category = unicodedata.category(c)
        if category == "Nd":
            out.append("d")
        elif category[0] == "L":
            out.append("l")
        else:
            out.append("." if category[0] == "P" or c in string.punctuation else c)
    return "".join(out)


@given(st.lists(st.text(min_size=1, max_size=10), max_size=8))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_patterns_of_any_text(values: list[str]) -> None:
    text = PreparedColumn.of(pa.array(values, pa.large_string())).text
    assert text.patterns().to_pylist() == [generalised(value) for value in dict.fromkeys(values)]
    assert text.counts.tolist() == list(Counter(values).values())


@given(st.lists(st.text(min_size=1, max_size=10), max_size=8))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_offsets_count_code_points(values: list[str]) -> None:
    text = PreparedColumn.of(pa.array(values, pa.large_string())).text
    distinct = list(dict.fromkeys(values))
    assert (text.offsets[1:] - text.offsets[:-1]).tolist() == [len(value) for value in distinct]
    assert [chr(code) for code in text.codes.tolist()] == list("".join(distinct))


@given(st.lists(st.text(min_size=1, max_size=10), max_size=8))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_histogram_counts_the_characters_of_all_occurrences(values: list[str]) -> None:
    expected = Counter(classify(character) for value in values for character in value)
    histogram = PreparedColumn.of(pa.array(values, pa.large_string())).text.histogram
    assert {flags: count for flags, count in enumerate(histogram.tolist()) if count} == expected


@pytest.mark.parametrize("symbols", ["a1", "ä1", string.printable])
def test_histogram_counts_many_characters_as_it_counts_few(symbols: str) -> None:
    drawn = np.random.default_rng(1).choice(list(symbols), (20_000, 10))
    values = ["".join(row) for row in drawn.tolist()]
    values[-1] += "\x01"
    expected = Counter(classify(character) for value in values for character in value)
    histogram = PreparedColumn.of(pa.array(values, pa.large_string())).text.histogram
    assert {flags: count for flags, count in enumerate(histogram.tolist()) if count} == expected


@pytest.mark.parametrize("character", string.printable)
def test_ascii_classes_are_those_of_the_string_module(character: str) -> None:
    flags = classify(character)
    assert bool(flags & DIGIT) == (character in string.digits)
    assert bool(flags & LETTER) == (character in string.ascii_letters)
    assert bool(flags & PUNCTUATION) == (character in string.punctuation)


def test_numbers_are_found_among_texts_of_their_characters() -> None:
    random = np.random.default_rng(2)
    values = {"".join(random.choice(list("0123456789+-.eE \t"), random.integers(1, 9))) for _ in range(20_000)}
    values |= {str(number) for number in range(20_000)} | {"12é45", "1234567890é", "é1", "1٣"}
    text = PreparedColumn.of(pa.array(sorted(values), pa.large_string())).text
    found = {text.strings[place].as_py() for place in text.numeric.tolist()}
    assert found == {value for value in values if NUMBER.match(value)}
