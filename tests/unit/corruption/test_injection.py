"""Each injection does to the values what Appendix B says, checked value by value."""

from __future__ import annotations

import string

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.corruption.clean_column import CleanColumn, changed_rows
from airflow_dq.corruption.injection import Injected, registered
from airflow_dq.corruption.procedure import APPENDIX_B, injections_for
from airflow_dq.states.base import Kind

ROWS = 1000
RNG = np.random.default_rng(11)
WORDS = [f"{letter}{number:05d}-xY" for letter, number in zip(RNG.choice(list("abC"), ROWS), range(ROWS), strict=True)]
NUMBERS = RNG.integers(100, 1000, ROWS).astype(float)


def clean(kind=Kind.STRING, values=None, donor=None):
    if values is None:
        values = WORDS if kind is Kind.STRING else NUMBERS
    types = {Kind.STRING: pa.large_string(), Kind.BOOLEAN: pa.bool_()}
    array = pa.array(values, types.get(kind, pa.float64()))
    other = None if donor is None else pa.array(donor, array.type)
    return CleanColumn(kind, array, other)


def inject(label, column, seed=0, name="c"):
    (found,) = [entry for entry in injections_for(column.kind) if entry.label == label]
    return found.apply(column, seed, name)


def changed(label, column):
    return changed_rows(column.values, inject(label, column).values)


def test_appendix_b_is_listed_exactly():
    listed = {}
    for entry in APPENDIX_B:
        if Kind.STRING in entry.kinds or Kind.NUMERIC in entry.kinds:
            listed.setdefault(entry.type, set()).add(entry.parameter)
    assert listed == {
        "schema_change": {"1%", "10%", "100%"},
        "unit_change": {"x10", "x100", "x1000"},
        "casing_change": {"1%", "10%", "100%"},
        "increased_nulls": {"1%", "50%", "100%"},
        "volume_change": {"x2", "x10", "50%", "10%"},
        "distribution_change": {"first 10%", "first 50%", "last 10%", "last 50%"},
        "char_perturbation": {"1%", "10%", "100%"},
        "char_insertion": {"10%", "50%"},
        "char_deletion": {"10%", "50%"},
        "whitespace_padding": {"10%", "50%", "100%"},
    }


def test_there_are_sixty_procedures_over_both_kinds_of_the_paper():
    assert len(injections_for(Kind.NUMERIC)) + len(injections_for(Kind.STRING)) == 60


@pytest.mark.parametrize("kind", [Kind.NUMERIC, Kind.STRING, Kind.TIMESTAMP])
def test_of_few_injections_each_way_in_which_values_change_comes_before_another_magnitude(kind):
    every = injections_for(kind)
    ways = {entry.procedure for entry in every if entry.type != "volume_change"}
    for most in range(len(every) + 2):
        few = injections_for(kind, most)
        assert len(few) == min(most, len(every))
        assert list(few) == [entry for entry in every if entry in few], "in the order of Appendix B"
        told = [entry.procedure for entry in few if entry.type != "volume_change"]
        assert len(set(told)) == min(len(told), len(ways))


@pytest.mark.parametrize("kind", list(Kind))
def test_labels_are_unique_within_a_kind(kind):
    labels = [entry.label for entry in injections_for(kind)]
    assert len(set(labels)) == len(labels)


def test_every_injection_is_deterministic_and_its_seed_is_its_own():
    column = clean(donor=WORDS[::-1])
    for entry in injections_for(Kind.STRING):
        first, again = entry.apply(column, 0, "c"), entry.apply(column, 0, "c")
        assert first.values.equals(again.values)
    random = "increased_nulls 50%"
    assert not inject(random, column).values.equals(inject(random, column, seed=1).values)
    assert not inject(random, column).values.equals(inject(random, column, name="d").values)


def test_schema_change_takes_values_of_the_donor():
    column = clean(donor=["other"] * 7)
    assert set(inject("schema_change 100%", column).values.to_pylist()) == {"other"}
    assert changed("schema_change 10%", column).sum() == 100
    assert inject("schema_change 10%", clean()) is None


def test_unit_change_multiplies():
    column = clean(Kind.NUMERIC, [1.0, None, -2.5, float("inf"), 1e308])
    assert inject("unit_change x10", column).values.to_pylist() == [10.0, None, -25.0, float("inf"), None]
    assert inject("unit_change x1000", column).linear == (1000.0, 0.0)


def test_a_timestamp_moves_to_another_zone_or_unit():
    column = clean(Kind.TIMESTAMP, [0.0, 86_400.0])
    assert inject("unit_change +1 h", column).values.to_pylist() == [3600.0, 90_000.0]
    assert inject("unit_change x1000", column).values.to_pylist() == [0.0, 86_400_000.0]


def test_casing_change_swaps_case():
    found = inject("casing_change 100%", clean()).values.to_pylist()
    assert found == [word.swapcase() for word in WORDS]
    assert changed("casing_change 10%", clean()).sum() == 100
    assert inject("casing_change 100%", clean(values=["12", "3"])) is None


def test_increased_nulls_are_empty_strings_zeros_or_nulls():
    assert inject("increased_nulls 50%", clean()).values.to_pylist().count("") == 500
    assert inject("increased_nulls 1%", clean(Kind.NUMERIC)).values.to_pylist().count(0.0) == 10
    assert inject("increased_nulls 10% null", clean()).values.null_count == 100
    assert inject("increased_nulls 100%", clean(Kind.NUMERIC, [0.0, 0.0])) is None


def test_volume_change():
    column = clean(Kind.NUMERIC, np.arange(1000.0))
    assert inject("volume_change x10", column).repeat == 10
    fewer = inject("volume_change 10%", column)
    assert fewer.share == 0.1
    assert len(set(fewer.values.to_pylist())) == 100
    assert inject("volume_change 50%", clean(Kind.NUMERIC, [1.0])) is None
    assert inject("volume_change x2", clean(Kind.NUMERIC, [])) is None


def test_distribution_change_keeps_one_end_of_the_values_and_the_nulls():
    column = clean(Kind.NUMERIC, [5.0, None, 1.0, 4.0, 2.0, 3.0, float("nan"), 6.0, 8.0, 7.0])
    found = inject("distribution_change first 50%", column).values
    assert sorted(set(found.to_pylist()) - {None}, key=str)[:4] == [1.0, 2.0, 3.0, 4.0]
    assert [index for index, cell in enumerate(found.to_pylist()) if cell is None] == [1]
    assert {cell for cell in inject("distribution_change last 10%", column).values.to_pylist() if cell == cell} == {
        None,
        8.0,
    }
    assert inject("distribution_change first 50%", clean(Kind.NUMERIC, [None, float("nan")])) is None
    flags = clean(Kind.BOOLEAN, [True, False, False, None])
    assert inject("distribution_change first 10%", flags).values.to_pylist() == [False, False, False, None]


def test_perturbation_keeps_the_type_of_each_character():
    column = clean()
    found = inject("char_perturbation 100%", column).values.to_pylist()
    alphabets = (string.digits, string.ascii_lowercase, string.ascii_uppercase)
    for before, after in zip(WORDS, found, strict=True):
        assert len(before) == len(after)
        for old, new in zip(before, after, strict=True):
            alphabet = next((a for a in alphabets if old in a), None)
            assert new == old if alphabet is None else (new != old and new in alphabet)
    some = inject("char_perturbation 10%", column).values.to_pylist()
    pairs = [pair for word, other in zip(WORDS, some, strict=True) for pair in zip(word, other, strict=True)]
    share = sum(old != new for old, new in pairs) / sum(old.isalnum() for old, _ in pairs)
    assert share == pytest.approx(0.1, abs=0.01)


def test_perturbed_numbers_are_numbers_of_as_many_digits():
    found = inject("char_perturbation 100%", clean(Kind.NUMERIC)).values.to_pylist()
    assert all(number < 1000 and number == int(number) for number in found)
    assert not any(number == before for number, before in zip(found, NUMBERS, strict=True))


def test_insertion_adds_one_character():
    found = inject("char_insertion 50%", clean()).values.to_pylist()
    longer = [len(after) - len(before) for before, after in zip(WORDS, found, strict=True)]
    assert longer.count(1) == 500
    assert longer.count(0) == 500
    digits = inject("char_insertion 50%", clean(Kind.NUMERIC)).values.to_pylist()
    assert sum(number >= 1000 for number in digits) == pytest.approx(500, abs=25)  # a leading 0 adds nothing


def test_deletion_removes_one_character():
    found = inject("char_deletion 10%", clean()).values.to_pylist()
    assert sum(len(after) == len(before) - 1 for before, after in zip(WORDS, found, strict=True)) == 100
    numbers = clean(Kind.NUMERIC, [7.0] * 10)
    assert inject("char_deletion 50%", numbers).values.null_count == 5


def test_truncation_keeps_the_first_half():
    found = inject("char_deletion 10% cut in half", clean(values=["abcd"] * 1000)).values.to_pylist()
    assert found.count("ab") == 100


def test_padding_adds_a_blank_on_either_side():
    found = inject("whitespace_padding 100%", clean()).values.to_pylist()
    assert [text.strip() for text in found] == WORDS
    assert sum(text[0] == " " for text in found) == pytest.approx(500, abs=60)
    assert all(text.count(" ") == 1 for text in found)


def test_texts_beyond_ascii_survive():
    column = clean(values=["é漢\U0001f600a", None, "", "\0"])
    for entry in injections_for(Kind.STRING):
        injected = entry.apply(column, 0, "c")
        assert injected is None or injected.values.validate(full=True) is None


@pytest.mark.parametrize("entry", registered(), ids=lambda entry: f"{entry.label} {sorted(entry.kinds)}")
def test_no_injection_stops_at_odd_columns(entry):
    odd = {
        Kind.NUMERIC: [[], [None], [float("nan")], [float("inf"), -float("inf")], [0.0], [1e308, -1e308, 5e-324]],
        Kind.STRING: [[], [None], [""], ["\0"], ["a" * 5000]],
        Kind.BOOLEAN: [[], [None], [True]],
        Kind.TIMESTAMP: [[], [None], [-6e10, 8.64e12]],
    }
    for kind in entry.kinds & odd.keys():
        for values in odd[kind]:
            for donor in (None, values):
                injected = entry.apply(clean(kind, values, donor), 0, "c")
                if injected is not None:
                    injected.values.validate(full=True)
                    assert injected.repeat > 1 or repr(injected.values.to_pylist()) != repr(values)


def test_an_error_that_leaves_every_row_as_it_was_changes_nothing():
    column = clean(Kind.NUMERIC, [1.0, float("nan"), None])
    same, other = (pa.array(values, pa.float64()) for values in ([1.0, float("nan"), None], [1.0, float("nan"), 2.0]))
    assert Injected(column, same).changes_nothing
    assert not Injected(column, same, repeat=2).changes_nothing
    assert not Injected(column, same.slice(0, 2), share=2 / 3).changes_nothing
    assert not Injected(column, other).changes_nothing
    assert Injected(column, other).changed.tolist() == [False, False, True]


def test_a_missing_row_is_another_one_than_a_value():
    left, right = pa.array(["a", None, None], pa.large_string()), pa.array(["a", "", None], pa.large_string())
    assert changed_rows(left, right).tolist() == [False, True, False]
