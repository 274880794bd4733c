"""What a day out of the ordinary excuses: ranges, and never what was not looked at, not there, or declared."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.lines import marked
from airflow_dq.gate.conclusion import conclude
from airflow_dq.judge.calendar import CalendarEvent, apply_events, is_excused
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.states.base import Kind

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY = "2026-11-27"
EVENT = CalendarEvent(1, "orders", "Black Friday", "promotion", "expected", DAY, "2026-11-30", "ann", None, NOON)
LAST_YEAR = replace(EVENT, id=2, name="black friday", first="2025-11-28", last="2025-11-28")
ROWS = Alert("range", None, "900 rows.", metric="row_count", observed=900.0, kind=Kind.NUMERIC)
MEAN = Alert("range", "price", "mean 3.", metric="mean", observed=3.0, kind=Kind.NUMERIC)


def verdict(*alerts: Alert, status: Status = Status.FAIL, partition: str = DAY) -> Verdict:
    return Verdict(partition, status, ScopeVerdict(status), {}, alerts=alerts)


@pytest.mark.parametrize(
    ("key", "covered"),
    [("2026-11-26", False), (DAY, True), ("2026-11-27T05:00", True), ("2026-11-30T23:00:00", True),
     ("2026-11-30", True), ("2026-12-01", False), ("2026-11-3", False)],
)  # fmt: skip
def test_an_event_covers_its_days_and_their_hours(key: str, covered: bool) -> None:
    assert EVENT.covers(key) is covered


def test_ranges_are_excused_and_name_the_event_and_the_one_before() -> None:
    found = apply_events(verdict(ROWS, MEAN), [EVENT, LAST_YEAR])
    assert [alert.severity for alert in found.alerts] == ["warn", "warn"]
    words = "the promotion 'Black Friday' (2026-11-27 to 2026-11-30, expected; before that on 2025-11-28)"
    assert all(f"(On {words}.)" in alert.message for alert in found.alerts)
    assert found.notes == (f"The partition lies on {words}.",)
    assert marked(found.problems[0]).endswith(f"(on {words})")
    # The verdict stays what was found, so that the partition is not learned from.
    assert (found.status, found.only_warns) == (Status.FAIL, False)
    done = conclude("orders", found, "fail")
    assert (done.outcome, done.to_dict()["notes"]) == ("warn", list(found.notes))


@pytest.mark.parametrize(
    "alert",
    [
        Alert("column_missing", "price", "gone."),
        Alert("check", "price", "asked.", metric="mean", observed=3.0, kind=Kind.NUMERIC),
        Alert("pattern", "sku", "odd.", metric="pattern", observed=0.9, kind=Kind.STRING),
        Alert("relation", None, "broken.", metric="relation", observed=0.9),
        Alert("first_occurrence", "price", "negative.", metric="negative_ratio", observed=0.1, kind=Kind.NUMERIC),
        Alert("outsized_value", "price", "huge.", metric="max", observed=1e9, kind=Kind.NUMERIC),
        replace(ROWS, observed=0.0),
        replace(MEAN, observed=Reason.NO_VALUES),
        replace(MEAN, observed=None),
        replace(MEAN, metric="complete_ratio", observed=0.2),
        replace(MEAN, metric="complete_ratio", observed=0.2, kind=Kind.STRING),
    ],
    ids=lambda alert: f"{alert.rule} {alert.metric} {alert.observed}",
)
def test_nothing_else_is_excused(alert: Alert) -> None:
    assert not is_excused(alert)
    found = apply_events(verdict(alert, MEAN), [EVENT])
    assert [one.severity for one in found.alerts] == ["fail", "warn"]
    assert all(one.event for one in found.alerts)
    assert conclude("orders", found, "fail").outcome == "fail"


@pytest.mark.parametrize("status", [Status.NOT_EVALUATED, Status.ERROR])
def test_what_was_not_judged_does_not_pass_on_any_day(status: Status) -> None:
    found = apply_events(verdict(status=status), [EVENT])
    assert found.status is status
    assert conclude("orders", found, "warn").outcome == "fail"


def test_a_day_that_is_left_out_is_judged_like_any_other() -> None:
    found = apply_events(verdict(MEAN), [replace(EVENT, effect="left_out")])
    assert found.alerts[0].severity == "fail"
    assert "left out of the history" in found.alerts[0].message


def test_another_day_is_as_it_was() -> None:
    other = verdict(MEAN, partition="2026-11-01")
    assert apply_events(other, [EVENT, LAST_YEAR]) is other
