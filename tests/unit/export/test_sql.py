"""SQL of a check gives the value that the check itself has, in an engine that everybody has."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterator

import pytest

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.model import Check
from airflow_dq.check.parser import predicate
from airflow_dq.export.sql import ANSI, DIALECTS, SPARK, Query, Writer, number_text, outside, query_of
from airflow_dq.profile.check.answer import answer
from tests.unit.export.rules import declared, history, orders, program

NEEDS_MORE = ("std", "variance", "median", "quantile", "iqr", "correlation")
"""What this engine cannot do: a better one is asked for these where it is installed."""
UNSAYABLE = ("skewness", "kurtosis", "mutual_information", "has_columns", "type")
CHECKS = [one for one in declared() if one.metric not in UNSAYABLE]


@pytest.fixture(scope="module")
def database() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.create_function("regexp_like", 2, lambda text, pattern: text and re.search(pattern, text) is not None)
    connection.create_function("ln", 1, math.log)
    connection.create_function("mod", 2, lambda left, right: None if left is None else math.fmod(left, right))
    table = orders(0)
    connection.execute(f"create table orders ({', '.join(table.column_names)})")
    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    connection.executemany(f"insert into orders values ({', '.join('?' * table.num_columns)})", rows)
    yield connection
    connection.close()


def same(check: Check, found: object) -> None:
    measured = answer(check, history()[0])
    assert measured.problem is None
    assert found == (measured.value if measured.value is None else pytest.approx(measured.value)), check.id


@pytest.mark.parametrize("kinds", [True, False], ids=["kinds known", "kinds unknown"])
@pytest.mark.parametrize("check", [one for one in CHECKS if one.metric not in NEEDS_MORE], ids=lambda one: one.id)
def test_the_value_is_the_check_s_own(check: Check, kinds: bool, database: sqlite3.Connection) -> None:
    query = query_of(check, ANSI, program().table.schema if kinds else {})
    assert isinstance(query, Query)
    ((found,),) = database.execute(query.of("orders")).fetchall()
    same(check, found)


@pytest.mark.parametrize("check", CHECKS, ids=lambda one: one.id)
def test_duckdb_says_the_same(check: Check) -> None:
    duckdb = pytest.importorskip("duckdb", reason="an engine that has deviations and quantiles")
    query = query_of(check, DIALECTS["duckdb"], program().table.schema)
    assert isinstance(query, Query)
    connection = duckdb.connect()
    connection.register("orders", orders(0))
    found = connection.execute(query.of("orders")).fetchone()
    same(check, None if found[0] is None else float(found[0]))


@pytest.mark.parametrize("metric", UNSAYABLE[:3])
def test_what_sql_does_not_have_is_said(metric: str) -> None:
    (check,) = [one for one in declared() if one.metric == metric]
    assert query_of(check, ANSI, {}) == f"there is no portable SQL for {metric}"


def test_literals_keep_their_quotes_and_backslashes() -> None:
    assert ANSI.literal("it's\\") == "'it''s\\'"
    assert SPARK.literal("it's\\") == r"'it\'s\\'"
    assert SPARK.name_of("a`b") == "`a``b`"
    rule = predicate("`a b` in ('it''s', 'x') and c rlike '^\\d+$'")
    assert Writer(SPARK, {}).of(rule) == r"((`a b` in ('it\'s', 'x')) and (`c` rlike '^\\d+$'))"
    assert Writer(DIALECTS["postgres"], {}).of(rule) == """(("a b" in ('it''s', 'x')) and ("c" ~ '^\\d+$'))"""


@pytest.mark.parametrize("value", [0, 1, -3, 1e-9, 123456789.125, 0.1, 5e15, 2**60, -2.5e-7, 1e22])
def test_numbers_have_all_digits_and_no_exponent(value: float) -> None:
    assert "e" not in number_text(value)
    assert float(number_text(value)) == value


def test_bounds_are_as_open_as_they_are() -> None:
    assert outside(Bounds(0, 1)) == "value < 0 or value > 1"
    assert outside(Bounds(0, 1, lower_open=True, upper_open=True)) == "value <= 0 or value >= 1"
    assert outside(Bounds(upper=2)) == "value > 2"
