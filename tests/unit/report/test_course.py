from __future__ import annotations

from dataclasses import replace

import pytest

from airflow_dq.learn.constraint.range import Range
from airflow_dq.metrics.registry import get_metric
from airflow_dq.report.ahead import ahead_of, next_timestamp
from airflow_dq.report.course import Insight
from airflow_dq.store.review_model import MetricHistory
from tests.unit.report.known import DAYS, history, insight, key_of, profile_of, program


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_HASH_SECRET", "a secret of the tests")


def ranges() -> list[Range]:
    return list(program().ranges())


def test_a_course_ends_with_the_bounds_that_the_gate_judges_by():
    seen = insight()
    for one in ranges():
        course = seen.course(one.column, one.metric, {})
        assert course is not None
        first = next(other for other in ranges() if (other.column, other.metric) == (one.column, one.metric))
        assert course.now.band == first.bounds(seen.view)
        assert [point.partition for point in course.past][-1] == key_of(DAYS - 1)


def test_what_was_expected_of_the_past_lies_in_the_natural_range_and_holds_most_of_it():
    inside = outside = 0
    for one in ranges():
        metric, course = get_metric(one.metric, one.kind), insight().course(one.column, one.metric, {})
        assert course is not None
        low, high = (-float("inf"), float("inf")) if metric is None else metric.natural_range
        for point in course.past:
            if point.band is None or point.value is None:
                continue
            lower = low if point.band[0] is None else point.band[0]
            upper = high if point.band[1] is None else point.band[1]
            assert low <= lower <= upper <= high
            inside += lower <= point.value <= upper
            outside += not lower <= point.value <= upper
    assert inside > 20 * outside > -1


def test_nearest_is_beyond_its_bound_exactly_when_the_gate_alarms():
    calm, broken = insight().nears, insight(10.0).nears
    assert calm[0].used <= 1.0
    assert [near.used for near in calm] == sorted((near.used for near in calm), reverse=True)
    assert broken[0].used > 1.0
    assert {near.column for near in broken if near.used > 1.0} >= {"price"}


def test_a_partition_that_was_not_learned_from_stands_apart_and_older_ones_do_not():
    keys = ["2026-01-30", *(key_of(day) for day in range(DAYS)), key_of(DAYS)]
    stored = MetricHistory("price", "mean", tuple((key, 5.0) for key in [*keys[:4], "2026-02-04x", *keys[4:]]))
    course = insight().course("price", "mean", {"mean": stored})
    assert course is not None
    assert [point.partition for point in course.past if not point.learned] == ["2026-02-04x"]
    assert course.past[0].partition == "2026-01-30"
    assert sum(point.is_weekend for point in course.past) == 4


def test_without_a_program_that_judges_there_is_nothing_to_see():
    profile = profile_of(DAYS)
    assert Insight.of(None, profile, history()) is None
    assert Insight.of(program(), profile, ()) is None
    assert Insight.of(replace(program(), missing=2), profile, history()) is None


def test_the_next_partition_is_named_and_its_ranges_are_numbers():
    found = ahead_of(program(), history(), key_of(DAYS - 1))
    assert found is not None
    assert found.when == "Monday 2026-02-16"
    rows = found.expected[None][0]
    assert found.expected["price"]
    assert (rows.metric, " to " in rows.range) == ("number of rows", True)
    assert ahead_of(None, history(), None) is None


@pytest.mark.parametrize(
    ("keys", "following"),
    [
        (["2026-02-05", "2026-02-06"], "2026-02-12"),
        (["2026-02-05", "2026-02-06", "2026-02-09"], "2026-02-12"),
        (["2026-02-02T00", "2026-02-02T06", "2026-02-02T12"], "2026-02-02 18"),
        (["a", "b"], None),
        (["2026-01-01", "2026-02-01", "2026-03-01"], None),
    ],
)
def test_the_next_day_is_one_that_comes(keys, following):
    found = next_timestamp(keys)
    assert (None if found is None else f"{found:%Y-%m-%d %H}"[: len(following or "")]) == following
