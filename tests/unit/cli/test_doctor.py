from __future__ import annotations

import json
import sys
from argparse import Namespace
from typing import Any
from unittest.mock import Mock

import pytest

from airflow_dq.cli import health
from airflow_dq.cli.main import main
from airflow_dq.engine.worker.machine import machine
from airflow_dq.exceptions import EnvironmentMismatchError

HERE = json.loads(machine(0))


def test_each_thing_is_ok_or_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", "postgresql://nobody@127.0.0.1:1/none")
    monkeypatch.setenv("AIRFLOW_DQ_HASH_SECRET", "short")
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--no-spark"])
    assert ended.value.code == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ok    Airflow: 3.")
    assert lines[1] == "FAIL  AIRFLOW_DQ_HASH_SECRET: has 5 characters; give 16 or more"
    assert lines[2].startswith("FAIL  connection:")
    assert lines[-1] == "2 of 3 to be mended: AIRFLOW_DQ_HASH_SECRET, connection."


def test_json_has_the_same(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", "mysql://x")
    with pytest.raises(SystemExit):
        main(["doctor", "--no-spark", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is False
    assert [(one["subject"], one["ok"]) for one in found["findings"]] == [("Airflow", True), ("connection", False)]


def test_without_java_no_spark_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_java() -> None:
        raise EnvironmentMismatchError("No Java was found.")

    monkeypatch.setattr("airflow_dq.engine.spark.environment.check_java", no_java)
    found = list(health.spark(Namespace(master="local[1]")))
    assert [(one.subject, one.ok) for one in found] == [("pyspark", True), ("Java", False)]


@pytest.mark.parametrize(
    ("answer", "ok", "said"),
    [
        (HERE, True, "numpy"),
        ({**HERE, "pyarrow": None}, False, "without pyarrow: install pyarrow there"),
        ({**HERE, "python": "2.7.1"}, False, f"the driver has {sys.version_info[0]}.{sys.version_info[1]}"),
    ],
)
def test_what_executors_lack_is_named(
    answer: dict[str, Any], ok: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Mock(version="4.2.0")
    session.range.return_value.select.return_value.collect.return_value = [(json.dumps(answer),)]
    monkeypatch.setattr("pyspark.sql.functions.udf", lambda function: lambda column: column)
    found = health._modules(session, "local[1]")
    assert found.ok is ok
    assert said in found.said
