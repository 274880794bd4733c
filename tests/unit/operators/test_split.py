"""The split as a task: its order, its counts, and what it refuses when the DAG is parsed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from airflow.sdk import Connection

from airflow_dq.check import Checks
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.job.result import PREFIX
from airflow_dq.job.split_result import SplitResult, split_result_in
from airflow_dq.operators.spark_split import SplitSubmission
from airflow_dq.operators.split import DQSplitOperator
from airflow_dq.version_compat import AirflowException, AirflowFailException


def operator(**given: Any) -> DQSplitOperator:
    checks = Checks("orders")
    checks.rule("n > 0", id="positive")
    places = {"source": "/a/raw", "good": "/a/good", "bad": "/a/bad"}
    return DQSplitOperator(**{"task_id": "split", "dataset": "orders", "checks": checks, **places, **given})


def test_it_splits_in_its_own_process(tmp_path: Path) -> None:
    pq.write_table(pa.table({"n": [1, -1, 2]}), tmp_path / "raw.parquet")
    places = {"source": f"{tmp_path}/raw.parquet", "good": f"{tmp_path}/good", "bad": f"{tmp_path}/bad"}
    found = operator(engine="arrow", **places).execute({})
    assert found == {"dataset": "orders", "rows": 3, "good": 2, "bad": 1, "failed": {"positive": 1}}
    with pytest.raises(AirflowException, match="does not exist"):
        operator(engine="arrow", **{**places, "source": f"{tmp_path}/lost.parquet"}).execute({})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"check_ids": ["negative"]}, "there is no check 'negative'"),
        ({"engine": "duck"}, "allowed: spark, arrow"),
        ({"checks": "/nowhere.yml"}, "nowhere.yml"),
    ],
)
def test_a_mistake_is_told_when_the_dag_is_parsed(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        operator(**given)


def test_a_place_that_rendered_to_nothing_is_refused() -> None:
    task = operator(good="/a/day={{ ds }}")
    task.good = "/a/day=None"
    with pytest.raises(AirflowFailException, match="the argument good rendered to '/a/day=None'"):
        task.execute({})


def test_spark_gets_the_order_and_tells_its_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    spark = Connection(conn_id="spark_default", conn_type="spark", host="local")
    monkeypatch.setattr("airflow_dq.operators.spark.spark_connection", lambda *_: spark)
    monkeypatch.setattr("airflow_dq.hooks.spark.check_java", lambda: None)
    commands: list[list[str]] = []

    def wait(self: SplitSubmission, context: Any, retries: int | None) -> None:
        self._hook = hook = self._get_hook()
        commands.append(hook._build_spark_submit_command(self.application))
        hook._output.append(done.to_line())
        if done.error is not None:
            raise AirflowException("exit code 2")

    monkeypatch.setattr(SplitSubmission, "submit_and_wait", wait)
    done = SplitResult("orders", 3, 2, 1, {"positive": 1})
    found = operator().execute({})
    assert found == {"dataset": "orders", "rows": 3, "good": 2, "bad": 1, "failed": {"positive": 1}}
    assert commands[0][-3].endswith("split.py")
    assert json.loads(commands[0][-1])["good"] == "/a/good"
    done = SplitResult("orders", error="A check cannot be computed.", retryable=False)
    with pytest.raises(AirflowFailException, match=r"A check cannot be computed\."):
        operator().execute({})


@pytest.mark.parametrize("line", ["", PREFIX, f"{PREFIX}{{}}", f'{PREFIX}{{"split": {{"x": 1}}}}', f"{PREFIX}[1]"])
def test_what_is_no_result_is_none(line: str) -> None:
    assert split_result_in([line]) is None
