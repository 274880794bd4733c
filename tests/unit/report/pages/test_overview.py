from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from airflow_dq.judge.verdict import Status
from airflow_dq.report.pages import Overview, render_overview
from airflow_dq.report.pages.overview import late_words, usual_rows
from airflow_dq.report.pages.strip import MARKS, strip_drawing
from airflow_dq.report.svg import inline
from airflow_dq.store.summary import DatasetOverview, OpenProblem, PartitionMark
from tests.unit.report.pages.conftest import NOW, Page


def mark(day: int, rows: int = 100, status: Status = Status.PASS, **changes: Any) -> PartitionMark:
    return replace(PartitionMark(f"2026-02-{day:02d}", rows, status, None, None), **changes)


def dataset(name: str, *marks: PartitionMark, **changes: Any) -> DatasetOverview:
    return replace(DatasetOverview(name, marks, NOW - timedelta(hours=3)), **changes)


CALM = dataset("calm", *(mark(day, 90 + day) for day in range(1, 11)))
PROBLEM = OpenProblem("2026-02-11", "price is 10 times too large", 7, "load", 3, "fail")
BROKEN = dataset("broken", *CALM.marks, mark(11, 900, Status.FAIL, severity="fail", alert_count=2), problem=PROBLEM)


def test_what_is_open_comes_first_and_leads_to_its_page(where):
    page = Page(render_overview(Overview([CALM, BROKEN], NOW), where))
    assert page.text.index("broken") < page.text.index("calm")
    assert "1 of 2 datasets needs a decision." in page.text
    assert "price is 10 times too large and 2 more partitions" in page.text
    assert page.all("a", href="/dq-alerts/dags/load/alerts/7")
    assert page.all("a", href="/dq-alerts/dataset?name=broken")
    assert "2026-02-11 3 h ago 900 rows usual 91 to 100 2026-02-10" in page.text


def test_the_rows_that_the_script_hides_are_hidden_without_it(where):
    page = Page(render_overview(Overview([CALM, BROKEN], NOW, state="open"), where))
    assert ["hidden" in row for row in page.all("tr") if "data-states" in row] == [False, True]
    page = Page(render_overview(Overview([CALM, BROKEN], NOW, search="CAL"), where))
    assert ["hidden" in row for row in page.all("tr") if "data-states" in row] == [True, False]


def test_states_are_counted(where):
    page = Page(render_overview(Overview([CALM, BROKEN, replace(CALM, failed="2026-02-12")], NOW), where))
    assert "All 3 Needs a decision 1 Late 0 Not good now 2 Fine 1" in page.text
    assert "2026-02-12 could not be profiled" in page.text


def test_late_is_what_takes_longer_than_it_ever_did():
    assert late_words(CALM, NOW) == ""
    assert late_words(replace(CALM, profiled_at=NOW - timedelta(hours=35)), NOW) == ""
    assert (
        late_words(replace(CALM, profiled_at=NOW - timedelta(hours=37)), NOW) == "nothing for 37 h, at most 24 h so far"
    )
    weekdays = dataset("weekdays", *(mark(day) for day in (2, 3, 4, 5, 6, 9, 10)), profiled_at=NOW - timedelta(days=3))
    assert late_words(weekdays, NOW) == ""
    assert late_words(dataset("names", *(replace(mark(1), partition=name) for name in "abcdef")), NOW) == ""


def test_usual_rows_are_those_of_good_partitions():
    assert usual_rows(BROKEN.marks) == (91, 100)
    assert usual_rows(BROKEN.marks[:3]) is None


@pytest.mark.parametrize("number", [0, 1, MARKS, MARKS + 5])
def test_a_strip_has_as_many_marks_as_partitions_and_names_the_odd_ones(number):
    marks = [mark(1 + place % 28, status=Status.FAIL if place % 7 == 3 else Status.PASS) for place in range(number)]
    drawing = inline(strip_drawing(marks))
    assert drawing.count("M") + drawing.count("<rect") == min(number, MARKS)
    assert drawing.count(": failed</title>") == sum(one.verdict is Status.FAIL for one in marks[-MARKS:])


def test_a_strip_shows_what_a_backtest_has_said_of_what_was_not_judged():
    unjudged = replace(mark(1), verdict=None)
    said = (Status.WARMING_UP, Status.PASS, Status.FAIL, None)
    drawing = inline(strip_drawing([*(replace(unjudged, replayed=one) for one in said), mark(2)]))
    assert "1 warming up, 1 would have passed, 1 would have failed, 1 not judged, 1 passed" in drawing
    assert 'class="good would"' in drawing
    assert 'class="bad would"' in drawing
    assert "2026-02-01: would have failed</title>" in drawing


def test_hostile_names_stay_text(where):
    evil = "<script>alert(1)</script>"
    html = render_overview(Overview([replace(BROKEN, name=evil, problem=replace(PROBLEM, headline=evil))], NOW), where)
    assert "<script>alert" not in html


def test_without_any_dataset_the_page_says_why_it_is_empty(where):
    assert "No gate has judged a partition of any dataset that you may see." in render_overview(
        Overview([], NOW), where
    )
