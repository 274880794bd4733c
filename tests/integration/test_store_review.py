"""Decisions and snoozes: recorded once, in an audit trail, and what follows from them for alerts and history."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from airflow_dq.exceptions import AlreadyDecidedError, NotJudgedError, ReviewError
from airflow_dq.gate.pipeline import judge
from airflow_dq.judge.verdict import Decision, Status
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import Profile
from airflow_dq.store import Repository, open_store
from airflow_dq.store.review_model import AlertFilter, Origin
from tests.integration.sample import ODD_NAME, days, make_profile

OPTIONS = SynthesisOptions(target_fpr=0.05, history=20, min_history=5)
TODAY = "2024-01-21"
GATE = Origin("flights", "manual__1", "gate", 3)
TOMORROW = datetime.now(UTC) + timedelta(days=1)


def put(store: Repository, *profiles: Profile) -> None:
    attempts = store.begin_attempts("t", [str(profile.partition) for profile in profiles])
    for profile in profiles:
        store.save_profile(attempts[str(profile.partition)], "t", profile)


def keys(store: Repository, before: str) -> list[str | None]:
    return [profile.partition for profile in store.load_history("t", before, 100)]


@pytest.fixture
def broken(store: Repository) -> Repository:
    """Twenty quiet days, and a broken one that was judged by a task."""
    put(store, *days(20), make_profile(TODAY, mean=500.0))
    assert judge(store, "t", TODAY, OPTIONS, origin=GATE).status is Status.FAIL
    return store


@pytest.mark.parametrize(
    ("decision", "words", "learned"),
    [
        ("accepted", "Accepted by ann: seen it", True),
        ("rejected", "Rejected by ann: seen it", False),
        ("new_normal", "Accepted as the new normal by ann: seen it", True),
    ],
)
def test_a_decision_closes_the_alerts(broken: Repository, decision: Decision, words: str, learned: bool) -> None:
    before = broken.verdict_of_partition("t", TODAY)
    assert before is not None
    assert (before.partition.open_count, before.partition.severity) == (len(before.alerts), "fail")
    event = broken.decide("t", TODAY, decision, "ann", "seen it")
    assert (event.action, event.by, event.comment, event.detail) == (decision, "ann", "seen it", None)
    after = broken.verdict_of_partition("t", TODAY)
    assert after is not None
    assert {alert.closed_reason for alert in after.alerts} == {words}
    assert all(alert.closed_at == after.partition.decided_at for alert in after.alerts)
    assert (after.partition.open_count, after.partition.alert_count) == (0, len(before.alerts))
    assert (after.partition.decision, after.partition.decided_by, after.comment) == (decision, "ann", "seen it")
    assert after.events == (event,)
    assert (TODAY in keys(broken, "2024-01-22")) is learned
    made = broken.decision("t", TODAY)
    assert made is not None
    assert made.words == words[0].lower() + words[1:]


def test_a_second_decision_is_refused_unless_it_revises(broken: Repository) -> None:
    broken.decide("t", TODAY, "accepted", "ann")
    with pytest.raises(AlreadyDecidedError, match=r"'t', partition '2024-01-21': accepted by ann, on 20.* UTC"):
        broken.decide("t", TODAY, "rejected", "bob")
    event = broken.decide("t", TODAY, "rejected", "bob", "no, look again", revise=True)
    assert event.detail is not None
    assert event.detail.startswith("revises: accepted by ann, on ")
    detail = broken.verdict_of_partition("t", TODAY)
    assert detail is not None
    assert [one.action for one in detail.events] == ["accepted", "rejected"]
    assert {alert.closed_reason for alert in detail.alerts} == {"Rejected by bob: no, look again"}
    assert TODAY not in keys(broken, "2024-01-22")


def test_of_two_decisions_at_once_one_counts(broken: Repository, clean_dsn: str) -> None:
    def decide(by: str) -> str:
        with open_store(clean_dsn) as store:
            try:
                return store.decide("t", TODAY, "accepted", by).by
            except AlreadyDecidedError:
                return "refused"

    with ThreadPoolExecutor(4) as pool:
        found = sorted(pool.map(decide, ["ann", "bob", "cat", "dan"]))
    assert found.count("refused") == 3
    detail = broken.verdict_of_partition("t", TODAY)
    assert detail is not None
    assert [event.by for event in detail.events] == [detail.partition.decided_by]


def test_what_cannot_be_decided(broken: Repository) -> None:
    with pytest.raises(NotJudgedError, match="'2024-01-20': there is nothing to decide, the partition was not judged"):
        broken.decide("t", "2024-01-20", "accepted", "ann")
    with pytest.raises(ReviewError, match="cannot be 'maybe': give one of accepted, rejected, new_normal"):
        broken.decide("t", TODAY, "maybe", "ann")  # type: ignore[arg-type]
    with pytest.raises(ReviewError, match="needs the name"):
        broken.decide("t", TODAY, "accepted", " ")
    put(broken, make_profile(TODAY, mean=700.0))
    with pytest.raises(NotJudgedError, match="profiled anew with other content since it was judged"):
        broken.decide("t", TODAY, "accepted", "ann")


def test_judging_again_keeps_the_decision_and_the_alerts_closed(broken: Repository) -> None:
    broken.decide("t", TODAY, "accepted", "ann")
    judge(broken, "t", TODAY, replace(OPTIONS, target_fpr=0.04))
    detail = broken.verdict_of_partition("t", TODAY)
    assert detail is not None
    assert (detail.partition.status, detail.partition.decision) == (Status.FAIL, "accepted")
    assert detail.partition.open_count == 0
    assert {alert.closed_reason for alert in detail.alerts} == {"Accepted by ann"}


def test_other_content_is_another_matter(broken: Repository) -> None:
    broken.decide("t", TODAY, "rejected", "ann")
    put(broken, make_profile(TODAY, mean=700.0))
    judge(broken, "t", TODAY, OPTIONS)
    line = broken.partitions("t", 1)[0]
    assert (line.decision, line.severity) == (None, "fail")
    assert line.alerts > 0


def test_new_normal_restarts_the_history(broken: Repository) -> None:
    put(broken, make_profile("2024-01-22", mean=501.0))
    broken.decide("t", TODAY, "new_normal", "ann")
    assert keys(broken, "2024-01-22") == [TODAY]
    # No look ahead: what was before it is judged as it always was, the partition itself too.
    assert len(keys(broken, TODAY)) == 20
    assert broken.history_start("t", TODAY) is None
    verdict = judge(broken, "t", "2024-01-22", OPTIONS)
    assert verdict.status is Status.WARMING_UP
    assert verdict.reason is not None
    assert verdict.reason.endswith("The history restarts at 2024-01-21 (new normal, by ann).")
    assert "4 more" in verdict.reason or "4" in verdict.reason


def test_new_normal_outlives_new_content_until_a_later_decision(broken: Repository) -> None:
    broken.decide("t", TODAY, "new_normal", "ann")
    put(broken, make_profile(TODAY, mean=510.0))
    assert keys(broken, "2024-01-22") == [TODAY]
    judge(broken, "t", TODAY, OPTIONS)
    assert keys(broken, "2024-01-22") == []  # it failed, and the history still starts here
    broken.decide("t", TODAY, "accepted", "bob")
    assert keys(broken, "2024-01-22") == [*(profile.partition for profile in days(20)), TODAY]
    assert broken.history_start("t", "2024-01-22") is None


def test_the_program_changes_with_the_new_normal(broken: Repository) -> None:
    put(broken, *(make_profile(f"2024-01-{day}", mean=500.0 + day / 100) for day in range(22, 31)))
    for day in range(22, 30):
        judge(broken, "t", f"2024-01-{day}", OPTIONS)
        broken.decide("t", f"2024-01-{day}", "accepted", "ann", revise=True)
    judge(broken, "t", "2024-01-30", OPTIONS)
    old = broken.load_program("t", "2024-01-30")
    broken.decide("t", TODAY, "new_normal", "ann")
    verdict = judge(broken, "t", "2024-01-30", OPTIONS)
    new = broken.load_program("t", "2024-01-30")
    assert old is not None
    assert new is not None
    assert old.partitions[0] < TODAY  # type: ignore[operator]
    assert new.partitions == tuple(f"2024-01-{day}" for day in range(21, 30))
    assert verdict.status is Status.PASS


@pytest.mark.parametrize(
    ("column", "metric", "covered"),
    [(None, None, True), ("price", None, True), ("price", "mean", True), (None, "mean", True), (ODD_NAME, None, False)],
)
def test_a_snoozed_alert_only_warns(broken: Repository, column: str | None, metric: str | None, covered: bool) -> None:
    broken.snooze("t", column=column, metric=metric, until=TOMORROW, by="ann", comment="known")
    verdict = judge(broken, "t", TODAY, OPTIONS, {"column:price": "fail"})
    assert verdict.status is Status.FAIL
    mean = next(alert for alert in verdict.alerts if (alert.column, alert.metric) == ("price", "mean"))
    assert mean.severity == ("warn" if covered else "fail")
    assert ("(Snoozed by ann, until " in mean.message) is covered
    detail = broken.verdict_of_partition("t", TODAY)
    assert detail is not None
    stored = next(alert for alert in detail.alerts if (alert.column, alert.metric) == ("price", "mean"))
    assert stored.snoozed_until == (TOMORROW if covered else None)
    assert [event.action for event in detail.events] == ["snoozed"]
    assert [one.comment for one in detail.snoozes] == ["known"]


def test_only_warnings_are_said_in_summaries(broken: Repository) -> None:
    broken.snooze("t", until=TOMORROW, by="ann")
    judge(broken, "t", TODAY, OPTIONS)
    line = broken.partitions("t", 1)[0]
    assert (line.verdict, line.severity) == (Status.FAIL, "warn")


def test_a_snooze_ends(broken: Repository) -> None:
    made = broken.snooze("t", column="price", metric="mean", until=TOMORROW, by="ann")
    assert broken.snoozes("t") == [made]
    broken.end_snooze(made.id, "bob")
    broken.end_snooze(made.id, "bob")
    assert broken.snoozes("t") == []
    assert judge(broken, "t", TODAY, OPTIONS).alerts[0].severity == "fail"
    detail = broken.verdict_of_partition("t", TODAY)
    assert detail is not None
    assert [(event.action, event.by) for event in detail.events] == [("snoozed", "ann"), ("unsnoozed", "bob")]
    assert all(
        event.detail == f"metric 'mean' of column 'price', until {TOMORROW:%Y-%m-%d %H:%M} UTC"
        for event in detail.events
    )


def test_what_cannot_be_snoozed(broken: Repository) -> None:
    with pytest.raises(ReviewError, match="'nope' is not known"):
        broken.snooze("nope", until=TOMORROW, by="ann")
    with pytest.raises(ReviewError, match=r"no column 'prize' whose .*'price'"):
        broken.snooze("t", column="prize", until=TOMORROW, by="ann")
    with pytest.raises(ReviewError, match="no metric 'avg' whose"):
        broken.snooze("t", column="price", metric="avg", until=TOMORROW, by="ann")
    assert broken.snoozes("t") == []
    broken.snooze("t", metric="row_count", until=TOMORROW, by="ann")
    with pytest.raises(ReviewError, match="has no time zone"):
        broken.snooze("t", until=datetime(2099, 1, 1), by="ann")
    with pytest.raises(ReviewError, match="has passed"):
        broken.snooze("t", until=datetime(2020, 1, 1, tzinfo=UTC), by="ann")
    with pytest.raises(ReviewError, match="no snooze 12345"):
        broken.end_snooze(12345, "ann")


def test_judged_partitions_are_listed_newest_first_and_filtered(broken: Repository) -> None:
    put(broken, make_profile("2024-01-22", mean=700.0), make_profile("2024-01-23"))
    judge(broken, "t", "2024-01-22", OPTIONS)
    judge(broken, "t", "2024-01-23", OPTIONS)
    everything = broken.verdicts(AlertFilter())
    assert [line.partition for line in everything] == ["2024-01-22", TODAY]
    newest, older = everything
    assert (newest.origin, older.origin) == (None, GATE)
    assert older.headline is not None
    assert older.headline.startswith("price")
    assert broken.verdicts(AlertFilter(), limit=1) == [newest]
    assert broken.verdicts(AlertFilter(), before=newest.verdict_id) == [older]
    broken.decide("t", TODAY, "accepted", "ann")
    today = datetime.now(UTC).date()
    chosen = {
        AlertFilter(dag_ids=frozenset({"flights"})): [TODAY],
        AlertFilter(dag_ids=frozenset({"other"})): [],
        AlertFilter(dag_ids=frozenset()): [],
        AlertFilter(dataset="t"): ["2024-01-22", TODAY],
        AlertFilter(dataset="u"): [],
        AlertFilter(state="open"): ["2024-01-22"],
        AlertFilter(state="decided"): [TODAY],
        AlertFilter(state="closed"): [],
        AlertFilter(severity="warn"): [],
        AlertFilter(severity="fail"): ["2024-01-22", TODAY],
        AlertFilter(since=today + timedelta(days=1)): [],
        AlertFilter(since=today - timedelta(days=1), until=today + timedelta(days=1)): ["2024-01-22", TODAY],
        AlertFilter(until=today - timedelta(days=1)): [],
    }
    assert {one: [line.partition for line in broken.verdicts(one)] for one in chosen} == chosen


def test_a_repaired_partition_is_listed_as_closed(broken: Repository) -> None:
    put(broken, make_profile(TODAY))
    judge(broken, "t", TODAY, OPTIONS)
    (line,) = broken.verdicts(AlertFilter(state="closed"))
    assert (line.status, line.open_count, line.severity, line.origin) == (Status.PASS, 0, "fail", GATE)


def test_detail_by_alert(broken: Repository) -> None:
    detail = broken.verdict_of_partition("t", TODAY)
    assert detail is not None
    assert detail.verdict == broken.load_verdict("t", TODAY)
    assert detail.program == broken.load_program("t", TODAY)
    assert detail.partition.first_alert_id == detail.alerts[0].id
    for alert in detail.alerts:
        assert broken.verdict_of_alert(alert.id) == detail
    assert broken.verdict_of_alert(999_999) is None
    assert broken.verdict_of_partition("t", "2030-01-01") is None


def test_datasets_and_their_dags(broken: Repository) -> None:
    assert broken.dags_of("t") == {"flights"}
    assert broken.dags_of("nope") == frozenset()
    (line,) = broken.datasets_of(frozenset({"flights", "other"}))
    assert (line.name, line.open_partitions) == ("t", 1)
    assert line.open_alerts == broken.partitions("t", 1)[0].alerts
    assert broken.datasets_of(None) == broken.datasets() == [line]
    assert broken.datasets_of(frozenset({"other"})) == broken.datasets_of(frozenset()) == []


def test_the_newest_values_of_a_few_metrics_of_each_column(broken: Repository) -> None:
    found = {(one.column, one.metric): one.values for one in broken.metric_histories("t", 3)}
    assert set(found) == {
        (None, "row_count"),
        ("price", "complete_ratio"),
        ("price", "mean"),
        ('a "quoted"; .dotted\u00e9 %s :name', "str_len"),
    }
    assert found["price", "mean"][-1] == (TODAY, 500.0)
    assert [key for key, _ in found[None, "row_count"]] == ["2024-01-19", "2024-01-20", TODAY]
    assert [one.metric for one in broken.metric_histories("t", 3, metrics=["digit_len"])] == ["row_count"]
    assert broken.metric_histories("nope") == []


def test_current_program(broken: Repository) -> None:
    found = broken.current_program("t")
    assert found is not None
    assert found == (TODAY, broken.load_program("t", TODAY))
    assert broken.current_program("nope") is None


def test_counts_are_those_of_the_alerts(broken: Repository) -> None:
    broken.decide("t", TODAY, "accepted", "ann")
    put(broken, make_profile(TODAY, mean=700.0), make_profile("2024-01-22", mean=700.0))
    judge(broken, "t", TODAY, OPTIONS)
    judge(broken, "t", "2024-01-22", OPTIONS)
    query = text(
        "SELECT v.alert_count = count(a.id) AND v.open_count = count(a.id) FILTER (WHERE a.closed_at IS NULL) "
        "FROM airflow_dq.verdict v LEFT JOIN airflow_dq.alert a ON a.verdict_id = v.id GROUP BY v.id"
    )
    with broken._engine.begin() as connection:
        assert set(connection.execute(query).scalars()) == {True}


def test_a_problem_is_open_since_the_first_partition_that_has_it(broken: Repository) -> None:
    put(broken, make_profile("2024-01-22", mean=500.0))
    verdict = judge(broken, "t", "2024-01-22", OPTIONS, origin=GATE)
    found = broken.problems("t")
    assert [one.key for one in found] == [one.key for one in verdict.problems]
    first = found[0]
    assert (first.headline, first.since, first.newest, first.partitions, first.state) == (
        verdict.problems[0].headline, TODAY, "2024-01-22", 2, "open",
    )  # fmt: skip
    (newest, _) = broken.verdicts(AlertFilter())
    assert (newest.headline, newest.first_alert_id) == (verdict.headline, first.alert_id)
    broken.decide("t", "2024-01-22", "rejected", "ann")
    (decided, *_) = broken.problems("t")
    assert (decided.state, decided.decided_by, decided.is_open) == ("rejected", "ann", False)
