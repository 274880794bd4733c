"""What people have decided about alarms: read in one query, heeded by the gate, told beside the next alarm."""

from __future__ import annotations

from dataclasses import replace

import pytest

from airflow_dq.exceptions import ReviewError
from airflow_dq.explain.alert import Alert
from airflow_dq.explain.record import Record, Replay
from airflow_dq.gate.pipeline import judge, options_digest
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.learn.history.answer import GROWTH, AnsweredAlarm, Answers, Widening
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import Profile
from airflow_dq.store import Repository
from tests.integration.sample import days, make_profile

OPTIONS = SynthesisOptions(target_fpr=0.05, history=20, min_history=5)
DIGEST = options_digest(OPTIONS)


def put(store: Repository, *profiles: Profile) -> None:
    attempts = store.begin_attempts("t", [str(profile.partition) for profile in profiles])
    for profile in profiles:
        store.save_profile(attempts[str(profile.partition)], "t", profile)


def rule(store: Repository, profile: Profile, *alerts: Alert) -> None:
    """Store a verdict: one that passes, or one with these alerts."""
    status = Status.FAIL if alerts else Status.PASS
    store.save_verdict("t", profile, None, Verdict(profile.partition, status, ScopeVerdict(status), {}, alerts=alerts))


def alarm(column: str | None, metric: str | None, observed: float | Reason = 9.0, rule: str = "range") -> Alert:
    return Alert(rule, column, "odd.", metric=metric, observed=observed)


@pytest.fixture
def past(store: Repository) -> list[Profile]:
    profiles = days(20)
    put(store, *profiles)
    return profiles


def test_an_accepted_alarm_widens_what_alarmed_for_those_behind_it_and_not_for_itself(
    store: Repository, past: list[Profile]
) -> None:
    put(store, make_profile("2024-01-21", mean=20.0), make_profile("2024-01-22", mean=500.0))
    first = judge(store, "t", "2024-01-21", OPTIONS)
    assert {alert.metric for alert in first.alerts} == {"mean"}
    store.decide("t", "2024-01-21", "accepted", "ann")
    assert store.answered_alarms("t") == [AnsweredAlarm("2024-01-21", "price", "mean", accepted=True)]
    verdict = judge(store, "t", "2024-01-22", OPTIONS)
    program = store.load_program("t", "2024-01-22")
    assert program is not None
    assert program.answers == Answers.of(store.answered_alarms("t"))
    assert {one.metric: one.widening for one in program.ranges() if one.column == "price"}["mean"] == Widening(
        GROWTH, 1
    )
    (found,) = (one for one in verdict.findings if one.metric == "mean")
    assert found.widening == Widening(GROWTH, 1)
    (alert,) = (one for one in verdict.alerts if one.metric == "mean")
    assert "people accepted 1 alarm of this metric: the range is 1.5 times as wide." in alert.sentence
    assert judge(store, "t", "2024-01-22", OPTIONS) == verdict
    # The partition itself is not judged by what was said of it: it would pass, and its answer would be gone.
    assert judge(store, "t", "2024-01-21", OPTIONS) == first
    assert store.decision("t", "2024-01-21") is not None


def test_only_what_a_decision_was_about_is_an_answer(store: Repository, past: list[Profile]) -> None:
    mean, std = alarm("price", "mean"), alarm("price", "std")
    rule(store, past[5], mean, std, alarm(None, "row_count"))
    rule(store, past[5], mean, alarm("price", "p05", Reason.NO_VALUES), alarm("new", None, rule="column_added"))
    rule(store, past[6], mean)
    rule(store, past[7], std)
    assert store.answered_alarms("t") == []
    store.decide("t", "2024-01-06", "accepted", "ann")
    store.decide("t", "2024-01-07", "new_normal", "ann")
    store.decide("t", "2024-01-08", "rejected", "ann")
    found = {(one.partition, one.column, one.metric): one.accepted for one in store.answered_alarms("t")}
    assert found == {
        ("2024-01-06", "price", "mean"): True,
        ("2024-01-08", "price", "std"): False,
    }
    assert {one.partition for one in store.answered_alarms("t", "2024-01-08")} == {"2024-01-06"}
    store.decide("t", "2024-01-06", "rejected", "bob", revise=True)
    assert {one.partition: one.accepted for one in store.answered_alarms("t")}["2024-01-06"] is False
    assert store.answered_alarms("another") == []


def test_noise_teaches_what_it_alarmed_for_and_outlives_a_rejection(store: Repository, past: list[Profile]) -> None:
    put(store, make_profile("2024-01-21", mean=20.0), make_profile("2024-01-22", mean=500.0))
    first = judge(store, "t", "2024-01-21", OPTIONS)
    (problem,) = store.problems("t")
    event = store.call_noise(problem.alert_id, "ann", "sales day")
    assert (event.action, event.value) == ("noise", [["price", "mean"]])
    taught = [AnsweredAlarm("2024-01-21", "price", "mean", accepted=True)]
    assert store.answered_alarms("t") == taught
    assert store.answered_alarms("t", "2024-01-21") == []
    # It decides nothing: the partition still fails, waits, and stays out of the history.
    assert judge(store, "t", "2024-01-21", OPTIONS) == first
    assert [one.partition for one in store.load_history("t", "2024-01-22", 1)] == ["2024-01-20"]
    judge(store, "t", "2024-01-22", OPTIONS)
    program = store.load_program("t", "2024-01-22")
    assert program is not None
    assert {one.metric: one.widening for one in program.ranges() if one.column == "price"}["mean"] == Widening(
        GROWTH, 1
    )
    store.decide("t", "2024-01-21", "rejected", "ann")
    assert store.answered_alarms("t") == taught
    store.take_back_noise(problem.alert_id, "ann")
    assert [one.accepted for one in store.answered_alarms("t")] == [False]


def test_what_no_range_was_too_narrow_for_is_no_noise(store: Repository, past: list[Profile]) -> None:
    rule(store, past[5], alarm("new", None, rule="column_added"))
    rule(store, past[6], alarm("price", "orders.mean", rule="check"))
    for problem in store.problems("t"):
        with pytest.raises(ReviewError, match="no range was too narrow"):
            store.call_noise(problem.alert_id, "ann")
    with pytest.raises(ReviewError, match="There is no alert 999"):
        store.acknowledge_problem(999, "ann")


def test_the_record_tells_what_became_of_the_partitions_before(store: Repository, past: list[Profile]) -> None:
    for profile in past[:10]:
        rule(store, profile)
    for profile in past[10:16]:
        rule(store, profile, alarm("price", "mean"))
    rule(store, past[10])  # judged again, and right
    store.decide("t", "2024-01-12", "accepted", "ann")
    store.decide("t", "2024-01-13", "new_normal", "ann")
    store.decide("t", "2024-01-14", "rejected", "ann")
    assert store.record("t", "2024-01-30", DIGEST) == Record(16, accepted=1, rejected=2, unanswered=2, cleared=1)
    assert store.record("t", "2024-01-12", DIGEST) == Record(11, cleared=1)
    assert store.record("t", "2024-01-01", DIGEST) == Record(0)


def test_a_replay_is_told_of_by_a_gate_with_its_options_and_of_partitions_before(
    store: Repository, past: list[Profile]
) -> None:
    store.save_replay("t", "others", Replay(99, 9, "2024-01-18"))
    assert store.record("t", "2024-01-21", DIGEST).replay is None
    replay = Replay(15, 1, "2024-01-19")
    store.save_replay("t", DIGEST, replay)
    assert store.record("t", "2024-01-21", DIGEST).replay == replay
    assert store.record("t", "2024-01-19", DIGEST).replay is None
    assert options_digest(replace(OPTIONS, history=21)) != DIGEST


def test_a_verdict_with_alerts_carries_the_record_and_one_without_has_none(
    store: Repository, past: list[Profile]
) -> None:
    put(store, make_profile("2024-01-21", mean=10.0), make_profile("2024-01-22", mean=500.0))
    for profile in past:
        rule(store, profile)
    assert judge(store, "t", "2024-01-21", OPTIONS).record is None
    verdict = judge(store, "t", "2024-01-22", OPTIONS)
    assert verdict.record == Record(21)
    assert store.load_verdict("t", "2024-01-22") == verdict
