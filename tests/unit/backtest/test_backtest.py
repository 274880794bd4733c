"""Walking through the past: the gate's own verdicts, one partition after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.backtest import walk
from airflow_dq.backtest.history import EligiblePast, light
from airflow_dq.backtest.model import PartitionOutcome
from airflow_dq.backtest.recall import TriedPartition
from airflow_dq.codec import from_json, to_json
from airflow_dq.corruption.variant import variants_of
from airflow_dq.exceptions import CodecError, ProfileError, UnknownColumnError
from airflow_dq.learn.history.answer import AnsweredAlarm
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.metrics.registry import largest_pool
from airflow_dq.options.retention import RETENTION
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.program import (
    BacktestResult,
    FailedPartition,
    Program,
    Status,
    SynthesisOptions,
    backtest,
    evaluate,
    synthesize,
)

OPTIONS = SynthesisOptions(min_history=5, history=10)


@cache
def day(index: int, *, factor: float = 1.0, rows: int = 150) -> Profile:
    """One day of a quiet table of prices and cities; the same index, the same day."""
    rng = np.random.default_rng(index)
    table = pa.table(
        {
            "price": rng.normal(50.0, 5.0, rows).round(2) * factor,
            "city": rng.choice(["Oslo", "Rome", "Bern"], rows, p=[0.5, 0.3, 0.2]),
        }
    )
    return profile_table(table, f"2024-01-{index:02d}", ProfileOptions(sample_rows=100))


def as_stored(profiles: Sequence[Profile], past: EligiblePast) -> list[Profile]:
    """The profiles with the distances that were measured on the way, and without states and injected errors."""
    kept: dict[str, dict[str, Mapping[str, MetricValue]]] = {}
    for (now, before), values in past.history().distances.measured.items():
        kept.setdefault(now, {})[before] = values
    return [
        replace(
            light(one),
            columns={
                name: replace(column, states={}, distances=kept.get(column.fingerprint, {}))
                for name, column in one.columns.items()
            },
        )
        for one in profiles
    ]


def days(count: int, broken: Sequence[int] = ()) -> list[Profile]:
    return [day(index, factor=100.0 if index in broken else 1.0) for index in range(1, count + 1)]


def stati(result: BacktestResult) -> str:
    """One letter for each partition: w, p, f, n, e."""
    return "".join(outcome.status.value[0] for outcome in result.partitions)


@pytest.fixture(scope="module")
def with_one_bad_day() -> BacktestResult:
    return backtest(days(12, broken=[9]), OPTIONS, dataset="shop", targets=(1e-4, 1e-2))


def test_each_partition_gets_the_gates_verdict_at_its_time(with_one_bad_day: BacktestResult) -> None:
    history: list[Profile] = []
    for outcome, profile in zip(with_one_bad_day.partitions, days(12, broken=[9]), strict=True):
        verdict = evaluate(synthesize(history, OPTIONS), profile, history)
        assert (outcome.partition, outcome.status, outcome.rows) == (profile.partition, verdict.status, 150)
        assert outcome.alerts == verdict.alerts
        if verdict.status is not Status.FAIL:
            history.append(profile)
    assert stati(with_one_bad_day) == "wwwwwpppfppp"


def test_later_partitions_change_nothing(with_one_bad_day: BacktestResult) -> None:
    shorter = backtest(days(9, broken=[9]), OPTIONS, targets=())
    assert shorter.partitions == with_one_bad_day.partitions[:9]


def test_what_a_backtest_adds_up(with_one_bad_day: BacktestResult) -> None:
    result = with_one_bad_day
    assert (result.false_alarms.count, result.false_alarms.of) == (1, 7)
    assert (result.count(Status.WARMING_UP), result.rejected) == (5, [])
    assert {one.column: (one.alarms.count, one.alarms.of) for one in result.columns} == {
        "price": (1, 7),
        "city": (0, 7),
        None: (0, 7),
    }
    assert result.columns[0].column == "price"
    alerts = result.partitions[8].alerts
    assert {(one.column, one.metric) for one in result.clauses} == {(one.column, one.metric) for one in alerts}
    assert all(one.partitions == ("2024-01-09",) for one in result.clauses)
    assert all(outcome.columns == 2 for outcome in result.partitions[5:])
    assert not any(outcome.untrained or outcome.without_distances for outcome in result.partitions)


def test_a_result_survives_json(with_one_bad_day: BacktestResult) -> None:
    assert from_json(BacktestResult, to_json(with_one_bad_day)) == with_one_bad_day
    with pytest.raises(CodecError, match="backtest/1"):
        from_json(BacktestResult, '{"format": "verdict/1"}')


def test_targets_are_judged_with_the_same_history(with_one_bad_day: BacktestResult) -> None:
    profiles = days(12, broken=[9])
    assert [one.target_fpr for one in with_one_bad_day.targets] == [1e-4, 1e-3, 1e-2]
    for one in with_one_bad_day.targets:
        options = replace(OPTIONS, target_fpr=one.target_fpr)
        alarms = 0
        for place in range(5, 12):
            history = [profile for profile in profiles[:place] if profile.partition != "2024-01-09"]
            alarms += evaluate(synthesize(history, options), profiles[place], history).status is Status.FAIL
        assert (one.alarms, one.judged) == (alarms, 7)
    caught = [one.caught for one in with_one_bad_day.targets]
    assert caught == sorted(caught)


def test_expected_recall_is_that_of_errors_the_program_has_not_seen(with_one_bad_day: BacktestResult) -> None:
    assert with_one_bad_day.recall_partitions == ("2024-01-10", "2024-01-11", "2024-01-12")
    injected = sum(one.injected for one in with_one_bad_day.recall)
    profiles = [profile for profile in days(12) if profile.partition != "2024-01-09"]
    newest = profiles[-3:]
    assert injected == sum(len(variants_of(profile, name)) for profile in newest for name in ("price", "city"))
    assert with_one_bad_day.targets[1].injected == injected
    assert 0.5 < (with_one_bad_day.targets[1].recall or 0.0) <= 1.0


def test_an_injected_error_is_caught_when_a_range_of_evaluate_finds_it() -> None:
    *history, now = days(8)
    program = synthesize(history, OPTIONS)
    caught: dict[str, int] = {}
    for name in now.columns:
        for variant in variants_of(now, name):
            rows = int(variant.metrics["row_count"])
            column = replace(now.columns[name], metrics=variant.metrics, states=variant.states, distances={})
            broken = replace(now, row_count=rows, columns={**now.columns, name: column})
            verdict = evaluate(program, broken, history, columns=[name])
            ranges = any(finding.rule == "range" for finding in verdict.findings)
            caught[variant.type] = caught.get(variant.type, 0) + ranges
    assert {one.type: one.caught for one in TriedPartition(now, History.of(history)).recall(program)} == caught


def test_one_bad_day_stays_out_and_a_new_level_is_accepted() -> None:
    shifted = days(14, broken=range(9, 15))
    assert stati(backtest(shifted, OPTIONS, targets=())) == "wwwwwpppffpppp"
    assert stati(backtest(shifted, OPTIONS, targets=(), accept_after=None)) == "wwwwwpppffffff"
    assert stati(backtest(shifted, OPTIONS, targets=(), accept_after=1)).startswith("wwwwwpppf")


def test_what_people_decided_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    learned: list[list[str | None]] = []

    def spy(history: History, options: SynthesisOptions) -> Program:
        learned.append(list(history.partitions))
        return synthesize(history, options)

    monkeypatch.setattr(walk, "synthesize", spy)
    profiles = days(10, broken=[9])
    accepted = backtest(profiles, OPTIONS, targets=(), decisions={"2024-01-09": "accepted"})
    assert accepted.partitions[8].decision == "accepted"
    assert [profile.partition for profile in profiles[:9]] in learned
    learned.clear()
    rejected = backtest(profiles, OPTIONS, targets=(), decisions={"2024-01-09": "rejected", "2024-01-07": "rejected"})
    assert stati(rejected) == "wwwwwpppfp"
    assert learned[9] == [f"2024-01-{index:02d}" for index in (1, 2, 3, 4, 5, 6, 8)]
    assert [outcome.partition for outcome in rejected.rejected] == ["2024-01-07", "2024-01-09"]
    assert (rejected.false_alarms.count, rejected.false_alarms.of) == (0, 3)


def test_the_history_restarts_at_a_new_normal() -> None:
    shifted = days(16, broken=range(8, 17))
    result = backtest(shifted, OPTIONS, targets=(), decisions={"2024-01-08": "new_normal"})
    # Nothing before the eighth counts: the ninth to twelfth warm up again, with the eighth as their history.
    assert stati(result) == "wwwwwppfwwwwpppp"
    assert result.partitions[7].decision == "new_normal"
    learned_only = backtest(
        shifted, OPTIONS, targets=(), decisions={"2024-01-08": "new_normal"},
        learn_only={f"2024-01-{index:02d}" for index in range(1, 9)},
    )  # fmt: skip
    assert stati(learned_only) == "wwwwpppp"


def test_a_row_of_alarms_ends_with_a_new_normal() -> None:
    shifted = days(13, broken=range(8, 14))
    result = backtest(shifted, OPTIONS, targets=(), accept_after=3, decisions={"2024-01-09": "new_normal"})
    assert stati(result) == "wwwwwppffwwww"


def test_partitions_that_are_only_learned_from_are_not_judged() -> None:
    result = backtest(days(8), OPTIONS, targets=(), learn_only={f"2024-01-{index:02d}" for index in range(1, 6)})
    assert stati(result) == "ppp"


def test_unreadable_partitions_are_counted_apart() -> None:
    def read() -> Iterator[Profile | FailedPartition]:
        yield from days(6)
        yield FailedPartition("2024-01-07", "The file is cut off.")
        yield day(8)

    result = backtest(read(), OPTIONS, targets=())
    assert stati(result) == "wwwwwpep"
    assert result.partitions[6] == PartitionOutcome("2024-01-07", None, Status.ERROR, reason="The file is cut off.")
    assert result.false_alarms.of == 2
    with pytest.raises(ProfileError, match="cut off"):
        backtest([FailedPartition("a", "The file is cut off.")])


def test_options_that_fit_no_partition_are_explained() -> None:
    options = replace(OPTIONS, columns=("prise",))
    result = backtest(days(6), options, targets=())
    assert stati(result) == "wwwwwe"
    with pytest.raises(UnknownColumnError, match="'prise'"):
        backtest(days(6), options, targets=(), learn_only={f"2024-01-{index:02d}" for index in range(1, 6)})


def test_of_most_partitions_only_metrics_are_kept() -> None:
    past = EligiblePast(limit=8)
    for profile in days(10):
        past.add(profile)
    history = past.history()
    kept = [all(column.states for column in profile.columns.values()) for profile in history.profiles]
    newest = RETENTION.with_states(largest_pool())
    assert kept == [False] * (8 - newest) + [True] * newest
    assert all(profile.sample is None for profile in history.profiles[:-newest])
    assert light(day(1)).fingerprint == day(1).fingerprint


def test_pruned_history_is_judged_by_untrained_programs_and_says_so() -> None:
    full = days(10)
    # As stored: distances to the partition before are measured, the states and injected errors are gone.
    past = EligiblePast(limit=20)
    for profile in full:
        past.add(profile)
    stored = as_stored(full, past)
    result = backtest(stored, OPTIONS, targets=())
    assert stati(result) == "wwwwwppppp"
    assert [outcome.untrained for outcome in result.partitions[5:]] == [2] * 5
    assert not any(outcome.without_distances for outcome in result.partitions)
    assert result.recall == ()


def test_distances_that_cannot_be_measured_are_left_out() -> None:
    full = days(11, broken=[8])
    walked = EligiblePast(limit=4)
    for one in full:
        walked.add(one)
    stored = as_stored(full, walked)
    result = backtest(stored, OPTIONS, targets=())
    # The ninth follows the seventh, and was only ever compared with the eighth; so were the pools of the next two.
    assert stati(result) == "wwwwwppfppp"
    assert [outcome.without_distances for outcome in result.partitions[8:]] == [True, True, True]
    by_key = {profile.partition: profile for profile in full}
    reloaded = backtest(stored, OPTIONS, targets=(), reload=by_key.get)
    assert not any(outcome.without_distances for outcome in reloaded.partitions)


def test_each_partition_is_judged_by_the_answers_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[int, bool] = {}

    def watched(history: History, options: SynthesisOptions) -> Program:
        seen.setdefault(len(history), bool(history.answers))
        return synthesize(history, options)

    monkeypatch.setattr(walk, "synthesize", watched)
    answers = [AnsweredAlarm("2024-01-07", "price", "mean", accepted=True)]
    backtest(days(9), OPTIONS, targets=(), answers=answers)
    # With seven partitions before it, the eighth is the first behind the answer.
    assert seen == {number: number >= 7 for number in range(9)}


def test_a_pattern_that_breaks_while_the_dataset_is_young_is_an_outcome() -> None:
    """The program has nothing of the column but its pattern yet."""
    names = [f"ORD-{1_000_000 + number}" for number in range(300)]
    days = [pa.table({"id": names}), pa.table({"id": names}), pa.table({"id": ["??"] * 300})]
    found = backtest([profile_table(one, f"2024-01-{place + 1:02d}") for place, one in enumerate(days)], OPTIONS)
    assert [one.status for one in found.partitions] == [Status.WARMING_UP, Status.WARMING_UP, Status.FAIL]
