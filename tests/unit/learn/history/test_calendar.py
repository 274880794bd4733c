"""Places of the calendar by a partition's key, and which earlier partitions are looked at for them."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.learn.history.calendar import Grain, grain_of, moments_of, places_of
from airflow_dq.learn.history.like_days import like_days
from airflow_dq.learn.history.timeline import moment_of


@pytest.mark.parametrize(
    ("moment", "grain", "words"),
    [
        ("2025-08-01", Grain.DAY, {"on the first of a month", "on the first working day of a month"}),
        ("2025-08-04", Grain.DAY, set()),
        ("2025-06-02", Grain.DAY, {"on the first working day of a month"}),
        ("2025-08-29", Grain.DAY, {"on the last working day of a month"}),
        ("2025-08-31", Grain.DAY, {"on the last day of a month"}),
        ("2025-06-30", Grain.DAY, {"on the last day of a month", "on the last day of a quarter"}
         | {"on the last working day of a month", "on the last working day of a quarter"}),
        ("2025-08-01T06", Grain.HOUR, {f"on the first {unit} a month at 06:00" for unit in ("of", "working day of")}),
        ("2025-03-31", Grain.WEEK, {"in the last week of a month", "in the last week of a quarter"}),
        ("2025-09", Grain.MONTH, {"in the last month of a quarter"}),
        ("2025-02", Grain.MONTH, set()),
    ],
)  # fmt: skip
def test_edges(moment: str, grain: Grain, words: set[str]) -> None:
    found = moment_of(moment)
    assert found is not None
    assert {place.words for place in places_of(found, grain) if place.is_edge} == words


def test_every_day_has_a_place() -> None:
    words = {place.words for place in places_of(datetime(2025, 1, 22), Grain.DAY)}
    assert words == {"on the 22nd of a month", "on 22 January"}
    assert [place.words for place in places_of(datetime(2025, 1, 1), Grain.MONTH)] == [
        "in the first month of a quarter",
        "in January",
    ]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("2024-05", datetime(2024, 5, 1)),
        ("month=2024-05", datetime(2024, 5, 1)),
        ("2024-W07", datetime(2024, 2, 12)),
        ("2024W07", datetime(2024, 2, 12)),
        ("2024-05-06", datetime(2024, 5, 6)),
        ("2024-13", None),
        ("2024-W60", None),
        ("run 7", None),
        (None, None),
    ],
)
def test_moments(key: str | None, expected: datetime | None) -> None:
    assert moment_of(key) == expected


def test_moments_follow_each_other_or_are_none() -> None:
    assert moments_of(["2024-01-02", "2024-01-01"]) is None
    assert moments_of(["2024-01-01", "2024-01-01"]) is None
    assert moments_of(["2024-01-01", "latest"]) is None
    assert moments_of([]) is None


@pytest.mark.parametrize(
    ("step", "grain"),
    [
        (timedelta(minutes=30), Grain.HOUR),
        (timedelta(days=1), Grain.DAY),
        (timedelta(days=2), Grain.DAY),
        (timedelta(days=7), Grain.WEEK),
        (timedelta(days=30), Grain.MONTH),
        (timedelta(hours=30), None),
        (timedelta(days=10), None),
    ],
)
def test_grains(step: timedelta, grain: Grain | None) -> None:
    assert grain_of([datetime(2024, 1, 1) + place * step for place in range(4)]) is grain


@given(st.datetimes(datetime(1, 6, 1), datetime(9999, 12, 31)), st.sampled_from(Grain), st.integers(1, 6))
def test_what_was_before_stands_at_the_same_place(moment: datetime, grain: Grain, times: int) -> None:
    moment = moment.replace(second=0, microsecond=0)
    if grain is not Grain.HOUR:
        moment = moment.replace(hour=0, minute=0)
    for place in places_of(moment, grain):
        before = place.before(moment, times)
        if before is not None:
            assert before < moment
            assert place in places_of(before, grain)


@given(st.sets(st.integers(0, 400), min_size=60), st.integers(0, 5), st.booleans())
def test_few_days_are_chosen_before_the_window(days: set[int], behind: int, every: bool) -> None:
    keys: list[str | None] = [str(date(2024, 1, 1) + timedelta(day)) for day in sorted(days)]
    ahead = str(date(2024, 1, 1) + timedelta(max(days) + 1 + behind))
    chosen = like_days(keys, ahead, 30, every=every)
    assert chosen == sorted(set(chosen))
    assert all(0 <= place < len(keys) - 30 for place in chosen)
    # More history long before changes nothing.
    older: list[str | None] = [str(date(2000, 1, 1) + timedelta(day)) for day in range(300)]
    assert [one - 300 for one in like_days(older + keys, ahead, 30, every=every)] == chosen
    # One key that is no date, long ago, spoils nothing.
    assert [one - 1 for one in like_days(["first load", *keys], ahead, 30, every=every)] == chosen


def test_nothing_is_chosen_without_dates_or_older_partitions() -> None:
    days: list[str | None] = [str(date(2024, 1, 1) + timedelta(day)) for day in range(100)]
    assert like_days(days[:30], "2024-01-31", 30) == []
    assert like_days([f"run {place}" for place in range(100)], "2024-05-01", 30) == []
    assert like_days([*days, "latest"], "2024-05-01", 30) == []
    assert like_days(days, "2024-05-01", 0) == []
