from __future__ import annotations

from dataclasses import replace

import pytest

from airflow_dq.judge.verdict import Status
from airflow_dq.learn.constraint.date_column import CalendarPart
from airflow_dq.learn.constraint.range import Clause
from airflow_dq.learn.program import ColumnProgram, Program, TableProgram
from airflow_dq.metrics.descriptor import Bound
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.report.pages import DatasetView, render_dataset
from airflow_dq.report.pages.program import catch_words, clause_words
from airflow_dq.states.base import Kind
from airflow_dq.store.review_model import MetricHistory
from tests.unit.report.pages.conftest import NOW, ORIGIN, Page, partition

MEAN = Clause("mean", "price", False, Transform(), 90.0, 110.0, 1e-3, Bound.STUDENT_T, 100.0, 2.0, 30)
WEEKLY = Transform(TransformKind.LOG_DIFF, 7, 2)


@pytest.fixture
def view() -> DatasetView:
    price = ColumnProgram("price", Kind.NUMERIC, (MEAN,), variants=25, coverage=24)
    program = Program(SynthesisOptions(), ("a", "b"), TableProgram(), {"price": price})
    values = (("a", 99.0), ("b", None), ("c", 101.0))
    series = [MetricHistory(None, "row_count", (("a", 5.0),)), MetricHistory("price", "mean", values)]
    broken = partition("c", verdict=Status.FAIL, first_alert_id=4, alert_count=2)
    hidden = replace(broken, partition="b", first_alert_id=5, origin=replace(ORIGIN, dag_id="secret"))
    readable = frozenset({ORIGIN.dag_id})
    return DatasetView("orders", readable, [partition("a"), hidden, broken], series, ("c", program), (), NOW)


def test_the_page_tells_verdicts_movement_and_program(view, where):
    page = Page(render_dataset(view, where))
    assert "1 of the last 3 judged partitions passed; the newest, c, has 10 rows." in page.text
    assert "1 clauses, learned from 2 partitions, a to b, and used on c." in page.text
    assert "mean: 90 to 110" in page.text
    assert "catches 24 of 25 simulated errors" in page.text
    assert "mean: 99 to 101 in 2 partitions, now 101" in page.text


def test_a_column_that_tells_the_date_says_so(view, where):
    partition_, program = view.program
    price = replace(program.columns["price"], calendar=(CalendarPart("date", -1, True),))
    dated = replace(view, program=(partition_, replace(program, columns={"price": price})))
    assert "every value is the date of the day before" in Page(render_dataset(dated, where)).text


def test_each_partition_is_a_mark_that_leads_to_what_the_reader_may_see(view, where):
    page = Page(render_dataset(view, where))
    assert page.all("a", title="c: failed, 2 alerts", href="/dq-alerts/dags/load%20orders/alerts/4")
    assert page.all("a", title="a: passed", href="/dq-alerts/dags/load%20orders/partition?dataset=orders&partition=a")
    assert page.all("span", title="b: failed, 2 alerts")


def test_without_a_program_the_page_says_what_it_takes(view, where):
    assert "No program has been learned yet" in Page(render_dataset(replace(view, program=None), where)).text


@pytest.mark.parametrize(
    ("clause", "kind", "words"),
    [
        (MEAN, Kind.NUMERIC, "mean: 90 to 110"),
        (
            replace(MEAN, metric="zero_ratio", lower=-0.2, upper=0.99),
            Kind.NUMERIC,
            "share of zeros: at most 99%",
        ),
        (replace(MEAN, metric="complete_ratio", lower=-0.2, upper=1.2), Kind.STRING, None),
        (
            replace(MEAN, metric="js_div", pair=True, lower=None, upper=0.25),
            Kind.STRING,
            "Jensen-Shannon divergence from the partition before: at most 0.25",
        ),
        (
            replace(MEAN, transform=WEEKLY, lower=-0.1, upper=0.1),
            Kind.NUMERIC,
            "mean: 9.52% below to 10.5% above the median of 7 and 14 partitions before",
        ),
        (
            replace(MEAN, transform=Transform(TransformKind.DIFF, 1), lower=-3.0, upper=3.0),
            Kind.NUMERIC,
            "mean: within 3 of the partition before",
        ),
        (
            replace(MEAN, metric="emd", pair=True, transform=Transform(TransformKind.DIFF, 7), lower=None, upper=0.5),
            Kind.NUMERIC,
            "earth mover's distance from the partition before: at most 0.5 above 7 partitions before",
        ),
        (
            replace(MEAN, metric="max", transform=Transform(TransformKind.DIFF, 1), lower=86000.0, upper=87000.0),
            Kind.TIMESTAMP,
            "max: 86,000\u00a0s above to 87,000\u00a0s above the partition before",
        ),
    ],
)
def test_a_clause_is_a_sentence(clause: Clause, kind: Kind, words: str | None):
    assert clause_words(clause, kind) == words


def test_what_a_program_catches():
    none = ColumnProgram("note", Kind.STRING, (), 0, 0, reason="no values in the history")
    assert catch_words(none) == "no values in the history"
    assert catch_words(ColumnProgram("note", Kind.STRING, (MEAN,), 0, 0)).startswith("not measured")
