"""Checks as YAML: the same objects as in Python, and every mistake with its line."""

from __future__ import annotations

import json
import time
from pathlib import Path

import jsonschema
import pytest
import yaml

from airflow_dq.check import Anomaly, Checks
from airflow_dq.check.file import checks_of, declared_checks, keys_of, load_checks, read_checks
from airflow_dq.check.metric import ALIASES, METRICS
from airflow_dq.check.model import check_of
from airflow_dq.check.schema import json_schema
from airflow_dq.exceptions import ConfigurationError

ORDERS = """\
dataset: orders
key: order_id
owner: sales
tags: [gold]
checks:
  - rows: {error: [1000, 50000]}
  - completeness: {column: email, error: ">=0.90", warn: ">=0.98"}
  - complete: {column: shipped_at, where: "status = 'shipped'"}
  - isin: {column: status, values: [new, "it's"], nulls: pass}
  - rule: {sql: "discount <= price", error: ">=0.999"}
  - rule: quantity > 0
  - unique: [order_id, line_no]
  - non_negative: {column: price, level: warn}
  - fresh: {column: created_at, within: 26h, warn: 20h}
  - metric: {name: revenue, sql: "sum(price * quantity)"}
  - mean: {column: amount, anomaly: {holt_winters: {season: 7}}}
"""


def orders() -> Checks:
    checks = Checks("orders", key="order_id", owner="sales", tags=["gold"])
    checks.rows().between(1000, 50000)
    checks.col("email").completeness(error=">=0.90", warn=">=0.98")
    checks.col("shipped_at").complete(where="status = 'shipped'")
    checks.col("status").isin(["new", "it's"], nulls="pass")
    checks.rule("discount <= price", error=">=0.999")
    checks.rule("quantity > 0")
    checks.unique("order_id", "line_no")
    checks.col("price").non_negative(level="warn")
    checks.add("fresh", ("created_at",), error="<=93600", warn="<=72000")
    checks.metric("revenue", "sum(price * quantity)")
    checks.col("amount").mean(anomaly=Anomaly("holt_winters", season=7))
    return checks


def test_yaml_and_python_build_the_same_checks(tmp_path: Path) -> None:
    path = tmp_path / "orders.dq.yml"
    path.write_text(ORDERS)
    assert load_checks(path).checks == orders().checks
    assert checks_of(str(path)).checks == orders().checks  # type: ignore[union-attr]
    assert checks_of(yaml.safe_load(ORDERS)).checks == orders().checks  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("- rows: {eror: 1}", "'rows' takes no 'eror'; did you mean 'error'"),
        ("- ruel: a < b", "there is no check 'ruel'; did you mean 'rule'"),
        ("- rule: a <", "cannot be read at character 4"),
        ("- rule: {sql: 3}", "sql is 3; give a text"),
        ("- isin: {column: s, values: [new, no]}", "different types: 'new', False"),
        ("- isin: {column: s, values: new}", "values is 'new'; give a list"),
        ("- isin: {column: s}", "isin needs values"),
        ("- complete: {column: 3}", "column is 3; give a text"),
        ("- complete: {colum: a}", "did you mean 'column'"),
        ("- isin: {column: d, values: [2026-01-31]}", "A date is a text ('2026-01-31', in YAML in quotes)"),
        ("- fresh: {column: a}", "give within="),
        ("- metric: {name: '', sql: sum(a)}", "metric needs name"),
        ("- complete", "says nothing of what it is about"),
        ("- [complete]", "a check is one name"),
        ("- {complete: a, unique: a}", "a check is one name"),
        ("- rows: {anomaly: norml}", "no strategy 'norml'; allowed: learned"),
        ("- fresh: {column: a, within: 1h, anomaly: normal}", "takes no 'anomaly'"),
        ("- mean: {column: x, error: '>=a'}", "allowed: '>=0.9'"),
        ("- mean: {column: x, error: [2, 1]}", "must not be above"),
        ("- rows: {error: 1, error: 2}", "'error' is given twice"),
        ("- rows: {error: '<0'}", "lies from 0 to inf"),
        ("- completeness: {column: email, error: 1}", "the id 'completeness.email' is that of the check in line 7"),
        ("- fresh: {column: a, within: 5y}", "no duration"),
        ("- fresh: {column: a, error: 5h}", "takes no 'error'"),
        ("- rows: {error: 5, owner: }", "nothing"),
        ("- complete: {column: a, level: info}", "allowed: error, warn"),
        ("- complete: {column: a, message: '{x}'}", "its places are"),
        ("- a: b: c", "this is no YAML"),
    ],
)
def test_a_mistake_names_file_line_and_what_is_allowed(line: str, complaint: str) -> None:
    if complaint == "nothing":
        assert len(read_checks(f"{ORDERS}  {line.replace('rows', 'distinct').replace('{', '{columns: z, ')}\n")) == 13
        return
    with pytest.raises(ConfigurationError) as caught:
        read_checks(f"{ORDERS}  {line}\n", "orders.dq.yml")
    assert str(caught.value).startswith("orders.dq.yml:17: ")
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "the file is empty"),
        ("[1]", ":1: the file is no mapping"),
        ("dataset: t", ":1: there is no 'checks'"),
        ("checks: []", ":1: there is no 'dataset'"),
        ("dataset: 5\nchecks: []", ":1: dataset is 5"),
        ("dataset: t\nchecks: {}", ":2: checks is no list"),
        ("dataset: t\nchekcs: []", ":2: the file takes no 'chekcs'; did you mean 'checks'"),
        ("dataset: t\ntags: x\nchecks: []", "tags is the text 'x'"),
        ("dataset: t\nkey: 5\nchecks: []", ":2: key is 5; give a text"),
        ("dataset: 't", "this is no YAML"),
    ],
)
def test_a_file_that_is_none_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_checks(text, "t.yml")
    assert complaint in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.yml: the file cannot be read"):
        load_checks(tmp_path / "none.yml")


def test_checks_of_another_dataset_are_refused() -> None:
    assert declared_checks(None, "orders") == ()
    assert declared_checks(orders(), "orders") == declared_checks(orders(), "{{ params.dataset }}")
    with pytest.raises(ConfigurationError, match="the checks are of 'orders'"):
        declared_checks(orders(), "customers")
    with pytest.raises(ConfigurationError, match="give Checks"):
        checks_of(5)


def test_the_schema_for_editors_is_in_the_docs_and_takes_what_the_reader_takes() -> None:
    schema = json_schema()
    kept = Path(__file__).parents[3] / "docs" / "checks.schema.json"
    assert kept.read_text() == json.dumps(schema, indent=1) + "\n", "write json_schema() to docs/checks.schema.json"
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(ORDERS), schema)
    for line in (
        "- ruel: a",
        "- rows: {eror: 1}",
        "- isin: {column: a}",
        "- complete: {column: 3}",
        "- mean: {error: 1}",
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(yaml.safe_load(f"{ORDERS}  {line}\n"), schema)


@pytest.mark.parametrize("name", sorted((*METRICS, *ALIASES)))
def test_every_check_has_its_keys_in_the_schema(name: str) -> None:
    (listed,) = [json_schema()["properties"]["checks"]["items"]["properties"][name]]
    whole = listed.get("oneOf", [listed])[0]
    assert set(whole["properties"]) == set(keys_of(name))


def test_a_thousand_checks_are_read_in_a_second() -> None:
    lines = [f"  - rule: {{sql: \"a{i} <= b{i} and c = 'x'\", error: '>=0.9{i}', owner: me}}" for i in range(1000)]
    began = time.process_time()
    assert len(read_checks("\n".join(["dataset: t", "checks:", *lines]))) == 1000
    assert time.process_time() - began < 1.0


def test_a_check_knows_where_it_is_declared() -> None:
    key, check, *_ = read_checks(ORDERS, "orders.dq.yml")
    assert (key.place, check.place) == ("orders.dq.yml:2", "orders.dq.yml:6")
    assert check.said == "orders.dq.yml:6: check 'rows'"
    assert check in tuple(read_checks(f"\n\n{ORDERS}", "other.yml"))
    assert check_of(check.to_dict()).place == check.place
