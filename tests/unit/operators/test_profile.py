from __future__ import annotations

import json
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import DAG, Connection

from airflow_dq.check import Checks
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.spark import ProfileSubmitHook
from airflow_dq.job.outcome import Outcome
from airflow_dq.job.result import JobResult
from airflow_dq.operators.check import DQCheckOperator
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.operators.spark import SparkSubmission, require_known
from airflow_dq.operators.spark_argument import SparkArguments
from airflow_dq.options.fleet import Orders
from airflow_dq.version_compat import AirflowException, AirflowFailException, Stats

has_state_store = find_spec("airflow.sdk.bases.resumablejobmixin") is not None
SECRET = "postgresql://me:correct-horse@db/stats"


def operator(**arguments: Any) -> DQProfileOperator:
    defaults: dict[str, Any] = {"task_id": "profile", "dataset": "flights"}
    return DQProfileOperator(**{**defaults, **arguments})


def submission(task: DQProfileOperator) -> SparkSubmission:
    """What the task would submit."""
    return SparkSubmission(
        task_id="profile",
        orders=Orders.of(task.job_spec()),
        dq_conn_id=task.dq_conn_id,
        master=task.master,
        dsn_on_cluster=task.dsn_on_cluster,
        **task.spark_arguments(),
    )


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], dict[str, Any]]]:
    """A reachable database and a Java; what would have been started is listed as (command, environment)."""
    started: list[tuple[list[str], dict[str, Any]]] = []

    @contextmanager
    def reachable(self: DQHook):  # type: ignore[no-untyped-def]
        yield None

    def submit(self: ProfileSubmitHook, application: str = "", **kwargs: Any) -> None:
        command = self._build_spark_submit_command(application)
        started.append((command, dict(self._env or {})))

    monkeypatch.setenv("AIRFLOW_DQ_DSN", SECRET)
    monkeypatch.setattr(DQHook, "get_store", reachable)
    monkeypatch.setattr("airflow_dq.hooks.spark.check_java", lambda: None)
    monkeypatch.setattr("airflow_dq.hooks.spark.find_spark_submit", lambda: Path("bin/spark-submit"))
    monkeypatch.setattr(ProfileSubmitHook, "check_machine", lambda self: None)
    monkeypatch.setattr(ProfileSubmitHook, "submit", submit)
    return started


def test_one_partition_of_a_path() -> None:
    spec = operator(source="lake/day=1", partition="1", columns=["a"], exclude=["b"], sample_rows=5).job_spec()
    assert (spec.dataset, spec.paths, spec.pattern, spec.partition) == ("flights", {"1": "lake/day=1"}, None, None)
    assert (spec.columns, spec.exclude, spec.sample_rows, spec.format) == (("a",), ("b",), 5, "parquet")
    assert (spec.store_values, spec.hidden) == (True, ())


def test_hidden_columns_reach_the_job() -> None:
    spec = operator(source="lake/day=1", partition="1", hidden=["email"], store_values=False).job_spec()
    assert (spec.store_values, spec.hidden) == (False, ("email",))


def test_a_hidden_column_names_no_partition() -> None:
    with pytest.raises(ConfigurationError, match=r"'flights'.*values of column 'passenger', which hidden names"):
        operator(table="flights", partition_by="passenger", hidden=["passenger"]).job_spec()


def test_read_options_that_are_no_dict_are_explained() -> None:
    with pytest.raises(ConfigurationError, match=r"read_options is \['sep'\]; give a dict"):
        operator(source="lake/day=1", partition="1", read_options=["sep"]).job_spec()


@pytest.mark.parametrize("option", ["columns", "exclude", "hidden"])
def test_one_name_is_not_taken_for_its_letters(option: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"{option} is the text 'email'; give a list: \['email'\]"):
        operator(source="lake/day=1", partition="1", **{option: "email"}).job_spec()


def test_a_pattern_and_a_key_column_name_their_keys_themselves() -> None:
    assert operator(source="lake/day=*").job_spec().pattern == "lake/day=*"
    keyed = operator(source="lake", partition_by="day").job_spec()
    assert (keyed.pattern, keyed.partition_by) == ("lake", "day")


def test_a_table_or_a_query_is_one_partition() -> None:
    assert operator(table="db.t", partition="x").job_spec().partition == "x"
    assert operator(sql="select 1", partition="x").job_spec().sql == "select 1"


def test_reader_options_become_text() -> None:
    spec = operator(source="a", partition="1", source_format="csv", read_options={"header": True, "n": 3}).job_spec()
    assert (spec.format, spec.options) == ("csv", {"header": "True", "n": "3"})


@pytest.mark.parametrize("rendered", [None, "", "None"])
def test_a_partition_that_rendered_to_nothing_fails_at_once(rendered: str | None) -> None:
    task = operator(source="lake/day=None", partition="{{ ds }}")
    task.partition = rendered
    with pytest.raises(AirflowFailException, match="the argument partition rendered to"):
        task.execute({})


def test_a_plain_path_without_a_key_says_what_to_give() -> None:
    with pytest.raises(ConfigurationError, match="names no partition key; give partition="):
        operator(source="lake/orders").job_spec()


def test_no_source_and_two_sources_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="exactly one source"):
        operator(partition="1").job_spec()
    with pytest.raises(ConfigurationError, match="exactly one source"):
        operator(source="a", table="t", partition="1").job_spec()


@pytest.mark.parametrize("argument", ["application", "application_args", "java_class"])
def test_what_the_operator_sets_itself_cannot_be_given(argument: str) -> None:
    with pytest.raises(ConfigurationError, match=argument):
        operator(source="a", partition="1", **{argument: "x"})


def test_every_option_of_the_spark_hook_is_passed_on() -> None:
    task = operator(source="a", partition="1", executor_memory="3g", conf={"a": "b"}, packages="p", py_files="mine.zip")
    options = submission(task)._hook_options()
    assert set(options) == set(signature(SparkSubmitHook.__init__).parameters) - {"self", "conn_id"}
    assert (options["executor_memory"], options["packages"], options["py_files"]) == ("3g", "p", "mine.zip")


def test_the_command_carries_the_order_and_not_the_dsn(machine: list[tuple[list[str], dict[str, Any]]]) -> None:
    task = operator(source="lake/day=1", partition="1", conf={"spark.x": "y"}, master="local[2]")
    assert task.execute({}) == {"dataset": "flights", "partition": "1", "partitions": None, "rows": None}
    ((command, environment),) = machine
    assert command[0].endswith("spark-submit")
    assert command[command.index("--master") + 1] == "local[2]"
    assert "spark.x=y" in command
    assert command[-3].endswith("spark_jobs/profile.py")
    assert json.loads(command[-1])["paths"] == {"1": "lake/day=1"}
    assert environment["AIRFLOW_DQ_DSN"] == SECRET
    everything_shown = [" ".join(command), *(str(getattr(task, name)) for name in task.template_fields)]
    assert not any("correct-horse" in text for text in everything_shown)


def test_cluster_mode_needs_a_word(machine: list[tuple[list[str], dict[str, Any]]]) -> None:
    cluster: dict[str, Any] = {"source": "a", "partition": "1", "master": "yarn", "deploy_mode": "cluster"}
    cluster["env_vars"] = {"HADOOP_CONF_DIR": "/etc/hadoop"}
    with pytest.raises(AirflowFailException, match=r"(?s)deploy mode 'cluster'.*dsn_on_cluster=True"):
        operator(**cluster).execute({})
    hook = submission(operator(**cluster, dsn_on_cluster=True))._get_hook()
    assert "AIRFLOW_DQ_DSN" not in hook.environment


def test_a_wrong_database_is_told_before_spark_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", "postgresql://me:correct-horse@127.0.0.1:1/stats")
    monkeypatch.setattr("airflow_dq.hooks.spark.check_java", lambda: None)
    with pytest.raises(AirflowException, match=r"127\.0\.0\.1:1") as raised:
        operator(source="a", partition="1").execute({})
    assert "correct-horse" not in str(raised.value)
    assert not isinstance(raised.value, AirflowFailException)  # the server may be back at the next try


@pytest.mark.parametrize("retryable", [True, False])
def test_the_jobs_own_explanation_is_the_tasks_error(
    machine: list[tuple[list[str], dict[str, Any]]], monkeypatch: pytest.MonkeyPatch, retryable: bool
) -> None:
    failed = JobResult("flights", 1, 1, error="The folder a is missing.", retryable=retryable)

    def fail(self: ProfileSubmitHook, application: str = "", **kwargs: Any) -> None:
        lines = ["26/11/28 10:00:00 INFO start", failed.to_line(), f"airflow_dq: error: {failed.error}"]
        list(self._remember(iter(lines)))
        raise AirflowException("Cannot execute: spark-submit. Error code is: 2.")

    monkeypatch.setattr(ProfileSubmitHook, "submit", fail)
    with pytest.raises(AirflowException) as raised:
        operator(source="a", partition="1").execute({})
    assert str(raised.value) == "The folder a is missing."
    assert isinstance(raised.value, AirflowFailException) != retryable


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize(
    ("arguments", "key"), [({"partition": "1", "source": "a"}, "1"), ({"source": "a/day=*"}, None)]
)
def test_the_attempt_begins_before_spark_starts(
    monkeypatch: pytest.MonkeyPatch, fails: bool, arguments: dict[str, str], key: str | None
) -> None:
    done: list[str] = []

    class Store:
        def begin_attempt(self, dataset: str, partition: str, source: str) -> int:
            done.append(f"begin {dataset} {partition} of {source}")
            return 7

        def fail_attempt(self, attempt: int, error: str) -> None:
            done.append(f"fail {attempt}: {error}")

    @contextmanager
    def reachable(self: DQHook):  # type: ignore[no-untyped-def]
        yield Store()

    def submit(self: SparkSubmitHook, application: str = "", **kwargs: Any) -> None:
        done.append("submit")
        if fails:
            raise AirflowException("out of memory")

    monkeypatch.setenv("AIRFLOW_DQ_DSN", SECRET)
    monkeypatch.setattr(DQHook, "get_store", reachable)
    monkeypatch.setattr("airflow_dq.hooks.spark.check_java", lambda: None)
    monkeypatch.setattr(SparkSubmitHook, "submit", submit)
    with pytest.raises(AirflowException) if fails else nullcontext():
        operator(**arguments).execute({})
    failed = ["fail 7: The Spark job ended: AirflowException: out of memory"] if fails else []
    assert done == (["submit"] if key is None else [f"begin flights {key} of a", "submit", *failed])


def test_a_failure_without_an_explanation_keeps_sparks_words(
    machine: list[tuple[list[str], dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: ProfileSubmitHook, application: str = "", **kwargs: Any) -> None:
        raise AirflowException("Cannot execute: spark-submit. Error code is: 137.")

    monkeypatch.setattr(ProfileSubmitHook, "submit", fail)
    with pytest.raises(AirflowException, match="Error code is: 137"):
        operator(source="a", partition="1").execute({})


def test_on_kill_before_the_job_has_started_does_nothing() -> None:
    operator(source="a", partition="1").on_kill()


def test_on_kill_reaches_the_job(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[str] = []
    monkeypatch.setattr(ProfileSubmitHook, "on_kill", lambda self: killed.append(self.master))
    task = operator(source="a", partition="1", master="local[2]")
    task.execute({})
    task.on_kill()
    assert killed == ["local[2]"]


def test_what_the_jobs_log_ends_with_is_logged_and_returned(
    machine: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    gauges: list[tuple[str, float, dict[str, str]]] = []
    monkeypatch.setattr(Stats, "gauge", lambda name, value, tags: gauges.append((name, value, tags)))
    outcomes = [Outcome("1", rows=5, profiled=2), Outcome("2", rows=7, profiled=2, skipped={"l": "nested, 3 rows, x"})]
    line = JobResult.of("flights", outcomes, 3.2).to_line()
    lines = [*(outcome.line("flights") for outcome in outcomes), line, "INFO ShutdownHookManager: gone"]

    def submit(self: ProfileSubmitHook, application: str = "", **kwargs: Any) -> None:
        list(self._remember(iter(lines)))

    monkeypatch.setattr(ProfileSubmitHook, "submit", submit)
    result = operator(source="lake/day=*").execute({})
    assert result == {"dataset": "flights", "partition": None, "partitions": 2, "rows": 12}
    assert gauges == [("dq.profile.rows", 12, {"dataset": "flights"})]


def test_a_job_that_an_earlier_run_of_the_task_submitted_is_not_taken_for_this_one(machine: Any) -> None:
    first, cleared = operator(source="a", partition="1", retries=2), operator(source="a", partition="1", retries=2)
    first.execute({"ti": SimpleNamespace(max_tries=2)})  # type: ignore[typeddict-item]
    cleared.execute({"ti": SimpleNamespace(max_tries=4)})  # type: ignore[typeddict-item]
    keys = [task._submission.external_id_key for task in (first, cleared) if task._submission is not None]
    assert keys == ["dq_spark_job_id_1", "dq_spark_job_id_3"]


@pytest.mark.skipif(not has_state_store, reason="before Airflow 3.3 a task keeps nothing from try to try")
def test_on_kill_reaches_a_job_that_was_found_again_on_yarn(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[str] = []
    extra = {"yarn_resourcemanager_webapp_address": "http://rm:8088"}
    yarn = Connection(conn_id="spark_default", conn_type="spark", host="yarn", extra=json.dumps(extra))
    monkeypatch.setenv("HADOOP_CONF_DIR", "/etc/hadoop")
    monkeypatch.setattr("airflow_dq.operators.spark.spark_connection", lambda conn_id, master: yarn)
    monkeypatch.setattr(
        ProfileSubmitHook, "_kill_yarn_application", lambda self, application: killed.append(application)
    )
    monkeypatch.setattr(ProfileSubmitHook, "query_yarn_application_status", lambda self, application: "RUNNING")
    task = operator(source="a", partition="1", deploy_mode="cluster", yarn_track_via_rm_api=True, dsn_on_cluster=True)

    def poll(self: ProfileSubmitHook, application: str) -> None:
        task.on_kill()  # the worker is told to stop while it waits

    monkeypatch.setattr(ProfileSubmitHook, "_start_yarn_application_status_tracking", poll)
    kept = TaskState(dq_spark_job_id_1="application_7")
    ti = SimpleNamespace(max_tries=0, stats_tags={})
    task.execute({"ti": ti, "task_state_store": kept})  # type: ignore[typeddict-item]
    assert killed == ["application_7"]
    assert machine == []  # nothing was submitted a second time


class TaskState(dict[str, Any]):
    """What Airflow keeps of a task from try to try."""

    def set(self, key: str, value: Any) -> None:
        self[key] = value


def test_a_value_that_the_run_lacks_is_explained() -> None:
    with DAG("d") as dag:
        task = operator(source="lake/day={{ ds }}", partition="{{ ds }}")
    with pytest.raises(AirflowFailException, match=r"'ds' is undefined.*a run without a logical date"):
        task.render_template_fields({}, jinja_env=dag.get_template_env())


def test_an_unknown_engine_is_told_when_the_dag_is_parsed() -> None:
    with pytest.raises(ConfigurationError, match="engine is 'pandas'; allowed: spark, arrow"):
        operator(source="a", partition="1", engine="pandas")


def test_a_span_of_a_pattern() -> None:
    spec = operator(source="lake/day=*", since="2", until="3", limit=1).job_spec()
    assert (spec.since, spec.until, spec.limit) == ("2", "3", 1)


def test_templates_are_rendered_and_mapping_works() -> None:
    with DAG("d") as dag:
        task = operator(source="lake/day={{ ds }}", partition="{{ ds }}")
        DQProfileOperator.partial(task_id="mapped", dataset="flights").expand(partition=["1", "2"])
    task.render_template_fields({"ds": "2013-02-01"}, jinja_env=dag.get_template_env())
    assert (task.source, task.partition) == ("lake/day=2013-02-01", "2013-02-01")


def test_the_arguments_of_spark_submit_are_those_of_the_installed_operator() -> None:
    ours = set(signature(SparkArguments.__init__).parameters)
    theirs = set(signature(SparkSubmitOperator.__init__).parameters)
    assert theirs - {"application", "application_args", "java_class"} <= ours
    templated = set(SparkSubmitOperator.template_fields) - {"application", "application_args"}
    assert templated == set(SparkArguments.template_fields)


def test_arguments_of_spark_submit_are_defaults_templated_and_mapped() -> None:
    with DAG("d", default_args={"executor_memory": "2g", "conf": {"spark.x": "{{ ds }}"}}) as dag:
        task = operator(source="lake/day=*", packages="p")
        DQProfileOperator.partial(task_id="mapped", dataset="flights", source="a", partition="1").expand(
            conf=[{"spark.x": "1"}, {"spark.x": "2"}]
        )
    task.render_template_fields({"ds": "2013-02-01"}, jinja_env=dag.get_template_env())
    given = {"conf": {"spark.x": "2013-02-01"}, "executor_memory": "2g", "packages": "p"}
    assert given.items() <= task.spark_arguments().items()
    assert "executor_cores" not in task.spark_arguments()  # the provider's own default


def test_a_misspelt_argument_is_told_when_the_dag_is_parsed() -> None:
    with pytest.raises(TypeError, match="executor_memroy"):
        operator(source="a", partition="1", executor_memroy="2g")


def test_an_argument_of_another_provider_version_is_told_before_anything_is_submitted(
    machine: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigurationError, match=r"has no sparkles: .*apache-airflow-providers-apache-spark"):
        require_known({"conf": {}, "durable": True, "sparkles": 1})
    monkeypatch.setattr(DQProfileOperator, "spark_arguments", lambda self: {"sparkles": 1})
    with pytest.raises(AirflowFailException, match="has no sparkles"):
        operator(source="a", partition="1").execute({})
    assert machine == []


def test_airflows_guard_does_not_take_the_job_for_a_nested_operator(
    machine: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    operator(source="a", partition="1").execute({})
    assert len(machine) == 1
    assert not [record.message for record in caplog.records if "SparkSubmission" in record.message]


def test_a_sources_password_is_in_the_environment_alone(
    machine: list[tuple[list[str], dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = {"conn_type": "postgres", "host": "db", "schema": "shop", "login": "me", "password": "battery-staple"}
    monkeypatch.setenv("AIRFLOW_CONN_SHOP", json.dumps(shop))
    options = {"query": "select * from orders"}
    operator(source_format="jdbc", read_options=options, partition="1", source_conn_id="shop").execute({})
    ((command, environment),) = machine
    assert "battery-staple" not in " ".join(command)
    assert json.loads(environment["AIRFLOW_DQ_SOURCE_SECRET"])["password"] == "battery-staple"
    with pytest.raises(ConfigurationError, match="holds a password"):
        operator(source_format="jdbc", read_options={**options, "password": "x"}, partition="1").job_spec()
    with pytest.raises(AirflowFailException, match="'shop' is of type 'postgres', which is no object store"):
        operator(source="a", partition="1", engine="arrow", source_conn_id="shop").execute({})


def test_a_stores_keys_are_properties_of_hadoop_in_the_environment_alone(
    machine: list[tuple[list[str], dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = {
        "conn_type": "aws",
        "login": "me",
        "password": "battery-staple",
        "extra": {"endpoint_url": "http://s3:8333"},
    }
    monkeypatch.setenv("AIRFLOW_CONN_LAKE", json.dumps(lake))
    operator(source="s3a://lake/day=1", partition="1", source_conn_id="lake").execute({})
    ((command, environment),) = machine
    assert "battery-staple" not in " ".join(command)
    assert json.loads(environment["AIRFLOW_DQ_SOURCE_SECRET"]) == {
        "fs.s3a.access.key": "me",
        "fs.s3a.secret.key": "battery-staple",
        "fs.s3a.endpoint": "http://s3:8333",
        "fs.s3a.path.style.access": "true",
        "fs.s3a.connection.ssl.enabled": "false",
    }


def test_a_state_of_the_past_is_part_of_the_order() -> None:
    spec = operator(source="lake/t", partition="1", partition_by="day", source_format="delta", version=12).job_spec()
    assert (spec.version, spec.snapshot, spec.as_of) == ("12", None, None)
    spec = operator(table="t", partition="1", where="true", as_of="2026-01-31 + 30h").job_spec()
    assert spec.travel("1").words == "its state of 2026-02-01T06:00:00+00:00"
    assert {"version", "snapshot", "as_of"} <= set(DQProfileOperator.template_fields)


def test_a_key_column_beside_a_partition_chooses_its_rows() -> None:
    spec = operator(table="t", partition="1", partition_by="day").job_spec()
    assert (spec.partition, spec.partition_by, spec.shared, spec.key) == ("1", "day", True, "1")
    spec = operator(source="lake", partition="1", partition_by="day").job_spec()
    assert (spec.paths, spec.pattern, spec.key) == ({}, "lake", "1")


@pytest.mark.parametrize(
    ("where", "said"), [(" ", "where is empty"), ("a > 1", "files at a belong to a partition as a whole: give sql=")]
)
def test_a_condition_that_can_choose_nothing_is_refused(where: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        operator(source="a", partition="1", where=where).job_spec()
    with pytest.raises(ConfigurationError, match=said):
        operator(source="a", partition="1", where=where, engine="arrow", source_format="arrow").job_spec()


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ({"table": "crm.customers"}, "true"),
        ({"table": "crm.customers", "where": "eu"}, "eu"),
        ({"table": "crm.customers", "partition_by": "day"}, None),
        ({"sql": "select 1"}, None),
        ({"source": "lake/customers"}, None),
        ({"source": "customers.arrow", "source_format": "arrow", "engine": "arrow"}, None),
        ({"source": "lake/customers", "source_format": "delta"}, "true"),
    ],
)
def test_a_check_of_a_table_is_of_all_that_it_holds_now(arguments: dict[str, str], where: str | None) -> None:
    checks = Checks("customers")
    checks.rows().between(1, 5)
    task = DQCheckOperator(task_id="check", dataset="customers", checks=checks, partition="1", **arguments)  # type: ignore[arg-type]
    assert task.job_spec().where == where
