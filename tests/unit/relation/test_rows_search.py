"""Dependencies, keys and counters are found where they are, and nowhere by chance."""

from __future__ import annotations

import logging

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.exceptions import CodecError
from airflow_dq.relation.base import Relation
from airflow_dq.relation.belief import surprise
from airflow_dq.relation.coded import MOST_COLUMNS, Coded
from airflow_dq.relation.dependency import ANY_RISE, Counter, Dependency, Key, Step
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.key_search import MOST_KEYS
from airflow_dq.relation.rows_search import MOST_CANDIDATES, RowsSearch, mine_between
from airflow_dq.relation.total import Total


def texts(values: object) -> pa.Array:
    return pa.array([str(one) for one in values], pa.large_string())  # type: ignore[attr-defined]


def found(tables: list[pa.Table]) -> set[str]:
    return {str(one.relation) for one in mine_between(tables)}


def shops(rng: np.random.Generator, rows: int = 600, wrong: float = 0.0) -> pa.Table:
    shop = rng.integers(0, 20, rows)
    city = np.where(rng.random(rows) < wrong, 9, shop % 7)
    noise = rng.integers(0, 3, rows)
    return pa.table(
        {"shop": texts(shop), "city": texts(city), "grade": texts(noise), "price": pa.array(rng.random(rows))}
    )


@pytest.mark.parametrize(("wrong", "expected"), [(0.0, True), (0.01, True), (0.3, False)])
def test_a_dependency_may_have_a_few_exceptions(wrong: float, expected: bool) -> None:
    rng = np.random.default_rng(1)
    relations = found([shops(rng, wrong=wrong) for _ in range(3)])
    assert ("shop determines city, as in the partitions before" in relations) is expected
    assert not any("price" in one or "grade" in one for one in relations)


def test_what_a_session_is_in_one_partition_need_not_be_so_in_the_next() -> None:
    rng = np.random.default_rng(2)
    tables = []
    for _ in range(3):
        session, user = rng.integers(0, 100, 600), rng.integers(0, 5, 100)
        tables.append(pa.table({"session": texts(session), "user": texts(user[session])}))
    assert found(tables) == {"session determines user"}


def snapshot(rng: np.random.Generator, day: int, total: np.ndarray) -> pa.Table:
    places = np.arange(len(total))
    columns = {
        "day": pa.array(np.full(len(total), 86_400.0 * day)),
        "place": texts(places),
        "region": texts(places // 8),
    }
    return pa.table({**columns, "total": pa.array(total), "now": pa.array(rng.normal(50, 20, len(total)).round())})


def test_snapshots_have_keys_lasting_attributes_and_counters() -> None:
    rng = np.random.default_rng(3)
    total, tables = rng.integers(0, 99, 60).astype(float), []
    for day in range(6):
        total = total + rng.poisson(2, 60)
        tables.append(snapshot(rng, day, total))
    assert found(tables) == {
        "each place occurs once",
        "each place is one of place in the partitions before",
        "place determines region, as in the partitions before",
        "total of each place does not fall, nor rise by more than 40%",
    }


def test_a_change_that_stands_beside_its_number_is_told_from_numbers_that_move_alike() -> None:
    rng = np.random.default_rng(13)
    total, tables = rng.integers(0, 99, 40).astype(float), []
    for day in range(6):
        new = rng.poisson(2, 40).astype(float)
        total = total + new
        columns = {"new": pa.array(new), "other": pa.array(rng.poisson(2, 40).astype(float))}
        table = snapshot(rng, day, total)
        tables.append(pa.table({name: table[name] for name in table.column_names} | columns))
    assert {one for one in found(tables) if "right before" in one} == {
        "total - new of each place is total in the partition right before"
    }


@pytest.mark.parametrize(("lost", "expected"), [(0, True), (3, True), (90, False)])
def test_values_of_a_column_are_among_those_of_another(lost: int, expected: bool) -> None:
    """A parent is an id; two numbers of a small domain include each other by chance."""
    rng, tables = np.random.default_rng(14), []
    for _ in range(4):
        ids = rng.permutation(5_000)[:300]
        parent = ids[rng.integers(0, 300, 300)]
        parent[:lost] = 9_000 + np.arange(lost)
        few = {name: pa.array(rng.integers(0, most, 300).astype(float)) for name, most in (("few", 20), ("more", 40))}
        tables.append(pa.table({"id": texts(ids), "parent": texts(parent), **few}))
    included = {one for one in found(tables) if " is one of " in one}
    assert included == ({"each parent is one of id in the same partition"} if expected else set())


def test_places_that_come_again_are_told_from_rows_that_come_once() -> None:
    rng = np.random.default_rng(15)
    again = [pa.table({"place": texts(rng.permutation(100)[:99])}) for _ in range(4)]
    once = [pa.table({"event": texts(np.arange(99) + 100 * day)}) for day in range(4)]
    assert "each place is one of place in the partitions before" in found(again)
    assert not any(" is one of " in one for one in found(once))


def test_lines_of_an_order_have_a_key_of_two_columns() -> None:
    rng = np.random.default_rng(4)
    order = np.repeat(np.arange(200), 4).astype(float)
    line, pieces = np.tile(np.arange(4.0), 200), rng.poisson(2, 800).astype(float)
    table = pa.table({"order": pa.array(order), "line": pa.array(line), "pieces": pa.array(pieces)})
    assert found([table, table]) >= {"each order, line occurs once"}


def test_amounts_that_happen_to_differ_are_no_key() -> None:
    rng = np.random.default_rng(5)
    tables = [pa.table({"cents": pa.array(rng.choice(10_000_000, 200, replace=False).astype(float))}) for _ in range(3)]
    assert found(tables) == set()


def test_of_columns_that_one_stands_for_each_is_named_once() -> None:
    code = np.random.default_rng(6).integers(0, 12, 500)
    table = pa.table({"code": texts(code), "name": texts(code + 100), "region": texts(code // 4)})
    assert found([table] * 5) == {
        "code determines name, as in the partitions before",
        "name determines code, as in the partitions before",
        "code determines region, as in the partitions before",
    }


def shipments(rng: np.random.Generator, wrong: float = 0.0) -> pa.Table:
    """Two columns that determine a third one together, and a number that is computed of two others."""
    rates, rows = np.random.default_rng(8).integers(0, 9, (10, 8)), 1_500
    country, band, left, right = (rng.integers(0, most, rows) for most in (10, 8, 9, 9))
    rate = np.where(rng.random(rows) < wrong, rng.integers(0, 9, rows), rates[country, band])
    numbers = {name: pa.array(some.astype(float)) for name, some in (("left", left), ("right", right))}
    sums = pa.array((left + right).astype(float))
    codes = {"country": texts(country), "area": texts(country // 2), "band": texts(band), "rate": texts(rate)}
    return pa.table({**codes, **numbers, "sum": sums})


@pytest.mark.parametrize(("wrong", "expected"), [(0.0, True), (0.01, True), (0.3, False)])
def test_two_columns_determine_a_third_one_that_neither_does(wrong: float, expected: bool) -> None:
    rng = np.random.default_rng(7)
    relations = found([shipments(rng, wrong) for _ in range(5)])
    assert ("country, band determines rate, as in the partitions before" in relations) is expected
    # What follows from the country alone is said of it alone, and a sum is said as a sum, within each row.
    assert not any(", " in one.split(" determines ")[0] and "rate" not in one for one in relations)


def test_what_one_column_says_already_two_do_not_say() -> None:
    rng = np.random.default_rng(9)
    tables = []
    for _ in range(4):
        shop, noise = rng.integers(0, 30, 1_000), rng.integers(0, 4, 1_000)
        # A tenth has no one city: too many for a dependency, and no fewer where the noise is the same.
        city = np.where(rng.random(1_000) < 0.1, rng.integers(0, 9, 1_000), shop % 7)
        tables.append(pa.table({"shop": texts(shop), "noise": texts(noise), "city": texts(city)}))
    assert found(tables) == set()


@pytest.mark.parametrize("values", [pa.nulls(50, pa.large_string()), pa.array([1.0] * 50), pa.array([], pa.float64())])
def test_of_nothing_there_is_nothing(values: pa.Array) -> None:
    assert found([pa.table({"a": values}), pa.table({"a": values})]) == set()
    assert found([]) == set()
    assert found([pa.table({"a": values, "b": values})] * 2) == set()


def test_of_very_many_columns_the_first_are_looked_at() -> None:
    table = pa.table({f"c{one}": pa.array(np.arange(3.0)) for one in range(MOST_COLUMNS + 5)})
    rows = Coded.of([table])
    assert (len(rows.names), rows.left_out) == (MOST_COLUMNS, 5)


@pytest.mark.parametrize("columns", [1, 2_000])
def test_whatever_a_table_is_few_relations_are_found_and_what_is_left_out_is_said(
    columns: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Every value different, or all alike, or missing; one column, or thousands; no key among them."""
    rng = np.random.default_rng(16)
    kinds = (
        lambda: texts(rng.integers(0, 10**15, 60)),
        lambda: pa.array(rng.random(60)),
        lambda: pa.array(rng.integers(0, 10**15, 60).astype(float)),
        lambda: pa.nulls(60, pa.large_string()),
        lambda: texts([1] * 60),
        lambda: pa.array(rng.integers(0, 9, 60).astype(float), mask=rng.random(60) < 0.5),
    )
    tables = [pa.table({f"c{one}": kinds[one % len(kinds)]() for one in range(columns)}) for _ in range(2)]
    with caplog.at_level(logging.INFO):
        search = RowsSearch.of(tables, (), "odd")
        # Of texts nobody knows the range: those that are all different are keys, and of these three are watched.
        assert {one.relation.kind for one in search.found()} <= {"key"}
        assert len(search.found()) <= MOST_KEYS
        assert len(search.candidates()) <= 2 * MOST_CANDIDATES + 1
    assert ("Dataset 'odd'" in caplog.text) is (columns > MOST_COLUMNS)


def test_more_candidates_need_more_evidence() -> None:
    assert surprise(0, 140, 0.5, 1_000) is not None
    assert surprise(0, 140, 0.5, 10_000_000) is None
    assert surprise(0, 140, 0.01, 1_000) is None, "nearly constant"
    assert surprise(8, 140, 0.5, 1) is None, "too many exceptions"
    assert surprise(0, 0, 0.5, 1) is None, "no chance"


@pytest.mark.parametrize(
    "relation",
    [
        Dependency(("a", "b"), "é'", lasting=True),
        Key(("a",)),
        Counter(("a", "b"), "n", 0.5, 10.0),
        Step(("a", "b"), "n", "c"),
        Inclusion("a", "b", lasting=False),
        Total("a", "All", "n", ("b",)),
    ],
)
def test_relations_travel_as_json(relation: Relation) -> None:
    assert Relation.from_json(relation.to_json()) == relation
    with pytest.raises(CodecError):
        Relation.from_json(relation.to_json().replace('"a"', "1"))


def test_what_a_composite_key_keeps_is_tried_where_no_drawn_key_comes_again() -> None:
    rng = np.random.default_rng(0)
    places = rng.permutation(900)
    parts = [
        pa.table(
            {
                "region": pa.array([f"r{one // 30}" for one in some], pa.large_string()),
                "product": pa.array([f"p{one % 30}" for one in some], pa.large_string()),
                "owner": pa.array([f"o{one % 7}" for one in some], pa.large_string()),
                "sold": pa.array(rng.integers(0, 10**6, 450).astype(float)),
            }
        )
        for some in (places[:450].tolist(), places[450:].tolist())
    ]
    search = RowsSearch.of(parts)
    assert Key(("region", "product")) in [one.relation for one in search.found()]
    tried = search.candidates()
    assert Counter(("region", "product"), "sold", ANY_RISE, 0.0) in tried
    assert Dependency(("region", "product"), "owner", lasting=True) in tried
    assert not any(isinstance(one, Inclusion) for one in tried)
