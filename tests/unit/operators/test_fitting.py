from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.exceptions import ConfigurationError, StoreUnreachableError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.operators.launch import Way
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.options.fleet import Orders
from airflow_dq.profile.check.trial import SeenColumn
from airflow_dq.states.base import Kind
from airflow_dq.version_compat import AirflowFailException

CHECKS = "dataset: orders\nchecks:\n  - complete: amuont\n"


class Store:
    """A database that has seen some columns."""

    def __init__(self, *seen: str) -> None:
        self.seen = [SeenColumn(name, Kind.NUMERIC, "int64") for name in seen]

    def seen_columns(self, dataset: str) -> list[SeenColumn]:
        return self.seen


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The jobs that would have been submitted."""
    found: list[Any] = []

    def submit(task: DQProfileOperator, way: Way, orders: Orders) -> Any:
        found.extend(orders)
        raise RuntimeError("submitted")

    monkeypatch.setattr("airflow_dq.operators.profile.spark_submission", submit)
    return found


def execute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, store: Store | Exception, **source: Any) -> None:
    @contextmanager
    def opened(self: DQHook) -> Iterator[Any]:
        if isinstance(store, Exception):
            raise store
        yield store

    monkeypatch.setattr(DQHook, "get_store", opened)
    (tmp_path / "orders.dq.yml").write_text(CHECKS)
    pq.write_table(pa.table({"amount": [1]}), tmp_path / "day.parquet")
    task = DQProfileOperator(
        task_id="profile", dataset="orders", partition="1", checks=tmp_path / "orders.dq.yml", **source
    )
    task.execute({})


def test_a_mistake_is_told_before_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, submitted: list[Any]
) -> None:
    with pytest.raises((ConfigurationError, AirflowFailException), match=r"orders\.dq\.yml:3.*'amuont'.*'amount'\?"):
        execute(monkeypatch, tmp_path, Store(), source=str(tmp_path / "day.parquet"))
    assert not submitted


def test_what_earlier_partitions_had_costs_no_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, submitted: list[Any]
) -> None:
    monkeypatch.setattr("airflow_dq.engine.arrow.engine.ArrowEngine.__init__", lambda *given: pytest.fail("it looked"))
    with pytest.raises(RuntimeError, match="submitted"):
        execute(monkeypatch, tmp_path, Store("amuont"), source=str(tmp_path / "day.parquet"))


@pytest.mark.parametrize("source", [{"table": "lake.orders", "where": "true"}, {"source": "s3://lake/day=1"}])
def test_a_source_that_only_spark_reads_is_asked_there(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    submitted: list[Any],
    source: dict[str, str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING), pytest.raises(RuntimeError, match="submitted"):
        execute(monkeypatch, tmp_path, Store("amount"), **source)
    (spec,) = submitted
    assert spec.checks[0].place.endswith("orders.dq.yml:3")
    assert spec.from_json(spec.to_json()).checks[0].place == spec.checks[0].place


def test_a_database_out_of_reach_is_no_matter_of_this(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, submitted: list[Any]
) -> None:
    with pytest.raises(RuntimeError, match="submitted"):
        execute(monkeypatch, tmp_path, StoreUnreachableError("down"), source=str(tmp_path / "day.parquet"))
