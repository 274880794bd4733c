"""Contracts of ODCS: the same checks as in Python, every mistake with its line, and what is not judged is told."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from airflow_dq.check import Check, Checks
from airflow_dq.check.file import checks_of, declared_checks, read_checks
from airflow_dq.exceptions import ConfigurationError

HEAD = """\
version: 1.0.0
kind: DataContract
apiVersion: v3.1.0
id: 53581432
status: active
team: {name: sales}
servers:
  - {server: prod, type: custom}
slaProperties:
  - {property: latency, value: 4, unit: d}
schema:
"""
ORDERS = (
    HEAD
    + """\
  - name: orders
    physicalName: tbl_orders
    logicalType: object
    properties:
      - name: Order number
        physicalName: order_id
        logicalType: integer
        primaryKey: true
        primaryKeyPosition: 1
        required: true
        description: what the customer calls it
      - name: email
        logicalType: string
        unique: true
        logicalTypeOptions: {minLength: 5, maxLength: 100, pattern: "@", format: email}
        quality:
          - {metric: nullValues, mustBeLessThan: 1, unit: percent}
          - {metric: missingValues, arguments: {missingValues: [null, "", "N/A"]}, mustBeLessOrEqualTo: 100}
      - name: status
        quality:
          - metric: invalidValues
            arguments: {validValues: [new, "it's"]}
            mustBe: 0
            severity: warning
            tags: [gold]
          - {type: text, description: The state is that of the shop.}
      - name: price
        logicalType: number
        logicalTypeOptions: {minimum: 0, exclusiveMaximum: 1000, multipleOf: 0.5}
        quality:
          - type: sql
            query: SELECT COUNT(*) FROM {object} WHERE {property} IS NULL
            mustBeLessThan: 10
            name: few without a price
          - {type: custom, engine: soda, implementation: "type: duplicate_percent"}
      - name: at
        logicalType: time
    quality:
      - {metric: rowCount, mustBeBetween: [100, 120]}
      - {metric: duplicateValues, arguments: {properties: [order_id, email]}, mustBe: 0}
      - {metric: duplicateValues, arguments: {properties: [status]}, mustBeLessThan: 98, unit: percent}
      - {metric: rowCount, mustNotBe: 7}
      - {type: sql, query: "SELECT 1 FROM other", mustBe: 1}
"""
)


def orders() -> list[Check]:
    """The same, declared in Python."""
    checks = Checks("orders")
    checks.col("order_id").type("numeric")
    checks.rule("`order_id` = floor(`order_id`)")
    checks.rule("`order_id` is not null")
    checks.col("email").type("string")
    checks.col("email").unique()
    checks.col("email").min_length(error=">=5")
    checks.col("email").max_length(error="<=100")
    checks.col("email").matches("@")
    checks.col("email").format("email")
    checks.rule("`email` is not null", error=">0.99")
    checks.rows(where="not (`email` is not null and not (`email` in ('', 'N/A')))", error="<=100")
    checks.col("status").isin(["new", "it's"], level="warn", tags=["gold"])
    checks.col("price").type("numeric")
    checks.col("price").between(low=0)
    checks.rule("`price` < 1000")
    checks.rule("`price` % 0.5 = 0")
    checks.metric("few without a price", "COUNT(*)", where="`price` IS NULL", error="<10", id="few without a price")
    checks.has_columns("order_id", "email", "status", "price", "at")
    checks.key("order_id")
    checks.rows().between(100, 120)
    checks.unique("order_id", "email")
    checks.distinctness("status", error=">0.02") if hasattr(checks, "distinctness") else checks.add(
        "distinctness", ("status",), error=">0.02"
    )
    return list(checks)


def test_a_contract_builds_the_checks_that_python_does() -> None:
    found = read_checks(ORDERS)
    assert found.dataset == "orders"
    assert list(found) == orders()


def test_what_cannot_be_judged_is_told_with_its_place() -> None:
    told = read_checks(ORDERS, "c.odcs.yaml").not_judged
    lines = dict(enumerate(ORDERS.splitlines(), start=1))
    words = ("The state is that of the shop", "engine: soda", "logicalType: time", "mustNotBe: 7", "FROM other")
    places = [next(line for line, text in lines.items() if word in text) for word in words]
    assert [int(one.split(":")[1]) for one in told] == places
    assert "it is a text for people" in told[0]
    assert "it is for the engine 'soda'" in told[1]


def test_it_is_given_to_operators_as_a_path_and_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "contract.odcs.yaml"
    path.write_text(ORDERS)
    with caplog.at_level(logging.WARNING):
        assert declared_checks(path, "orders") == tuple(orders())
        assert declared_checks(str(path), "tbl_orders") == tuple(orders())
    assert len(caplog.records) == 5
    assert f"{path}:" in caplog.text


def test_one_of_several_objects_is_chosen_by_the_dataset(tmp_path: Path) -> None:
    text = HEAD + "  - {name: a, quality: [{metric: rowCount, mustBe: 1}]}\n  - {name: b, physicalName: c}\n"
    path = tmp_path / "two.yaml"
    path.write_text(text)
    assert len(declared_checks(path, "a")) == 1
    assert declared_checks(path, "c") == ()
    for dataset in ("d", None):
        with pytest.raises(ConfigurationError, match=r"two\.yaml:12: the contract's objects are 'a', 'b'; "):
            checks_of(path, dataset)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{metric: rowCounts, mustBe: 1}", "there is no metric 'rowCounts'; did you mean 'rowCount'?"),
        ("{metric: rowCount}", "a rule is compared once, by one of mustBe, "),
        ("{metric: rowCount, mustBe: 1, mustBeLessThan: 3}", "a rule is compared once"),
        ("{metric: rowCount, mustBe: many}", "mustBe is 'many'; give a number"),
        ("{metric: rowCount, mustBeBetween: [5, 1]}", "must not be above"),
        ("{metric: rowCount, mustBeBetween: 5}", r"mustBeBetween is 5; give \[lowest, highest\]"),
        ("{metric: rowCount, mustBe: 1, unit: rowz}", "unit is 'rowz'; allowed: rows, percent"),
        ("{metric: nullValues, mustBe: 0}", "nullValues is of a property"),
        ("{metric: rowCount, arguments: {a: 1}, mustBe: 0}", "those of rowCount are none"),
        ("{type: sqll, mustBe: 0}", "there is no type 'sqll'; did you mean 'sql'?"),
        ("{type: sql, mustBe: 0}", "query is None; give a text"),
        ("{type: custom, engine: airflow-dq, implementation: {metric: nope}}", "there is no metric 'nope'"),
        ("7", "a quality rule is no mapping"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_what_is_allowed(line: str, said: str) -> None:
    text = HEAD + f"  - name: orders\n    quality:\n      - {line}\n"
    with pytest.raises(ConfigurationError, match=rf"^c\.yaml:14: .*{said}"):
        read_checks(text, "c.yaml")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("logicalType: strin", "there is no logicalType 'strin'; did you mean 'string'?"),
        ("required: maybe", "required is 'maybe'; give true or false"),
        ("logicalTypeOptions: {pattern: '('}", "no regular expression"),
        ("logicalTypeOptions: 5", "logicalTypeOptions is no mapping"),
        ("quality: 5", "quality is no list"),
    ],
)
def test_a_mistake_in_a_property_is_told_with_its_line(line: str, said: str) -> None:
    text = HEAD + f"  - name: orders\n    properties:\n      - name: a\n        {line}\n"
    with pytest.raises(ConfigurationError, match=rf"^c\.yaml:15: .*{said}"):
        read_checks(text, "c.yaml")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("apiVersion: v3.1.0", "apiVersion: v2.2.2"), ":3: apiVersion is 'v2.2.2'; allowed: v3"),
        (("schema:\n", "schema: []\n"), ":11: the contract has no schema"),
    ],
)
def test_a_contract_that_cannot_be_read_is_told(change: tuple[str, str], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        read_checks(HEAD.replace(*change), "c.yaml")


def test_options_of_types_that_ask_nothing_or_too_much() -> None:
    text = HEAD + (
        "  - name: t\n    properties:\n      - name: at\n        logicalType: timestamp\n        logicalTypeOptions: "
        "{timezone: true, format: 'yyyy-MM-dd', minimum: '2020-01-01'}\n"
    )
    found = read_checks(text, "c.yaml")
    assert [one.metric for one in found] == ["type", "between", "has_columns"]
    assert found.not_judged == [
        "c.yaml:16: not judged: format of 'at': 'yyyy-MM-dd' is none of what is checked of a value."
    ]
