from __future__ import annotations

from datetime import datetime, timedelta

import pyarrow as pa
import pytest

from airflow_dq.explain.difference import difference
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile


def profile(day: int, rows: int = 400, factor: float = 1.0, city: str = "Ulm", **more: pa.Array) -> Profile:
    at = [datetime(2026, 1, day) + timedelta(minutes=n) for n in range(rows)]
    columns = {
        "price": [factor * (1 + n % 7) for n in range(rows)],
        "city": ["Bonn" if n % 2 else city for n in range(rows)],
        "at": at,
        **more,
    }
    return profile_table(pa.table(columns), partition=f"2026-01-{day:02}")


def test_equal_partitions_have_no_difference() -> None:
    found = difference(profile(1), profile(1))
    assert (found.rows, found.moved, found.columns, found.retyped) == ((400, 400), (), (), ())


def test_what_moved_most_comes_first_and_dates_only_where_values_are_told() -> None:
    found = difference(profile(1), profile(2, factor=60.0))
    assert {one.column for one in found.moved} == {"price"}
    places = [(not one.learned, -one.moved) for one in found.moved]
    assert places == sorted(places)
    assert [one.metric for one in found.moved if not one.learned]
    assert all(0 < size <= 1 for size in (one.moved for one in found.moved))
    assert [one.column for one in found.columns] == ["price", "at"]


def test_values_columns_and_types_that_came_and_went() -> None:
    before = profile(1, extra=pa.array([1] * 400), kind=pa.array(["a"] * 400))
    after = profile(1, rows=200, city="Köln", kind=pa.array([1] * 200), new=pa.array([1] * 200))
    found = difference(before, after)
    assert (found.rows, found.appeared, found.vanished) == ((400, 200), ("new",), ("extra",))
    assert found.retyped == (("kind", "string", "int64"),)
    told = {one.column: " ".join(one.changes) for one in found.columns}
    assert "'Köln' appeared" in told["city"]
    assert "'Ulm' vanished" in told["city"]


@pytest.mark.parametrize("swapped", [False, True])
def test_the_size_of_a_move_does_not_depend_on_the_order(swapped: bool) -> None:
    pair = [profile(1), profile(1, factor=3.0)]
    found = difference(*(pair[::-1] if swapped else pair))
    assert found.moved[0].moved == pytest.approx(2 / 3)
