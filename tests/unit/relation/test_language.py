"""What relations say of rows, in words and in JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.check.file import flow, read_checks, said
from airflow_dq.check.model import Check
from airflow_dq.exceptions import CodecError
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.column import canonical
from airflow_dq.profile.table import profile_table
from airflow_dq.relation import (
    Duration,
    Equal,
    Linear,
    MissingImplies,
    Order,
    PresentTogether,
    Product,
    Relation,
    RowRelation,
    Sum,
    ValueImplies,
)
from airflow_dq.relation.declared import as_check, why_no_check
from airflow_dq.relation.dependency import ANY_RISE, Counter, Dependency, Key, Step
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.total import Total
from airflow_dq.states.prepared import PreparedColumn

NAN = float("nan")
MOMENT = 1_767_225_600


def rows(**columns: Any) -> dict[str, PreparedColumn]:
    """Columns as a scan gives them."""
    arrays = {name: values if isinstance(values, pa.Array) else pa.array(values) for name, values in columns.items()}
    return {name: PreparedColumn(canonical(values)) for name, values in arrays.items()}


CASES: list[tuple[RowRelation, str, dict[str, Any], list[bool], list[bool]]] = [
    (Equal("a", "b"), "a = b", {"a": ["x", "y", None], "b": ["x", "z", "q"]}, [1, 1, 0], [0, 1, 0]),
    (Equal("a", "b"), "a = b", {"a": [2**60, 2**60 + 1], "b": [2**60, 2**60 + 2]}, [1, 1], [0, 1]),
    (Equal("a", "b"), "a = b", {"a": ["x"], "b": [1]}, [0], [0]),
    (
        Sum("t", ("a", "b")),
        "t = a + b",
        {"t": [0.3, 0.31, 5.0, None], "a": [0.1, 0.1, NAN, 1.0], "b": [0.2, 0.2, 5.0, 2.0]},
        [1, 1, 0, 0],
        [0, 1, 0, 0],
    ),
    (
        Sum("the total", ("a", "b"), tolerance=0.5),
        "'the total' = a + b, within 0.5",
        {"the total": [3, 4], "a": [1.4, 1.4], "b": [1.4, 1.4]},
        [1, 1],
        [0, 1],
    ),
    (Linear("c", "d", factor=100.0), "c = 100 * d", {"c": [100, 250], "d": [1.0, 2.0]}, [1, 1], [0, 1]),
    (Linear("c", "d", constant=-8.0), "c = d - 8", {"c": [1, 2], "d": [9, 9]}, [1, 1], [0, 1]),
    (Linear("c", "d", factor=-1.0), "c = -d", {"c": [1, 2], "d": [-1, 2]}, [1, 1], [0, 1]),
    (Product("p", ("a", "b")), "p = a * b", {"p": [6, 7], "a": [2, 2], "b": [3, 3]}, [1, 1], [0, 1]),
    (
        Duration("end", "start", "took", "minutes"),
        "end - start = took (in minutes)",
        {
            "end": pa.array([MOMENT + 120, MOMENT + 120], pa.timestamp("s")),
            "start": pa.array([MOMENT, MOMENT], pa.timestamp("s")),
            "took": [2, 3],
        },
        [1, 1],
        [0, 1],
    ),
    (Order("a", "b"), "a <= b", {"a": [1, 2, None], "b": [1, 1, 1]}, [1, 1, 0], [0, 1, 0]),
    (
        PresentTogether("a", "b"),
        "a is missing if and only if b is",
        {"a": [None, 1.0, NAN, 2.0], "b": ["", "x", "y", "z"]},
        [1, 1, 1, 1],
        [0, 0, 1, 0],
    ),
    (
        MissingImplies("a", "b"),
        "where a is missing, b is missing",
        {"a": [None, None, 1], "b": [None, 1, 1]},
        [1, 1, 0],
        [0, 1, 0],
    ),
    (
        ValueImplies("s", "sent", "at", True),
        "where s is 'sent', at is present",
        {"s": ["sent", "sent", "open"], "at": [1, None, 1]},
        [1, 1, 0],
        [0, 1, 0],
    ),
    (
        ValueImplies("s", "true", "at", False),
        "where s is 'true', at is missing",
        {"s": [True, True, False, None], "at": [1, None, 1, 1]},
        [1, 1, 0, 0],
        [1, 0, 0, 0],
    ),
]


@pytest.mark.parametrize(("relation", "words", "columns", "speaks", "breaks"), CASES)
def test_rows_that_a_relation_speaks_of_and_those_that_break_it(
    relation: RowRelation, words: str, columns: dict[str, Any], speaks: list[bool], breaks: list[bool]
) -> None:
    tested = relation.test(rows(**columns))
    assert (tested.speaks.tolist(), tested.breaks.tolist()) == ([*map(bool, speaks)], [*map(bool, breaks)])
    assert (tested.rows, tested.broken) == (sum(speaks), sum(breaks))
    assert str(relation) == words
    assert set(relation.columns) == set(columns)
    assert Relation.from_json(relation.to_json()) == relation


@pytest.mark.parametrize("relation", [case[0] for case in CASES])
def test_a_column_of_another_kind_or_without_values_breaks_nothing_by_arithmetic(relation: RowRelation) -> None:
    for values in (pa.nulls(3), pa.nulls(3, pa.float64()), pa.array([], pa.float64()), pa.array([b"x"])):
        tested = relation.test(rows(**dict.fromkeys(relation.columns, values)))
        assert len(tested.speaks) == len(values)
        assert not tested.broken


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"kind": "sums"}, "sums"),
        ({"total": 3}, "total"),
        ({"parts": "ab"}, "parts"),
        ({"parts": ["a", 1]}, "parts"),
        ({"tolerance": True}, "tolerance"),
        ({"tolerance": None}, "tolerance"),
        ({"more": 1}, "more"),
    ],
)
def test_a_damaged_relation_is_refused_by_name(change: dict[str, Any], word: str) -> None:
    given = json.loads(Sum("t", ("a", "b")).to_json())
    with pytest.raises(CodecError, match=word):
        Relation.from_json(json.dumps({**given, **change}))
    with pytest.raises(CodecError, match="lacks"):
        Relation.from_json(json.dumps({name: one for name, one in given.items() if name != "parts"}))
    with pytest.raises(CodecError, match="not JSON"):
        Relation.from_json("{")


BETWEEN = [
    Key(("order", "line")),
    Dependency(("code",), "name", lasting=False),
    Dependency(("code",), "name", lasting=True),
    Counter(("region",), "cases", 0.5, 1.0),
    Step(("region",), "cases", "new_cases"),
    Inclusion("parent", "id", lasting=False),
    Inclusion("place", "place", lasting=True),
    Total("region", "All", "cases", ("day",)),
]


@pytest.mark.parametrize("relation", [*(case[0] for case in CASES), *BETWEEN])
def test_every_relation_is_a_check_or_says_why_it_is_none(relation: Relation) -> None:
    check = as_check(relation)
    if check is None:
        assert why_no_check(relation).startswith("no check ")
    else:
        (read,) = read_checks(f"dataset: d\nchecks:\n  - {flow(said(check))}\n")
        assert read.measure == check.measure


def test_a_key_is_declared_as_one() -> None:
    assert as_check(Key(("order", "line"))) == Check("key", ("order", "line"))


def test_a_counter_says_what_steps_it_takes() -> None:
    assert str(Counter(("region",), "cases", 0.5, 1.0)) == (
        "cases of each region does not fall, nor rise by more than 50%"
    )
    found = Counter(("region",), "cases", ANY_RISE, 1.0, 0.2)
    assert str(found) == "cases of each region does not fall by more than 20%"
    now, past = np.array([100.0, 85.0, 70.0]), np.full(3, 100.0)
    assert found.is_broken(now, past).tolist() == [False, False, True]


def test_a_total_names_the_row_that_it_stands_in_and_what_it_adds_up() -> None:
    of_days = Total("region", "All", "cases", ("day", "age group"))
    assert str(of_days) == "cases where region is 'All' is the sum of the other rows of the same day, 'age group'"
    assert of_days.columns == ("day", "age group", "region", "cases")
    assert str(Total("region", "", "cases")) == "cases where region is missing is the sum of the other rows"


def test_kinds_are_named_once_and_all_are_tested() -> None:
    tested = {case[0].kind: type(case[0]) for case in CASES}
    known = {name: kind for name, kind in Relation._kinds.items() if issubclass(kind, RowRelation)}
    assert tested == known
    assert np.all([kind.kind == name for name, kind in known.items()])


@pytest.mark.parametrize("relation", [case[0] for case in CASES])
def test_a_relation_can_be_declared_and_says_the_same_of_rows(relation: RowRelation) -> None:
    columns = next(case[2] for case in CASES if case[0] is relation)
    check = as_check(relation)
    if isinstance(relation, Duration):
        assert check is None
        return
    assert check is not None
    if any(NAN in values for values in columns.values()) or isinstance(columns[relation.columns[0]][0], bool | int):
        return  # a rule has its own words for NaN, and exact integers
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    measured = profile_table(table, options=ProfileOptions(checks=(check,), sample_rows=0)).checks[check.measure]
    tested = relation.test(rows(**columns))
    if tested.rows:
        assert (measured.denominator, (measured.denominator or 0) - (measured.numerator or 0)) == (
            tested.rows,
            tested.broken,
        )
