"""Orders that share an application: what is begun is ended, and what is wrong with the machines is told once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.base import Engine
from airflow_dq.exceptions import ConfigurationError, ProfileError, SparkLostError
from airflow_dq.job.fleet import Fleet, failure_of, require_done
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.job.result import JobResult
from airflow_dq.options.fleet import Orders
from airflow_dq.profile import JobSpec
from tests.unit.operators.test_fleet import FakeStore


@pytest.fixture
def orders(tmp_path: Path) -> Orders:
    pq.write_table(pa.table({"n": [1.0]}), tmp_path / "1.parquet")
    names = ("a", "b", "c")
    return Orders(tuple(JobSpec(name, paths={"1": str(tmp_path / "1.parquet")}) for name in names), fleet=True)


def fleet(orders: Orders, store: Any, together: Any = None, engine: type[ArrowEngine] = ArrowEngine) -> Fleet:
    return Fleet(orders, lambda one: ProfileJob(engine(one), store, lambda line: None), together)


@pytest.mark.parametrize("at_once", [1, 3])
def test_all_are_begun_before_they_are_read_together(orders: Orders, at_once: int) -> None:
    store, seen = FakeStore(), []

    def together(engines: Sequence[Engine]) -> None:
        seen.append([one.order.dataset for one in engines])
        assert len(store.attempts) == 3
        assert store.saved == {}

    done = list(fleet(orders, store, together).carry_out(at_once))
    assert [one.result.error for one in done] == [None] * 3
    assert (seen, store.saved) == ([["a", "b", "c"]], {"a": 1, "b": 1, "c": 1})


def test_who_is_interrupted_leaves_no_attempt_that_runs_for_ever(orders: Orders) -> None:
    store = FakeStore()

    def together(engines: Sequence[Engine]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(fleet(orders, store, together).carry_out())
    assert sorted(store.failed) == [1, 2, 3]
    assert "KeyboardInterrupt" in store.failed[1]


def test_machines_that_are_gone_are_asked_once(orders: Orders) -> None:
    store, asked = FakeStore(), []

    class Gone(ArrowEngine):
        def partitions(self) -> tuple[str, ...]:
            asked.append(self.order.dataset)
            raise SparkLostError("Spark has gone away.")

    done = list(fleet(orders, store, engine=Gone).carry_out())
    assert [one.result.error for one in done] == ["Spark has gone away."] * 3
    assert asked == ["a"]


def test_the_error_of_all_names_some_and_says_what_is_not_known(orders: Orders) -> None:
    good, bad = JobResult("a", 1), JobResult("b", error="Dataset 'b': gone.", retryable=False)
    assert failure_of(orders, [good]) is None
    said = failure_of(orders, [good, bad]) or ""
    assert "1 of 3 datasets" in said
    assert "Dataset 'b': gone.; the job has ended before it told of 1" in said
    with pytest.raises(ProfileError):
        require_done(orders, [good, bad])  # the third may be there next time
    with pytest.raises(ConfigurationError):
        require_done(orders, [good, bad, JobResult("c", 1)])
    many = Orders(tuple(JobSpec(f"t{n}", table="t", partition="1") for n in range(9)), fleet=True)
    said = failure_of(many, [JobResult(one.dataset, error="x") for one in many]) or ""
    assert "dataset 't4': x; and 4 more, see the log" in said
