"""Each target's files, read by the tool itself where it is installed, and by its published grammar where it is not."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest
import yaml

from airflow_dq.check import Checks
from airflow_dq.check.file import read_checks
from tests.unit.export.rules import declared, export, export_of, orders, rules


def text_of(target: str) -> str:
    (text,) = export(target).files.values()
    return text


def import_pydeequ() -> ModuleType:
    # It asks for Spark's version where it is imported, and takes those that it was built for only.
    os.environ.setdefault("SPARK_VERSION", "3.5")
    return pytest.importorskip("pydeequ.checks", exc_type=ImportError)


# The grammar of DQDL as its authors publish it (ANTLR): rule = type parameter* condition? (where text)? (with threshold
# condition)?; rules are joined in parentheses by and / or.
_TOKEN = re.compile(
    r'\s*(?:#[^\n]*\n\s*)*(?:(?P<string>"(?:\\["\\]|[^"\\])*")|(?P<number>-?\d+(?:\.\d+)?)|(?P<word>[A-Za-z][\w.]*)'
    r"|(?P<sign>>=|<=|[=<>\[\],()]))"
)


class DQDLReader:
    """Reads a ruleset, strictly; the rules are counted."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        place = 0
        while text[place:].strip():
            found = _TOKEN.match(text, place)
            assert found, f"no token of DQDL at {text[place : place + 40]!r}"
            self.tokens.append((str(found.lastgroup), found[str(found.lastgroup)]))
            place = found.end()

    def take(self, *wanted: str) -> str:
        sort, word = self.tokens.pop(0)
        assert word in wanted or sort in wanted, f"{word!r} where {wanted} belongs, before {self.tokens[:4]}"
        return word

    def next(self) -> str:
        return self.tokens[0][1] if self.tokens else ""

    def ruleset(self) -> int:
        for word in ("Rules", "=", "["):
            self.take(word)
        count = 0
        while self.next() != "]":
            self.top()
            count += 1
            if self.next() != "]":
                self.take(",")
        self.take("]")
        assert not self.tokens
        return count

    def top(self) -> None:
        if self.next() != "(":
            return self.rule()
        while True:
            self.take("(")
            self.rule()
            self.take(")")
            if self.next() not in ("and", "or"):
                return None
            self.take("and", "or")

    def rule(self) -> None:
        self.take("word")
        while self.tokens[0][0] == "string":
            self.take("string")
        if self.next() in (">=", "<=", "=", "<", ">"):
            self.take("sign")
            self.take("number")


def test_dqdl_follows_its_grammar() -> None:
    assert DQDLReader(text_of("dqdl")).ruleset() == export("dqdl").said
    assert "(RowCount >= 10) and (RowCount <= 5000)" in text_of("dqdl")
    assert "IsComplete" not in text_of("dqdl"), "the empty text is complete there"


def test_soda_follows_its_published_schema() -> None:
    contract = yaml.safe_load(text_of("soda"))
    assert set(contract) == {"dataset", "columns", "checks"}
    assert contract["dataset"] == "data_source/orders"
    listed = [body for column in contract["columns"] for body in column.get("checks", ())] + contract["checks"]
    # All but the second expectation of the columns, which one schema check has no place for.
    assert export("soda").said - len(listed) <= 2
    for body in listed:
        ((kind, given),) = body.items()
        allowed = {
            "missing": {"missing_values"},
            "invalid": {"valid_values", "invalid_values", "valid_format", "valid_min", "valid_max"},
            "aggregate": {"function"},
            "duplicate": set[str](),
            "metric": {"query", "expression"},
            "row_count": set[str](),
            "schema": {"allow_extra_columns", "allow_other_column_order"},
        }[kind]
        assert set(given) <= {"name", "qualifier", "filter", "threshold", *allowed}
        asked = set(given.get("threshold", {})) - {"metric", "level"}
        assert kind == "schema" or (len(asked) == 1 and asked.pop().startswith("must_be"))
    names = [given.get("qualifier") for body in listed for given in body.values() if "qualifier" in given]
    assert len(names) == len(set(names))


def test_soda_reads_its_contract() -> None:
    yaml_of = pytest.importorskip("soda_core.common.yaml")
    parser = importlib.import_module("soda_core.contracts.impl.contract_yaml")
    logs = importlib.import_module("soda_core.common.logs").Logs()
    found = parser.ContractYaml.parse(yaml_of.ContractYamlSource.from_str(text_of("soda")))
    assert not logs.has_errors, logs.get_errors_str()
    checks = [one for column in found.columns for one in column.check_yamls or ()] + found.checks
    assert export("soda").said - len(checks) <= 2
    published = Path(parser.__file__).parents[1] / "soda_data_contract_json_schema_1_0_0.json"
    jsonschema.validate(yaml.safe_load(text_of("soda")), json.loads(published.read_text()))
    identifier = importlib.import_module("soda_core.common.dataset_identifier").DatasetIdentifier
    assert identifier.parse(found.dataset).dataset_name == "orders"


def test_great_expectations_reads_its_suite() -> None:
    core = pytest.importorskip("great_expectations.core.expectation_suite")
    found = json.loads(text_of("gx"))
    suite = core.ExpectationSuite(**found)
    assert len(suite.expectations) == export("gx").said
    written = {one["meta"]["check"]: one["severity"] for one in found["expectations"]}
    assert {one.meta["check"]: one.severity.value for one in suite.expectations} == written


def test_a_query_of_great_expectations_is_a_template_whatever_braces_it_has() -> None:
    checks = Checks("orders")
    checks.col("note").matches("^[a-z]{2}{batch}$", where="line > 0")
    checks.rule("note != '{' and note != '}}'")
    found = export_of("gx", checks)
    (text,) = found.files.values()
    queries = [one["kwargs"].get("unexpected_rows_query") for one in json.loads(text)["expectations"]]
    filled = [query.format(batch="t") for query in queries if query]
    assert filled
    assert all("from t" in one for one in filled)
    assert any("'{'" in one and "'}}'" in one for one in filled)


def test_great_expectations_judges_as_the_checks_do() -> None:
    gx = pytest.importorskip("great_expectations")
    found = json.loads(text_of("gx"))
    frame = orders(0).to_pandas()
    batch = gx.get_context(mode="ephemeral").data_sources.add_pandas("p").add_dataframe_asset("t")
    batch = batch.add_batch_definition_whole_dataframe("all").get_batch({"dataframe": frame})
    core = importlib.import_module("great_expectations.core.expectation_suite")
    found["expectations"] = [one for one in found["expectations"] if not one["type"].startswith("unexpected_rows")]
    result = batch.validate(core.ExpectationSuite(**found))
    failed = [one.expectation_config.meta["check"] for one in result.results if not one.success]
    assert failed == []
    assert len(result.results) > 15


def test_dbt_runs_what_is_written(tmp_path: Path) -> None:
    pytest.importorskip("dbt.adapters.duckdb")
    duckdb = importlib.import_module("duckdb")
    (tmp_path / "dbt_project.yml").write_text("name: p\nversion: 1.0.0\nprofile: p\n")
    place = tmp_path / "t.duckdb"
    (tmp_path / "profiles.yml").write_text(
        f"p: {{target: t, outputs: {{t: {{type: duckdb, path: {json.dumps(str(place))}}}}}}}\n"
    )
    for name, text in export("dbt").files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "models" / "orders.sql").write_text("select * from source_orders")
    with duckdb.connect(str(place)) as connection:
        connection.register("here", orders(0))
        connection.execute("create table source_orders as select * from here")
    dbt = Path(sys.executable).parent / "dbt"
    subprocess.run([dbt, "build", "--profiles-dir", "."], cwd=tmp_path, check=True, capture_output=True)
    results = json.loads((tmp_path / "target" / "run_results.json").read_text())["results"]
    states = {one["unique_id"].split(".")[2]: one["status"] for one in results if one["unique_id"].startswith("test.")}
    assert len(states) == export("dbt").said
    assert {name: state for name, state in states.items() if state != "pass"} == {"dq_completeness_note_warn": "warn"}


def test_a_template_of_dbt_s_is_no_text() -> None:
    checks = Checks("orders")
    checks.col("note").isin(["{{ evil }}", "x"])
    assert [one.reason for one in export_of("dbt", checks).lost] == ["it holds the braces of a template of dbt's"]


def test_odcs_is_read_again_check_for_check() -> None:
    again = read_checks(text_of("odcs"))
    assert again.not_judged == []
    found = {one.id: one for one in again}
    for check in (one for one in declared() if one.id != "odd mean" and one.metric != "type"):
        assert found[check.id] == check
    for rule in rules()[0]:
        if rule.learned and rule.check.metric != "type":
            assert found[rule.name].measure == rule.check.measure
            assert found[rule.name].error == rule.bounds


def test_odcs_follows_its_published_schema() -> None:
    standard = pytest.importorskip("open_data_contract_standard.model")
    contract = yaml.safe_load(text_of("odcs"))
    published = Path(standard.__file__).with_name("schema.json")
    jsonschema.validate(contract, json.loads(published.read_text()))
    read = standard.OpenDataContractStandard.from_string(text_of("odcs"))
    assert sum(len(one.quality or ()) for one in (read.schema_[0], *read.schema_[0].properties)) >= 0.9 * len(
        rules()[0]
    )


class Recorder:
    """Stands for PyDeequ's check: what is called is kept, and its signature asked of the real one where it is here."""

    def __init__(self, calls: list[tuple[str, tuple[Any, ...]]]) -> None:
        self.calls = calls

    def __getattr__(self, name: str) -> Any:
        def call(*given: Any) -> Recorder:
            self.calls.append((name, given))
            return self

        return call


def test_deequ_s_file_calls_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, tuple[Any, ...]]] = []
    fake = ModuleType("pydeequ.checks")
    fake.Check = lambda *_: Recorder(calls)  # type: ignore[attr-defined]
    fake.CheckLevel = type("CheckLevel", (), {"Error": 1, "Warning": 2})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pydeequ", ModuleType("pydeequ"))
    monkeypatch.setitem(sys.modules, "pydeequ.checks", fake)
    names: dict[str, Any] = {}
    exec(compile(ast.parse(text_of("deequ")), "deequ.py", "exec"), names)  # what was just written
    assert len(names["dq_checks"](None)) == 2
    asked = [call for call in calls if call[0] != "where"]
    assert len(asked) >= export("deequ").said
    size = next(given[0] for name, given in calls if name == "hasSize")
    assert any(size(value) is False for value in (0, 10**9))


def test_deequ_s_methods_take_what_they_are_given() -> None:
    checks = import_pydeequ()
    tree = ast.parse(text_of("deequ"))
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)]
    assert len(calls) > 30
    for call in calls:
        assert isinstance(call.func, ast.Attribute)
        method = getattr(checks.Check, call.func.attr)
        inspect.signature(method).bind(None, *call.args)
