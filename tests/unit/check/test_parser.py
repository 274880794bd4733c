"""Rules: what they say, what they read, and the place of each mistake."""

from __future__ import annotations

import sys
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.check.expression import (
    Aggregate,
    Arithmetic,
    Column,
    Comparison,
    Logic,
    Match,
    Membership,
    Negation,
    NullTest,
    Value,
)
from airflow_dq.check.parser import aggregate, predicate
from airflow_dq.exceptions import ConfigurationError

A, B = Column("a"), Column("b")


@pytest.mark.parametrize(
    ("sql", "node"),
    [
        ("a <= b", Comparison("<=", A, B)),
        ("a <> 1", Comparison("!=", A, Value(1))),
        ("a == -1.5e2", Comparison("=", A, Value(-150.0))),
        ("a = 'it''s' ", Comparison("=", A, Value("it's"))),
        (r"a = 'a\b'", Comparison("=", A, Value(r"a\b"))),
        ('`we ird` = "it\'s"', Comparison("=", Column("we ird"), Value("it's"))),
        ("a <=> null", Comparison("<=>", A, Value(None))),
        ("`a``b` IS NULL", NullTest(Column("a`b"))),
        ("a is not null", Negation(NullTest(A))),
        ("a in (1, -2)", Membership(A, (Value(1), Value(-2)))),
        ("a NOT IN ('x')", Negation(Membership(A, (Value("x"),)))),
        ("a between 1 and 2", Logic("and", Comparison(">=", A, Value(1)), Comparison("<=", A, Value(2)))),
        ("a like 'x%'", Match(A, "x%", False)),
        ("a not rlike '^x'", Negation(Match(A, "^x", True))),
        ("a or b and not a", Logic("or", A, Logic("and", B, Negation(A)))),
        ("(a or b) and a", Logic("and", Logic("or", A, B), A)),
        ("a + b * 2 > 1", Comparison(">", Arithmetic("+", A, Arithmetic("*", B, Value(2))), Value(1))),
        ("größe = 1", Comparison("=", Column("größe"), Value(1))),
        ("order.id = 1", Comparison("=", Column("order.id"), Value(1))),
        ("a = 9007199254740993", Comparison("=", A, Value(9007199254740993))),
    ],
)
def test_a_rule_says_what_it_says(sql: str, node: object) -> None:
    assert predicate(sql) == node


def test_a_number_of_all_rows_is_made_of_aggregates() -> None:
    node = aggregate("sum(price * quantity) / count(*)")
    assert node.aggregates == (
        Aggregate("sum", Arithmetic("*", Column("price"), Column("quantity"))),
        Aggregate("count", None),
    )
    assert node.columns == ("price", "quantity")


@pytest.mark.parametrize(
    ("sql", "complaint"),
    [
        ("", "is no SQL"),
        ("a <", "character 4: 'the end' stands where a column"),
        ("a <= b c", "character 8: 'c' stands where and, or"),
        ("a ~ b", "character 3: '~' begins no word"),
        ("a = 'it's'", "begins no word: nothing closes this quote"),
        ("a + b", "neither true nor false of a row"),
        ("'x'", "neither true nor false"),
        ("a and b + 1", "one side of 'and'"),
        ("not (a + 1)", "neither true nor false"),
        ("foo(a) = 1", "there is no function 'foo'; there are abs"),
        ("round(a, 1, 2) = 1", "takes 1 to 2 arguments"),
        ("sum(a) > 1", "is of all rows"),
        ("a = null", "nothing is = null, nor is it not: ask 'is null'"),
        ("a <> b or null != a", "nothing is != null"),
        ("\"a\" = 'x'", "in double quotes is a text, in backquotes a name"),
        ("a in ()", "stands where"),
        ("a in (b)", "a list of texts"),
        ("a in (null)", "a list of texts"),
        ("a like b", "a text in quotes"),
        ("a rlike '('", "no regular expression"),
        ("a rlike '(?=x)'", "RE2 does not know"),
        ("a not 1", "in, between, like or rlike"),
        ("(" * 200 + "a" + ")" * 200, "within each other"),
        (" and ".join(["a"] * 300), "terms are joined"),
        ("select a from t", "stands where"),
    ],
)
def test_a_mistake_in_a_rule_is_told_with_its_place(sql: str, complaint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Where DuckDB is installed it takes some of them, and others have read them before.
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ConfigurationError, match=complaint.replace("(", r"\(").replace(")", r"\)")):
        predicate.__wrapped__(sql)


@pytest.mark.parametrize(
    ("sql", "complaint"),
    [
        ("a", "outside of an aggregate"),
        ("sum(a) + a", "outside of an aggregate"),
        ("sum(sum(a))", "aggregate within an aggregate"),
        ("1 + 2", "has no aggregate"),
        ("sum(a) > 1", "by \\+ - \\* / only"),
        ("abs(sum(a))", "by \\+ - \\* / only"),
        ("sum(a) + 'x'", "no number"),
    ],
)
def test_what_is_no_number_of_all_rows_is_refused(sql: str, complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        aggregate(sql)


@given(st.text(max_size=30) | st.text("ab10 ()'<=>+-*,.`inotrlkew", max_size=40))
def test_no_text_brings_the_reader_down(sql: str) -> None:
    for read in (predicate, aggregate):
        with suppress(ConfigurationError):
            read(sql)
