"""Where partitions lie in time: rhythms of keys, and what a gap does to what is expected behind it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.learn.expect.expectation import Forecast
from airflow_dq.learn.expect.forecast import expect
from airflow_dq.learn.history.timeline import Timeline, timestamp_of
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.program import SynthesisOptions, evaluate, synthesize

MONDAY = date(2026, 1, 5)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("2026-02-15", date(2026, 2, 15)),
        ("20260215", date(2026, 2, 15)),
        ("day=2026-02-15T06:00", date(2026, 2, 15)),
        ("orders_2026-02-15_v2", date(2026, 2, 15)),
        ("2026-02-15 06:30", date(2026, 2, 15)),
        ("2026-01-01_2026-01-31", date(2026, 1, 1)),
        ("2026-02-30", None),
        ("2026-02", None),
        ("120260215", None),
        ("1711052112", None),
        ("run 17", None),
        ("", None),
        (None, None),
    ],
)
def test_the_date_that_a_key_names(key: str | None, expected: date | None) -> None:
    moment = timestamp_of(key)
    assert (None if moment is None else moment.date()) == expected


def test_the_hour_that_a_key_names() -> None:
    keys = {
        "2026-02-15T06:30": "06:30",
        "2026-02-15 06": "06:00",
        "20260215T0630": "06:30",
        "2026-02-15": "00:00",
        "2026-02-15-06": "06:00",
        "2026-02-15_06-30": "06:30",
        "day=2026-02-15/hour=06": "06:00",
        "2026021506": "06:00",
        "202602150630": "06:30",
    }
    assert {key: str(timestamp_of(key)) for key in keys} == {key: f"2026-02-15 {hour}:00" for key, hour in keys.items()}


def _keys(days: Sequence[int]) -> list[str]:
    return [str(MONDAY + timedelta(day)) for day in days]


@pytest.mark.parametrize(
    ("days", "slots", "week"),
    [
        (range(10), tuple(range(10)), 7),
        ([*range(9), 10, 13], (*range(9), 10, 13), 7),  # two gaps
        ([day for day in range(21) if day % 7 < 5], tuple(range(15)), 5),  # never at the weekend
        ([day for day in range(21) if day % 7 < 5 and day != 9], (*range(7), *range(8, 15)), 5),
        ([0, 1, 2, 3, 4, 7], (0, 1, 2, 3, 4, 7), 7),  # one weekend is no habit yet
        ([0, 7, 14, 28], (0, 1, 2, 4), 7),  # weekly
        ([0, 40, 41], (0, 1, 2), 7),  # more gaps than partitions: no rhythm
    ],
)
def test_slots_are_those_that_were_due(days: Sequence[int], slots: tuple[int, ...], week: int) -> None:
    found = Timeline.of(_keys(days))
    assert (found.slots, found.week) == (slots, week)


@pytest.mark.parametrize("day", ["-01", ""])
def test_months_are_steps_of_their_own(day: str) -> None:
    found = Timeline.of([f"{month}{day}" for month in ("2025-11", "2025-12", "2026-01", "2026-03")])
    assert (found.slots, found.week) == ((0, 1, 2, 4), 12)
    assert found.steps_to(f"2026-05{day}") == (6, 5, 4, 2)


def test_weeks_of_a_year_are_steps_over_its_end() -> None:
    found = Timeline.of(["2025-W51", "2025-W52", "2026-W01", "2026-W03"])
    assert (found.slots, found.week) == ((0, 1, 2, 4), 7)


@pytest.mark.parametrize(
    "keys", [["a", "b", "c"], ["2026-01-02", "2026-01-01"], ["2026-01-01T00", "2026-01-01T00"], []]
)
def test_keys_without_a_rhythm_follow_each_other(keys: list[str]) -> None:
    assert Timeline.of(keys) == Timeline.consecutive(len(keys))


def test_several_a_day_with_a_number_follow_each_other() -> None:
    keys = [f"2026-02-{day:02}-{batch:02}" for day in range(1, 6) for batch in (1, 2, 3)]
    assert Timeline.of(keys) == Timeline.consecutive(len(keys))


def test_hours_are_steps_and_their_cycle_is_a_day() -> None:
    keys = [f"2026-01-{5 + hour // 24:02d}T{hour % 24:02d}:00:00+00:00" for hour in range(30) if hour != 20]
    found = Timeline.of(keys)
    assert (found.slots, found.week) == ((*range(20), *range(21, 30)), 24)
    assert found.steps_to("2026-01-06T08:00:00+00:00")[-1] == 3
    quarters = Timeline.of([f"2026-01-05 {minutes // 60:02d}:{minutes % 60:02d}" for minutes in range(0, 600, 15)])
    assert (quarters.slots, quarters.week) == (tuple(range(40)), 96)
    daily = Timeline.of([f"2026-01-{day:02d}T06:00:00+00:00" for day in range(1, 15) if day != 7])
    assert (daily.slots, daily.week) == ((*range(6), *range(7, 14)), 7)


def test_a_key_of_another_sort_is_the_next_one() -> None:
    assert Timeline.of(_keys(range(3))).steps_to("17") == (3, 2, 1)
    assert Timeline.of(["1", "2", "3"]).steps_to("2026-01-05") == (3, 2, 1)


def test_numbered_partitions_have_gaps_as_well() -> None:
    found = Timeline.of(["8", "9", "11", "12"])
    assert (found.slots, found.week) == ((0, 1, 3, 4), 7)
    assert found.steps_to("14") == (6, 5, 3, 2)
    assert Timeline.of(["100", "200", "400"]).steps_to("500") == (4, 3, 1)
    assert Timeline.of(["8", "2026-01-05"]) == Timeline.consecutive(2)


def test_steps_to_the_next_partition() -> None:
    days = Timeline.of(_keys(range(5)))
    assert days.steps_to(str(MONDAY + timedelta(5))) == (5, 4, 3, 2, 1)
    assert days.steps_to(str(MONDAY + timedelta(7))) == (7, 6, 5, 4, 3)
    assert days.steps_to("not a date") == days.steps_to(None) == days.steps_to(str(MONDAY)) == (5, 4, 3, 2, 1)
    office = Timeline.of(_keys([day for day in range(19) if day % 7 < 5]))
    assert office.steps_to(str(MONDAY + timedelta(21)))[-1] == 1
    assert office.steps_to(str(MONDAY + timedelta(22)))[-1] == 2


def test_values_are_spread_over_the_slots() -> None:
    found = Timeline.of(_keys([0, 1, 3, 4, 6]))
    assert found.spread(np.array([1.0, 2.0, 3.0])).tolist() == pytest.approx([1.0, 2.0, np.nan, 3.0], nan_ok=True)
    assert found.across_gap(4).tolist() == [False, True, False, True]
    assert found.of_places([3, 4]).slots == (4, 6)


@pytest.mark.parametrize("gaps", [[], [10], [9, 10], [3, 12, 20]])
def test_a_forecast_looks_over_gaps(gaps: list[int]) -> None:
    slots = np.arange(28.0)
    growing, weekly = 100.0 + 7.0 * slots + np.sin(slots), np.where(slots % 7 < 5, 100.0, 60.0) + np.sin(3.0 * slots)
    for values, forecast, following in ((growing, Forecast.TREND, 296.0), (weekly, Forecast.SEASON, 100.0)):
        values[gaps] = np.nan
        found = expect(values)
        assert found.expectation.forecast is forecast
        assert found.expectation.centre(values) == pytest.approx(following, abs=1.5)
        # A slot further on, behind one more gap, it knows how many steps it is.
        later = found.expectation.centre(np.append(values, np.nan))
        assert later == pytest.approx(following + (7.0 if forecast is Forecast.TREND else 0.0), abs=2.0)
        assert found.worst < 6.0


def _orders(day: date, noise: int = 0) -> Profile:
    """One day of orders: fewer at the weekend, numbered on and on, each with a moment of its day."""
    rng = np.random.default_rng(day.toordinal() + noise)
    rows = (300 if day.weekday() < 5 else 180) + int(rng.integers(-8, 9))
    first = (day - MONDAY).days * 270
    moments = (day - date(1970, 1, 1)).days * 86_400 + rng.integers(0, 86_400, rows)
    table = pa.table(
        {
            "order_id": first + np.arange(rows),
            "at": pa.array(moments, pa.timestamp("s", "UTC")),
            "amount": rng.normal(50.0 if day.weekday() < 5 else 70.0, 5.0, rows).round(2),
        }
    )
    return profile_table(table, str(day))


DAYS = [_orders(MONDAY + timedelta(i)) for i in range(42)]


@pytest.mark.parametrize("missing", [[28], [31, 32], [33]])
def test_what_follows_a_partition_that_is_missing_is_no_alarm(missing: list[int]) -> None:
    for now in range(missing[-1] + 1, 42):
        history = [DAYS[i] for i in range(now - 30 - len(missing), now) if i >= 0 and i not in missing][-30:]
        verdict = evaluate(synthesize(history), DAYS[now], history)
        assert [alert.message for alert in verdict.alerts] == []


@pytest.mark.parametrize("went_on", [True, False])
def test_ids_may_have_gone_on_or_stood_still_while_a_partition_is_missing(went_on: bool) -> None:
    """Of a day without a partition nobody knows whether there were orders: both ways on are usual, and no third one."""
    dates = [MONDAY + timedelta(i) for i in range(15) if i not in (13, 14)]
    rows = np.random.default_rng(1).integers(980, 1_020, len(dates) + 1)
    first = np.concatenate([[0], rows.cumsum()])

    def numbered(day: date, begin: int, count: int) -> Profile:
        return profile_table(pa.table({"order_id": begin + np.arange(count)}), str(day))

    history = [numbered(day, int(first[i]), int(rows[i])) for i, day in enumerate(dates)]
    program, today, next_id = synthesize(history), MONDAY + timedelta(15), int(first[len(dates)])
    begin = next_id + (2_000 if went_on else 0)
    found = evaluate(program, numbered(today, begin, 1_000), history)
    assert [alert.message for alert in found.alerts] == []
    for wrong in (next_id - 2_000, next_id + 5_000):
        assert evaluate(program, numbered(today, wrong, 1_000), history).status == "fail"


def test_behind_a_gap_the_sentence_says_what_is_compared() -> None:
    history = [DAYS[i] for i in range(29) if i != 28]
    program = synthesize(history, SynthesisOptions(columns=("at",), metrics=("mean",)))
    late = evaluate(program, _orders(MONDAY + timedelta(27), noise=1), history, ["at"])
    assert late.status == "pass" or late.alerts  # judged one way or the other
    stale = profile_table(_moments(MONDAY + timedelta(20)), str(MONDAY + timedelta(30)))
    (alert,) = (one for one in evaluate(program, stale, history, ["at"]).alerts if one.metric == "mean")
    words = " ".join(change.words for change in alert.changes)
    assert "expected around 2026-02-04 " in words
    assert "the newest value, moved on by the average step of the history" in words


def _moments(day: date) -> pa.Table:
    start = (day - date(1970, 1, 1)).days * 86_400
    return pa.table({"at": pa.array(start + np.arange(0, 86_400, 300), pa.timestamp("s", "UTC"))})


def test_real_changes_behind_a_gap_are_still_found() -> None:
    history = [DAYS[i] for i in range(36) if i not in (34, 35)]
    program = synthesize(history)
    now = DAYS[36]
    assert evaluate(program, now, history).status == "pass"
    table = pa.table({"order_id": 36 * 270 + np.arange(300), "amount": np.full(300, 5_000.0)})
    moments = _moments(MONDAY + timedelta(36)).slice(0, 1).column("at").to_pylist() * 300
    broken = profile_table(
        table.append_column("at", pa.array(moments, pa.timestamp("s", "UTC"))), str(MONDAY + timedelta(36))
    )
    assert {alert.column for alert in evaluate(program, broken, history).alerts} >= {"amount", "at"}
