"""Every dataset in a line, read from a real PostgreSQL."""

from __future__ import annotations

from airflow_dq.explain.record import Replay
from airflow_dq.gate.pipeline import judge
from airflow_dq.judge.verdict import Status
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.store import Repository
from airflow_dq.store.review_model import Origin
from tests.integration.sample import days, make_profile

OPTIONS = SynthesisOptions(target_fpr=0.01, scope="column", min_history=7)
MINE, BROKEN = frozenset({"load"}), "2024-01-10"


def fill(store: Repository, dataset: str, dag_id: str) -> None:
    for profile in [*days(9), make_profile(BROKEN, mean=600.0)]:
        assert profile.partition is not None
        store.save_profile(store.begin_attempt(dataset, profile.partition), dataset, profile)
    judge(store, dataset, BROKEN, OPTIONS, origin=Origin(dag_id, "manual__1", "gate"))


def test_a_dataset_is_one_line_for_whoever_may_see_a_dag_that_judges_it(store: Repository) -> None:
    fill(store, "orders", "load")
    fill(store, "100%_payroll", "secret")
    (line,) = store.overview(MINE, partitions=4)
    assert line.name == "orders"
    assert [mark.partition for mark in line.marks] == ["2024-01-07", "2024-01-08", "2024-01-09", BROKEN]
    assert [mark.verdict for mark in line.marks] == [None, None, None, Status.FAIL]
    assert line.problem is not None
    assert (line.problem.partition, line.problem.dag_id, line.problem.partitions) == (BROKEN, "load", 1)
    assert "price" in line.problem.headline
    assert store.waiting(MINE) == 1
    assert store.waiting(frozenset()) == 0
    assert store.overview(frozenset()) == []


def test_names_are_looked_for_as_they_are_written(store: Repository) -> None:
    fill(store, "100%_payroll", "load")
    assert [line.name for line in store.overview(MINE, name="PAY")] == ["100%_payroll"]
    assert [line.name for line in store.overview(MINE, name="%_")] == ["100%_payroll"]
    assert store.overview(MINE, name="0_p") == []


def test_what_was_decided_is_no_longer_open_and_what_failed_is_told(store: Repository) -> None:
    fill(store, "orders", "load")
    store.decide("orders", BROKEN, "accepted", "ann")
    store.fail_attempt(store.begin_attempt("orders", "2024-01-11"), "The folder is missing.")
    (line,) = store.overview(MINE)
    assert line.problem is None
    assert line.marks[-1].decision == "accepted"
    assert line.failed == "2024-01-11"


def test_what_a_backtest_has_said_of_what_no_gate_has_judged_is_told_until_it_is_profiled_anew(
    store: Repository,
) -> None:
    fill(store, "orders", "load")
    said = {"2024-01-08": Status.FAIL, "2024-01-09": Status.PASS, BROKEN: Status.PASS}
    store.save_replay("orders", "options", Replay(3, 1, BROKEN), said)
    (line,) = store.overview(MINE, partitions=4)
    assert [mark.replayed for mark in line.marks] == [None, Status.FAIL, Status.PASS, None]
    assert not any(mark.is_good for mark in line.marks)
    store.save_profile(store.begin_attempt("orders", "2024-01-09"), "orders", make_profile("2024-01-09", mean=101.0))
    (line,) = store.overview(MINE, partitions=4)
    assert [mark.replayed for mark in line.marks] == [None, Status.FAIL, None, None]
