"""Times that have always lain in their partition's own period; what never kept to one is held to none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.codec import from_json, to_json
from airflow_dq.learn.constraint.period import WithinPeriod
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.program import Program, SynthesisOptions, Verdict, evaluate, synthesize

FIRST = datetime(2026, 1, 5, tzinfo=UTC)
"""A Monday."""
DAY = timedelta(days=1)
ROWS = 60

Times = Callable[[datetime, np.random.Generator], list[datetime]]


def _at(begin: datetime, hours: np.ndarray) -> list[datetime]:
    return [begin + timedelta(hours=float(hour)) for hour in hours]


def _of_day(begin: datetime, rng: np.random.Generator) -> list[datetime]:
    """Between some hour of the morning and some hour of the night: no day begins or ends like another."""
    return _at(begin, rng.uniform(rng.uniform(0.0, 9.0), rng.uniform(18.0, 24.0), ROWS))


def _profile(times: Sequence[datetime], key: str) -> Profile:
    amounts = np.random.default_rng(len(key)).normal(50.0, 5.0, len(times))
    return profile_table(pa.table({"at": pa.array(times, pa.timestamp("us", "UTC")), "amount": amounts}), key)


@cache
def _learn(times: Times, count: int, form: str = "%Y-%m-%d", step: timedelta = DAY) -> tuple[Program, list[Profile]]:
    begins = [FIRST + place * step for place in range(count)]
    history = [
        _profile(times(begin, np.random.default_rng(place)), f"{begin:{form}}") for place, begin in enumerate(begins)
    ]
    return synthesize(history, SynthesisOptions(history=count)), history


def _period(program: Program) -> WithinPeriod | None:
    return next((one for one in program.constraints if isinstance(one, WithinPeriod)), None)


def _told(verdict: Verdict) -> list[str]:
    return [alert.message for alert in verdict.alerts if alert.rule == "period"]


@pytest.mark.parametrize("count", [7, 14, 30])
def test_some_rows_of_another_day_are_told_and_a_day_as_always_is_not(count: int) -> None:
    program, history = _learn(_of_day, count)
    begin = FIRST + count * DAY
    clean = _of_day(begin, np.random.default_rng(99))
    key = f"{begin:%Y-%m-%d}"
    assert _told(evaluate(program, _profile(clean, key), history)) == []
    for hours, warns in ((-24.0, True), (24.0, False)):
        moved = [one + timedelta(hours=hours) for one in clean[:4]]
        found = evaluate(program, _profile([*moved, *clean[4:]], key), history)
        (alert,) = (alert for alert in found.alerts if alert.rule == "period")
        assert alert.message.startswith(f"at: 4 values lie outside of {key}")
        assert (alert.severity == "warn") is warns


def test_a_few_late_rows_warn_and_many_fail() -> None:
    program, history = _learn(_of_day, 30)
    begin = FIRST + 30 * DAY
    clean = _of_day(begin, np.random.default_rng(99))
    for late in (ROWS // 4, ROWS // 2):
        times = [begin - timedelta(hours=1)] * late + clean[late:]
        verdict = evaluate(program, _profile(times, f"{begin:%Y-%m-%d}"), history)
        (severity,) = {alert.severity for alert in verdict.alerts if alert.rule == "period"}
        assert severity == ("warn" if late == ROWS // 4 else "fail")


def test_a_clock_that_is_two_hours_off_is_told() -> None:
    program, history = _learn(_of_day, 30)
    begin = FIRST + 30 * DAY
    shifted = _at(begin, np.linspace(1.0, 23.9, ROWS) + 2.0)
    verdict = evaluate(program, _profile(shifted, f"{begin:%Y-%m-%d}"), history)
    assert len(_told(verdict)) == 1
    assert "none did in the 30 past partitions" in _told(verdict)[0]


@pytest.mark.parametrize(("count", "fewest"), [(7, 4), (14, 4), (30, 3)])
def test_a_few_rows_may_be_late_for_once_the_fewer_the_more_partitions_had_none(count: int, fewest: int) -> None:
    program, history = _learn(_of_day, count)
    begin = FIRST + count * DAY
    for late in (fewest - 1, fewest):
        times = [begin - timedelta(hours=1)] * late + _of_day(begin, np.random.default_rng(99))
        found = _told(evaluate(program, _profile(times, f"{begin:%Y-%m-%d}"), history))
        assert len(found) == (late == fewest)


def test_of_hardly_any_rows_all_may_not_be_outside() -> None:
    program, history = _learn(_of_day, 7)
    begin = FIRST + 7 * DAY
    thin = _profile([begin - timedelta(hours=1)] * 2, f"{begin:%Y-%m-%d}")
    assert len(_told(evaluate(program, thin, history))) == 1


def test_what_comes_late_at_times_is_held_to_no_period() -> None:
    def late(begin: datetime, rng: np.random.Generator) -> list[datetime]:
        return [begin - timedelta(hours=float(rng.uniform(0.0, 48.0))), *_of_day(begin, rng)]

    assert _period(_learn(late, 30)[0]) is None


@pytest.mark.parametrize("days", [-1, 1])
def test_a_key_may_name_the_day_before_or_after(days: int) -> None:
    def other(begin: datetime, rng: np.random.Generator) -> list[datetime]:
        return _of_day(begin + days * DAY, rng)

    program, history = _learn(other, 10)
    begin = FIRST + 10 * DAY
    assert (
        _told(evaluate(program, _profile(other(begin, np.random.default_rng(9)), f"{begin:%Y-%m-%d}"), history)) == []
    )
    wrong = _of_day(begin - days * DAY, np.random.default_rng(9))
    assert len(_told(evaluate(program, _profile(wrong, f"{begin:%Y-%m-%d}"), history))) == 1


def test_a_reading_of_midnight_may_belong_to_the_day_before() -> None:
    def to_midnight(begin: datetime, rng: np.random.Generator) -> list[datetime]:
        return _at(begin, np.arange(1.0, 25.0))

    program, history = _learn(to_midnight, 10)
    found = _period(program)
    assert found is not None
    assert found.closed
    begin = FIRST + 10 * DAY
    clean = _profile(to_midnight(begin, np.random.default_rng(0)), f"{begin:%Y-%m-%d}")
    assert _told(evaluate(program, clean, history)) == []


@pytest.mark.parametrize(
    ("form", "step"),
    [("%Y-%m-%dT%H", timedelta(hours=1)), ("%Y-%m-%dT%H", timedelta(hours=6)), ("%G-W%V", 7 * DAY)],
)
def test_hours_and_weeks_have_their_period_too(form: str, step: timedelta) -> None:
    def all_of_it(begin: datetime, rng: np.random.Generator) -> list[datetime]:
        return _at(begin, np.linspace(0.0, 0.999, ROWS) * (step / timedelta(hours=1)))

    program, history = _learn(all_of_it, 10, form, step)
    begin = FIRST + 10 * step
    clean = all_of_it(begin, np.random.default_rng(0))
    assert _told(evaluate(program, _profile(clean, f"{begin:{form}}"), history)) == []
    shifted = [one + 0.2 * step for one in clean]
    assert len(_told(evaluate(program, _profile(shifted, f"{begin:{form}}"), history))) == 1


def test_months_are_as_long_as_they_are() -> None:
    begins = [datetime(2025 + month // 12, month % 12 + 1, 1, tzinfo=UTC) for month in range(15)]
    months = [
        _profile(_at(begin, np.arange(0.0, (after - begin) / timedelta(hours=1), 12.0)), f"{begin:%Y-%m}")
        for begin, after in pairwise(begins)
    ]
    *history, february = months
    program = synthesize(history, SynthesisOptions())
    assert _period(program) is not None
    assert _told(evaluate(program, february, history)) == []
    january = _profile(_at(begins[12], np.arange(0.0, 672.0, 12.0)), f"{begins[13]:%Y-%m}")
    assert len(_told(evaluate(program, january, history))) == 1


def test_what_lies_between_two_partitions_is_the_later_ones() -> None:
    """The rows of a day that failed come with the next one, as those of a weekend may with Monday's."""
    program, history = _learn(_of_day, 10)
    begin = FIRST + 11 * DAY
    both = _of_day(begin - DAY, np.random.default_rng(1)) + _of_day(begin, np.random.default_rng(2))
    assert _told(evaluate(program, _profile(both, f"{begin:%Y-%m-%d}"), history)) == []


@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("first", [FIRST, datetime(2026, 3, 20, tzinfo=UTC)])
def test_of_local_keys_a_column_keeps_to_its_own_clock_or_to_utc(local: bool, first: datetime) -> None:
    """Also over the day of 23 hours, 2026-03-29."""
    zone = ZoneInfo("Europe/Berlin")

    def times(place: int) -> list[datetime]:
        begin = first + place * DAY
        told = _at(begin, np.random.default_rng(place).uniform(0.0, 24.0, 200))
        return told if local else [one.replace(tzinfo=zone).astimezone(UTC) for one in told]

    options = SynthesisOptions(timezone="Europe/Berlin")
    history = [_profile(times(place), f"{first + place * DAY:%Y-%m-%d}") for place in range(20)]
    program = synthesize(history, options)
    learned = _period(program)
    assert learned is not None
    assert learned.period.zone == (None if local else "Europe/Berlin")
    assert from_json(Program, to_json(program)) == program
    key = f"{first + 20 * DAY:%Y-%m-%d}"
    assert _told(evaluate(program, _profile(times(20), key), history)) == []
    late = [one + timedelta(hours=2) for one in times(20)]
    assert len(_told(evaluate(program, _profile(late, key), history))) == 1


def test_more_times_than_are_counted_one_by_one_are_told_as_well() -> None:
    def many(begin: datetime, rng: np.random.Generator) -> list[datetime]:
        return _at(begin, np.sort(rng.uniform(0.0, 24.0, 25_000)))

    program, history = _learn(many, 7)
    begin = FIRST + 7 * DAY
    clean = many(begin, np.random.default_rng(50))
    assert _told(evaluate(program, _profile(clean, f"{begin:%Y-%m-%d}"), history)) == []
    shifted = [one + timedelta(hours=2) for one in clean]
    (message,) = _told(evaluate(program, _profile(shifted, f"{begin:%Y-%m-%d}"), history))
    outside = int(message.split()[1].replace(",", ""))
    assert outside == pytest.approx(25_000 / 12, rel=0.05)
