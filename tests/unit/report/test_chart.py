from __future__ import annotations

from dataclasses import replace
from xml.etree.ElementTree import Element, fromstring

import pytest

from airflow_dq.explain.alert import Alert
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.report.chart import history_chart, standalone_chart

SVG = "{http://www.w3.org/2000/svg}"


def by_class(chart: Element, name: str) -> list[Element]:
    return [node for node in chart.iter() if node.get("class") == name]


def test_chart_has_a_dot_per_past_partition_and_one_for_this_one(alert: Alert):
    chart = history_chart(alert, "2013-01-31")
    assert len(by_class(chart, "past")) == 30
    (now,) = by_class(chart, "now")
    assert now.findtext("title") == "2013-01-31: 9,061"
    assert chart.findtext("title") == alert.message


def test_the_observed_value_is_drawn_last_and_above_the_band(alert: Alert):
    chart = history_chart(alert, "2013-01-31")
    (now,), (band,) = by_class(chart, "now"), by_class(chart, "band")
    assert float(now.get("cx", 0)) > max(float(dot.get("cx", 0)) for dot in by_class(chart, "past"))
    assert float(now.get("cy", 0)) < float(band.get("y", 0))


def test_past_values_inside_the_bounds_lie_inside_the_band(alert: Alert):
    chart = history_chart(replace(alert, observed=190.0), "2013-01-31")
    (band,) = by_class(chart, "band")
    top = float(band.get("y", 0))
    bottom = top + float(band.get("height", 0))
    assert all(top < float(dot.get("cy", 0)) < bottom for dot in by_class(chart, "past"))


def test_a_bound_of_one_side_reaches_the_edge_of_the_plot(alert: Alert):
    chart = history_chart(replace(alert, lower=None), "2013-01-31", height=230)
    (band,) = by_class(chart, "band")
    assert float(band.get("y", 0)) + float(band.get("height", 0)) == pytest.approx(200)
    assert len(by_class(chart, "edge")) == 1


def test_bounds_that_move_are_drawn_beside_this_partition_only(alert: Alert):
    (fixed,) = by_class(history_chart(alert, "2013-01-31"), "band")
    (moving,) = by_class(history_chart(alert, "2013-01-31", moving=True), "band")
    assert float(moving.get("width", 0)) < float(fixed.get("width", 0)) / 10


def test_a_gap_in_the_history_interrupts_the_line(alert: Alert):
    history = tuple((day, None if place == 10 else value) for place, (day, value) in enumerate(alert.history))
    chart = history_chart(replace(alert, history=history), "2013-01-31")
    assert len(by_class(chart, "series")) == 2
    assert len(by_class(chart, "past")) == 29


def test_a_missing_value_is_a_cross_with_its_reason(alert: Alert):
    chart = history_chart(replace(alert, observed=Reason.NO_VALUES), "2013-01-31")
    assert not by_class(chart, "now")
    assert len(by_class(chart, "cross")) == 1
    assert "no values" in [node.text for node in by_class(chart, "seen")]


def test_a_logarithmic_axis_says_so(alert: Alert):
    texts = [node.text for node in history_chart(alert, "2013-01-31").iter("text")]
    assert "log scale" in texts
    near = [node.text for node in history_chart(replace(alert, observed=190.0), "2013-01-31").iter("text")]
    assert "log scale" not in near


def test_a_file_of_its_own_parses_and_follows_light_and_dark(alert: Alert):
    hostile = replace(alert, statement="\x00 <b> & \ud800")
    root = fromstring(standalone_chart(hostile, "2013-01-31"))
    assert root.tag == f"{SVG}svg"
    assert root.findtext(f"{SVG}title") == r"air_time: \x00 <b> & \ud800"
    assert (root.get("width"), root.get("height")) == ("300", "120")
    assert "light-dark(" in (root.findtext(f"{SVG}style") or "")


def test_an_alert_without_history_still_makes_a_chart(alert: Alert):
    chart = history_chart(replace(alert, history=(), lower=None, upper=None), None)
    assert len(by_class(chart, "now")) == 1
