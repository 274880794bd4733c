"""What the benchmarks of false alarms, of growing errors and of left-out datasets count, without running them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.learn.expect import band
from airflow_dq.learn.history.history import History
from airflow_dq.profile import Profile, profile_table
from airflow_dq.program import SynthesisOptions
from tests.benchmark.clean.rate import Rate, over_tables
from tests.benchmark.clean.replay import FULL, Judged, places, replay
from tests.benchmark.clean.report import page, reliability
from tests.benchmark.leave_out.__main__ import Measured, measured_of, setting_of
from tests.benchmark.leave_out.choice import leave_one_out
from tests.benchmark.leave_out.incident import Told, judge
from tests.benchmark.leave_out.source import Incident
from tests.benchmark.program.outcome import Outcome
from tests.benchmark.simulated.calendar import WEEKS
from tests.benchmark.simulated.table import HELD_OUT, LEAST_COLUMNS, MOST_COLUMNS, TUNING, SimulatedTable
from tests.benchmark.sweep.curve import curves
from tests.benchmark.sweep.error import ERRORS, VALUES
from tests.benchmark.sweep.trial import Curve, Shot, table


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_a_simulated_table_is_the_same_whenever_it_is_drawn_and_however_long(seed: int) -> None:
    short, long = SimulatedTable.draw(seed, 3), SimulatedTable.draw(seed, 40)
    assert long.days[:3] == short.days
    assert short.partition(2).equals(SimulatedTable.draw(seed, 9).partition(2))
    assert not short.partition(1).equals(short.partition(2))


def test_simulated_tables_are_as_wide_and_as_varied_as_they_say() -> None:
    drawn = [SimulatedTable.draw(seed, 60) for seed in range(40)]
    assert all(LEAST_COLUMNS <= len(one.columns) <= MOST_COLUMNS for one in drawn)
    assert {one.calendar.week for one in drawn} == set(WEEKS)
    events = {event for one in drawn for day in one.days for event in day.events}
    assert events == {"holiday", "promotion", "month end", "late", "after gap"}
    assert not set(TUNING) & set(HELD_OUT)


def test_growing_ids_go_on_where_the_day_before_ended() -> None:
    days = SimulatedTable.draw(3, 20).days
    assert all(after.before == before.before + before.rows for before, after in pairwise(days))


def test_short_and_full_histories_are_judged_and_each_partition_once() -> None:
    chosen = places(75, 4)
    assert sum(place < FULL for place in chosen) == 4
    assert sum(place >= FULL for place in chosen) == 8
    assert chosen == sorted(set(chosen))
    assert places(9, 0) == [7, 8]


def test_an_implied_answer_is_not_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.benchmark.clean import replay as module

    asked: list[float] = []

    def asked_for(history: object, now: object, options: SynthesisOptions) -> tuple[object, ...]:
        asked.append(options.target_fpr)
        return ("cause",) if options.target_fpr >= 0.01 else ()

    monkeypatch.setattr(module, "judge", asked_for)
    profiles = [Profile(str(place), 1, {}) for place in range(8)]
    found = list(replay("t", profiles, SynthesisOptions(), (0.003, 0.01, 0.05), 1))
    assert {one.target: one.alarmed for one in found} == {0.001: False, 0.003: False, 0.01: True, 0.05: True}
    assert asked == [0.001, 0.05, 0.003, 0.01]


def test_an_interval_around_the_claim_or_below_it_keeps_it() -> None:
    assert Rate(0, 300).interval == pytest.approx((0.0, 0.01222), abs=1e-4)
    assert Rate(3, 100).keeps(0.01)
    assert not Rate(30, 100).keeps(0.05)
    assert over_tables([Rate(1, 10)] * 5) == pytest.approx((0.1, 0.1))


def test_page_and_plot_show_both_lengths_of_history() -> None:
    judged = [Judged("t", str(i), length, 0.001, i < 1, (), ()) for length in ("7-29", "30+") for i in range(10)]
    assert "1 of 10 (10.00 %" in page(judged, "simulated")
    assert reliability(judged, "title").count("<circle") == 2


def test_a_larger_error_that_is_missed_is_a_hole_whatever_other_draws_say() -> None:
    curve = Curve("normal", "shift", 200, 7)
    shots = [Shot(curve, size, 0, size == 5) for size in (1.0, 5.0, 100.0)]
    shots += [Shot(curve, size, 1, size >= 5) for size in (1.0, 5.0, 100.0)]
    found = curves(shots)[curve]
    assert found.holes == {0: (5.0, 100.0)}
    assert (found.share(5.0), found.share(100.0), found.caught_from) == (1.0, 0.5, None)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.name)
def test_an_error_changes_values_at_every_size(error: object) -> None:
    assert isinstance(error, type(ERRORS[0]))
    day = table(50, 3, 0)
    for kind in error.kinds:
        values = day.column(kind).combine_chunks()
        # The smallest error hits one row, which may hold the very value that it is set to.
        for size in error.sizes[1:]:
            assert not error.apply(values, size, np.random.default_rng(0)).equals(values), (kind, size)
    assert set(error.kinds) <= set(VALUES)


def test_a_dataset_is_judged_by_what_the_others_choose() -> None:
    def outcome(alarms: int, caught: int) -> Outcome:
        return Outcome(100, alarms, 10, 0, injected=Counter(nulls=100), caught=Counter(nulls=caught))

    # The wide value is best for all but the dataset that alarms without it.
    counts = {
        "calm": {"narrow": outcome(0, 90), "wide": outcome(0, 60)},
        "restless": {"narrow": outcome(90, 90), "wide": outcome(0, 60)},
    }
    chosen, left = leave_one_out(counts, ["narrow", "wide"], None)
    assert chosen == "wide"
    assert {one.dataset: one.value for one in left} == {"calm": "wide", "restless": "narrow"}
    assert next(one for one in left if one.dataset == "restless").here.false_alarms == 0.9
    assert leave_one_out(counts, ["narrow", "wide"], 0.8)[0] == "narrow"


def test_an_incident_is_an_error_that_counts_where_it_is_caught_for_the_right_reason() -> None:
    past = [small(day) for day in range(10)]
    outcome, told = Outcome(), Told()
    for bad, fixed, columns in (
        (small(10, factor=100.0), small(10), frozenset({"amount"})),
        (small(10, factor=100.0), small(10, factor=100.0), frozenset({"code"})),
        ("unreadable or empty", None, frozenset[str]()),
        (small(10), None, frozenset({"amount"})),
    ):
        incident = Incident("t", "2026-01-11", columns, tuple(past), bad, fixed)
        judge(incident, History.of(past), SynthesisOptions(), outcome, told)
    assert told == Told(wrong=4, caught=3, right=2, corrected=2, flagged=1)
    assert str(told) == "3 of 4 caught, 2 right; 1 of 2 corrected ones flagged"
    assert (outcome.injected.total(), outcome.caught.total(), outcome.columns) == (4, 2, 0)


def small(day: int, factor: float = 1.0) -> Profile:
    """Amounts and codes of a day of January."""
    rng = np.random.default_rng(day)
    table = pa.table({"amount": factor * rng.gamma(4.0, 10.0, 200), "code": rng.choice(["a", "b", "c"], 200).tolist()})
    return profile_table(table, partition=f"2026-01-{day + 1:02d}")


def test_the_package_as_it_is_is_measured_once_for_all_parameters() -> None:
    measured: list[Measured] = []
    leap = "airflow_dq.learn.expect.band:LEAP"
    for parameter, value in ((leap, "10.0"), ("history", "30"), (leap, "5.0")):
        measured_of(setting_of(parameter, value, SynthesisOptions()), measured)
    assert [one.setting.changes for one in measured] == [(), ((band, "LEAP", 5.0),)]
    with pytest.raises(ValueError, match="MODULE:NAME of a constant"):
        setting_of("LEAP", "5.0", SynthesisOptions())
