"""Variants against the truth: the same error injected into every row of the partition."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.corruption.blob import encode_variants
from airflow_dq.corruption.clean_column import CleanColumn
from airflow_dq.corruption.extrapolation import Extrapolator
from airflow_dq.corruption.injection import Injected
from airflow_dq.corruption.procedure import injections_for
from airflow_dq.corruption.transport import repeated
from airflow_dq.corruption.variant import (
    ERRORS_A_PARTITION,
    LEAST_A_COLUMN,
    all_variants,
    errors_a_column,
    narrowed,
    packed_variants,
    variants_of,
    with_variants,
)
from airflow_dq.exceptions import ProfileError, UnknownColumnError
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.evaluate import compare, measure
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.profile.column import canonical
from airflow_dq.states.base import Kind, states_of

COLUMNS = ["id", "carrier", "fare", "seat", "late", "at"]


@cache
def flights(rows, seed=0):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "id": [f"ID-{number:07d}" for number in rng.integers(0, 10**7, rows)],
            "carrier": rng.choice(["AA", "UA", "Delta", "b6", "", None], rows, p=[0.3, 0.3, 0.2, 0.1, 0.05, 0.05]),
            "fare": rng.lognormal(3, 1, rows),
            "seat": pa.array(rng.integers(1, 500, rows)),
            "late": rng.random(rows) < 0.3,
            "at": pa.array(rng.integers(1_360_000_000, 1_360_086_400, rows)).cast(pa.timestamp("s")),
        }
    )


@pytest.fixture(scope="module")
def large():
    return profile_table(flights(50_000), "2013-02-02")


@pytest.fixture(scope="module")
def before():
    return profile_table(flights(50_000, seed=1), "2013-02-01")


def truth(table, column, kind):
    """Metrics and states by label after each error in every row."""
    values = canonical(table[column].combine_chunks())
    clean = CleanColumn(kind, values)
    found = {}
    for entry in injections_for(kind):
        injected = entry.apply(clean, 0, column)
        if injected is not None:
            states = repeated(states_of(kind, injected.values), injected.repeat)
            found[entry.label] = (measure(kind, states), states)
    return found


@pytest.mark.parametrize("name", COLUMNS)
def test_variants_of_a_small_partition_are_its_profile_after_the_error(name):
    table = flights(900)
    profile = profile_table(table)
    donors = {"id": "carrier", "carrier": "id", "fare": "seat", "seat": "fare"}
    for variant in variants_of(profile, name):
        if variant.type == "volume_change" and variant.parameter.startswith("x"):
            copies = pa.concat_tables([table] * int(variant.parameter[1:]))
            assert variant.metrics == profile_table(copies).columns[name].metrics
        if variant.label == "increased_nulls 100% null":
            assert variant.metrics["complete_ratio"] == 0.0
        if variant.label == "schema_change 100%":
            assert donors[name] in table.column_names
        if variant.label == "unit_change x1000":
            times = table["fare"].to_numpy() if name == "fare" else canonical(table[name].combine_chunks()).to_numpy()
            assert variant.metrics["mean"] == pytest.approx(float(np.mean(times * 1000.0)), rel=1e-12)


@pytest.mark.parametrize("name", COLUMNS)
def test_no_error_lies_exactly_on_the_partition(large, name):
    column = large.columns[name]
    values = large.sample.expand([name]).column(0).combine_chunks()
    clean = CleanColumn(column.kind, values)
    metrics, states = Extrapolator.of(column, clean, large.row_count).extrapolate(Injected(clean, values))
    assert metrics == column.metrics
    assert states == {key: column.states[key] for key in states}


def test_extrapolated_nulls_are_within_sampling_error(large):
    (variant,) = [v for v in variants_of(large, "carrier") if v.label == "increased_nulls 10% null"]
    # 10 % of 1000 rows, of which those that were missing before change nothing: four standard errors.
    complete = large.columns["carrier"].metrics["complete_ratio"]
    assert variant.metrics["complete_ratio"] == pytest.approx(0.9 * complete, abs=4 * (0.1 * 0.9 / 1000) ** 0.5)
    assert variant.metrics["row_count"] == 50_000.0


@pytest.mark.parametrize("name", ["carrier", "fare", "seat", "at"])
def test_linear_and_volume_changes_are_extrapolated_exactly(large, before, name):
    kind = large.columns[name].kind
    true = truth(flights(50_000), name, kind)
    labels = {"volume_change x2", "volume_change x10", "unit_change x10", "unit_change x1000/1024", "unit_change +1 h"}
    for variant in variants_of(large, name):
        if variant.label not in labels:
            continue
        metrics, states = true[variant.label]
        found = compare(kind, variant.states, before.columns[name].states)
        expected = {**metrics, **compare(kind, states, before.columns[name].states)}
        for metric, value in {**variant.metrics, **found}.items():
            if isinstance(value, Reason):
                assert value is expected[metric], (variant.label, metric)
                continue
            if metric in ("l1", "new_ratio") and kind is not Kind.STRING:
                # Of cells of a sketch, which values moved out of line with them share differently.
                continue
            # A sketch of 50,000 distinct values is good for a few percent of a divergence; which numbers are whole
            # after a change of unit is seen on the sample only.
            margin = 1e-2 if metric == "integer_ratio" else 1e-3
            assert value == pytest.approx(expected[metric], rel=0.05, abs=margin), (variant.label, metric)


# What a sample of 1000 rows can tell: averages and distances to within a tenth or so.
FOLLOWED = {
    "carrier": (
        ["casing_change 50%", "whitespace_padding 100%", "distribution_change first 10%", "increased_nulls 50%"],
        ["complete_ratio", "str_len", "l1", "js_div", "pat_l1", "cosine"],
    ),
    "fare": (["distribution_change last 10%", "increased_nulls 50%"], ["mean", "ks_dist", "emd"]),
    "seat": (["distribution_change first 50%", "char_deletion 10%", "char_insertion 50%"], ["mean", "ks_dist", "emd"]),
    "at": (["distribution_change last 50%"], ["mean", "median", "ks_dist", "emd"]),
}


@pytest.mark.parametrize("name", sorted(FOLLOWED))
def test_extrapolated_errors_follow_the_truth(large, before, name):
    labels, names = FOLLOWED[name]
    kind = large.columns[name].kind
    true, base = truth(flights(50_000), name, kind), before.columns[name].states
    found = {variant.label: variant for variant in variants_of(large, name)}
    for label in labels:
        metrics, states = true[label]
        expected = {**metrics, **compare(kind, states, base)}
        extrapolated = {**found[label].metrics, **compare(kind, found[label].states, base)}
        for metric in names:
            assert extrapolated[metric] == pytest.approx(expected[metric], rel=0.15, abs=0.005), (label, metric)


def test_distances_do_not_take_sampling_noise_for_an_error(large, before):
    # An identifier never repeats: a change of case leaves its hashed distribution as it was, and a sample of 1000
    # rows must not make it look otherwise.
    column, base = large.columns["id"], before.columns["id"].states
    clean = compare(column.kind, column.states, base)
    for variant in variants_of(large, "id"):
        if variant.type in ("casing_change", "whitespace_padding", "char_perturbation"):
            extrapolated = compare(column.kind, variant.states, base)
            assert extrapolated["l1"] <= 1.1 * clean["l1"], variant.label
            assert variant.metrics["digit_len"] == column.metrics["digit_len"]


def test_random_nulls_leave_the_distribution_alone(large, before):
    column, base = large.columns["carrier"], before.columns["carrier"].states
    clean = compare(column.kind, column.states, base)
    for variant in variants_of(large, "carrier"):
        if variant.type == "increased_nulls" and not variant.parameter.startswith("100%"):
            assert compare(column.kind, variant.states, base)["l1"] == pytest.approx(clean["l1"], abs=0.002)


def test_extremes_move_outwards_only_while_their_rows_stay(large):
    found = {variant.label: variant.metrics for variant in variants_of(large, "fare")}
    full = large.columns["fare"].metrics
    assert found["increased_nulls 1%"]["min"] == 0.0
    assert found["increased_nulls 1%"]["max"] == full["max"]
    assert found["increased_nulls 1%"]["range"] == full["max"]
    assert found["increased_nulls 100%"]["max"] == 0.0
    assert found["distribution_change first 10%"]["max"] < 0.05 * full["max"]


def test_variants_do_not_depend_on_the_split_of_the_partition(large):
    from airflow_dq.profile.table import TableState

    table = flights(50_000)
    parts = [TableState.of(table.slice(start, 9_000)) for start in range(45_000, -1, -9_000)]
    merged = parts[0]
    for part in parts[1:]:
        merged = TableState.decode(merged.encode()).merge(part)
    profile = merged.profile("2013-02-02")
    for name in COLUMNS:
        for one, other in zip(variants_of(profile, name), variants_of(large, name), strict=True):
            assert (one.label, one.metrics, one.states) == (other.label, other.metrics, other.states)


def test_variants_are_computed_once_and_change_no_profile():
    profile = profile_table(flights(50))
    assert profile.variants == {}
    assert variants_of(profile, "id") is variants_of(profile, "id")
    assert profile.variants == {}
    assert list(all_variants(profile)) == COLUMNS


def test_the_seed_of_the_options_changes_what_is_drawn():
    table = flights(500)
    drawn = [
        variants_of(profile_table(table, options=ProfileOptions(seed=seed)), "carrier")[0].metrics for seed in (0, 1)
    ]
    assert drawn[0] != drawn[1]


def test_the_donor_is_the_next_column_of_the_same_kind():
    table = pa.table({"a": ["x"] * 9, "n": list(range(9)), "b": ["yy"] * 9, "c": ["zzz"] * 9})
    profile = profile_table(table)
    lengths = {}
    for name in ("a", "b", "c"):
        (complete,) = [v for v in variants_of(profile, name) if v.label == "schema_change 100%"]
        lengths[name] = complete.metrics["str_len"]
    assert lengths == {"a": 2.0, "b": 3.0, "c": 1.0}
    assert "schema_change" not in {variant.type for variant in variants_of(profile, "n")}


def test_texts_that_the_sample_cut_do_not_shrink():
    table = pa.table({"s": ["é" * 5000, "short"]})
    profile = profile_table(table)
    for variant in variants_of(profile, "s"):
        if variant.type == "casing_change":
            assert variant.metrics["str_len"] == 2502.5


@pytest.mark.parametrize("rows", [0, 1])
def test_tiny_partitions_have_variants_or_none(rows):
    table = flights(rows)
    profile = profile_table(table.append_column("u", pa.nulls(rows)).append_column("l", pa.array([[1]] * rows)))
    for name in profile.columns:
        assert len(variants_of(profile, name)) <= 31


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(UnknownColumnError, match="no column 'x'; it has: 'id', 'carrier'"):
        variants_of(profile_table(flights(3), "p"), "x")


def test_a_stored_profile_without_variants_says_what_to_do():
    profile = profile_table(flights(3), "2013-02-02")
    bare = Profile(profile.partition, profile.row_count, profile.columns)
    with pytest.raises(ProfileError, match=r"'2013-02-02' keeps neither .* Profile the partition again"):
        variants_of(bare, "id")
    assert all_variants(bare) == {}


def test_variants_are_put_into_a_new_profile_and_never_into_the_given_one():
    profile = profile_table(flights(20), "2013-02-02")
    ready = with_variants(profile)
    assert profile.variants == {}
    assert list(ready.variants) == COLUMNS
    assert ready == profile, "what follows from the rows is no part of what is compared"
    assert variants_of(ready, "id") == variants_of(profile, "id")


@pytest.mark.parametrize("names", [["id"], ["seat"], ["late", "at"], ["id", "fare"], ["carrier", "seat"], COLUMNS])
@pytest.mark.parametrize("rows", [20, 3000])
def test_of_any_slice_of_the_columns_the_variants_are_those_of_the_whole_table(names, rows):
    profile = profile_table(flights(rows), "2013-02-02")
    some = narrowed(profile, names)
    assert len(some.columns) <= 2 * len(names)
    assert some.sample.rows.column_names == list(some.columns)
    for name in names:
        assert packed_variants(some, name).blob == encode_variants(variants_of(profile, name))


@pytest.mark.parametrize("columns", [2, 200, 400, 2000])
def test_the_columns_of_a_very_wide_table_share_the_errors_and_each_has_some(columns):
    numbers = [None, *(row + 0.5 for row in range(60))]
    profile = profile_table(pa.table({f"c{place}": numbers for place in range(columns)}), "2013-02-02")
    most = errors_a_column(profile)
    assert most == LEAST_A_COLUMN or most * columns <= ERRORS_A_PARTITION
    found = variants_of(profile, "c1")
    alone = variants_of(narrowed(profile, ["c1"]), "c1")
    told = {entry.label for entry in injections_for(Kind.NUMERIC, most)}
    assert [one.label for one in found] == [one.label for one in alone if one.label in told]
    assert found
    assert (len(found) == len(alone)) == (columns <= 256)
    part = packed_variants(narrowed(profile, ["c1"]), "c1", most)
    assert part.blob == encode_variants(found), "as many of a part of the table as of all of it"


def test_packed_variants_are_not_remembered():
    profile = profile_table(flights(20), "2013-02-02")
    packed = packed_variants(profile, "id")
    made = variants_of(profile, "id")
    assert packed.variants == made
    assert variants_of(profile, "id") is made
    assert packed_variants(replace(profile, variants={"id": packed}), "id").blob is packed.blob


def test_a_pickled_profile_leaves_behind_what_can_be_made_again():
    profile = profile_table(flights(20), "2013-02-02")
    made = variants_of(profile, "id")
    again = pickle.loads(pickle.dumps(profile))
    assert variants_of(again, "id") is not made
    assert variants_of(again, "id") == made


def test_variants_keep_all_that_distances_read_and_no_more():
    random = np.random.default_rng(5)
    table = pa.table(
        {"n": random.normal(size=30_000), "s": [f"{value:x}" for value in random.integers(0, 2**60, 30_000)]}
    )
    states = profile_table(table).columns
    for column in states.values():
        before = profile_table(table.slice(0, 25_000)).columns[column.name].states
        kept = {key: state.compared() for key, state in column.states.items()}
        assert compare(column.kind, kept, before) == compare(column.kind, column.states, before)
    whole, slim = (sum(len(state.encode()) for state in found) for found in _sketches(states))
    assert slim < whole / 2


def _sketches(columns):
    sketched = [state for column in columns.values() for state in column.states.values() if state.fullness > 1.0]
    assert len(sketched) == 2
    return sketched, [state.compared() for state in sketched]
