"""A backtest of what is stored: every partition counts, whatever became of it, and none is changed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from airflow_dq.cli import replay
from airflow_dq.cli.backtest_history import StoredHistory
from airflow_dq.cli.main import main
from airflow_dq.codec import from_json
from airflow_dq.explain.record import Replay
from airflow_dq.gate.pipeline import options_digest
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import Profile
from airflow_dq.program import BacktestResult
from airflow_dq.report.export import FileAddresses, _Pages
from airflow_dq.store import Repository
from tests.integration.sample import days, make_profile


def put(store: Repository, *profiles: Profile, dataset: str = "t") -> None:
    attempts = store.begin_attempts(dataset, [str(profile.partition) for profile in profiles])
    for profile in profiles:
        store.save_profile(attempts[str(profile.partition)], dataset, profile)


def rule(store: Repository, profile: Profile, status: Status, decision: str | None = None) -> None:
    store.save_verdict("t", profile, None, Verdict(profile.partition, status, ScopeVerdict(status), {}, reason="x"))
    with store._engine.begin() as connection:
        connection.execute(
            text("UPDATE airflow_dq.verdict SET decision = :decision WHERE partition_key = :partition"),
            {"decision": decision, "partition": profile.partition},
        )


@pytest.fixture
def past(store: Repository) -> list[Profile]:
    """Fifteen days, of which the twelfth is broken; the gate failed the tenth, a person rejected the eleventh."""
    profiles = days(15)
    profiles[11] = make_profile("2024-01-12", mean=900.0)
    put(store, *profiles)
    rule(store, profiles[9], Status.FAIL)
    rule(store, profiles[10], Status.FAIL, "rejected")
    store.fail_attempt(store.begin_attempt("t", "2024-01-16"), "unreadable")
    return profiles


def test_all_profiles_are_loaded_and_the_newest_with_their_injected_errors(
    store: Repository, past: list[Profile]
) -> None:
    stored = StoredHistory.load(store, "t")
    assert [one.fingerprint for one in stored.profiles] == [one.fingerprint for one in past]
    assert stored.decisions == {"2024-01-11": "rejected"}
    assert {str(one.partition) for one in past} - stored.eligible == {"2024-01-10", "2024-01-11"}
    assert [bool(profile.variants) for profile in stored.profiles[-4:]] == [False, True, True, True]
    reloaded = stored.reload("2024-01-14")
    assert reloaded == past[13]
    assert [one.partition for one in StoredHistory.load(store, "t", "2024-01-10").profiles][-1] == "2024-01-10"


def test_the_history_restarts_where_a_person_said_so(store: Repository, past: list[Profile]) -> None:
    rule(store, past[11], Status.FAIL)
    store.decide("t", "2024-01-12", "new_normal", "ann")
    rule(store, past[4], Status.FAIL)
    store.decide("t", "2024-01-05", "new_normal", "ann")
    stored = StoredHistory.load(store, "t")
    assert stored.decisions == {"2024-01-05": "new_normal", "2024-01-11": "rejected", "2024-01-12": "new_normal"}
    assert len(stored.profiles) == 15
    # What was learned from before the restarts still is, by what was judged then.
    assert {str(one.partition) for one in past} - stored.eligible == {"2024-01-10", "2024-01-11"}
    # The trail outlives the verdict: profiled anew and not judged since, the history still begins there.
    put(store, make_profile("2024-01-12", mean=901.0))
    assert StoredHistory.load(store, "t").decisions["2024-01-12"] == "new_normal"


def run(dsn: str, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", dsn)
    try:
        main(["backtest", *arguments])
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_stored_history_to_report(
    store: Repository,
    past: list[Profile],
    clean_dsn: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = store.partitions("t")
    assert run(clean_dsn, monkeypatch, "t", "--json") == 0
    found = from_json(BacktestResult, capsys.readouterr().out)
    judged = {one.partition: one for one in found.partitions}
    assert list(judged) == [profile.partition for profile in past]
    assert [key for key, one in judged.items() if one.status is Status.FAIL] == ["2024-01-12"]
    # The gate failed the tenth on other grounds; the backtest judges for itself.
    assert judged["2024-01-10"].status is Status.PASS
    assert judged["2024-01-11"].decision == "rejected"
    assert (found.false_alarms.count, found.false_alarms.of) == (1, 7)
    assert [one.untrained > 0 for one in found.partitions[7:]][:4] == [True] * 4
    assert sum(one.injected for one in found.recall) > 0
    after = store.partitions("t")
    assert [replace(one, replayed=None) for one in after] == before
    assert {one.partition: one.replayed for one in after if one.rows is not None} == {
        key: one.status for key, one in judged.items()
    }

    assert run(clean_dsn, monkeypatch, "t", "--quick") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "2024-01-12 1,000 ALARM" in out
    assert "the injected errors are no longer kept" in out
    # What a gate with these options says beside its alarms.
    record = store.record("t", "2024-02-01", options_digest(found.options))
    assert record.replay == Replay(judged=7, alarms=1, newest="2024-01-15")


def test_a_later_span_keeps_what_was_found_of_earlier_partitions(
    store: Repository, past: list[Profile], clean_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(clean_dsn, monkeypatch, "t", "--quick") == 0
    before = {one.partition: one.replayed for one in store.partitions("t")}
    assert before["2024-01-12"] is Status.FAIL
    assert run(clean_dsn, monkeypatch, "t", "--quick", "--since", "2024-01-14") == 0
    assert {one.partition: one.replayed for one in store.partitions("t")} == before
    # Of what was profiled in between nobody knows, and that stays so.
    put(store, make_profile("2024-01-12", mean=901.0))
    assert run(clean_dsn, monkeypatch, "t", "--quick", "--since", "2024-01-14") == 0
    assert {one.partition: one.replayed for one in store.partitions("t")} == {**before, "2024-01-12": None}


def test_a_span_of_the_stored_history(
    store: Repository,
    past: list[Profile],
    clean_dsn: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    span = ("--since", "2024-01-13", "--until", "2024-01-14", "--quick", "--json")
    assert run(clean_dsn, monkeypatch, "t", *span) == 0
    found = json.loads(capsys.readouterr().out)
    # What the gate failed or a person rejected is not learned from before the span either.
    learned = {key for one in found["partitions"] for alert in one["alerts"] for key, _ in alert["history"]}
    assert not learned & {"2024-01-10", "2024-01-11"}
    assert [one["partition"] for one in found["partitions"]] == ["2024-01-13", "2024-01-14"]
    # It does not speak of the newest partitions, and is not kept.
    assert store.record("t", "2024-02-01", options_digest(SynthesisOptions())).replay is None
    assert run(clean_dsn, monkeypatch, "t", "--since", "2025") == 2
    assert "No partition lies from 2025 to the last: there are 15" in capsys.readouterr().err


def test_an_unknown_dataset_is_a_sentence(
    store: Repository, clean_dsn: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(store, replace(days(1)[0]))
    assert run(clean_dsn, monkeypatch, "flights") == 2
    err = capsys.readouterr().err
    assert "No partition of a dataset 'flights' is profiled (datasets: t)" in err


def test_a_backfill_tells_what_the_gate_would_have_said_of_the_newest_only(
    store: Repository, past: list[Profile], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "NEWEST", 4)
    told = replay.judge_newest(store, "t")
    assert "would have judged 4 of the newest 4 partitions, and failed 1" in told
    recent = store.partitions("t")
    kept = {one.partition: one.replayed for one in recent if one.replayed is not None}
    assert kept == dict.fromkeys(("2024-01-13", "2024-01-14", "2024-01-15"), Status.PASS) | {"2024-01-12": Status.FAIL}
    # The overview that is written as a file tells the same.
    line = _Pages(store, FileAddresses(), datetime.now(UTC), "t", recent[::-1]).line()
    assert {one.partition: one.replayed for one in line.marks if one.replayed is not None} == kept
    assert "the partitions are stored, and could not be judged: No partition of" in replay.judge_newest(store, "none")


def test_of_a_long_history_only_the_newest_is_loaded(store: Repository, past: list[Profile]) -> None:
    rule(store, past[4], Status.FAIL)
    store.decide("t", "2024-01-05", "new_normal", "ann")
    stored = StoredHistory.load(store, "t", newest=6)
    assert [one.partition for one in stored.profiles] == [f"2024-01-{day}" for day in range(10, 16)]
    assert "2024-01-05" not in stored.decisions or len(stored.eligible) <= 6
