"""Slices of a wide table's columns: however they are cut, and the rows with them, the profile is that of the whole."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from unittest import mock

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.check import Checks
from airflow_dq.corruption.variant import packed_variants
from airflow_dq.engine.worker import partial as traveling
from airflow_dq.engine.worker.partial import merge_batches, partial_of, whole
from airflow_dq.engine.worker.task import profile_batches
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.profile.table import TableState

ROWS = 240


def _table() -> pa.Table:
    random = np.random.default_rng(3)
    n = random.integers(0, 9, ROWS)
    columns = {
        "n": n,
        "city": random.choice(["Rome", "Oslo", ""], ROWS),
        "total": n + random.integers(-1, 5, ROWS),
        "flag": random.random(ROWS) < 0.5,
        "nothing": pa.nulls(ROWS),
        # Of no type in the first pieces, of one in the others.
        "late": [None] * (ROWS // 2) + [f"t{value}" for value in random.integers(0, 40, ROWS // 2)],
        "price": random.lognormal(size=ROWS),
        "parts": [[1] * int(size) for size in n],
    }
    return pa.table(columns)


TABLE = _table()
NAMES = TABLE.column_names


def _options() -> ProfileOptions:
    checks = Checks("d")
    checks.rule("n <= total")
    checks.uniqueness("city", "n")
    checks.correlation("price", "n")
    return ProfileOptions(sample_rows=50, segments=("city",), checks=tuple(checks))


OPTIONS = _options()
EXPECTED = profile_table(TABLE, "k", OPTIONS)
ERRORS = {name: packed_variants(EXPECTED, name).blob for name in ("n", "late")}


def _require_same(found: Profile) -> None:
    assert found.fingerprint == EXPECTED.fingerprint
    assert list(found.columns) == NAMES
    assert found.checks == EXPECTED.checks
    assert len(found.checks) >= 3
    assert {name: rows.to_dict() for name, rows in found.failing.items()} == {
        name: rows.to_dict() for name, rows in EXPECTED.failing.items()
    }
    assert found.drawn == EXPECTED.drawn
    assert found.sample.rows.equals(EXPECTED.sample.rows)
    assert {name: packed_variants(found, name).blob for name in ERRORS} == ERRORS


CUTS = st.lists(st.integers(1, ROWS - 1), unique=True, max_size=4).map(sorted)


@given(CUTS, st.integers(1, len(NAMES) + 1), st.randoms(use_true_random=False))
def test_slices_of_pieces_merge_to_the_whole(cuts: list[int], width: int, random: object) -> None:
    edges = [0, *cuts, ROWS]
    pieces = [TABLE.slice(start, stop - start) for start, stop in pairwise(edges)]
    random.shuffle(pieces)
    slices = zip(*(TableState.of(piece, OPTIONS).sliced(width) for piece in pieces), strict=True)
    merged = [reduce(TableState.merge, (TableState.decode(one.encode()) for one in alike)) for alike in slices]
    assert len(merged) == -(-len(NAMES) // width)
    _require_same(reduce(TableState.beside, merged).profile("k", OPTIONS))


@given(CUTS, st.integers(1, len(NAMES) + 1), st.integers(2, 3), st.randoms(use_true_random=False))
def test_rows_that_travel_are_put_together_in_any_order(
    cuts: list[int], width: int, at_once: int, random: object
) -> None:
    edges = [0, *cuts, ROWS]
    with mock.patch.object(traveling, "SLICE_COLUMNS", width), mock.patch.object(traveling, "_PIECES", at_once):
        rows = [
            batch.slice(position, 1)
            for start, stop in pairwise(edges)
            for batch in profile_batches(TABLE.slice(start, stop - start).to_batches(), NAMES, OPTIONS, key="k")
            for position in range(batch.num_rows)
        ]
        random.shuffle(rows)
        (merged,) = merge_batches(rows)
        assert merged.num_rows == -(-len(NAMES) // width)
    _require_same(partial_of(merged).profile("k", OPTIONS))
    _require_same(whole(map(partial_of, rows)).profile("k", OPTIONS))


def test_a_problem_of_one_piece_is_that_of_all_slices() -> None:
    with mock.patch.object(traveling, "SLICE_COLUMNS", 2):
        good, bad = (
            next(profile_batches(TABLE.to_batches(), NAMES, options, key="k"))
            for options in (OPTIONS, ProfileOptions(columns=("other",)))
        )
        (merged,) = merge_batches([good, bad])
    for found in (partial_of(merged), whole(map(partial_of, [bad, good]))):
        assert "No column is named 'other'" in str(found.problem)
        assert found.state is None
