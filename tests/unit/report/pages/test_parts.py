from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from airflow_dq.explain.alert import Change
from airflow_dq.judge.verdict import Status
from airflow_dq.report.pages.address import Addresses
from airflow_dq.report.pages.difference import difference
from airflow_dq.report.pages.mark import Badge, badge, is_good, legend_of, strip
from airflow_dq.report.pages.snooze import read_scope, scope_value, scopes
from airflow_dq.report.render import environment
from airflow_dq.report.sparkline import sparkline
from airflow_dq.report.svg import inline
from airflow_dq.report.words import distance_words
from airflow_dq.states.base import Kind
from airflow_dq.store.review_model import MetricHistory, Origin
from airflow_dq.store.summary import PartitionSummary
from tests.unit.report.pages.conftest import NOW, Page


@pytest.mark.parametrize(
    ("ago", "expected"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(minutes=5), "5 min ago"),
        (timedelta(hours=3), "3 h ago"),
        (timedelta(days=13), "13 d ago"),
        (timedelta(days=-2), "in 2 d"),
        (timedelta(days=30), "2026-01-30"),
    ],
)
def test_a_moment_is_told_by_its_distance(ago: timedelta, expected: str):
    assert distance_words(NOW - ago, NOW) == expected


def test_what_no_gate_has_judged_is_told_by_the_backtest_as_an_outline():
    past = PartitionSummary("1", 10, NOW, "succeeded", None, None, None, 0, replayed=Status.FAIL)
    judged = replace(past, verdict=Status.PASS)
    marks = strip([past, replace(past, replayed=Status.PASS), replace(past, replayed=None), judged], lambda _: None)
    assert [mark.colour for mark in marks] == ["bad would", "good would", "plain", "good"]
    assert marks[0].words == "1: not judged; by the backtest it would have failed"
    assert not is_good(replace(past, replayed=Status.PASS))


def test_the_legend_has_the_colours_that_are_there():
    judged = PartitionSummary("1", 10, NOW, "succeeded", None, Status.PASS, None, 0)
    marks = strip([judged, replace(judged, verdict=Status.FAIL, decision="rejected")], lambda _: None)
    assert legend_of(marks) == [("good", "passed"), ("bad decided", "rejected")]


@pytest.mark.parametrize(
    ("status", "severity", "decision", "expected"),
    [
        (Status.PASS, None, None, ("passed", "good")),
        (Status.FAIL, "fail", None, ("failed", "bad")),
        (Status.FAIL, "warn", None, ("warning", "warn")),
        (Status.FAIL, "fail", "accepted", ("accepted", "good")),
        (Status.FAIL, "fail", "new_normal", ("new normal", "good")),
        (Status.PASS, None, "rejected", ("rejected", "bad")),
        (Status.WARMING_UP, None, None, ("warming up", "wait")),
        (Status.ERROR, None, None, ("error", "bad")),
        (None, None, None, ("not judged", "plain")),
    ],
)
def test_a_person_s_word_goes_before_the_machine_s(status, severity, decision, expected):
    assert badge(status, severity, decision) == Badge(*expected)


def test_addresses_quote_every_name():
    where = Addresses("/team-a", version="v")
    assert where.alert("a/b?c", 3) == "/team-a/dq-alerts/dags/a%2Fb%3Fc/alerts/3"
    assert where.dataset("x&y=z") == "/team-a/dq-alerts/dataset?name=x%26y%3Dz"
    origin = Origin("d g", "run/1", "t", 4)
    assert where.task(origin) == "/team-a/dags/d%20g/runs/run%2F1/tasks/t/mapped/4"
    assert where.waiting(origin) == "/team-a/api/v2/dags/d%20g/dagRuns/run%2F1/taskInstances/t/4/hitlDetails"
    assert where.login("/team-a/dq-alerts/?a=1") == "/team-a/api/v2/auth/login?next=%2Fteam-a%2Fdq-alerts%2F%3Fa%3D1"


def test_changes_with_two_sides_stand_side_by_side():
    changes = (
        Change("history", "last values: 1, 2", "mean", 2.0),
        Change("value", "'us' appeared: 12.0%", "us", 0.0, 0.12, "'us'"),
        Change("value", "'eu' vanished: 30.0% before", "eu", 0.3, 0.0, "'eu'"),
        Change("value", "7 values are new: 20.0% of all, such as 'x'", None, 0.0, 0.2),
        Change("pattern", "'999' grew: 10.0% -> 90.0%", "ddd", 0.1, 0.9),
        Change("text", "zeros: 10.0%, before 5.00%", "zero_ratio", 0.05, 0.1, "zeros"),
        Change("missing", "null: 5 of 10 rows (50.0%), before 0%", "null", 0.0, 0.5),
        Change("rows", "rows: 10, before 100 (x0.1)", "row_count", 100.0, 10.0),
    )
    macros: Any = environment().get_template("macros/difference.html").module
    text = Page(macros.difference(difference(changes, Kind.STRING))).text
    assert "number of rows 100 10 x0.1" in text
    assert "null – 50.0% appeared" in text
    assert "'us' – 12.0% appeared" in text
    assert "'eu' 30.0% – vanished" in text
    assert "7 values are new: 20.0% of all, such as 'x'" in text
    assert "999 10.0% 90.0% +80.0 points" in text
    assert "zeros 5.00% 10.0% +5.0 points" in text
    assert "last values" not in text


def test_nothing_changed_makes_no_table():
    assert difference((Change("history", "last values: 1", "mean", 1.0),), Kind.NUMERIC) == []


@pytest.mark.parametrize("scope", [(None, None), ("a", None), (None, "mean"), ('"],', "mean")])
def test_a_scope_survives_the_form(scope: tuple[str | None, str | None]):
    assert read_scope(scope_value(*scope)) == scope


@pytest.mark.parametrize("text", ["", "{}", "[]", "[1, 2]", '["a"]', '["a", {}]', "null"])
def test_what_is_no_scope_is_refused(text: str):
    assert read_scope(text) is None


def test_what_can_be_snoozed_is_each_metric_each_column_and_everything(make_detail, alert):
    found = scopes(make_detail(alert).alerts)
    assert found == [("price", "mean"), ("price", None), (None, None)]


def test_a_sparkline_has_a_gap_where_there_is_no_value():
    values = (("a", 1.0), ("b", 2.0), ("c", None), ("d", 3.0), ("e", 4.0))
    line = sparkline(MetricHistory("x", "mean", values))
    assert inline(line.drawing).count("<polyline") == 2
    assert line.newest == "4"


def test_a_sparkline_does_not_pass_an_older_value_off_as_the_newest():
    line = sparkline(MetricHistory("x", "str_len", (("a", 16.0), ("b", 17.0), ("c", None))))
    html = inline(line.drawing)
    assert line.newest == "–"
    assert "16 to 17 in 2 partitions, now no value" in html
    assert 'class="last"' not in html


@pytest.mark.parametrize("values", [(), (("a", None),), (("a", 5.0),), (("a", 1e308), ("b", -1e308))])
def test_a_sparkline_of_anything_is_drawn(values):
    assert "nan" not in inline(sparkline(MetricHistory("x", "mean", values)).drawing)
