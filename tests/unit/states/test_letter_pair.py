"""Pairs of letters side by side: which values have one that others lack."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.states.category import LONGEST, CategoryDistribution
from airflow_dq.states.letter_pair import unseen_share

TEXTS = st.lists(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=8), min_size=1, max_size=12)


def texts(values: list[str]) -> CategoryDistribution:
    return CategoryDistribution.of(pa.array(values, pa.string()))


def pairs(value: str) -> set[tuple[int, int]]:
    letters = [ord("0") if chr(one).isdigit() and one < 128 else one for one in value.encode()]
    return set(zip(letters, [*letters[1:], -1], strict=True)) - {(ord("0"), ord("0"))}


@given(now=TEXTS, before=st.lists(TEXTS, min_size=1, max_size=3))
def test_a_value_counts_when_one_of_its_pairs_is_in_no_value_of_the_others(
    now: list[str], before: list[list[str]]
) -> None:
    known = {pair for each in before for value in each for pair in pairs(value)}
    expected = sum(not pairs(value) <= known for value in now) / len(now)
    found = unseen_share(texts(now), [texts(one) for one in before])
    assert found == pytest.approx(expected)
    # Several at once are what they are together.
    assert found == unseen_share(texts(now), [CategoryDistribution.merged([texts(one) for one in before])])


@pytest.mark.parametrize(
    ("before", "now", "share"),
    [
        (["order 17", "order 25"], ["order 99", "order 3"], 0.0),
        (["week 9"], ["week 10", "week 100"], 0.0),
        (["order 17"], ["prder 17", "order 17", "order 17"], 1 / 3),
        (["blue chair", "red table"], ["red chair", "blue table"], 0.0),
        (["red"], ["re"], 1.0),
        (["Zürich"], ["Zürich", "Züricḧ"], 0.5),
    ],
)
def test_what_is_new_and_what_is_not(before: list[str], now: list[str], share: float) -> None:
    assert unseen_share(texts(now), [texts(before)]) == pytest.approx(share)


def test_the_digest_of_a_long_text_is_none_of_its_letters() -> None:
    before, now = ("ab" * LONGEST + end for end in ("1", "2"))
    assert unseen_share(texts([now]), [texts([before])]) == 0.0
    assert unseen_share(texts([f"x{now}"]), [texts([before])]) == 1.0
    # Such a text itself is no digest's.
    assert texts(["a" * (LONGEST - 17) + "…" + "b" * 16]).readable.to_pylist() == ["a" * (LONGEST - 17)]


def test_an_empty_partition_has_no_letter() -> None:
    assert unseen_share(texts(["a"]), [texts([])]) == 1.0
