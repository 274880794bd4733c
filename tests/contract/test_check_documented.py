"""The page on checks lists each of them as it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from airflow_dq.check.anomaly import Strategy
from airflow_dq.check.expression import AGGREGATES, FUNCTIONS
from airflow_dq.check.file import read_checks
from airflow_dq.check.metric import ALIASES, FORMATS, METRICS, CheckMetric
from airflow_dq.operators.guard import dq_guard
from airflow_dq.profile.check.key_tally import MOST_KEYS

PAGE = (Path(__file__).parents[2] / "docs" / "checks.md").read_text()
_SUBJECTS = {"table": (), "column": ("`column`",), "columns": ("`columns`",)}
_SOURCES = {
    "stored": "profile",
    "rows": "rows",
    "keys": "keys",
    "order": "order",
    "model": "rows, and those held out",
    "table": "keys of both tables",
    "age": "profile, and its moment",
    "schema": "schema",
}


def line(entry: CheckMetric) -> str:
    arguments = [*_SUBJECTS[entry.subject], *(f"`{one}`" for one in entry.arguments)]
    arguments += ["`within`"] if entry.name == "fresh" else []
    arguments += [f"[`{one}`]" for one in entry.options]
    arguments += ["[`by`]"] if entry.grows and entry.name != "predictable" else []
    arguments += ["[`scope`]"] if entry.grows else []
    asked = "" if entry.default is None else entry.default.words
    return f"| `{entry.name}` | {', '.join(arguments)} | {asked} | {entry.words} | {_SOURCES[entry.source]} |"


@pytest.mark.parametrize("name", METRICS)
def test_every_check_has_its_line(name: str) -> None:
    assert line(METRICS[name]) in PAGE.splitlines()


def test_no_line_is_of_a_check_that_there_is_not() -> None:
    ours = PAGE.partition("## Coming from Deequ")[0]
    listed = re.findall(r"^\| `(\w+)` \| (?:`|\[| ?\|)", ours, re.MULTILINE)
    assert [name for name in listed if name not in get_args(Strategy)] == list(METRICS)


def test_what_the_page_names_is_what_there_is() -> None:
    for word in (*ALIASES, *FORMATS):
        assert f"`{word}`" in PAGE
    for word in get_args(Strategy):
        assert f"| `{word}` |" in PAGE
    for word in (*FUNCTIONS, *AGGREGATES):
        assert re.search(rf"\b{word}\b", PAGE)
    assert f"{MOST_KEYS:,}" in PAGE


def test_the_examples_declare_the_same() -> None:
    python, yaml_text = (re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL) for kind in ("python", "yaml"))
    assert python is not None
    assert yaml_text is not None
    names: dict[str, object] = {"dq_guard": dq_guard}
    exec(python[1].rpartition("\ndq_guard")[0], names)  # our own page
    assert names["checks"].checks == read_checks(yaml_text[1]).checks  # type: ignore[attr-defined]


def test_what_deequ_s_constraints_are_called_here_is_what_there_is() -> None:
    table = PAGE.partition("## Coming from Deequ")[2].partition("\n## ")[0]
    rows = [line.split("|")[2:3] for line in table.splitlines() if line.startswith("| `")]
    named = {word for (cell,) in rows for word in re.findall(r"`(\w+)`", cell)}
    assert named <= {*METRICS, *ALIASES, "by"}
    assert len(named) > 35
