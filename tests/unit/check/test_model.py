"""A check as data: what it measures, what it is called, and what can never be one."""

from __future__ import annotations

from typing import Any

import pytest

from airflow_dq.check import Anomaly, Bounds, Check, Checks
from airflow_dq.check.column import ColumnChecks
from airflow_dq.check.metric import ALIASES, FORMATS, METRICS
from airflow_dq.check.model import check_of
from airflow_dq.check.parser import check_pattern
from airflow_dq.exceptions import ConfigurationError

ANY = Bounds(lower=0)


def example(name: str, **more: Any) -> Check:
    """A check of a metric, with all that it needs."""
    entry = METRICS[name]
    given: dict[str, Any] = {
        "sql": "sum(a)" if name == "metric" else "a <= b",
        "values": ("x", "y"),
        "pattern": "^x",
        "format": "email",
        "quantile": 0.5,
        "type": "numeric",
        "name": "total",
        "every": 60.0,
        "to": "/other",
    }
    columns = ("a", "b")[: entry.columns[0]]
    needed = {one: given[one] for one in entry.arguments}
    low = {"low": 0} if name == "between" else {}
    return Check(name, columns, **{**needed, **low, "error": ANY, **more})


every_metric = pytest.mark.parametrize("name", sorted(METRICS))


@every_metric
def test_every_metric_makes_a_check_that_survives_as_plain_data(name: str) -> None:
    check = example(name, owner="sales", tags=("x",), warn=Bounds(lower=0.5))
    again = check_of(check.to_dict())
    assert again == check
    assert hash(again) == hash(check)
    assert (again.measure, again.id) == (check.measure, check.id)
    assert check.words


@every_metric
def test_what_is_measured_does_not_depend_on_what_is_asked(name: str) -> None:
    plain, asked = example(name), example(name, error=Bounds(lower=0.1), owner="me", id="mine", tags=("t",))
    assert plain.measure == asked.measure
    assert asked.id == "mine"


def test_what_is_measured_differs_with_filter_columns_and_arguments() -> None:
    checks = [
        Check("completeness", ("a",), error=ANY),
        Check("completeness", ("b",), error=ANY),
        Check("completeness", ("a",), where="x > 1", error=ANY),
        Check("isin", ("a",), values=(1,)),
        Check("isin", ("a",), values=(True,)),
        Check("isin", ("a",), values=(1.0,)),
        Check("isin", ("a",), values=("1",)),
        Check("isin", ("a",), values=("1",), nulls="fail"),
    ]
    assert len({check.measure for check in checks}) == len(checks)
    assert len({check.id for check in checks}) == len(checks)


def test_an_id_is_plain_where_it_can_be_and_stays_the_same() -> None:
    assert Check("completeness", ("email",), error=ANY).id == "completeness.email"
    assert Check("metric", sql="sum(a)", name="revenue", error=ANY).id == "metric.revenue"
    assert Check("rule", sql="a <= b").id == "rule.a3c6bf"


def test_a_check_reads_what_its_rule_and_its_filter_read() -> None:
    check = Check("completeness", ("a",), where="b > 1 and c = 'x'", error=ANY)
    assert check.reads == ("a", "b", "c")
    assert check.subjects == ("a",)
    assert Check("rule", sql="a <= b", where="c > 1").subjects == ("a", "b")


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"metric": "compleetness"}, "did you mean 'completeness'"),
        ({"metric": "completeness", "columns": ("a", "b")}, "of 1 columns, and 2 are named"),
        ({"metric": "correlation", "columns": ("a",)}, "of 2 columns"),
        ({"metric": "unique"}, "there is no metric"),
        ({"metric": "key", "columns": ("a", "a")}, "named twice"),
        ({"metric": "key", "columns": "ab"}, "give a tuple"),
        ({"metric": "fresh", "columns": ("a",), "error": None}, "no history to compare with"),
        ({"metric": "rows", "error": None, "anomaly": "learned"}, "give Anomaly"),
        ({"metric": "mean", "columns": ("a",), "sql": "a > 1"}, "takes no sql"),
        ({"metric": "mean", "columns": ("a",), "nulls": "fail"}, "takes no nulls"),
        ({"metric": "rule"}, "needs sql"),
        ({"metric": "rule", "sql": 5}, "give a text"),
        ({"metric": "rule", "sql": "a +"}, "cannot be read at character"),
        ({"metric": "rows", "where": "a + 1"}, "neither true nor false"),
        ({"metric": "metric", "sql": "a", "name": "x"}, "outside of an aggregate"),
        ({"metric": "isin", "columns": ("a",), "values": ("a", 1)}, "different types"),
        ({"metric": "isin", "columns": ("a",), "values": (None,)}, "no values"),
        ({"metric": "isin", "columns": ("a",), "values": ("a",), "nulls": "drop"}, "allowed: skip, pass, fail"),
        ({"metric": "matches", "columns": ("a",), "pattern": "["}, "no regular expression"),
        ({"metric": "format", "columns": ("a",), "format": "mail"}, "did you mean 'email'"),
        ({"metric": "quantile", "columns": ("a",), "quantile": 5}, "from 0 to 1"),
        ({"metric": "between", "columns": ("a",)}, "low, high or both"),
        ({"metric": "between", "columns": ("a",), "low": 5, "high": 1}, "is above high"),
        ({"metric": "completeness", "columns": ("a",), "error": Bounds(lower=90)}, "lies from 0 to 1"),
        ({"metric": "completeness", "columns": ("a",), "error": Bounds(lower=1, lower_open=True)}, "lies from 0 to 1"),
        ({"metric": "rows", "error": Bounds(upper=-1)}, "lies from 0 to inf"),
        ({"metric": "rows", "error": Bounds(lower=9), "warn": Bounds(lower=5)}, "would never come alone"),
        ({"metric": "rows", "error": ">1"}, "give Bounds"),
        ({"metric": "rows", "message": "{count} rows"}, "its places are {value}"),
        ({"metric": "rows", "message": "{"}, "cannot be filled in"),
        ({"metric": "rows", "id": " x"}, "without blanks"),
    ],
)
def test_what_can_never_be_checked_is_refused(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint) as caught:
        Check(**{"error": ANY, **given})
    assert str(given.get("id", given["metric"])) in str(caught.value)


def test_two_checks_of_one_id_are_refused() -> None:
    checks = Checks("orders")
    checks.col("a").complete()
    checks.col("a").completeness(error=">=0.5")
    with pytest.raises(ConfigurationError, match=r"two checks with the id 'completeness\.a'"):
        tuple(checks)


def test_python_declares_what_the_model_holds() -> None:
    checks = Checks("orders", key="order_id", owner="sales", tags=["gold"])
    checks.rows().between(1_000, 50_000)
    checks.col("email").completeness(error=">=0.90", warn=">=0.98")
    checks.col("status").isin(["new", "it's"], nulls="pass")
    checks.rule("discount <= price", error=">=0.999", owner="finance")
    checks.col("amount").non_negative(level="warn")
    checks.fresh("created_at", within="26h")
    found = {check.id: check for check in checks}
    assert found["key.order_id"].error == Bounds(1, 1)
    assert found["rows"].error == Bounds(1_000, 50_000)
    assert found["completeness.email"].warn == Bounds(lower=0.98)
    assert found["fresh.created_at"].error == Bounds(upper=93_600)
    (sign,) = [check for check in checks if check.metric == "between"]
    assert (sign.low, sign.error, sign.warn) == (0, None, Bounds(1, 1))
    assert {check.owner for check in checks} == {"sales", "finance"}
    assert all(check.tags == ("gold",) for check in checks)


@pytest.mark.parametrize("name", [*METRICS, *ALIASES])
def test_every_metric_is_declared_by_a_method_of_its_name(name: str) -> None:
    renamed = {"predictable": "predictable_from", "row_difference": "reconciles", "sum_difference": "reconciles"}
    name = renamed.get(name, name)
    assert hasattr(ColumnChecks, name) or hasattr(Checks, name)


def test_one_text_is_no_list_of_values() -> None:
    with pytest.raises(ConfigurationError, match=r"values is the text 'new'; give a list: \['new'\]"):
        Checks("orders").col("status").isin("new")
    checks = Checks("orders")
    checks.add("unique", "price")
    assert checks.checks[0].columns == ("price",)


def test_a_metric_of_which_nothing_is_asked_is_learned() -> None:
    checks = Checks("orders")
    asked = checks.rows()
    assert [(check.error, check.warn, check.anomaly) for check in checks] == [(None, None, Anomaly())]
    asked.at_least(5, level="warn")
    assert [(check.warn, check.anomaly) for check in checks] == [(Bounds(lower=5), None)]
    checks.metric("total", "sum(a)", level="warn")
    assert tuple(checks)[1].anomaly == Anomaly(level="warn")


def test_a_strategy_is_asked_beside_bounds_or_in_their_place() -> None:
    checks = Checks("orders")
    checks.rows(error=">0", anomaly={"holt_winters": {"season": 7}}).at_most(9)
    checks.rule("a < b", anomaly="normal", level="warn")
    rows, rule = checks
    assert (rows.error, rows.anomaly) == (Bounds(upper=9), Anomaly("holt_winters", season=7))
    assert (rule.error, rule.anomaly) == (None, Anomaly("normal", level="warn"))
    for check in (rows, rule):
        assert check_of(check.to_dict()) == check


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("norml", "allowed: learned"),
        ({"normal": {"season": 3}}, "normal takes no season"),
        ({"normal": {"sigma": 0}}, "above 0"),
        ({"absolute_change": {}}, "lower, upper or both"),
        ({"relative_change": {"lower": 2, "upper": 1}}, "lower not above upper"),
        ({"holt_winters": {"season": 1}}, "2 or more"),
        ({"learned": {"target_fpr": 2}}, "between 0 and 1"),
        ({"learned": {"min_history": 0}}, "1 or more"),
        ({"learned": {"min_history": "5"}}, "1 or more"),
        ({"learned": {"level": "info"}}, "error or warn"),
        (5, "is no strategy"),
        ({"a": {}, "b": {}}, "is no strategy"),
    ],
)
def test_what_is_no_strategy_is_refused(given: Any, complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        Checks("orders").rows(anomaly=given)


def test_a_strategy_of_the_model_refuses_what_is_another_s() -> None:
    with pytest.raises(ConfigurationError, match="normal takes no season"):
        Anomaly("normal", season=3)


@pytest.mark.parametrize("alias", sorted(ALIASES))
def test_an_alias_asks_a_metric_for_what_everybody_asks(alias: str) -> None:
    checks = Checks("orders")
    checks.add(alias, ("a",))
    (check,) = checks
    assert (check.metric, check.error) == (ALIASES[alias].metric, Bounds(1, 1))


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_is_a_pattern_that_both_engines_know(name: str) -> None:
    assert check_pattern(FORMATS[name])
