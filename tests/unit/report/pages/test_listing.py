from __future__ import annotations

from dataclasses import replace

import pytest

from airflow_dq.report.pages import ListView, render_list
from airflow_dq.store.review_model import AlertFilter
from airflow_dq.store.summary import DatasetSummary
from tests.unit.report.pages.conftest import NOW, Page


@pytest.fixture
def view(make_detail) -> ListView:
    orders = DatasetSummary("orders", 30, "2026-02-28", NOW, 4, 2)
    calm = DatasetSummary("calm", 9, None, None)
    return ListView([make_detail().partition], AlertFilter(state="open"), [calm, orders], None, None, True, NOW)


def test_a_row_leads_to_its_alert_and_says_what_and_when(view, where):
    page = Page(render_list(view, where))
    assert page.all("a", href="/dq-alerts/dags/load%20orders/alerts/11")
    assert "orders 2026-02-28 Looks like change of unit, x10. price: mean was 1,000" in page.text
    assert "failed 1 alert · 2 h ago" in page.text
    assert "2 partitions wait for a decision in 2 datasets." in page.text


def test_the_filters_show_what_is_chosen(view, where):
    page = Page(render_list(replace(view, chosen=AlertFilter(dataset="orders", severity="warn")), where))
    assert [option["value"] for option in page.all("option", selected="selected")] == ["all", "warn"]
    assert page.all("input", name="dataset", value="orders")


def test_the_next_page_keeps_the_filters(view, where):
    page = Page(
        render_list(replace(view, chosen=AlertFilter(dataset="a&b", state="open"), older=7, first=False), where)
    )
    assert page.all("a", href="/dq-alerts/alerts?dataset=a%26b&state=open&before=7")
    assert page.all("a", href="/dq-alerts/alerts?dataset=a%26b&state=open")


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (AlertFilter(state="open"), "Nothing waits for you"),
        (AlertFilter(state="open", dataset="orders"), "matches these filters"),
    ],
)
def test_an_empty_list_says_so(view, where, chosen, words):
    assert words in Page(render_list(replace(view, rows=[], chosen=chosen), where)).text


def test_a_repaired_partition_is_closed_and_not_failed(view, make_detail, where):
    repaired = replace(view, rows=[make_detail(open_count=0).partition])
    assert "closed 1 alert" in Page(render_list(repaired, where)).text


def test_a_decided_row_says_who_decided(view, make_detail, where):
    decided = make_detail(decision="accepted", decided_by="ann", open_count=0).partition
    assert "accepted by ann 1 alert" in Page(render_list(replace(view, rows=[decided]), where)).text


def test_without_any_dataset_the_page_says_why_it_is_empty(view, where):
    text = Page(render_list(replace(view, rows=[], datasets=[]), where)).text
    assert "No gate has judged a partition of any dataset that you may see." in text
