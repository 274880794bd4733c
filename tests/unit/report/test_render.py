from __future__ import annotations

import re
from datetime import UTC, datetime
from importlib.resources import files

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from airflow_dq.report.render import environment, render
from airflow_dq.report.svg import element, inline

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def printed(template: str, **view: object) -> str:
    return environment().from_string(template).render(view)


def test_a_name_that_the_view_does_not_have_is_an_error():
    with pytest.raises(UndefinedError, match="lede"):
        printed("{{ lede }}")
    with pytest.raises(UndefinedError):
        render("message.html", title="x")


def test_what_is_printed_is_escaped_and_can_be_carried():
    assert printed("<p>{{ name }}", name="<b>\x00&\"'") == "<p>&lt;b&gt;\ufffd&amp;&#34;&#39;"


def test_none_prints_nothing_and_zero_is_a_number():
    assert printed("{{ nothing }}|{{ zero }}", nothing=None, zero=0) == "|0"


def test_a_drawing_is_markup_and_its_names_are_text():
    drawing = element("svg", element("title", "<b>\x00"), viewBox="0 0 1 1", text_anchor='"end"')
    html = inline(drawing)
    assert isinstance(html, Markup)
    assert printed("{{ drawing | svg }}", drawing=drawing) == html
    assert html == '<svg viewBox="0 0 1 1" text-anchor="&quot;end&quot;"><title>&lt;b&gt;\ufffd</title></svg>'


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ at | distance(now) }}", "3 h ago"),
        ("{{ at | timestamp }}", "2026-03-01 09:00 UTC"),
        ("{{ at | iso }}", "2026-03-01T09:00:00+00:00"),
        ("{{ 1234567 | number }}", "1,234,567"),
        ("{{ 0.1234 | share }}", "12.3%"),
        ("{{ 0.1234 | share(0) }}", "12%"),
        ("{{ 1 | counted('closed alert') }}, {{ 2 | counted('closed alert') }}", "1 closed alert, 2 closed alerts"),
        ("{{ 'unit_change' | spaced }}", "unit change"),
    ],
)
def test_filters(template: str, expected: str):
    assert printed(template, at=datetime(2026, 3, 1, 9, tzinfo=UTC), now=NOW) == expected


def test_every_bar_has_a_width_of_its_own_in_the_style_sheet():
    from airflow_dq.report.pages.difference import _BAR_STEPS

    css = files("airflow_dq.report").joinpath("review.css").read_text(encoding="utf-8")
    assert {int(step) for step in re.findall(r"^\.w(\d+) ", css, re.MULTILINE)} == set(range(_BAR_STEPS + 1))
