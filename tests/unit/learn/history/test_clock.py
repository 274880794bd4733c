"""Days of 23 and 25 hours: what is no news of them, and what still is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.codec import from_json, to_json
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.learn.history.clock import LocalClock
from airflow_dq.learn.history.timeline import Timeline
from airflow_dq.learn.program import Program
from airflow_dq.profile import ProfileOptions, profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.program import SynthesisOptions, evaluate, synthesize

BERLIN = SynthesisOptions(timezone="Europe/Berlin", metrics=("complete_ratio",))
SPRING, AUTUMN = datetime(2026, 3, 29), datetime(2026, 10, 25)


def _days(last: datetime, count: int = 28) -> list[datetime]:
    return [last - timedelta(days=ago) for ago in range(count, 0, -1)]


def _profiles(rows: Sequence[int], moments: Sequence[datetime], pattern: str = "%Y-%m-%d") -> list[Profile]:
    made = zip(rows, moments, strict=True)
    plain = ProfileOptions(sample_rows=0)
    return [profile_table(pa.table({"x": np.ones(count)}), f"{moment:{pattern}}", plain) for count, moment in made]


def _fails(history: Sequence[Profile], moment: datetime, rows: int, pattern: str = "%Y-%m-%d") -> bool:
    (now,) = _profiles([rows], [moment], pattern)
    verdict = evaluate(synthesize(history, BERLIN), now, history)
    assert {alert.metric for alert in verdict.alerts} <= {"row_count"}
    return verdict.status == "fail"


@pytest.mark.parametrize(("key", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-03-28", 24), ("today", 24)])
def test_a_day_is_as_long_as_it_is(key: str, hours: int) -> None:
    assert LocalClock("Europe/Berlin", 24 * 60).length(key) == pytest.approx(hours / 24)


@pytest.mark.parametrize(
    ("key", "hours"),
    [("2026-03-29T02", 0), ("2026-03-29T03", 1), ("2026-10-25T02", 2), ("2026-10-25T01", 1), ("2026-10-25T03", 1)],
)
def test_an_hour_comes_not_at_all_or_twice(key: str, hours: int) -> None:
    assert LocalClock("Europe/Berlin", 60).length(key) == hours


def test_a_week_or_month_is_as_long_as_any() -> None:
    assert LocalClock("Europe/Berlin", 7 * 24 * 60).length("2026-03-23") == 1.0
    assert LocalClock.of("Europe/Berlin", ["2026-01-01", None]) is None
    assert LocalClock.of("Europe/Berlin", ["2026-01-01", "2026-01-01"]) is None
    assert LocalClock.of(None, ["2026-01-01", "2026-01-02"]) is None


@pytest.mark.parametrize(("moment", "hours"), [(SPRING, 23), (AUTUMN, 25)])
def test_rows_that_follow_the_hours_are_no_alarm_and_a_loss_still_is(moment: datetime, hours: int) -> None:
    history = _profiles([2_400] * 28, _days(moment))
    assert not _fails(history, moment, 100 * hours)
    assert not _fails(history, moment, 2_400), "nor does it have to follow them"
    assert _fails(history, moment, round(0.9 * 100 * hours))
    assert _fails(history, moment, round(1.1 * 100 * hours))
    # The other days have no such leave, and larger errors are never easier to miss.
    assert _fails(history, moment + timedelta(1), 100 * hours)
    found = [_fails(history, moment, rows) for rows in range(2_400, 0, -300)]
    assert found == sorted(found)


@pytest.mark.parametrize(("moment", "hours"), [(SPRING, 23), (AUTUMN, 25)])
def test_such_a_day_says_nothing_of_the_others(moment: datetime, hours: int) -> None:
    after = moment + timedelta(10)
    days = _days(after)
    history = _profiles([100 * hours if day == moment else 2_400 for day in days], days)
    assert not _fails(history, after, 2_400)
    assert _fails(history, after, 100 * hours)
    # Nor does a series that follows its newest value.
    grown = _profiles([2_400 + 60 * place - 90 * (day == moment) for place, day in enumerate(days)], days)
    assert not _fails(grown, after, 2_400 + 60 * len(days))


def test_an_hour_that_comes_twice_has_twice_the_rows() -> None:
    repeated = AUTUMN + timedelta(hours=2)
    moments = [repeated - timedelta(hours=ago) for ago in range(72, 0, -1)]
    rows = [100 + 40 * (moment.hour % 12) for moment in moments]
    history = _profiles(rows, moments, "%Y-%m-%dT%H")
    assert not _fails(history, repeated, 2 * 180, "%Y-%m-%dT%H")
    assert _fails(history, repeated, 3 * 180, "%Y-%m-%dT%H")
    assert _fails(history, repeated, 90, "%Y-%m-%dT%H")
    assert _fails(history, repeated - timedelta(hours=1) + timedelta(hours=2), 2 * 220, "%Y-%m-%dT%H")


def test_the_clock_is_part_of_the_program() -> None:
    program = synthesize(_profiles([2_400] * 8, _days(SPRING, 8)), BERLIN)
    assert program.table.clauses[0].clock == LocalClock("Europe/Berlin", 24 * 60)
    assert from_json(Program, to_json(program)) == program


@pytest.mark.parametrize("zone", ["Berlin", "../etc/passwd", "", 3])
def test_a_zone_that_does_not_exist_is_explained(zone: str) -> None:
    with pytest.raises(ConfigurationError, match=r"timezone=.* cannot be used: give None, or a name of the time zone"):
        SynthesisOptions(timezone=zone)


def test_hours_with_their_offsets_keep_their_rhythm() -> None:
    zone = ZoneInfo("Europe/Berlin")
    moments = [datetime(2026, 10, 24, tzinfo=UTC) + timedelta(hours=hour) for hour in range(48)]
    keys = [moment.astimezone(zone).isoformat(timespec="minutes") for moment in moments]
    assert {"2026-10-25T02:00+02:00", "2026-10-25T02:00+01:00"} < set(keys)
    timeline = Timeline.of(keys)
    assert timeline.slots == tuple(range(48))
    assert timeline.week == 24
    assert {LocalClock("Europe/Berlin", 60).length(key) for key in keys} == {1.0}


def _clocked(day: datetime, *, kept: float = 1.0, later: int = 0) -> Profile:
    """Twenty rows an hour, with the hour in several forms."""
    zone = ZoneInfo("Europe/Berlin")
    begin, end = (moment.replace(tzinfo=zone).timestamp() for moment in (day, day + timedelta(1)))
    seconds = np.arange(begin, end, 180.0)
    seconds = seconds[: round(kept * len(seconds))]
    hours = [(datetime.fromtimestamp(second, zone).hour + later) for second in seconds]
    made = {
        "at": pa.array((seconds * 1e6).astype(np.int64), pa.timestamp("us", "UTC")),
        "hour": pa.array(hours),
        "text": pa.array([f"{hour:02d}h" for hour in hours]),
        "sensor": pa.array(np.arange(len(seconds)) % 20),
    }
    return profile_table(pa.table(made), f"{day:%Y-%m-%d}")


@pytest.mark.parametrize("moment", [SPRING, AUTUMN])
def test_columns_that_tell_the_hour_are_no_alarm_either(moment: datetime) -> None:
    history = [_clocked(day) for day in _days(moment, 14)]
    known, unknown = (synthesize(history, SynthesisOptions(timezone=zone)) for zone in ("Europe/Berlin", None))
    assert evaluate(known, _clocked(moment), history).status == "pass"
    assert {"hour", "text", None} <= {alert.column for alert in evaluate(unknown, _clocked(moment), history).alerts}
    lost = evaluate(known, _clocked(moment, kept=0.9), history).alerts
    assert {None, "hour"} <= {alert.column for alert in lost}
    assert {"hour", "text"} <= {alert.column for alert in evaluate(known, _clocked(moment, later=3), history).alerts}
