"""A job whose executors are all lost ends with one sentence; one that gets on, or is being shrunk, goes on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import PySparkException

from airflow_dq.engine.spark.failure import cluster_fault
from airflow_dq.engine.spark.loss import LOSSES, MARK, Losses
from airflow_dq.engine.spark.progress import _cancel
from airflow_dq.exceptions import SparkLostError


class Option:
    def __init__(self, value: str | None) -> None:
        self._value = value

    def isDefined(self) -> bool:  # noqa: N802  (Scala's name)
        return self._value is not None

    def get(self) -> str | None:
        return self._value


class Executors(list[Any]):
    """A list as Scala's, of the executors that a driver knows."""

    def size(self) -> int:
        return len(self)

    def apply(self, place: int) -> Any:
        return self[place]

    def lose(self, count: int, reason: str | None = "worker lost\n\tat stack") -> None:
        for _ in range(count):
            self.append(self.one(str(len(self)), False, reason))

    def work(self, tasks: int) -> None:
        self[0] = self.one("driver", True, None, tasks)

    @staticmethod
    def one(name: str, active: bool, reason: str | None, tasks: int = 0) -> Any:
        return SimpleNamespace(
            id=lambda: name,
            isActive=lambda: active,
            removeReason=lambda: Option(reason),
            completedTasks=lambda: tasks,
        )


@pytest.fixture
def executors() -> Executors:
    return Executors([Executors.one("driver", True, None)])


def losses(executors: Executors) -> Losses:
    status = SimpleNamespace(executorList=lambda active: executors)
    java = SimpleNamespace(sc=lambda: SimpleNamespace(statusStore=lambda: status))
    return Losses(SimpleNamespace(sparkContext=SimpleNamespace(_jsc=java)))  # type: ignore[arg-type]


def test_so_many_in_a_row_are_a_reason_to_give_up(executors: Executors) -> None:
    executors.lose(LOSSES)  # of the job before
    seen = losses(executors)
    seen.look()
    executors.lose(LOSSES - 1)
    seen.look()
    assert seen.reason is None
    executors.lose(1, "Command exited with code 137")
    seen.look()
    assert seen.reason is not None
    assert "10 executors were lost one after the other" in seen.reason
    assert "last one: Command exited with code 137. See" in seen.reason


def test_a_job_that_gets_on_goes_on(executors: Executors) -> None:
    seen = losses(executors)
    for tasks in range(5):
        executors.work(tasks)
        seen.look()
        executors.lose(LOSSES - 1)
        seen.look()
    assert seen.reason is None


@pytest.mark.parametrize("reason", ["Executor killed by driver.", "Executor decommission: spark scale down"])
def test_what_spark_lets_go_is_not_lost(executors: Executors, reason: str) -> None:
    seen = losses(executors)
    seen.look()
    executors.lose(3 * LOSSES, reason)
    seen.look()
    assert seen.reason is None


def test_the_reason_is_the_error_of_the_job_that_is_cancelled() -> None:
    cancelled: dict[int, str] = {}
    java = SimpleNamespace(sc=lambda: SimpleNamespace(cancelJob=cancelled.__setitem__))
    tracker = SimpleNamespace(getActiveJobsIds=lambda: [3])
    _cancel(SimpleNamespace(sparkContext=SimpleNamespace(_jsc=java, statusTracker=lambda: tracker)), "all lost")  # type: ignore[arg-type]
    fault = cluster_fault(PySparkException(f"Job 3 cancelled {cancelled[3]}\n\tat stack"))
    assert isinstance(fault, SparkLostError)
    assert str(fault) == "Spark's job was given up: all lost."
    assert fault.retryable
    assert cancelled[3].startswith(MARK)
