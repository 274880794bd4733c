"""Planted slices are found and named as they are; where nothing was planted, or all rows alike, none is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.drill.search import drill, rows_of
from airflow_dq.options.profile import ProfileOptions

Columns = dict[str, Any]
ROWS = 4_000


@cache
def drawn(seed: int, rows: int = ROWS) -> Columns:
    """A table of orders: ids go on, prices and names have many values, and the rest is what one slices by."""
    random = np.random.default_rng(seed)
    return {
        "id": np.arange(rows) + seed * rows,
        "channel": random.choice(["web", "app", "marketplace", "phone", "shop"], rows, p=[0.4, 0.3, 0.12, 0.1, 0.08]),
        "country": random.choice(["DE", "FR", "IT", "ES", "US", "UK", "PL", "NL"], rows),
        "paid": random.random(rows) < 0.7,
        "price": np.round(random.lognormal(3.0, 1.0, rows), 2),
        "name": np.array([f"Cust {number}" for number in random.integers(0, 9999, rows)]),
        "at": np.datetime64("2026-01-01", "us")
        + np.timedelta64(86_400_000_000, "us") * seed
        + random.integers(0, 86_400_000_000, rows).astype("timedelta64[us]"),
    }


def table(columns: Columns) -> pa.Table:
    return pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})


def changed(column: str, rows: np.ndarray[Any, Any], change: Callable[[Any], Any], of: Columns) -> Columns:
    values = of[column].astype(object if of[column].dtype.kind in "U" else of[column].dtype)
    return {**of, column: np.where(rows, change(of[column]), values)}


WHERE: dict[str, Callable[[Columns], np.ndarray[Any, Any]]] = {
    "channel = 'marketplace'": lambda t: t["channel"] == "marketplace",
    "country = 'IT'": lambda t: t["country"] == "IT",
    "paid = False": lambda t: ~t["paid"],
    "channel = 'app' and country = 'DE'": lambda t: (t["channel"] == "app") & (t["country"] == "DE"),
    "channel = 'web' and paid = False": lambda t: (t["channel"] == "web") & ~t["paid"],
}
WHAT: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "another unit": ("price", lambda v: v * 60),
    "nulls": ("price", lambda v: v * np.nan),
    "sign": ("price", lambda v: -v),
    "lower case": ("name", np.char.lower),
    "cut": ("name", lambda v: v.astype("U3")),
    "nine hours late": ("at", lambda v: v + np.timedelta64(9, "h")),
}


def test_planted_slices_are_found() -> None:
    right = []
    for seed, (where, rows) in enumerate(WHERE.items()):
        now = drawn(seed + 1)
        for column, change in WHAT.values():
            found = drill(table(drawn(0)), table(changed(column, rows(now), change, now))).slices
            right.append([(one.words, one.columns[:1]) for one in found] == [(where, (column,))])
        left = {name: values[~rows(now)] for name, values in now.items()}
        found = drill(table(drawn(0)), table(left)).slices
        right.append([(one.words, one.columns, one.rows) for one in found] == [(where, (), 0)])
    assert sum(right) >= 0.9 * len(right), f"{sum(right)} of {len(right)}"


@pytest.mark.parametrize("seed", range(1, 9))
def test_nothing_is_named_on_a_clean_pair(seed: int) -> None:
    found = drill(table(drawn(0)), table(drawn(seed, ROWS if seed % 2 else ROWS // 3)))
    assert found.slices == ()
    assert set(found.attributes) == {"channel", "country", "paid"}
    assert found.tried > 50


@pytest.mark.parametrize("column", ["price", "name"])
def test_a_change_in_all_rows_is_in_no_slice(column: str) -> None:
    change: Callable[[Any], Any] = (lambda v: v * 60) if column == "price" else np.char.upper
    now = changed(column, np.ones(ROWS, dtype=bool), change, drawn(1))
    found = drill(table(drawn(0)), table(now), columns=[column])
    assert (found.slices, found.everywhere) == ((), (column,))


def test_several_slices_are_named_one_after_the_other() -> None:
    now = drawn(1)
    rows = np.isin(now["channel"], ["app", "shop"])
    found = drill(table(drawn(0)), table(changed("price", rows, lambda v: v * 60, now)))
    assert {one.words for one in found.slices} == {"channel = 'app'", "channel = 'shop'"}
    assert drill(table(drawn(0)), table(changed("price", rows, lambda v: v * 60, now)), most=1).slices == (
        found.slices[0],
    )


def test_a_value_that_came_and_what_it_stands_beside() -> None:
    now = drawn(1)
    rows = (now["channel"] == "phone") & (np.arange(ROWS) % 10 > 0)
    renamed = {**now, "channel": np.where(rows, "call", now["channel"])}
    words = {one.words: (one.rows_before, one.rows) for one in drill(table(drawn(0)), table(renamed)).slices}
    assert set(words) == {"channel = 'call'", "channel = 'phone'"}
    assert words["channel = 'call'"][0] == 0


def test_a_column_that_names_the_partition_slices_nothing() -> None:
    sides = [{**drawn(seed), "day": np.full(ROWS, seed)} for seed in (0, 1)]
    found = drill(*map(table, sides))
    assert found.slices == ()
    assert "day" not in found.attributes


def test_hidden_and_left_out_columns_are_none_to_slice_by() -> None:
    now = drawn(1)
    bad = table(changed("price", now["channel"] == "app", lambda v: v * 60, now))
    assert drill(table(drawn(0)), bad, options=ProfileOptions(hidden=("channel",))).slices == ()
    assert drill(table(drawn(0)), bad, options=ProfileOptions(exclude=("channel",))).slices == ()
    (found,) = drill(table(drawn(0)), bad, options=ProfileOptions(hidden=("price",))).slices
    # That it has changed is no value of it.
    assert [one.what for one in found.contrasts] == ["rows"]


def test_a_slice_tells_its_rows_and_what_they_were_like() -> None:
    now = drawn(1)
    rows = now["channel"] == "marketplace"
    bad = table(changed("price", rows, lambda v: v * 60, now))
    (found,) = drill(table(drawn(0)), bad, each=10.0).slices
    assert found.rows == 10 * rows.sum()
    assert found.filter == "`channel` = 'marketplace'"
    assert rows_of(bad, found.conditions).num_rows == rows.sum()
    median = next(one for one in found.contrasts if one.what == "median")
    before, after = (float(text.replace(",", "")) for text in (median.before, median.now))
    assert 50 < after / before < 75
    assert found.score > 0.8


@pytest.mark.parametrize("rows", [0, 1])
def test_tables_of_hardly_any_row(rows: int) -> None:
    few = {name: values[:rows] for name, values in drawn(1).items()}
    for pair in ((drawn(0), few), (few, drawn(0)), (few, few)):
        assert drill(*map(table, pair)).slices == ()


def test_what_changes_as_much_from_day_to_day_is_usual() -> None:
    def day(seed: int, factor: float) -> pa.Table:
        now = drawn(seed)
        return table(changed("price", now["channel"] == "app", lambda v: v * factor, now))

    before, now, earlier = day(0, 1.0), day(1, 3.0), day(2, 3.0)
    assert [one.words for one in drill(before, now).slices] == ["channel = 'app'"]
    assert drill(before, now, past=lambda names: [earlier]).slices == ()
    assert [one.words for one in drill(before, now, past=lambda names: [day(2, 1.0)]).slices] == ["channel = 'app'"]


def matches(seed: int) -> Columns:
    """Rows in clusters: each team has one score and one opponent a day, which none of its rows differs in."""
    random = np.random.default_rng(seed)
    teams = np.repeat([f"team {number}" for number in range(20)], 30)
    score, opponent = (np.repeat(random.integers(0, most, 20), 30) for most in (6, 20))
    return {
        "team": teams,
        "at_home": np.repeat(random.random(20) < 0.5, 30),
        "score": score,
        "opponent": opponent,
        "minutes": random.integers(1, 91, 600).astype(float),
    }


PAST = [table(matches(seed)) for seed in range(5)]


def seen(columns: Columns, *asked: str) -> tuple[str, ...]:
    def past(names: Sequence[str]) -> list[pa.Table]:
        return [one.select(names) for one in PAST]

    return tuple(one.words for one in drill(table(matches(5)), table(columns), past=past, columns=asked).slices)


def test_clusters_that_change_as_a_whole_are_no_slices() -> None:
    # Twenty clusters on five days are few to tell from what is usual: without the days before most are named.
    days = [matches(seed) for seed in range(6, 12)]
    assert sum(bool(seen(day, "score", "opponent", "minutes")) for day in days) <= 2
    alone = [drill(table(matches(5)), table(day), columns=["score", "opponent", "minutes"]).slices for day in days]
    assert sum(map(bool, alone)) >= 4


@pytest.mark.parametrize(
    ("column", "change"),
    [("score", lambda v: v * np.nan), ("minutes", lambda v: v * np.nan), ("minutes", lambda v: -v)],
)
def test_what_no_cluster_has_ever_had_is_found_in_one(column: str, change: Callable[[Any], Any]) -> None:
    now = matches(6)
    now[column] = np.where(now["team"] == "team 7", change(now[column].astype(float)), now[column].astype(float))
    assert seen(now, column) == ("team = 'team 7'",)


def test_earlier_partitions_are_read_only_where_a_slice_would_be_named() -> None:
    asked: list[list[str]] = []

    def past(names: Sequence[str]) -> list[pa.Table]:
        asked.append(list(names))
        return []

    drill(table(drawn(0)), table(drawn(1)), past=past)
    assert asked == []
    rows = drawn(1)["channel"] == "app"
    drill(table(drawn(0)), table(changed("price", rows, lambda v: v * 60, drawn(1))), past=past, columns=["price"])
    assert asked == [["channel", "country", "paid", "price"]]


def test_a_partition_of_another_schema_says_nothing_of_what_is_usual() -> None:
    now = changed("price", drawn(1)["channel"] == "app", lambda v: v * 60, drawn(1))
    others = [table(drawn(2)).drop_columns(["paid"]), pa.table({name: ["x"] for name in now})]
    found = drill(table(drawn(0)), table(now), past=lambda names: others)
    assert [one.words for one in found.slices] == ["channel = 'app'"]
