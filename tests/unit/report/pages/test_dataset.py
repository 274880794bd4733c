from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from airflow_dq.judge.verdict import Status
from airflow_dq.learn.constraint.base import ColumnReport, Scope
from airflow_dq.learn.constraint.date_column import DateColumn
from airflow_dq.learn.constraint.date_part import DatePart
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.expect.expectation import Expectation, Forecast
from airflow_dq.learn.program import ColumnProgram, Program
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.report.ahead import ahead_of
from airflow_dq.report.pages import DatasetView, render_dataset
from airflow_dq.report.pages.program import catch_words, clause_words
from airflow_dq.states.base import Kind
from airflow_dq.store.review_model import MetricHistory
from tests.unit.learn.builder import a_range
from tests.unit.report import known
from tests.unit.report.pages.conftest import NOW, ORIGIN, Page, partition

MEAN = a_range("mean", 90.0, 110.0, column="price")


def moving(metric: str, lower: float | None, upper: float | None, **changes: Any) -> Range:
    """A range around what follows from the values before."""
    kind = changes.pop("kind", Kind.NUMERIC)
    return a_range(metric, lower, upper, column="price", expectation=Expectation(**changes), kind=kind)


@pytest.fixture
def view() -> DatasetView:
    program = Program(SynthesisOptions(), ("a", "b"), (MEAN,), {"price": ColumnReport(Kind.NUMERIC, 25, 24)})
    values = (("a", 99.0), ("b", None), ("c", 101.0))
    series = [MetricHistory(None, "row_count", (("a", 5.0),)), MetricHistory("price", "mean", values)]
    broken = partition("c", verdict=Status.FAIL, first_alert_id=4, alert_count=2)
    hidden = replace(broken, partition="b", first_alert_id=5, origins=(replace(ORIGIN, dag_id="secret"),))
    readable = frozenset({ORIGIN.dag_id})
    return DatasetView("orders", readable, [partition("a"), hidden, broken], series, ("c", program), (), NOW)


def test_the_page_tells_verdicts_movement_and_program(view, where):
    page = Page(render_dataset(view, where))
    assert "1 of the last 3 judged partitions passed; the newest, c, has 10 rows." in page.text
    assert "1 constraints, learned from 2 partitions, a to b, and used on c." in page.text
    assert "price mean: 90 to 110 catches" in page.text, "of the next partition nothing is known"
    assert "catches 24 of 25 simulated errors" in page.text


def test_while_it_warms_up_the_page_says_so_and_has_no_table_without_rows(view, where):
    young = Program(SynthesisOptions(), ("a",), (), {}, missing=6)
    page = Page(
        render_dataset(
            replace(view, partitions=[partition("a", verdict=Status.WARMING_UP)], program=("a", young)), where
        )
    )
    assert "The gate is warming up; the newest, a, has 10 rows." in page.text
    assert "6 more partitions are needed before ranges are learned." in page.text
    assert not page.all("table", class_="expected")


def test_the_newest_partition_s_columns_and_what_is_expected_of_the_next_are_tables(view, where, monkeypatch):
    monkeypatch.setenv("AIRFLOW_DQ_HASH_SECRET", "a secret of the tests")
    ahead = ahead_of(known.program(), known.history(), known.key_of(known.DAYS - 1))
    shown = replace(
        view,
        program=(known.key_of(known.DAYS), known.program()),
        newest=known.profile_of(known.DAYS),
        insight=known.insight(),
        ahead=ahead,
        judged_by=view.readable,
    )
    page = Page(render_dataset(shown, where))
    assert f"Columns of {known.key_of(known.DAYS)}" in page.text
    assert "What is expected of Monday 2026-02-16" in page.text
    assert "whole table number of rows 2" in page.text
    assert page.all(
        "a", href=f"/dq-alerts/dags/load%20orders/partition?dataset=orders&partition={shown.newest.partition}"
    )


def test_a_column_that_tells_the_date_says_so(view, where):
    partition_, program = view.program
    price = DateColumn(Scope(("price",)), Kind.NUMERIC, (DatePart("date", -1),), 1, True, (), 30)
    dated = replace(view, program=(partition_, replace(program, constraints=(*program.constraints, price))))
    assert "every value is the date of the day before" in Page(render_dataset(dated, where)).text


def test_each_partition_is_a_mark_that_leads_to_what_the_reader_may_see(view, where):
    page = Page(render_dataset(view, where))
    assert page.all("a", title="c: failed, 2 alerts", href="/dq-alerts/dags/load%20orders/alerts/4")
    assert page.all("a", title="a: passed", href="/dq-alerts/dags/load%20orders/partition?dataset=orders&partition=a")
    assert page.all("span", title="b: failed, 2 alerts")


def test_without_a_program_the_page_says_what_it_takes(view, where):
    assert "No program has been learned yet" in Page(render_dataset(replace(view, program=None), where)).text


def test_what_is_damaged_is_left_out_with_a_note(view, where):
    series = [replace(one, unreadable=("b",)) if one.column else one for one in view.series]
    page = Page(render_dataset(replace(view, series=series), where))
    assert "What is stored of price in partition b is damaged, and left out. Profile it again." in page.text
    assert "damaged" not in Page(render_dataset(view, where)).text
    text = Page(render_dataset(replace(view, program=("c", None)), where)).text
    assert "The program of partition c is damaged. The next gate makes it anew." in text
    assert "No program can be shown." in text


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        (MEAN, "mean: 90 to 110"),
        (a_range("zero_ratio", -0.2, 0.99), "share of zeros: at most 99%"),
        (a_range("complete_ratio", -0.2, 1.2, kind=Kind.STRING), None),
        (
            a_range("js_div", None, 0.25, kind=Kind.STRING),
            "Jensen-Shannon divergence from the partition before: at most 0.25",
        ),
        (
            moving("mean", -0.1, 0.1, forecast=Forecast.SEASON, logarithmic=True, cycle=7),
            "mean: 9.52% below to 10.5% above the median of up to 4 values, 7 partitions apart",
        ),
        (moving("mean", -3.0, 3.0, forecast=Forecast.LAST), "mean: within 3 of the partition before"),
        (
            moving("emd", None, 0.5, forecast=Forecast.DIFFERENCE, cycle=7),
            "earth mover's distance from the partition before: at most 0.5 above 7 partitions before",
        ),
        (
            moving("max", 500.0, 500.0, forecast=Forecast.DIFFERENCE, center=86_500.0, kind=Kind.TIMESTAMP),
            "max: 86,000\u00a0s above to 87,000\u00a0s above the partition before",
        ),
    ],
)
def test_a_range_is_a_sentence(clause: Range, words: str | None):
    if clause.metric == "max":
        clause = replace(clause, below=500.0)
    assert clause_words(clause) == words


def test_what_a_program_catches():
    def column(report: ColumnReport, *ranges: Range) -> ColumnProgram:
        return Program(SynthesisOptions(), (), ranges, {"price": report}).columns["price"]

    none = ColumnReport(Kind.STRING, reason="no values in the history")
    assert catch_words(column(none)) == "no values in the history"
    assert catch_words(column(ColumnReport(Kind.STRING), MEAN)).startswith("not measured")
