from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.explanation import explain
from airflow_dq.learn.constraint.base import Finding, Learned
from airflow_dq.learn.constraint.schema import SchemaDetector
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.program import synthesize
from airflow_dq.states.base import Kind
from tests.unit.learn.builder import column, day, profile

ROWS = 300


def _table(index: int, **names: str) -> Profile:
    """One day; ``names`` gives columns another name."""
    rng = np.random.default_rng(index)
    made = {
        "price": (Kind.NUMERIC, rng.gamma(4.0, 10.0, ROWS)),
        "count": (Kind.NUMERIC, rng.poisson(5.0, ROWS).astype(float)),
        "city": (Kind.STRING, rng.choice(["Bonn", "Köln", "Ulm"], ROWS).tolist()),
        "id": (Kind.STRING, [f"{index:03d}-{row:05d}" for row in range(ROWS)]),
    }
    return profile(day(index), *(column(names.get(name, name), *made[name]) for name in made))


HISTORY = [_table(index) for index in range(5)]


def _alerts(now: Profile, history: list[Profile] = HISTORY) -> list[Alert]:
    past = History.of(history)
    learned = SchemaDetector().learn(past, SynthesisOptions())
    assert isinstance(learned, Learned)
    view = PartitionView(now, past)
    checked = [(constraint, constraint.check(view)) for constraint in learned.constraints]
    found = [(constraint, one) for constraint, one in checked if isinstance(one, Finding)]
    # By name, as the schema has them; what is new comes last.
    return [replace(one, group=None, root=True, moved_with=()) for one in explain(view, found, len(now.columns))]


def _found(now: Profile, history: list[Profile] = HISTORY) -> list[tuple[str, str | None]]:
    return [(alert.rule, alert.column) for alert in _alerts(now, history)]


def test_a_renamed_column_is_one_alert_that_names_both() -> None:
    (alert,) = _alerts(_table(5, price="amount"), HISTORY)
    assert (alert.rule, alert.column, alert.cause) == ("column_renamed", "price", "renamed to 'amount'")
    assert alert.message == (
        "price: the column is missing; it looks renamed to 'amount', a new column with the same values. "
        "It is called 'price' in the 5 past partitions."
    )


def test_several_renamed_columns_are_told_apart() -> None:
    now = _table(5, price="amount", count="pieces", city="town", id="key")
    alerts = list(_alerts(now, HISTORY))
    assert {alert.column: alert.cause for alert in alerts} == {
        "price": "renamed to 'amount'",
        "count": "renamed to 'pieces'",
        "city": "renamed to 'town'",
        "id": "renamed to 'key'",
    }


def test_what_only_some_of_the_past_partitions_had_is_counted() -> None:
    first = {name: col for name, col in _table(0).columns.items() if name != "price"}
    first["count"] = column("count", Kind.STRING, ["5"] * ROWS)
    history = [profile(day(0), *first.values()), *HISTORY[1:]]
    now = profile(day(5), column("count", Kind.STRING, ["5"] * ROWS), *list(_table(5).columns.values())[2:])
    assert [alert.message for alert in _alerts(now, history)] == [
        "price: the column is missing; it is in 4 of the 5 past partitions.",
        "count: the column is now string (large_string); it was numeric in 4 of the 5 past partitions.",
    ]


def test_a_column_that_was_missed_once_is_no_news_when_it_comes_back_and_one_long_gone_is() -> None:
    without = [profile(day(place), *list(_table(place).columns.values())[1:]) for place in range(2, 5)]
    assert not _alerts(_table(5), [*HISTORY[:4], without[-1]])
    (alert,) = _alerts(_table(5), [*HISTORY[:2], *without])
    assert alert.message == (
        "price: the column is new (numeric, double); 2 of the 5 past partitions have it, the newest does not."
    )


def test_a_column_that_holds_something_else_is_missing_and_new() -> None:
    now = _table(5)
    columns = {name: col for name, col in now.columns.items() if name != "price"}
    other = column("weight", Kind.NUMERIC, np.random.default_rng(1).normal(70.0, 5.0, ROWS))
    changed = profile(day(5), *columns.values(), other)
    assert _found(changed) == [("column_missing", "price"), ("column_added", "weight")]


def test_two_alike_candidates_decide_nothing() -> None:
    now = _table(5, price="amount")
    twin = column("total", Kind.NUMERIC, np.random.default_rng(99).gamma(4.0, 10.0, ROWS))
    found = _found(profile(day(5), *now.columns.values(), twin))
    assert ("column_missing", "price") in found
    assert ("column_added", "amount") in found


def test_a_retyped_column_names_the_types_and_where_it_went() -> None:
    now = _table(5)
    text = column("price", Kind.STRING, ["1"] * ROWS)
    order = [now.columns["count"], now.columns["city"], now.columns["id"], text]
    (alert,) = _alerts(profile(day(5), *order), HISTORY)
    assert [change.words for change in alert.changes] == ["type double -> large_string", "column 1 -> column 4"]


VALUES = {
    "text": pa.array(["a", "b"] * 20),
    "number": pa.array(range(40)),
    "time": pa.array(range(40), pa.timestamp("us")),
    "flag": pa.array([True, False] * 20),
    "list": pa.array([[1], [2, 3]] * 20),
}
NOTHING = {
    "untyped": pa.nulls(40),
    # As Spark reads it from Parquet, and as it infers it from JSON.
    "integer": pa.nulls(40, pa.int32()),
    "text": pa.nulls(40, pa.string()),
    "no rows": pa.array([], pa.int32()),
}


@cache
def _full_day(index: int, values: str) -> Profile:
    return profile_table(pa.table({"note": VALUES[values]}), day(index))


@cache
def _bare_day(index: int, nothing: str) -> Profile:
    return profile_table(pa.table({"note": NOTHING[nothing]}), day(index))


@pytest.mark.parametrize("nothing", NOTHING)
@pytest.mark.parametrize("values", VALUES)
def test_a_day_without_values_is_no_type_before_nor_after_others(values: str, nothing: str) -> None:
    full, bare = partial(_full_day, values=values), partial(_bare_day, nothing=nothing)
    assert _found(full(9), [bare(index) for index in range(9)]) == []
    assert _found(bare(9), [full(index) for index in range(9)]) == []
    other = "number" if values == "text" else "text"
    for at in range(9):
        history = [bare(index) if index == at else full(index) for index in range(9)]
        assert _found(full(9), history) == []
        # The type that the other days have is still expected.
        assert _found(_full_day(9, other), history) == [("column_retyped", "note")]


def test_one_day_without_values_leaves_a_column_what_it_is_judged_by() -> None:
    def clauses(history: list[Profile]) -> int:
        return len(synthesize(history, SynthesisOptions()).columns["note"].clauses)

    full = [_full_day(index, "text") for index in range(16)]
    expected = clauses(full)
    assert expected > 1
    for at in range(9, 16):
        assert clauses([_bare_day(at, "integer") if one.partition == day(at) else one for one in full]) >= (expected)


@pytest.mark.parametrize("change", ["added", "missing", "retyped", "renamed"])
def test_a_change_that_was_accepted_is_no_news_in_the_next_partition(change: str) -> None:
    def changed(index: int) -> Profile:
        made = _table(index, **({"price": "amount"} if change == "renamed" else {}))
        columns = list(made.columns.values())
        if change == "added":
            columns.append(column("tip", Kind.NUMERIC, np.arange(float(ROWS))))
        elif change == "missing":
            columns = [one for one in columns if one.name != "city"]
        elif change == "retyped":
            columns = [column("price", Kind.STRING, ["9,50"] * ROWS), *columns[1:]]
        return profile(day(index), *columns)

    assert _found(changed(5))
    # Accepted, it is in the history; the newest partition is what the schema is expected of.
    assert _found(changed(6), [*HISTORY, changed(5)]) == []
    assert _found(changed(7), [*HISTORY[:1], *HISTORY[2:], changed(5), changed(6)]) == []
