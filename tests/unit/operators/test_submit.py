"""The operators that are made of a job: with the provider's own where it is installed, else by its signature."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.job.package import PACKAGE
from airflow_dq.operators.submit import (
    SparkJob,
    Submit,
    to_databricks,
    to_dataproc,
    to_emr,
    to_emr_serverless,
    to_kubernetes,
    to_livy,
)

JOB = SparkJob("profile", "app", "dq-0123-1", ("--result", "s3://b/found/dq-0123-1"), ("AIRFLOW_DQ_HASH_SECRET",), True)
CODE = "s3://b/dq"
WAYS: dict[str, tuple[Submit, str, str]] = {
    "livy": (to_livy(CODE, conf={"a": "b"}), "apache.livy.operators.livy", "LivyOperator"),
    "emr": (to_emr(CODE, cluster="j-1", conf={"a": "b"}), "amazon.aws.operators.emr", "EmrAddStepsOperator"),
    "emr serverless": (
        to_emr_serverless(CODE, application="a", role="r"),
        "amazon.aws.operators.emr",
        "EmrServerlessStartJobOperator",
    ),
    "dataproc": (
        to_dataproc(CODE, cluster="c", region="r"),
        "google.cloud.operators.dataproc",
        "DataprocSubmitJobOperator",
    ),
    "databricks": (
        to_databricks("/Volumes/dq", cluster={"num_workers": 1}, secret_scope="dq"),
        "databricks.operators.databricks",
        "DatabricksSubmitRunOperator",
    ),
    "kubernetes": (
        to_kubernetes(CODE, image="i", spark_version="4.2.0", secret="dq"),
        "cncf.kubernetes.operators.spark_kubernetes",
        "SparkKubernetesOperator",
    ),
}
SIGNATURES = {
    "LivyOperator": "file args conf py_files name livy_conn_id polling_interval deferrable",
    "EmrAddStepsOperator": "job_flow_id steps wait_for_completion waiter_delay waiter_max_attempts deferrable",
    "EmrServerlessStartJobOperator": "application_id execution_role_arn job_driver client_request_token name "
    "waiter_max_attempts waiter_delay deferrable",
    "DataprocSubmitJobOperator": "job region request_id deferrable",
    "DatabricksSubmitRunOperator": "spark_python_task new_cluster existing_cluster_id run_name idempotency_token "
    "deferrable",
    "SparkKubernetesOperator": "name template_spec random_name_suffix deferrable",
}
"""Arguments of the providers' operators, as far as they are given here: databricks 7.23, amazon 9.39, google 22.8,
apache-livy 4.6, cncf-kubernetes 10.25."""


class Recorded:
    """Stands for an operator."""

    def __init__(self, **given: Any) -> None:
        self.given = given


def stand_in(monkeypatch: pytest.MonkeyPatch, module: str, name: str) -> None:
    full = f"airflow.providers.{module}"
    made = ModuleType(full)
    setattr(made, name, Recorded)
    parts = full.split(".")
    for depth in range(3, len(parts)):
        monkeypatch.setitem(sys.modules, ".".join(parts[:depth]), ModuleType(".".join(parts[:depth])))
    monkeypatch.setitem(sys.modules, full, made)


@pytest.mark.parametrize("way", WAYS)
def test_the_operator_gets_what_it_takes(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    submit, module, name = WAYS[way]
    stand_in(monkeypatch, module, name)
    given = submit(JOB).given  # type: ignore[attr-defined]
    assert given.keys() <= {"task_id", *SIGNATURES[name].split()}
    assert (given["task_id"], given["deferrable"]) == ("profile", True)
    text = repr(given)
    assert all(f"{word}" in text for word in (*JOB.arguments, "/profile.py", PACKAGE, JOB.token))


@pytest.mark.parametrize("way", WAYS)
def test_the_providers_own_operator_takes_it(way: str) -> None:
    submit, module, name = WAYS[way]
    pytest.importorskip(f"airflow.providers.{module}")
    operator = submit(JOB)
    assert type(operator).__name__ == name
    known = {one for each in type(operator).__mro__ if "__init__" in vars(each) for one in signature(each).parameters}
    assert set(SIGNATURES[name].split()) <= known
    assert operator.task_id == "profile"


@pytest.mark.parametrize("way", WAYS)
def test_a_missing_provider_is_one_sentence(way: str) -> None:
    submit, module, name = WAYS[way]
    try:
        import_module(f"airflow.providers.{module}")
    except ImportError:
        with pytest.raises(ConfigurationError, match=rf"{name}.*pip install apache-airflow-providers-"):
            submit(JOB)
    else:
        pytest.skip("the provider is installed")


def test_secrets_are_named_and_never_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "databricks.operators.databricks", "DatabricksSubmitRunOperator")
    cluster = WAYS["databricks"][0](JOB).given["new_cluster"]  # type: ignore[attr-defined]
    shown = "{% raw %}{{secrets/dq/AIRFLOW_DQ_HASH_SECRET}}{% endraw %}"
    assert cluster["spark_env_vars"] == {"AIRFLOW_DQ_HASH_SECRET": shown}
    with pytest.raises(ConfigurationError, match=r"AIRFLOW_DQ_HASH_SECRET in its environment: give .*secret_scope"):
        to_databricks("/Volumes/dq", cluster={})(JOB)
    assert to_databricks("/Volumes/dq", cluster="0-1")(JOB).given["existing_cluster_id"] == "0-1"  # type: ignore[attr-defined]

    stand_in(monkeypatch, "cncf.kubernetes.operators.spark_kubernetes", "SparkKubernetesOperator")
    spec = WAYS["kubernetes"][0](JOB).given["template_spec"]["spark"]["spec"]  # type: ignore[attr-defined]
    reference = {"secretKeyRef": {"name": "dq", "key": "AIRFLOW_DQ_HASH_SECRET"}}
    assert spec["driver"]["env"] == [{"name": "AIRFLOW_DQ_HASH_SECRET", "valueFrom": reference}]


class Emr:
    """Stands for the client of EMR: steps that are added, listed in pages."""

    def __init__(self) -> None:
        self.steps: list[dict[str, str]] = []

    def add_job_flow_steps(self, JobFlowId: str, Steps: list[dict[str, Any]], **more: Any) -> dict[str, Any]:  # noqa: N803
        self.steps[:0] = [{"Id": f"s-{len(self.steps)}", "Name": one["Name"]} for one in Steps]
        return {"StepIds": [self.steps[0]["Id"]], "ResponseMetadata": {"HTTPStatusCode": 200}}

    def get_paginator(self, name: str) -> Any:
        assert name == "list_steps"
        pages = [{"Steps": self.steps[:1]}, {"Steps": self.steps[1:]}]
        return SimpleNamespace(paginate=lambda **given: pages if given == {"ClusterId": "j-1"} else [])


def test_a_retry_takes_the_step_of_the_first_try_for_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Emr()

    class Adds(Recorded):
        """As much of the provider's operator as adds the steps."""

        hook = SimpleNamespace(get_conn=lambda: made)
        log = logging.getLogger(__name__)

        def execute(self, context: Any) -> Any:
            client = self.hook.get_conn()
            return client.add_job_flow_steps(JobFlowId="j-1", Steps=self.given["steps"])["StepIds"]

    stand_in(monkeypatch, "amazon.aws.operators.emr", "EmrAddStepsOperator")
    monkeypatch.setattr(sys.modules["airflow.providers.amazon.aws.operators.emr"], "EmrAddStepsOperator", Adds)
    submit = WAYS["emr"][0]
    other = replace(JOB, token="dq-0123-2")
    found = [submit(job).execute({}) for job in (JOB, other, JOB, other)]
    assert found == [["s-0"], ["s-1"], ["s-0"], ["s-1"]]
    assert len(made.steps) == 2


def test_the_dag_of_the_docs_is_parsed_without_any_provider() -> None:
    page = (Path(__file__).parents[3] / "docs" / "cluster.md").read_text(encoding="utf-8")
    text = page.split("```python\n")[1].split("```")[0]
    held: dict[str, Any] = {}
    exec(compile(text, "docs/cluster.md", "exec"), held)
    dag = held["profile"].dag
    assert len(dag.task_ids) == 2 * len(held["ways"]) == 12
    assert dag.get_task("profile_livy").result == "s3://bucket/dq-results"


def test_the_fleet_of_the_docs_is_parsed() -> None:
    page = (Path(__file__).parents[3] / "docs" / "cluster.md").read_text(encoding="utf-8")
    held: dict[str, Any] = {}
    exec(compile(page.split("```python\n")[2].split("```")[0], "docs/cluster.md", "exec"), held)
    dag = held["guard"].dag
    assert len(dag.task_ids) == 2 + 2 * len(held["TABLES"])
    assert dag.get_task("dq.gate_orders").downstream_task_ids == {"publish_orders"}
