"""What is usual at a place of the calendar: two accepted like days are enough, and none of them opens a hole."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.codec import from_json, to_json
from airflow_dq.judge.verdict import Verdict
from airflow_dq.learn.constraint.first_occurrence import NeverSeen
from airflow_dq.learn.constraint.occasion import Occasion
from airflow_dq.learn.history.calendar import Place
from airflow_dq.learn.pipeline import on_occasion
from airflow_dq.learn.program import Program
from airflow_dq.profile.model import Profile
from airflow_dq.program import SynthesisOptions, evaluate, synthesize
from airflow_dq.report.pages.program import clause_words
from tests.unit.learn.like_table import (
    Factor,
    at_the_end_of_quarters,
    judged,
    never,
    on_the_15th,
    on_the_first,
    on_the_last,
    profile,
    table,
)

MONTHLY = table(215, on_the_first)


def _metrics(verdict: Verdict) -> set[str | None]:
    return {finding.metric for finding in verdict.findings}


def _said(verdict: Verdict) -> str:
    return " ".join(alert.message for alert in verdict.alerts)


@pytest.mark.parametrize(
    ("factor", "new", "known"),
    [
        (on_the_first, ("2025-02-01",), ("2025-04-01", "2025-05-01", "2025-08-01")),
        (on_the_last, ("2025-01-31",), ("2025-03-31", "2025-04-30", "2025-05-31", "2025-06-30")),
        (on_the_15th, ("2025-02-15",), ("2025-03-15", "2025-04-15", "2025-07-15")),
        (never, (), ("2025-04-01", "2025-04-30", "2025-05-15", "2025-07-01")),
    ],
)
def test_after_two_accepted_ones_there_is_no_alarm(
    factor: Factor, new: tuple[str, ...], known: tuple[str, ...]
) -> None:
    days = table(215, factor)
    assert all(judged(days, key).findings for key in new)
    assert [key for key in known if judged(days, key).findings] == []


def test_quarters_and_years_are_cycles_too() -> None:
    days = table(1_000, at_the_end_of_quarters, first=datetime(2023, 1, 1))
    assert judged(days, "2023-06-30").findings
    assert not judged(days, "2024-03-31").findings
    # The end of a month that ends no quarter is an ordinary day.
    assert not judged(days, "2024-04-30").findings
    assert judged(days, "2024-04-30", profile("2024-04-30", 4_000.0)).findings
    christmas = table(1_100, lambda day: 0.3 if (day.month, day.day) == (12, 24) else 1.0, first=datetime(2022, 12, 1))
    assert judged(christmas, "2023-12-24").findings
    assert not judged(christmas, "2024-12-24").findings


@pytest.mark.parametrize(
    ("step", "form", "first", "factor", "key", "history"),
    [
        (timedelta(hours=1), "%Y-%m-%dT%H", datetime(2025, 1, 1), on_the_first, "2025-05-01T05", 7 * 24),
        (timedelta(days=1), "day=%Y%m%d", datetime(2025, 1, 1), on_the_first, "day=20250501", 30),
        (timedelta(days=7), "%G-W%V", datetime(2024, 1, 1), lambda day: 3.0 if day.day <= 7 else 1.0, "2024-W45", 30),
    ],
)
def test_other_keys(step: timedelta, form: str, first: datetime, factor: Factor, key: str, history: int) -> None:
    days = table(2_900 if step < timedelta(1) else 130, factor, first=first, step=step, form=form)
    rows = next(day.row_count for day in days if day.partition == key)
    assert rows > 2_000
    assert not judged(days, key, history=history).findings
    assert judged(days, key, profile(key, 0.3 * rows), history=history).findings


def test_a_monthly_table_knows_its_quarters() -> None:
    months = [f"{2019 + place // 12}-{place % 12 + 1:02d}" for place in range(70)]
    rng = np.random.default_rng(3)
    days = [profile(key, (3 if place % 3 == 2 else 1) * rng.normal(1_000, 20)) for place, key in enumerate(months)]
    assert not judged(days, "2024-06").findings
    assert judged(days, "2024-06", profile("2024-06", 1_000.0)).findings
    assert judged(days, "2024-07", profile("2024-07", 3_000.0)).findings


def test_keys_that_are_no_dates_have_no_places() -> None:
    days = [replace(day, partition=f"run {place}") for place, day in enumerate(MONTHLY)]
    assert judged(days, "run 90").findings


@pytest.mark.parametrize("key", ["2025-04-01", "2025-05-01", "2025-07-01"])
def test_a_loss_on_the_first_is_found(key: str) -> None:
    # 2025-04-01 has three like days: all of the history's that have days before them, and the one after these.
    lost = judged(MONTHLY, key, profile(key, 900.0, 14.0))
    assert _metrics(lost) == ({"row_count"} if key > "2025-04-01" else set())
    assert _metrics(judged(MONTHLY, key, profile(key, 12_000.0, 14.0))) == {"row_count"}
    assert _metrics(judged(MONTHLY, key, profile(key, 300.0, 14.0))) == {"row_count"}


def test_an_ordinary_day_may_not_be_like_the_first() -> None:
    for key in ("2025-04-02", "2025-05-20", "2025-06-02", "2025-06-30"):
        assert _metrics(judged(MONTHLY, key, profile(key, 3_000.0))) == {"row_count"}
        assert _metrics(judged(MONTHLY, key, profile(key, 650.0))) == {"row_count"}, key


def test_two_odd_days_in_a_window_do_not_blind_the_others() -> None:
    days = table(215, lambda day: on_the_first(day) * on_the_last(day))
    for key in ("2025-06-02", "2025-06-15"):
        assert not judged(days, key).findings
        assert _metrics(judged(days, key, profile(key, 650.0))) == {"row_count"}
        assert _metrics(judged(days, key, profile(key, 1_600.0))) == {"row_count"}


def test_one_like_day_is_told_of() -> None:
    days = table(60, on_the_first, first=datetime(2025, 4, 10))
    said = _said(judged(days, "2025-06-01"))
    assert "It was like this on the first of a month before (2025-05-01)." in said
    # Another alarm on the same day is none of its kind.
    assert "It was like this" not in _said(judged(days, "2025-06-01", profile("2025-06-01", 90_000.0, 10.0)))
    said = _said(judged(table(60, on_the_15th), "2025-02-15"))
    assert "It was like this on the 15th of a month before (2025-01-15)." in said


def test_too_short_a_history_says_nothing_of_it() -> None:
    days = table(20, on_the_15th)
    verdict = judged(days, "2025-01-15")
    assert verdict.findings
    assert "month" not in _said(verdict)


def test_a_table_without_a_cycle_keeps_its_bounds() -> None:
    for seed in range(3):
        days = table(200, never, seed=seed)
        for key in ("2025-05-31", "2025-06-01", "2025-06-02", "2025-06-30"):
            place = next(place for place, day in enumerate(days) if day.partition == key)
            long, short = days[:place], days[place - 30 : place]
            programs = [synthesize(history) for history in (long, short)]
            assert programs[0].constraints == programs[1].constraints
            assert on_occasion(programs[0], days[place], long).constraints == programs[0].constraints


def test_the_clause_tells_of_it_and_is_plain_data() -> None:
    place = next(place for place, day in enumerate(MONTHLY) if day.partition == "2025-06-01")
    program = on_occasion(synthesize(MONTHLY[:place]), MONTHLY[place], MONTHLY[:place])
    (rows,) = program.table.clauses
    assert rows.occasion is not None
    assert rows.occasion.own
    words = clause_words(rows)
    assert words is not None
    assert "; on the first of a month: 2," in words
    assert from_json(Program, to_json(program)) == program
    assert evaluate(program, MONTHLY[place], MONTHLY[:place]) == judged(MONTHLY, "2025-06-01")
    # Another day's like days are not this one's.
    other = MONTHLY[place + 1]
    assert evaluate(program, other, MONTHLY[: place + 1]).findings == ()


def test_the_statement_names_the_place_and_counts_its_days() -> None:
    (finding,) = judged(MONTHLY, "2025-07-01", profile("2025-07-01", 1_000.0, 14.0)).findings
    assert finding.evidence is not None
    assert finding.evidence.rank == 1
    said = _said(judged(MONTHLY, "2025-07-01", profile("2025-07-01", 1_000.0, 14.0)))
    assert "on the first of a month (5 earlier ones, " in said
    assert "times the largest deviation in 5 partitions" in said


def _new_sort(day: Profile, share: float) -> Profile:
    column = day.columns["price"]
    metrics = {**column.metrics, "infinite_ratio": share}
    return replace(day, columns={"price": replace(column, metrics=metrics)})


def test_values_that_come_once_a_month_are_no_first_occurrence() -> None:
    days = [_new_sort(day, 0.4 if str(day.partition).endswith("-15") else 0.0) for day in table(130, never)]
    days = [day for day in days if str(day.partition) < "2025-04-16"]

    def rules(share: float, key: str) -> set[str]:
        place = next(place for place, day in enumerate(days) if day.partition == key)
        window = days[place - 20 : place]
        program = synthesize(window, SynthesisOptions(history=20))
        assert any(isinstance(one, NeverSeen) for one in program.constraints)
        found = evaluate(program, _new_sort(days[place], share), days[:place]).findings
        return {one.rule for one in found}

    assert "first_occurrence" in rules(0.4, "2025-02-15")
    assert "first_occurrence" not in rules(0.4, "2025-04-15")
    assert "first_occurrence" in rules(0.9, "2025-04-15")


widths = st.floats(0.001, 10.0)


@given(
    centre=st.floats(-5.0, 5.0), below=widths, above=widths, low=st.floats(0.0, 5.0), wide=st.floats(0.0, 3.0),
    width=st.floats(0.0, 20.0), scatter=st.floats(0.0, 1.0), up=st.booleans(),
)  # fmt: skip
def test_two_like_days_only_widen_and_only_on_their_side(
    centre: float, below: float, above: float, low: float, wide: float, width: float, scatter: float, up: bool
) -> None:
    edges = (centre + low, centre + low + wide) if up else (centre - low - wide, centre - low)
    place = Place("month", "day", 1)
    occasion = Occasion(place, "a", ("b", "c"), 2, up, *edges, width, scatter, settled=True, own=False)
    lower, upper = occasion.moved(centre - below, centre + above, below, above)
    assert lower is not None
    assert upper is not None
    assert lower <= centre - below
    assert upper >= centre + above
    assert lower == centre - below if up else upper == centre + above
    # What they did is within, and more of it is never refused where less is allowed: there is one interval.
    assert lower <= edges[0]
    assert edges[1] <= upper
    farther = replace(occasion, high=occasion.high + 1.0, low=occasion.low - 1.0)
    wider = farther.moved(centre - below, centre + above, below, above)
    assert wider[0] is not None
    assert wider[1] is not None
    assert wider[0] <= lower
    assert wider[1] >= upper
    assert replace(occasion, settled=False).moved(lower, upper, below, above) == (lower, upper)
    assert occasion.moved(None, None, below, above) == (None, None)
