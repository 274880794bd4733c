"""Judging a partition: the same again is the same, two at once are one, and nothing broken ever passes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest
from sqlalchemy import text

from airflow_dq.exceptions import StaleAttemptError, StoreError, UnknownColumnError
from airflow_dq.gate import pipeline as judge_module
from airflow_dq.gate.conclusion import conclude
from airflow_dq.gate.pipeline import judge
from airflow_dq.gate.question import body
from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.learn.program import Program
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.report import render_page
from airflow_dq.store import Repository, open_store
from airflow_dq.store.review_model import Origin
from tests.integration.sample import ODD_NAME, days, make_profile

OPTIONS = SynthesisOptions(target_fpr=0.05, history=20, min_history=5)
TODAY = "2024-01-21"


def put(store: Repository, *profiles: Profile) -> None:
    attempts = store.begin_attempts("t", [str(profile.partition) for profile in profiles])
    for profile in profiles:
        store.save_profile(attempts[str(profile.partition)], "t", profile)


@pytest.fixture
def learned(store: Repository) -> Repository:
    """Twenty quiet days, and a day to judge."""
    put(store, *days(20), make_profile(TODAY, rows=1001, mean=10.05))
    return store


def contents(store: Repository) -> dict[str, list[tuple[object, ...]]]:
    """All that was judged, without times."""
    queries = {
        "program": "SELECT id, partition_key, inputs, document, created_at FROM airflow_dq.program",
        "verdict": "SELECT id, program_id, status, reason, document, created_at FROM airflow_dq.verdict",
        "alert": "SELECT * FROM airflow_dq.alert ORDER BY id",
    }
    with store._engine.begin() as connection:
        return {name: [tuple(row) for row in connection.execute(text(query))] for name, query in queries.items()}


def judged_at(store: Repository) -> object:
    with store._engine.begin() as connection:
        return connection.execute(text("SELECT judged_at FROM airflow_dq.verdict")).scalar_one()


def test_quiet_day_passes_and_broken_day_fails(learned: Repository) -> None:
    verdict = judge(learned, "t", TODAY, OPTIONS)
    assert (verdict.status, verdict.partition) == (Status.PASS, TODAY)
    assert verdict.columns["price"].checked
    assert learned.load_verdict("t", TODAY) == verdict
    put(learned, make_profile("2024-01-22", rows=1000, mean=500.0))
    verdict = judge(learned, "t", "2024-01-22", OPTIONS)
    assert verdict.status is Status.FAIL
    assert learned.load_verdict("t", "2024-01-22") == verdict
    (line, _) = learned.partitions("t", 2)
    assert (line.partition, line.verdict, line.alerts) == ("2024-01-22", Status.FAIL, len(verdict.alerts))
    with learned._engine.begin() as connection:
        alerts = connection.execute(text("SELECT column_name, metric, message, observed FROM airflow_dq.alert")).all()
    assert ("price", "mean", 500.0) in [(row.column_name, row.metric, row.observed) for row in alerts]
    assert {row.message for row in alerts} == {alert.message for alert in verdict.alerts}
    history = learned.load_history("t", "2024-01-23", 30)
    assert [history[-1].partition, len(history)] == [TODAY, 21]


def test_same_call_again_changes_only_the_time(learned: Repository) -> None:
    put(learned, make_profile(TODAY, rows=1000, mean=500.0))
    first = judge(learned, "t", TODAY, OPTIONS)
    before, time = contents(learned), judged_at(learned)
    assert before["alert"]
    assert judge(learned, "t", TODAY, OPTIONS) == first
    assert contents(learned) == before
    assert judged_at(learned) > time  # type: ignore[operator]


def test_program_is_used_again_after_retention_dropped_the_variants(learned: Repository) -> None:
    first = judge(learned, "t", TODAY, OPTIONS)
    before = contents(learned)
    for day in range(22, 27):
        put(learned, make_profile(f"2024-01-{day}", mean=10.0))
    assert learned.load_history("t", TODAY, 20)[-1].variants == {}
    assert judge(learned, "t", TODAY, OPTIONS) == first
    assert contents(learned) == before


def test_other_options_make_another_program_in_place(learned: Repository) -> None:
    judge(learned, "t", TODAY, OPTIONS)
    (old,) = contents(learned)["program"]
    judge(learned, "t", TODAY, replace(OPTIONS, target_fpr=0.01))
    (new,) = contents(learned)["program"]
    assert new[0] == old[0]
    assert new[2] != old[2]
    stored = learned.load_program("t", TODAY)
    assert stored is not None
    assert stored.options.target_fpr == 0.01


def test_alert_that_is_still_true_keeps_its_id(learned: Repository) -> None:
    put(learned, make_profile(TODAY, mean=500.0))
    judge(learned, "t", TODAY, OPTIONS)
    ids = {row[2]: row[0] for row in contents(learned)["alert"]}
    put(learned, make_profile(TODAY, mean=600.0))
    judge(learned, "t", TODAY, OPTIONS)
    again = {row[2]: row[0] for row in contents(learned)["alert"]}
    assert ids == again
    put(learned, make_profile(TODAY, mean=10.0))
    assert judge(learned, "t", TODAY, OPTIONS).status is Status.PASS
    assert {row[2]: row[0] for row in contents(learned)["alert"]} == ids
    assert [line.alerts for line in learned.partitions("t", 1)] == [0]


def test_a_repaired_partition_closes_its_alerts_and_a_relapse_opens_them_again(learned: Repository) -> None:
    def alerts() -> list[tuple[bool, str | None]]:
        query = text("SELECT closed_at IS NULL, closed_reason FROM airflow_dq.alert ORDER BY id")
        with learned._engine.connect() as connection:
            return [(row[0], row[1]) for row in connection.execute(query)]

    put(learned, make_profile(TODAY, mean=500.0))
    judge(learned, "t", TODAY, OPTIONS)
    raised = alerts()
    assert raised == [(True, None)] * len(raised) != []
    put(learned, make_profile(TODAY, mean=10.0))
    assert alerts() == raised  # profiled anew, not judged yet
    assert judge(learned, "t", TODAY, OPTIONS).status is Status.PASS
    status = learned.attempt_status("t", TODAY)
    assert status is not None
    assert {open_ for open_, _ in alerts()} == {False}
    assert all(f"other content (attempt {status.attempt})" in str(reason) for _, reason in alerts())
    put(learned, make_profile(TODAY, mean=500.0))
    judge(learned, "t", TODAY, OPTIONS)
    assert alerts() == raised


def test_severity_is_stored_with_each_alert_and_changes_no_verdict(learned: Repository) -> None:
    put(learned, make_profile(TODAY, mean=500.0))
    plain = judge(learned, "t", TODAY, OPTIONS)
    softened = judge(learned, "t", TODAY, OPTIONS, severity={"column:price": "warn"})
    assert softened.status is plain.status is Status.FAIL
    assert {alert.severity for alert in plain.alerts} == {"fail"}
    assert {alert.severity for alert in softened.alerts if alert.column == "price"} == {"warn"}
    assert learned.load_verdict("t", TODAY) == softened
    with learned._engine.connect() as connection:
        stored = connection.execute(text("SELECT column_name, severity FROM airflow_dq.alert")).all()
    assert sorted(stored, key=str) == sorted(((a.column, a.severity) for a in softened.alerts), key=str)


def test_a_misspelt_column_of_severity_is_told(learned: Repository, caplog: pytest.LogCaptureFixture) -> None:
    put(learned, make_profile(TODAY, mean=500.0))
    judge(learned, "t", TODAY, OPTIONS, severity={"column:price": "warn"})
    assert "severity" not in caplog.text
    judge(learned, "t", TODAY, OPTIONS, severity={"column:prize": "warn"})
    assert "severity names the column 'prize', which neither" in caplog.text


def test_two_judges_at_once_leave_one_verdict(learned: Repository, clean_dsn: str) -> None:
    put(learned, make_profile(TODAY, mean=500.0))
    gate = threading.Barrier(4)

    def run(_: int) -> Verdict:
        with open_store(clean_dsn) as store:
            gate.wait()
            return judge(store, "t", TODAY, OPTIONS)

    with ThreadPoolExecutor(4) as pool:
        verdicts = list(pool.map(run, range(4)))
    assert all(verdict == verdicts[0] for verdict in verdicts)
    stored = contents(learned)
    assert (len(stored["program"]), len(stored["verdict"])) == (1, 1)
    assert len(stored["alert"]) == len(verdicts[0].alerts) > 0


def test_warming_up_says_how_many_are_missing(store: Repository) -> None:
    put(store, *days(3))
    verdict = judge(store, "t", "2024-01-03", OPTIONS)
    assert verdict.status is Status.WARMING_UP
    assert verdict.reason is not None
    assert store.load_verdict("t", "2024-01-03") == verdict
    assert len(store.load_history("t", "2024-01-04", 30)) == 3


def test_no_profile_is_an_error(store: Repository) -> None:
    put(store, *days(3))
    with pytest.raises(StoreError, match="Dataset 't', partition '2024-02-01': there is no profile to judge"):
        judge(store, "t", "2024-02-01", OPTIONS)


def test_unknown_column_is_the_users_error(learned: Repository) -> None:
    with pytest.raises(UnknownColumnError, match="prize"):
        judge(learned, "t", TODAY, replace(OPTIONS, columns=("prize",)))
    assert contents(learned)["verdict"] == []


@pytest.mark.parametrize("step", ["_synthesize", "_evaluate"])
def test_a_bug_never_passes(learned: Repository, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def broken(*arguments: object) -> None:
        raise ZeroDivisionError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(judge_module, step, broken)
        verdict = judge(learned, "t", TODAY, OPTIONS)
    assert verdict.status is Status.ERROR
    assert verdict.reason is not None
    assert "ZeroDivisionError: a bug" in verdict.reason
    assert learned.load_verdict("t", TODAY) == verdict
    assert learned.load_history("t", "2024-02-01", 30)[-1].partition == "2024-01-20"
    # The bug is fixed: the next call judges.
    assert judge(learned, "t", TODAY, OPTIONS).status is Status.PASS


def replacing(store: Repository, times: int) -> Callable[[Program, Profile, list[Profile]], Verdict]:
    """An evaluation during which somebody profiles the partition anew."""
    from airflow_dq.judge.evaluation import evaluate

    left = [times]

    def slow(program: Program, profile: Profile, history: list[Profile]) -> Verdict:
        if left[0]:
            left[0] -= 1
            put(store, make_profile(TODAY, mean=500.0 + left[0]))
        return evaluate(program, profile, history)

    return slow


def test_partition_replaced_while_judged_is_judged_again(learned: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_module, "_evaluate", replacing(learned, 1))
    assert judge(learned, "t", TODAY, OPTIONS).status is Status.FAIL
    monkeypatch.setattr(judge_module, "_evaluate", replacing(learned, 9))
    with pytest.raises(StaleAttemptError, match="profiled anew"):
        judge(learned, "t", TODAY, OPTIONS)


def test_decision_stays_with_the_verdict_it_was_made_on(learned: Repository) -> None:
    put(learned, make_profile(TODAY, mean=500.0))
    judge(learned, "t", TODAY, OPTIONS)
    accept = text("UPDATE airflow_dq.verdict SET decision = 'accepted', decided_by = 'ann', comment = 'new normal'")
    with learned._engine.begin() as connection:
        connection.execute(accept)
    judge(learned, "t", TODAY, replace(OPTIONS, target_fpr=0.04))
    assert learned.partitions("t", 1)[0].decision == "accepted"
    put(learned, make_profile(TODAY, mean=700.0))
    judge(learned, "t", TODAY, OPTIONS)
    assert learned.partitions("t", 1)[0].decision is None


def test_awkward_column_in_an_alert(learned: Repository) -> None:
    today = make_profile(TODAY)
    put(learned, replace(today, columns={"price": today.columns["price"]}))
    verdict = judge(learned, "t", TODAY, OPTIONS)
    assert verdict.status is Status.FAIL
    assert [(row[3], row[4]) for row in contents(learned)["alert"]] == [("column_missing", ODD_NAME)]


def test_an_old_partition_delivered_again_is_told_by_its_date_and_content(store: Repository) -> None:
    def table(day: date) -> pa.Table:
        rng = np.random.default_rng(day.toordinal())
        made = {"day_text": [day.strftime("%d.%m.%Y")] * 90, "day": [day] * 90, "amount": rng.normal(50.0, 5.0, 90)}
        return pa.table(made)

    first = date(2026, 1, 20)
    each = [first + timedelta(days=number) for number in range(14)]
    put(store, *(profile_table(table(day), str(day)) for day in each[:-1]))
    # The date that these rows tell is the first of a month, and was foretold.
    put(store, profile_table(table(each[-1]), str(each[-1])))
    assert judge(store, "t", str(each[12]), SynthesisOptions()).status is Status.PASS
    put(store, profile_table(table(each[12]), str(each[13])))
    verdict = judge(store, "t", str(each[13]), SynthesisOptions())
    assert store.load_verdict("t", str(each[13])) == verdict
    assert [(alert.rule, alert.column) for alert in verdict.alerts][:3] == [
        ("partition_repeated", None),
        ("date_column", "day_text"),
        ("date_column", "day"),
    ]
    detail = store.verdict_of_partition("t", str(each[13]))
    assert detail is not None
    for page in (render_page([("t", verdict)]), body(detail, None)):
        assert "an old partition delivered again" in page
        assert "holds what partition 2026-02-01 holds" in page.replace("\\", "")


def test_a_key_before_the_history_is_not_warming_up(store: Repository) -> None:
    put(store, *days(20))
    for key in ("01/21/2024", "(null)", "2023-12-31", "2024-01-02"):
        put(store, make_profile(key))
        verdict = judge(store, "t", key, OPTIONS)
        assert verdict.status is Status.NOT_EVALUATED
        assert "the newest of which is '2024-01-20'" in str(verdict.reason)
        assert conclude("t", verdict, "warn").outcome == "fail"
    assert judge(store, "t", "2024-01-20", OPTIONS).status is Status.PASS


def test_batches_are_judged_in_the_order_of_their_numbers(store: Repository) -> None:
    put(store, *(replace(day, partition=str(number)) for number, day in enumerate(days(13), 1)))
    put(store, make_profile("14", rows=500, mean=7.0))
    assert judge(store, "t", "14", OPTIONS).status is Status.FAIL
    assert [profile.partition for profile in store.load_history("t", "14", 30)] == list(map(str, range(1, 14)))


def test_a_dataset_that_a_person_has_restarted_is_young_again(learned: Repository) -> None:
    judge(learned, "t", TODAY, OPTIONS)
    learned.decide("t", TODAY, "new_normal", "ann")
    put(learned, make_profile("2024-01-22"))
    verdict = judge(learned, "t", "2024-01-22", OPTIONS)
    assert verdict.status is Status.WARMING_UP
    assert "new normal, by ann" in str(verdict.reason)


def test_a_new_dataset_with_a_name_like_another_asks_whether_it_is_misspelt(store: Repository) -> None:
    for dataset, profiles in (("flights", days(5)), ("flihgts", days(1))):
        for profile in profiles:
            store.save_profile(store.begin_attempt(dataset, str(profile.partition)), dataset, profile)
    verdict = judge(store, "flihgts", "2024-01-01", OPTIONS)
    assert verdict.status is Status.WARMING_UP
    assert "There is a dataset 'flights' too: is 'flihgts' misspelt?" in str(verdict.reason)


def test_a_new_dataset_of_a_task_that_has_judged_another_asks_whether_it_is_misspelt(store: Repository) -> None:
    for dataset, profiles in (("flights", days(6)), ("arrivals", days(1))):
        for profile in profiles:
            store.save_profile(store.begin_attempt(dataset, str(profile.partition)), dataset, profile)
    judge(store, "flights", "2024-01-06", OPTIONS, origin=Origin("dag", "run1", "gate"))
    verdict = judge(store, "arrivals", "2024-01-01", OPTIONS, origin=Origin("dag", "run2", "gate"))
    assert verdict.status is Status.WARMING_UP
    assert "The same task has judged dataset 'flights' before: is 'arrivals' misspelt?" in str(verdict.reason)
    other = judge(store, "arrivals", "2024-01-01", OPTIONS, origin=Origin("dag", "run2", "other_gate"))
    assert "misspelt" not in str(other.reason)


def test_a_key_that_never_changes_is_not_green_for_ever(store: Repository) -> None:
    """One partition that each run replaces: there is never a history, and nothing is ever checked."""
    put(store, make_profile("latest"))
    gate = Origin("dag", "now", "gate")
    assert judge(store, "t", "latest", OPTIONS, origin=gate).status is Status.WARMING_UP
    found = []
    for days_ago, runs in ((40, 98), (10, 200), (40, 200)):
        with store._engine.begin() as connection:
            connection.execute(text("DELETE FROM airflow_dq.verdict_origin"))
            connection.execute(
                text(
                    "INSERT INTO airflow_dq.verdict_origin"
                    " (verdict_id, dataset_id, dag_id, run_id, task_id, map_index, judged_at)"
                    " SELECT id, dataset_id, 'dag', 'run' || n, 'gate', -1, now() - :days * interval '1 day'"
                    " FROM airflow_dq.verdict, generate_series(1, :runs) n"
                ),
                {"runs": runs, "days": days_ago},
            )
        found.append(judge(store, "t", "latest", OPTIONS, origin=gate))
    assert [verdict.status for verdict in found] == [Status.WARMING_UP, Status.WARMING_UP, Status.NOT_EVALUATED]
    verdict = found[-1]
    assert str(verdict.reason).startswith("Partition 'latest' was judged in 200 runs, and the dataset still has fewer")
    assert conclude("t", verdict, "warn").outcome == "fail"


def test_a_dataset_with_another_name_in_every_run_is_not_green_for_ever(store: Repository) -> None:
    def run(number: int, dataset: str) -> Verdict:
        key = f"2024-02-{number:02d}"
        store.save_profile(store.begin_attempt(dataset, key), dataset, make_profile(key))
        return judge(store, dataset, key, OPTIONS, origin=Origin("dag", f"run{number}", "gate"))

    needed = 3 * OPTIONS.min_history
    for number in range(1, needed + 1):
        assert run(number, f"orders_{number}").status is Status.WARMING_UP
    verdict = run(needed + 1, "orders_x")
    assert verdict.status is Status.NOT_EVALUATED
    assert f"Task 'gate' of DAG 'dag' has judged {needed} datasets that each have a single partition" in str(
        verdict.reason
    )
    # With one name for all it may become older.
    run(needed + 2, "orders")
    assert run(needed + 3, "orders").status is Status.WARMING_UP


def test_pruning_leaves_a_gate_what_it_needs(learned: Repository) -> None:
    judge(learned, "t", TODAY, OPTIONS)
    needed = OPTIONS.min_history + 1
    with pytest.raises(StoreError, match=rf"of its newest {needed - 1} .* needs {needed}.*Nothing was dropped"):
        learned.prune(needed - 1)
    assert len(learned.partitions("t")) == 21
    learned.decide("t", TODAY, "rejected", "ann")  # what is rejected is nothing to learn from
    with pytest.raises(StoreError, match=f"could learn from {needed - 1}, and needs {needed}"):
        learned.prune(needed)
    assert learned.prune(needed + 1).partitions == 20 - needed
    learned.decide("t", TODAY, "accepted", "ann", revise=True)
    assert judge(learned, "t", TODAY, OPTIONS).status is Status.PASS
