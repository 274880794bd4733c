"""Many datasets in one task: each is stored or fails by itself, and none is lost through another or a later try."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, BaseOperator

from airflow_dq.check import Checks
from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.spark import ProfileSubmitHook
from airflow_dq.job.fleet import Fleet
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.job.result import JobResult
from airflow_dq.job.result_folder import ORDER, ResultFolder
from airflow_dq.job.result_writer import ResultWriter
from airflow_dq.operators.guard import dq_guard_many
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.operators.submit import SparkJob
from airflow_dq.options.argument import unpacked
from airflow_dq.options.fleet import Orders
from airflow_dq.version_compat import AirflowException, AirflowFailException


class FakeStore:
    """Attempts by their numbers, and what was saved."""

    def __init__(self) -> None:
        self.attempts: list[tuple[str, str]] = []
        self.failed: dict[int, str] = {}
        self.saved: dict[str, int] = {}

    def learn_rules(self, dataset: str, before: str) -> tuple[()]:
        return ()

    def begin_attempts(self, dataset: str, partitions: list[str], **origin: Any) -> dict[str, int]:
        begun = {}
        for key in partitions:
            self.attempts.append((dataset, key))
            begun[key] = len(self.attempts)
        return begun

    def begin_attempt(self, dataset: str, partition: str, **origin: Any) -> int:
        return self.begin_attempts(dataset, [partition])[partition]

    def fail_attempt(self, attempt: int, error: str) -> None:
        self.failed[attempt] = error

    def save_profiles(self, dataset: str, profiles: Mapping[int, Any]) -> None:
        for profile in profiles.values():
            self.saved[dataset] = profile.row_count

    def newest_error(self, dataset: str) -> str | None:
        newest = max(number for number, (name, _) in enumerate(self.attempts, start=1) if name == dataset)
        return self.failed.get(newest)

    def nothing(self, *arguments: Any) -> int:
        return 0

    add_between = add_relations = update_between = update_totals = tidy = nothing


class Kept(dict[str, str]):
    """What Airflow keeps of a task from try to try."""

    def set(self, key: str, value: str) -> None:
        self[key] = value


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> FakeStore:
    fake = FakeStore()

    @contextmanager
    def opened(self: DQHook):  # type: ignore[no-untyped-def]
        yield fake

    monkeypatch.setattr(DQHook, "get_store", opened)
    return fake


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    for rows, name in enumerate(("a", "b", "c"), start=1):
        (tmp_path / name).mkdir()
        pq.write_table(pa.table({"n": [1.0] * rows}), tmp_path / name / "1.parquet")
    return tmp_path


def fleet(lake: Path, *names: str, **given: Any) -> DQProfileOperator:
    datasets = [{"dataset": name, "source": str(lake / name / "1.parquet")} for name in names]
    return DQProfileOperator(**{"task_id": "p", "datasets": datasets, "partition": "1", "engine": "arrow", **given})


def context(kept: Kept | None = None, max_tries: int = 0) -> Any:
    pushed: dict[str, str] = {}
    ti = SimpleNamespace(
        dag_id="d",
        task_id="p",
        run_id="r",
        map_index=-1,
        try_number=1,
        max_tries=max_tries,
        xcom_push=lambda key, value: pushed.update({key: value}),
        pushed=pushed,
    )
    return {"ti": ti, "task_state_store": kept}


def test_each_dataset_is_stored_and_told(store: FakeStore, lake: Path) -> None:
    given = context()
    told = fleet(lake, "a", "b", "c").execute(given)["datasets"]
    assert told == {name: {"partition": "1", "partitions": 1, "rows": n} for name, n in (("a", 1), ("b", 2), ("c", 3))}
    assert (store.saved, store.failed) == ({"a": 1, "b": 2, "c": 3}, {})
    assert list(given["ti"].pushed) == ["began"]


def test_what_fails_loses_nothing_else_and_is_all_that_the_next_try_does(store: FakeStore, lake: Path) -> None:
    (lake / "b" / "1.parquet").write_bytes(b"PAR1 no more")
    kept, first = Kept(), context(Kept())
    first["task_state_store"] = kept
    with pytest.raises(AirflowException, match=r"(?s)2 of 3 datasets could not.*and 1 could.*'b'.*'gone'") as raised:
        fleet(lake, "a", "b", "gone").execute(first)
    assert not isinstance(raised.value, AirflowFailException)
    assert store.saved == {"a": 1}
    assert store.newest_error("a") is None
    assert "1.parquet cannot be read" in str(store.newest_error("b"))
    assert "gone" in str(store.newest_error("gone"))

    (lake / "gone").mkdir()
    for name in ("b", "gone"):
        pq.write_table(pa.table({"n": [1.0] * 7}), lake / name / "1.parquet")
    before, second = len(store.attempts), context(kept)
    told = fleet(lake, "a", "b", "gone").execute(second)["datasets"]
    assert {name: one["rows"] for name, one in told.items()} == {"a": 1, "b": 7, "gone": 7}
    assert {name for name, _ in store.attempts[before:]} == {"b", "gone"}
    # What a gate waits for is no older than the first of the tries.
    assert second["ti"].pushed == first["ti"].pushed

    cleared = context(kept, max_tries=1)
    fleet(lake, "a", "b", "gone").execute(cleared)
    assert cleared["ti"].pushed != first["ti"].pushed
    assert store.attempts[-3:] == [("a", "1"), ("b", "1"), ("gone", "1")]


def test_a_failure_that_was_not_foreseen_is_one_datasets_own(
    store: FakeStore, lake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def partitions(self: ArrowEngine) -> tuple[str, ...]:
        if self.order.dataset == "b":
            raise ZeroDivisionError("a bug")
        return found(self)

    found = ArrowEngine.partitions
    monkeypatch.setattr(ArrowEngine, "partitions", partitions)
    with pytest.raises(AirflowException, match="Dataset 'b': the job ended with ZeroDivisionError: a bug"):
        fleet(lake, "a", "b", "c").execute(context())
    assert store.saved == {"a": 1, "c": 3}
    assert "ZeroDivisionError(" in capsys.readouterr().out  # its stack
    assert "a bug" in str(store.newest_error("b"))


def test_a_dataset_has_its_own_arguments_and_the_tasks(lake: Path) -> None:
    checks = Checks("b")
    checks.rows(error=">0")
    datasets = [
        {"dataset": "a", "source": "lake/a/day=*"},
        {"dataset": "b", "table": "b", "where": "true", "partition": "2", "checks": checks, "hidden": ["n"]},
        {"dataset": "c", "sql": "SELECT 1", "sample_rows": 7},
    ]
    shared: dict[str, Any] = {"partition": "1", "sample_rows": 5, "exclude": ["x"], "partition_by": None}
    task = DQProfileOperator(task_id="p", datasets=datasets, **shared)
    a, b, c = task.fleet()
    assert (a.pattern, a.key, a.sample_rows, a.exclude) == ("lake/a/day=*", None, 5, ("x",))
    assert (b.table, b.key, b.hidden, [check.id for check in b.checks]) == ("b", "2", ("n",), [checks.checks[0].id])
    assert (c.sql, c.key, c.sample_rows) == ("SELECT 1", "1", 7)
    orders = task.fleet()
    assert Orders.from_json(orders.to_json()) == orders
    assert Orders.from_json(a.to_json()) == Orders.of(a)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"datasets": [{"dataset": "a"}], "dataset": "a"}, "either dataset=<name>, or datasets"),
        ({}, "either dataset=<name>, or datasets"),
        ({"datasets": ["a"]}, r"datasets\[0\] is 'a'; give a dict with a name, such as"),
        ({"datasets": {"a": 1}}, "give a list of dicts"),
        ({"datasets": [{"dataset": "a", "sorce": "x"}]}, r"datasets\[0\], 'a': 'sorce' .*did you mean 'source'"),
        ({"datasets": [{"dataset": "a"}], "source": "x"}, "with datasets=, source belongs to each dataset"),
        ({"datasets": [{"dataset": "a", "checks": 3}]}, "checks is 3"),
    ],
)
def test_a_mistake_is_told_when_the_dag_is_parsed(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        DQProfileOperator(task_id="p", **given)


@pytest.mark.parametrize(
    ("datasets", "said"),
    [
        ([], "datasets is empty"),
        ([{"dataset": "a", "source": "x"}] * 2, "names 'a' more than once"),
        (
            [{"dataset": "a None", "source": "x"}],
            "dataset rendered to 'a None'",
        ),
    ],
)
def test_a_mistake_that_shows_in_a_run_is_told(datasets: list[Any], said: str) -> None:
    with pytest.raises(AirflowFailException, match=said):
        DQProfileOperator(task_id="p", datasets=datasets, partition="1", engine="arrow").execute(context())


def drive(folder: ResultFolder, text: str) -> None:
    """What the driver of a managed job does."""
    orders = Orders.from_json(text)
    writers = {one.dataset: ResultWriter(folder.inside(orders.place(one) or ""), one.rules) for one in orders}
    job_of = lambda one: ProfileJob(ArrowEngine(one), writers[one.dataset], lambda line: None)  # noqa: E731
    for done in Fleet(orders, job_of).carry_out():
        writers[done.order.dataset].finish(done.result)


class Service(BaseOperator):
    """Stands for a provider's operator, and the service behind it."""

    external_id_key = "service_job"

    def __init__(self, job: SparkJob, **kwargs: Any) -> None:
        super().__init__(task_id=job.task_id, **kwargs)
        self.job = job

    def execute(self, context: Any) -> None:
        folder = ResultFolder(self.job.arguments[1])
        drive(folder, (folder.get(ORDER) or b"").decode())
        raise AirflowException("exit code 2")


def test_the_results_of_a_fleet_are_imported_one_by_one(store: FakeStore, lake: Path) -> None:
    more = {"engine": "spark", "result": str(lake / "results"), "submit": lambda job: Service(job=job)}
    with pytest.raises(AirflowException, match="1 of 3 datasets could not be profiled in full, and 2 could"):
        fleet(lake, "a", "gone", "c", **more).execute(context())
    assert store.saved == {"a": 1, "c": 3}
    assert "gone/1.parquet does not exist" in str(store.newest_error("gone"))
    assert (store.newest_error("a"), store.newest_error("c")) == (None, None)


def test_a_fleet_that_goes_on_does_not_begin_again(
    store: FakeStore, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = context()
    task = fleet(lake, "a", "b", engine="spark")
    monkeypatch.setattr(DQProfileOperator, "_begin", lambda self, orders, context: ())
    monkeypatch.setattr(DQProfileOperator, "_go_on", lambda self, orders, context, event, state: ())
    task.execute(given)
    pushed = dict(given["ti"].pushed)
    assert pushed.keys() == {"began"}
    told = task.resume(given, {"status": "succeeded"}, {})
    # A driver on a cluster has stored what it found, and told nobody here.
    assert told["datasets"]["b"] == {"partition": "1", "partitions": None, "rows": None}
    assert given["ti"].pushed == pushed


def test_spark_submit_is_given_all_orders_and_tells_of_each(
    store: FakeStore, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []

    def submit(self: ProfileSubmitHook, application: str = "", **kwargs: Any) -> None:
        given.append(str(self._application_args[1]))
        names = Orders.from_json(unpacked(given[0])).datasets
        lines = [JobResult(name, 1, 0, 5, summary=name).to_line() for name in names[1:]]
        failed = JobResult(names[0], error="The folder is missing.", retryable=False)
        noise = ["INFO one more line"] * 300  # of a long log the last lines alone are kept
        list(self._remember(iter([failed.to_line(), *lines, *noise])))
        raise AirflowException("Error code is: 2.")

    monkeypatch.setattr(ProfileSubmitHook, "check_machine", lambda self: None)
    monkeypatch.setattr(ProfileSubmitHook, "submit", submit)
    monkeypatch.setenv("AIRFLOW_DQ_DSN", "postgresql://u:p@h/d")
    kept, names = Kept(), [f"t{number}" for number in range(250)]
    with pytest.raises(AirflowFailException, match=r"1 of 250 datasets .* and 249 could.*'t0': The folder is missing"):
        fleet(lake, *names, engine="spark", master="local[2]").execute(context(kept))
    assert len(given[0]) < 130_000
    assert len(json.loads(kept["dq_fleet_1"])["done"]) == 249


def test_a_gate_stands_behind_each_dataset() -> None:
    checks = Checks("b")
    checks.rows(error=">0")
    datasets = [{"dataset": "shop/a", "source": "a"}, {"dataset": "b", "source": "b", "checks": checks}]
    with DAG("d") as dag:
        guard = dq_guard_many(datasets=datasets, partition="{{ ds }}", gate={"on_violation": "warn"}, engine="arrow")
        EmptyOperator(task_id="write") >> guard
        guard.get_child_by_label("gate_b") >> EmptyOperator(task_id="publish")
    profile, gate, other = (dag.get_task(f"dq.{name}") for name in ("profile", "gate_b", "gate_shop_a"))
    assert profile.upstream_task_ids == {"write"}
    assert profile.downstream_task_ids == {"dq.gate_b", "dq.gate_shop_a"}
    assert (gate.downstream_task_ids, gate.trigger_rule.value) == ({"publish"}, "all_done")
    assert (gate.dataset, other.dataset, gate.on_violation) == ("b", "shop/a", "warn")
    assert (len(gate.checks), len(other.checks)) == (1, 0)
    assert "key='began') or 'nothing, for the task" in gate.newer_than
    with pytest.raises(ConfigurationError, match="make the id gate_shop_a"):
        dq_guard_many(datasets=[*datasets, {"dataset": "shop a", "source": "x"}])
