from __future__ import annotations

import json
from dataclasses import replace

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.fact import Fact
from airflow_dq.judge.verdict import Status
from airflow_dq.report.markdown import SHOWN, render_markdown, verdict_data

FACT = Fact("factor air_time", "air_time is 60 times too large", ("air_time",), 738, "Ask the supplier.")


def test_a_failed_partition_is_a_line_and_a_point_for_each_problem(alert: Alert, make_verdict):
    text = render_markdown("flights", make_verdict(replace(alert, fact=FACT)), "http://airflow/x y)")
    first, _, *points = text.splitlines()
    assert first == "❌ **[flights 2013-01-31](http://airflow/x%20y%29)**: fail, 1 problem"
    assert points[0] == r"- **air\_time is 60 times too large**"
    assert points[1] == "  Ask the supplier."
    assert points[2].startswith(r"  <sub>air\_time: mean was 9,061")


def test_names_neither_become_markup_nor_call_anybody(alert: Alert, make_verdict):
    evil = "@team <img> [x](http://y) `*\n# a"
    text = render_markdown(evil, make_verdict(replace(alert, column=evil, fact=replace(FACT, headline=evil))))
    assert "<img>" not in text
    assert "@team" not in text
    assert "](http" not in text
    assert not [line for line in text.splitlines() if line.startswith("#")]


def test_a_partition_that_passed_says_what_was_checked(make_verdict):
    assert render_markdown("flights", make_verdict()).startswith("✅ **flights 2013-01-31**: pass, ")
    late = make_verdict(status=Status.WARMING_UP, reason="3 of 7 partitions")
    assert render_markdown("flights", late) == "⚠️ **flights 2013-01-31**: warming up, 3 of 7 partitions\n"


def test_a_wholly_different_table_is_told_in_part(alert: Alert, make_verdict):
    many = [replace(alert, column=f"c{n}") for n in range(SHOWN + 5)]
    assert render_markdown("flights", make_verdict(*many)).splitlines()[-1] == "- and 5 more"


def test_the_data_is_strict_json_with_the_evidence(alert: Alert, make_verdict):
    data = json.loads(json.dumps(verdict_data("flights", make_verdict(replace(alert, fact=FACT))), allow_nan=False))
    (problem,) = data["problems"]
    assert (data["status"], data["headline"], problem["rows"]) == ("fail", FACT.headline, 738)
    (evidence,) = problem["evidence"]
    assert (evidence["column"], evidence["observed"], evidence["expected"]) == ("air_time", 9061.0, "148.2 to 156.9")
