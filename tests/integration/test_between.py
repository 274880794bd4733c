"""Relations between rows on their way: tried after a job, counted in the next scans, judged by the gate, dropped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sqlalchemy import text

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.gate.pipeline import judge
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.judge.verdict import Status
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import JobSpec
from airflow_dq.relation.dependency import Step
from airflow_dq.relation.rule import RelationRule
from airflow_dq.store import Repository
from airflow_dq.store.between import KEPT

PLACES = 80
OPTIONS = SynthesisOptions(novelty="off")


def snapshot(number: int, wrong: int = 0) -> pa.Table:
    rng = np.random.default_rng(number)
    names = [f"Town {place}" for place in range(PLACES)]
    names[:wrong] = names[wrong : 2 * wrong]
    places = [f"P{place}" for place in range(PLACES)]
    return pa.table({"place": places, "name": names, "mood": [f"m{one}" for one in rng.integers(0, 5, PLACES)]})


def profiled(store: Repository, folder: Path, number: int, wrong: int = 0) -> str:
    key, path = f"2026-02-{number + 1:02d}", folder / f"{number}.parquet"
    pq.write_table(snapshot(number, wrong), path)
    spec = JobSpec(dataset="t", paths={key: str(path)})
    assert [one.error for one in ProfileJob(ArrowEngine(spec), store, lambda line: None).run()] == [None]
    return key


def test_a_name_that_changes_is_found_once_enough_partitions_have_kept_theirs(
    store: Repository, tmp_path: Path
) -> None:
    for number in range(11):
        assert judge(store, "t", profiled(store, tmp_path, number), OPTIONS).status is not Status.FAIL
    verdict = judge(store, "t", profiled(store, tmp_path, 11, wrong=4), OPTIONS)
    assert verdict.status is Status.FAIL
    assert any("before Town" in alert.message for alert in verdict.alerts)
    with store._engine.connect() as connection:
        states = connection.execute(text("SELECT columns, state FROM airflow_dq.learned_rule WHERE family = 'between'"))
        by_columns = {tuple(row.columns): row.state for row in states}
        held = connection.execute(text("SELECT count(*) FROM airflow_dq.profile WHERE held IS NOT NULL")).scalar()
    assert by_columns["place", "name"] == "active"
    assert by_columns["place", "mood"] == "dropped", "a mood does not last"
    assert held == KEPT


def test_counts_outlive_a_job_that_profiles_all_again(store: Repository, tmp_path: Path) -> None:
    keys = [profiled(store, tmp_path, number) for number in range(11)]
    spec = JobSpec(dataset="t", paths={key: str(tmp_path / f"{number}.parquet") for number, key in enumerate(keys)})
    # It begins before the partition that the relations were learned from, and counts none of them.
    assert [one.error for one in ProfileJob(ArrowEngine(spec), store, lambda line: None).run()] == [None] * 11
    verdict = judge(store, "t", profiled(store, tmp_path, 11, wrong=4), OPTIONS)
    assert any("before Town" in alert.message for alert in verdict.alerts)


def test_a_total_is_tried_counted_over_all_rows_and_missed_when_a_row_is(store: Repository, tmp_path: Path) -> None:
    def sold(number: int, rows: int) -> str:
        key, path = f"2026-02-{number + 1:02d}", tmp_path / f"{number}.parquet"
        units = np.random.default_rng(number).poisson(90, 30).astype(float)
        regions = ["All", *(f"R{one}" for one in range(30))]
        pq.write_table(pa.table({"region": regions, "units": [units.sum(), *units]}).slice(0, rows), path)
        spec = JobSpec(dataset="t", paths={key: str(path)})
        assert [one.error for one in ProfileJob(ArrowEngine(spec), store, lambda line: None).run()] == [None]
        return key

    for number in range(12):
        assert judge(store, "t", sold(number, 31), OPTIONS).status is not Status.FAIL
    (alert,) = [one for one in judge(store, "t", sold(12, 30), OPTIONS).alerts if one.rule == "relation"]
    assert "(1 of 1) break units where region is 'All' is the sum of the other rows: " in alert.message
    assert alert.severity == "warn", "it has not held for four weeks"


def test_a_change_is_asked_only_right_behind_a_partition_that_is_known(store: Repository, tmp_path: Path) -> None:
    rng, total = np.random.default_rng(0), np.full(PLACES, 100.0)
    rule = RelationRule(Step(("place",), "total", "new")).learned(())
    counted = {}
    for number in (0, 1, 2, 4, 5):
        key, path = f"2026-02-{number + 1:02d}", tmp_path / f"{number}.parquet"
        new = rng.poisson(3, PLACES).astype(float)
        total = total + new
        shown = np.where(np.arange(PLACES) < (2 if number == 5 else 0), total + 1, total)
        pq.write_table(pa.table({"place": [f"P{one}" for one in range(PLACES)], "total": shown, "new": new}), path)
        spec = JobSpec(dataset="t", paths={key: str(path)})
        assert [one.error for one in ProfileJob(ArrowEngine(spec), store, lambda line: None).run()] == [None]
        store.add_between("t", [rule])
        found = store.load_profile("t", key)
        assert found is not None
        one = found.checks.get(rule.measure)
        counted[number] = None if one is None else (one.numerator, one.denominator)
    # The first one to be counted has nothing before it, and neither has the one behind the gap.
    assert counted == {0: None, 1: (None, None), 2: (0, PLACES), 4: (None, None), 5: (2, PLACES)}
