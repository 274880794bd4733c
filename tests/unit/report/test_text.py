from __future__ import annotations

from dataclasses import replace

from airflow_dq.explain.alert import Alert, Change
from airflow_dq.explain.record import Record
from airflow_dq.gate.conclusion import conclude
from airflow_dq.judge.verdict import Status
from airflow_dq.report import render_text
from airflow_dq.report.markdown import render_markdown
from airflow_dq.report.pages.mark import Badge, badge, machine_badge


def test_table_has_a_row_per_partition_and_a_headline_per_problem(alert: Alert, make_verdict):
    text = render_text([("flights", make_verdict(partition="2013-01-30")), ("flights", make_verdict(alert))], width=100)
    assert text.splitlines() == [
        "PARTITION   VERDICT  FINDING",
        "2013-01-30  pass     1 constraint on 1 column hold",
        "2013-01-31  fail     1 problem in 1 column",
        "                     - air_time: mean was 9,061; expected 148.2 to 156.9",
    ]


def test_sentences_wrap_under_themselves(alert: Alert, make_verdict):
    text = render_text([("flights", make_verdict(alert))], width=60)
    assert all(len(line) <= 60 for line in text.splitlines())
    assert "                       148.2 to 156.9" in text.splitlines()


def test_several_datasets_are_named(alert: Alert, make_verdict):
    text = render_text([("flights", make_verdict()), ("weather", make_verdict())], width=100)
    assert [line.split()[0] for line in text.splitlines()] == ["DATASET", "flights", "weather"]


def test_a_verdict_without_judgement_says_why(make_verdict):
    verdict = make_verdict(status=Status.WARMING_UP, reason="3 of 7 partitions; 4 more are needed")
    assert "warming up" in render_text([("flights", verdict)], width=100)
    assert "4 more are needed" in render_text([("flights", verdict)], width=100)


def test_control_characters_do_not_reach_the_terminal(alert: Alert, make_verdict):
    hostile = replace(alert, statement="\x1b[31mred\x07")
    assert "\x1b" not in render_text([("flights", make_verdict(hostile))], width=100)


def test_nothing_to_show_is_a_header():
    assert render_text([], width=100) == "PARTITION  VERDICT  FINDING\n"


def test_what_changed_is_listed_below_the_headline(alert: Alert, make_verdict):
    told = replace(
        alert, changes=(Change("quantile", "median 150 -> 9,000 (x60)"), Change("rows", "rows: 1, before 2"))
    )
    lines = render_text([("flights", make_verdict(told))], width=100).splitlines()
    assert [line.strip() for line in lines[3:]] == ["quantiles: median 150 -> 9,000 (x60)", "rows: 1, before 2"]


def test_how_reliable_the_gate_has_been_stands_below_the_problems(alert: Alert, make_verdict):
    verdict = replace(make_verdict(alert), record=Record(45, accepted=1))
    text = render_text([("orders", verdict)], width=400)
    assert (
        text.splitlines()[-1]
        .strip()
        .startswith("Of the last 45 partitions judged, 1 alarmed and was accepted as right")
    )


def test_what_only_warns_is_a_warning_in_every_text(alert: Alert, make_verdict):
    soft = make_verdict(replace(alert, severity="warn"))
    assert render_text([("flights", soft)], width=100).splitlines()[1].startswith("2013-01-31  warning  1 problem")
    assert render_markdown("flights", soft).startswith("⚠️ **flights 2013-01-31**: warning, 1 problem")
    assert machine_badge(soft.status, soft.severity) == Badge("warning", "warn")
    assert badge(soft.status, soft.severity, None) == Badge("warning", "warn")
    assert conclude("flights", soft, "fail").message.splitlines()[0].endswith(": warning, goes on; 1 problem:")


def test_one_alert_that_stops_the_gate_makes_it_a_failure(alert: Alert, make_verdict):
    mixed = make_verdict(replace(alert, severity="warn"), replace(alert, column="dep_time"))
    assert (mixed.severity, mixed.column_severity("air_time")) == ("fail", "warn")
    # What failed and cannot say by what is no case of warnings only.
    assert make_verdict(status=Status.FAIL).severity == "fail"
    assert (make_verdict().severity, make_verdict().column_severity("dep_time")) == (None, None)
