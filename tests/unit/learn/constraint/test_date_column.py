"""Columns that tell their partition's date: day and month, dates as text, flags; what is stale, and what is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.codec import from_json, to_json
from airflow_dq.explain.alert import Alert
from airflow_dq.learn.constraint.date_column import DateColumn, date_columns
from airflow_dq.learn.constraint.date_part import DatePart
from airflow_dq.learn.history.history import History
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.program import Program, SynthesisOptions, Verdict, evaluate, synthesize

ROWS = 40


def _parts(program: Program) -> tuple[DatePart, ...]:
    """What the column tells of the partitions' dates."""
    return tuple(part for one in program.constraints if isinstance(one, DateColumn) for part in one.parts)


def _parts_of(history: Sequence[Profile]) -> tuple[DatePart, ...]:
    found = date_columns(History.of(history), SynthesisOptions()).get("told")
    return () if found is None else found.parts


@cache
def _profile(day: date, values: Callable[[date], object], key: str | None = None, rows: int = ROWS) -> Profile:
    amounts = np.random.default_rng(day.toordinal()).normal(50.0, 5.0, rows)
    made = values(day)
    told = made if isinstance(made, list) else [made] * rows
    table = pa.table({"told": pa.array(told), "amount": amounts})
    return profile_table(table, day.isoformat() if key is None else key)


def _days(first: date, count: int) -> list[date]:
    return [first + timedelta(i) for i in range(count)]


@cache
def _learn(values: Callable[[date], object], first: date, count: int) -> tuple[Program, list[Profile]]:
    history = [_profile(day, values) for day in _days(first, count)]
    return synthesize(history, SynthesisOptions(history=count)), history


def _told(verdict: Verdict) -> list[Alert]:
    return [alert for alert in verdict.alerts if alert.column == "told"]


TELLING: dict[str, Callable[[date], object]] = {
    "day of the month": lambda day: day.day,
    "month": lambda day: float(day.month),
    "year": lambda day: day.year,
    "year of two digits": lambda day: day.year % 100,
    "month of two digits of the year": lambda day: int(f"{day:%y%m}"),
    "year of two digits as text": lambda day: f"{day:%y}",
    "weekday": lambda day: day.weekday(),
    "month end": lambda day: (day + timedelta(1)).day == 1,
    "date": lambda day: day,
    "yesterday": lambda day: day - timedelta(1),
    "text": lambda day: day.strftime("%d.%m.%Y"),
    "month as text": lambda day: day.strftime("%Y-%m"),
    "number": lambda day: int(day.strftime("%Y%m%d")),
}


@pytest.mark.parametrize("name", TELLING)
@pytest.mark.parametrize(("new", "count"), [(date(2026, 1, 1), 30), (date(2026, 4, 30), 14), (date(2026, 5, 1), 7)])
def test_new_year_and_the_ends_of_a_month_are_foretold(name: str, new: date, count: int) -> None:
    program, history = _learn(TELLING[name], new - timedelta(count), count)
    assert _parts(program)
    assert _told(evaluate(program, _profile(new, TELLING[name]), history)) == []


@pytest.mark.parametrize("name", ["day of the month", "weekday", "date", "yesterday", "text", "number"])
def test_the_date_of_an_older_partition_is_an_alert_that_names_it(name: str) -> None:
    program, history = _learn(TELLING[name], date(2026, 1, 10), 20)
    stale = _profile(date(2026, 1, 29), TELLING[name], "2026-01-30")
    verdict = evaluate(program, stale, history)
    first = _told(verdict)[0]
    assert (first.rule, first.cause) == ("date_column", "rows of 2026-01-29")
    assert verdict.columns["told"].status == "fail"
    assert "as in each of the 20 past partitions" in first.message


def test_the_sentence_says_which_date_is_expected() -> None:
    program, history = _learn(TELLING["yesterday"], date(2026, 1, 10), 20)
    verdict = evaluate(program, _profile(date(2026, 1, 12), TELLING["yesterday"], "2026-01-30"), history)
    assert _told(verdict)[0].message.startswith(
        "told: every value is 2026-01-11; expected 2026-01-29, the date of the day before, as in each of the 20 past "
        "partitions. Looks like: rows of 2026-01-12."
    )


def test_missing_values_are_not_foretold() -> None:
    program, history = _learn(TELLING["date"], date(2026, 1, 10), 20)
    new = _profile(date(2026, 1, 30), lambda day: [None] * 20 + [day] * (ROWS - 20))
    assert [alert.metric for alert in _told(evaluate(program, new, history))] == ["complete_ratio"]


def test_late_rows_are_told_by_the_period_that_they_left() -> None:
    program, history = _learn(TELLING["date"], date(2026, 1, 10), 20)
    late = _profile(date(2026, 1, 30), lambda day: [day - timedelta(1)] * 20 + [day] * (ROWS - 20))
    assert {alert.rule for alert in _told(evaluate(program, late, history))} - {"range"} == {"period"}


def test_what_agrees_with_the_date_by_chance_demands_nothing() -> None:
    program, history = _learn(lambda day: 3, date(2026, 3, 1), 30)
    assert {part.name for part in _parts(program)} >= {"month"}
    for value in (3, 4):  # still the constant, or indeed the month
        made = _profile(date(2026, 4, 1), lambda day, value=value: value)  # type: ignore[misc]
        assert _told(evaluate(program, made, history)) == []
    changed = _profile(date(2026, 4, 1), lambda day: 5)
    assert {alert.rule for alert in _told(evaluate(program, changed, history))} == {"range"}


@pytest.mark.parametrize("values", [lambda day: [day.day] * 39 + [1], lambda day: day.day + 7, lambda day: "x"])
def test_other_columns_tell_nothing(values: Callable[[date], object]) -> None:
    program, _ = _learn(values, date(2026, 1, 2), 20)
    assert _parts(program) == ()


def test_keys_without_a_date_tell_nothing() -> None:
    history = [_profile(day, TELLING["date"], f"run {i}") for i, day in enumerate(_days(date(2026, 1, 1), 20))]
    assert _parts(synthesize(history)) == ()
    program, history = _learn(TELLING["date"], date(2026, 1, 1), 20)
    verdict = evaluate(program, _profile(date(2026, 1, 21), TELLING["date"], "run 21"), history)
    assert _told(verdict) == []  # judged by its numbers, which foresee the next day as well


def test_texts_tell_as_far_as_their_values_are_kept() -> None:
    history = [_profile(day, TELLING["text"]) for day in _days(date(2026, 1, 1), 20)]
    pruned = [
        replace(profile, columns={name: replace(column, states={}) for name, column in profile.columns.items()})
        for profile in history
    ]
    assert [part.name for part in _parts_of([*pruned[:15], *history[15:]])] == ["date as DD.MM.YYYY"]
    assert _parts_of([*pruned[:18], *history[18:]]) == ()
    program = synthesize(history)
    again = evaluate(program, pruned[-1], history)
    assert [alert for alert in again.alerts if alert.rule == "date_column"] == []


def test_the_paper_knows_no_calendar() -> None:
    history = [_profile(day, TELLING["date"]) for day in _days(date(2026, 1, 1), 20)]
    assert _parts(synthesize(history, SynthesisOptions(mode="paper"))) == ()


def test_a_program_with_a_calendar_is_written_and_read() -> None:
    program, _ = _learn(TELLING["weekday"], date(2026, 1, 1), 20)
    assert _parts(program)
    assert from_json(Program, to_json(program)) == program


HOURLY: dict[str, Callable[[datetime], object]] = {
    "number": lambda moment: moment.hour,
    "text": lambda moment: f"{moment:%H}",
    "moment": lambda moment: moment,
    "date": lambda moment: moment.date(),
}


@pytest.mark.parametrize("name", HOURLY)
@pytest.mark.parametrize("count", [8, 20, 30])
def test_the_first_midnight_of_hourly_partitions_is_foretold_and_an_older_hour_is_not(name: str, count: int) -> None:
    def table(moment: datetime, told: datetime) -> Profile:
        rng = np.random.default_rng(int(told.timestamp()))
        value = HOURLY[name](told)
        made = {"told": pa.array([value] * ROWS), "amount": rng.normal(50.0, 5.0, ROWS)}
        return profile_table(pa.table(made), moment.strftime("%Y-%m-%dT%H:00:00+00:00"))

    new = datetime(2026, 1, 6, tzinfo=UTC).replace(tzinfo=None)
    moments = [new - timedelta(hours=before) for before in range(count, 0, -1)]
    history = [table(moment, moment) for moment in moments]
    program = synthesize(history)
    assert _parts(program)
    assert _told(evaluate(program, table(new, new), history)) == []
    if name != "date":
        (alert, *_) = _told(evaluate(program, table(new, new - timedelta(hours=3)), history))
        assert alert.rule == "date_column"
        assert ", the hour of the partition, as in each of" in alert.message
        assert "Looks like: rows of 2026-01-05T21:00:00+00:00" in alert.message


def test_zero_is_no_hour_where_partitions_are_days() -> None:
    history = [_profile(day, lambda _: 0) for day in _days(date(2026, 1, 10), 12)]
    assert "hour" not in {part.name for part in _parts_of(history)}


SEASONS = ("winter", "spring", "summer", "autumn")
TURNING: dict[str, Callable[[date], object]] = {
    "month": lambda day: float(day.month),
    "year": lambda day: day.year,
    "quarter": lambda day: (day.month + 2) // 3,
    "season": lambda day: SEASONS[day.month % 12 // 3],
    "name of the month": lambda day: f"{day:%B}",
    "quarter as text": lambda day: f"{day.year}-Q{(day.month + 2) // 3}",
}
KEYS: dict[str, Callable[[date], str]] = {
    "week": lambda monday: f"{monday:%G-W%V}",
    "first day": lambda monday: monday.isoformat(),
    "last day": lambda monday: (monday + timedelta(6)).isoformat(),
}


@cache
def _week(name: str, key: str, monday: date) -> Profile:
    """A week whose rows tell the month, or the year, of the day that each is of."""
    values = [value for day in _days(monday, 7) for value in [TURNING[name](day)] * 6]
    amounts = np.random.default_rng(monday.toordinal()).normal(50.0, 5.0, len(values))
    return profile_table(pa.table({"told": pa.array(values), "amount": amounts}), KEYS[key](monday))


@pytest.mark.parametrize(
    ("name", "key"), [*((name, "week") for name in TURNING), ("month", "first day"), ("month", "last day")]
)
def test_what_turns_within_a_week_or_between_two_is_foretold(name: str, key: str) -> None:
    mondays = [date(2013, 8, 5) + timedelta(weeks=place) for place in range(26)]
    weeks = [_week(name, key, monday) for monday in mondays]
    # Weeks with a turn in them, or right behind one: of a month, of a season, of the year.
    for new in (16, 17, 18, 21, 22):
        history = weeks[new - 16 : new]
        program = synthesize(history)
        assert _parts(program)
        assert _told(evaluate(program, weeks[new], history)) == []


def test_an_older_month_in_a_week_is_an_alert() -> None:
    mondays = [date(2013, 6, 3) + timedelta(weeks=place) for place in range(20)]
    history = [_week("month", "week", monday) for monday in mondays]
    stale = replace(history[4], partition="2013-W43")
    (alert, *_) = _told(evaluate(synthesize(history), stale, history))
    assert alert.rule == "date_column"
    assert "every value is 7; expected 10, the month of a day of the partition" in alert.message


@pytest.mark.parametrize("name", ["month", "season"])
def test_keys_that_name_months_tell_them(name: str) -> None:
    firsts = [date(2024 + place // 12, place % 12 + 1, 1) for place in range(25)]
    months = [_profile(first, TURNING[name], f"{first:%Y-%m}") for first in firsts]
    for new in (12, 14, 15, 24):
        history = months[new - 12 : new]
        assert _told(evaluate(synthesize(history), months[new], history)) == []
