from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from airflow_dq.explain.alert import Alert, Change
from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.report import render_page, write_report


class Outline(HTMLParser):
    """What a browser makes of the page: its elements, and their text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self._in_style = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._in_style = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False

    def handle_data(self, data: str) -> None:
        if not self._in_style:
            self.text += data


def test_page_shows_every_verdict_and_a_card_per_alert(alert: Alert, make_verdict):
    clean = make_verdict(partition="2013-01-30")
    broken = make_verdict(alert, replace(alert, metric="median", statement="median was 9,000."))
    outline = Outline(render_page([("flights", clean), ("flights", broken)]))
    assert outline.tags.count("article") == 2
    assert outline.tags.count("svg") == 4  # each chart for wide and for narrow screens
    for text in ("2013-01-30", "2013-01-31", alert.message, "air_time: median was 9,000.", "148.2 to 156.9"):
        assert text in outline.text
    assert "1 of 2 partitions passed; 2 problems." in outline.text
    # The problems stand above their evidence.
    assert outline.tags.count("li") >= len(broken.problems)
    assert all(outline.text.count(problem.headline) >= 1 for problem in broken.problems)
    assert "1,970 times the largest deviation in 30 partitions since 2013-01-01" in outline.text


def test_names_from_the_data_stay_text(alert: Alert, make_verdict):
    hostile = '"><script>alert(1)</script>&amp;'
    verdict = make_verdict(replace(alert, column=hostile, statement=hostile), partition=hostile)
    outline = Outline(render_page([(hostile, verdict)]))
    assert "script" not in outline.tags
    assert outline.text.count(hostile) >= 4


def test_page_fetches_nothing_and_runs_nothing(alert: Alert, make_verdict):
    page = render_page([("flights", make_verdict(alert))])
    outline = Outline(page)
    assert not {"script", "img", "link", "iframe", "object"} & set(outline.tags)
    assert not re.search(r"(?i)url\(|@import|https?://", page)
    assert not [name for name, _ in outline.attributes if name.startswith("on") or name == "src"]


def test_an_alert_about_the_schema_has_no_chart(make_verdict):
    alert = Alert("column_missing", "minute", "the column is missing.")
    outline = Outline(render_page([("flights", make_verdict(alert))]))
    assert "svg" not in outline.tags
    assert "column missing" in outline.text


def test_range_of_a_moving_metric_is_said_to_hold_now(alert: Alert, make_verdict):
    assert "Expected now" in Outline(render_page([("flights", make_verdict(replace(alert, moving=True)))])).text
    assert "Expected now" not in Outline(render_page([("flights", make_verdict(alert))])).text


def test_a_verdict_that_judged_nothing_says_why(make_verdict):
    verdict: Verdict = make_verdict(status=Status.WARMING_UP, reason="3 of 7 partitions; 4 more are needed")
    outline = Outline(render_page([("flights", verdict)]))
    assert "warming up" in outline.text
    assert "4 more are needed" in outline.text


def test_report_is_written_as_utf8_into_a_new_folder(tmp_path: Path, alert: Alert, make_verdict):
    file = tmp_path / "new" / "report.html"
    write_report(file, [("flüge", make_verdict(alert))])
    assert "flüge" in file.read_bytes().decode("utf-8")


def test_the_same_verdicts_give_the_same_page(alert: Alert, make_verdict):
    verdicts = [("flights", make_verdict(alert))]
    assert render_page(verdicts) == render_page(verdicts)


def test_a_card_shows_the_cause_and_what_changed(alert: Alert, make_verdict):
    cause = "change of unit, x60"
    told = replace(alert, cause=cause, cause_stated=True, changes=(Change("value", "'<us>' appeared: 12.0%"),))
    html = render_page([("flights", make_verdict(told))])
    assert "<strong>change of unit, x60</strong>" in html
    assert "<li>values: &#39;&lt;us&gt;&#39; appeared: 12.0%</li>" in html
    assert 'class="moved"' in render_page([("flights", make_verdict(replace(told, root=False)))])


def test_a_cause_that_the_sentence_names_is_not_said_twice(alert: Alert, make_verdict):
    told = replace(alert, statement="odd.", cause="change of unit, x60")
    assert "<strong>" not in render_page([("flights", make_verdict(told))])
