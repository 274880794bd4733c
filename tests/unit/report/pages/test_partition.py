"""The page of any partition: its columns, what came near to an alarm, the comparison, and what is never shown."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from airflow_dq.profile import profile_table
from airflow_dq.report.course import Insight
from airflow_dq.report.histogram import bars_of, histogram
from airflow_dq.report.pages import PartitionView, render_partition
from airflow_dq.report.pages.column_table import column_rows
from airflow_dq.report.pages.contrast import contrast
from airflow_dq.report.pages.problem import render_alert
from airflow_dq.report.svg import inline
from airflow_dq.states.base import Kind
from airflow_dq.states.number import NumberDistribution
from airflow_dq.store.review_model import MetricHistory
from tests.unit.report.known import DAYS, SECRET, history, insight, key_of, profile_of, program, verdict
from tests.unit.report.pages.conftest import NOW, ORIGIN, Page, partition


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_HASH_SECRET", "a secret of the tests")


@pytest.fixture
def view() -> PartitionView:
    recent = [partition(key_of(day)) for day in range(DAYS + 1)]
    readable = frozenset({ORIGIN.dag_id})
    return PartitionView("orders", ORIGIN.dag_id, profile_of(DAYS), None, insight(), recent, readable, NOW)


def test_a_day_that_nobody_judged_has_a_page_with_its_columns(view, where):
    page = Page(render_partition(view, where))
    assert "No gate has judged this partition." in page.text
    assert f"Rows {view.profile.row_count}" in page.text
    assert "'de' " in page.text
    assert "'<us>'" not in page.text  # the third most frequent one
    assert "Nearest to an alarm" in page.text
    assert len(page.all("svg", class_="histogram")) == 1


def test_an_empty_day_has_a_page_that_tells_no_way_to_a_bound_that_zero_rows_have_none_of(view, where):
    none = {
        name: pa.array([], kind) for name, kind in (("price", "float64"), ("country", "string"), (SECRET, "float64"))
    }
    empty = profile_table(pa.table(none), partition=key_of(DAYS), options=view.profile.options)
    seen = Insight.of(program(), empty, history())
    page = Page(render_partition(replace(view, profile=empty, insight=seen), where))
    assert "Rows 0" in page.text
    assert "Nearest to an alarm" not in page.text
    assert "Over time" in page.text


def test_of_a_first_day_there_is_no_course(view, where):
    first = [MetricHistory("price", "mean", ((key_of(DAYS), 100.0),))]
    page = Page(render_partition(replace(view, insight=None, moves=first), where))
    assert "Over time" in page.text
    assert not page.all("span", class_="near-spark")


def test_what_comes_from_nothing_or_goes_to_nothing_stands_out():
    letters = [pa.table({"code": [text] * 50}) for text in ("abc", "ABC")]
    before, now = (profile_table(table, partition=key_of(day)) for day, table in enumerate(letters))
    found = contrast("code", now, before)
    assert found is not None
    changes = {line.words: (line.change, line.moved) for line in found.lines}
    assert changes["Upper-case letters"] == ("from 0", True)
    assert changes["Lower-case letters"] == ("to 0", True)
    assert changes["Digits"] == ("", False)


def test_any_other_partition_can_be_chosen_to_compare_with(view, where):
    page = Page(render_partition(view, where))
    assert [one["value"] for one in page.all("option")][:2] == ["", key_of(DAYS - 1)]
    assert page.all("form", method="get", action="/dq-alerts/dags/load%20orders/partition")
    compared = Page(render_partition(replace(view, other=profile_of(3, 10.0)), where))
    assert f"Compared with {key_of(3)}" in compared.text
    assert "x0.1" in compared.text
    assert [one["value"] for one in compared.all("option", selected="selected")] == [key_of(3)]


def test_no_value_of_a_hidden_column_is_shown(view, make_view, make_detail, where):
    broken = profile_of(DAYS, 10.0)
    shown = replace(view, profile=broken, insight=insight(10.0), other=profile_of(3))
    row = next(row for row in column_rows(broken, None, None, ()) if row.name == SECRET)
    assert (row.low, row.middle, row.high, row.picture) == ("hidden", "hidden", "hidden", None)
    found = contrast(SECRET, broken, profile_of(3), history())
    assert found is not None
    assert found.picture is None
    assert not {"Mean", "Median", "Smallest", "Largest"} & {line.words for line in found.lines}
    text = Page(render_partition(shown, where)).text
    assert "432" not in text.replace("2026", "")
    detail = replace(make_detail(), verdict=verdict(10.0))
    problem = Page(render_alert(make_view(detail, profile=broken, insight=insight(10.0)), where)).text
    assert "Smallest" in problem  # of the price


def test_the_problem_page_shows_the_column_as_usual_before_and_now(make_view, make_detail, where):
    detail = replace(make_detail(), verdict=verdict(10.0))
    html = render_alert(make_view(detail, profile=profile_of(DAYS, 10.0), insight=insight(10.0)), where)
    page = Page(html)
    assert "usual before now change" in page.text
    assert "Rows 3" in page.text
    assert html.count('class="weekend"') >= 4
    assert page.all("svg", class_="chart histogram")


def test_what_is_no_longer_kept_is_said(view, where):
    columns = {name: replace(column, states={}) for name, column in view.profile.columns.items()}
    old = replace(view, profile=replace(view.profile, columns=columns), insight=None)
    text = Page(render_partition(old, where)).text
    assert "The distributions of this partition are no longer kept; its metrics are." in text
    assert "Nearest to an alarm:" not in text


def test_columns_that_failed_come_first():
    rows = column_rows(profile_of(DAYS, 10.0), verdict(10.0), insight(10.0), ())
    assert rows[0].badge is not None
    assert (rows[0].name, rows[0].badge.words) == ("price", "fail")
    assert rows[0].near is not None
    assert rows[0].near.percent == "alarm"


@pytest.mark.parametrize("values", [[5.0], [0.0, 0.0], [-1.0, 1e300], [1e-300, 1e300], list(range(500))])
def test_a_histogram_of_anything_is_drawn(values):
    import numpy as np

    state = NumberDistribution.from_counts(np.array(values, float), np.ones(len(values), np.int64))
    bars = bars_of(state, None)
    assert bars is not None
    assert bars.now.sum() == pytest.approx(1.0)
    assert "nan" not in inline(histogram(bars, Kind.NUMERIC, "x", 460, 150))
    assert bars_of(NumberDistribution(), None) is None
