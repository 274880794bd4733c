"""A backtest on the terminal and as a page, from a result made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from airflow_dq.backtest.model import (
    BacktestResult,
    ColumnOutcome,
    FiredClause,
    PartitionOutcome,
    Recall,
    Suggestion,
    TargetOutcome,
)
from airflow_dq.backtest.summary import rate
from airflow_dq.explain.alert import Alert
from airflow_dq.judge.verdict import Status
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.report.backtest_text import render_backtest
from airflow_dq.report.pages.backtest import CARDS, render_backtest_page, write_backtest


@pytest.fixture
def result(alert: Alert) -> BacktestResult:
    """Seven days of warming up, three that pass, an alarm, an unreadable day, two that pass."""
    states = [Status.WARMING_UP] * 7 + [Status.PASS] * 3 + [Status.FAIL, Status.ERROR] + [Status.PASS] * 2
    outcomes = [
        PartitionOutcome(f"2013-02-{place + 1:02d}", 1000 + place, status, columns=3)
        for place, status in enumerate(states)
    ]
    second = replace(alert, metric="max", statement="max was 99,999.")
    outcomes[10] = replace(outcomes[10], alerts=(alert, second))
    outcomes[11] = replace(outcomes[11], rows=None, reason="The file is cut off.", columns=0)
    return BacktestResult(
        dataset="flights",
        options=SynthesisOptions(),
        accept_after=2,
        partitions=tuple(outcomes),
        false_alarms=rate(1, 6),
        columns=(
            ColumnOutcome("air_time", rate(1, 6)),
            ColumnOutcome(None, rate(0, 6)),
            ColumnOutcome("a", rate(0, 6)),
        ),
        clauses=(FiredClause("range", "air_time", "mean", ("2013-02-11",), alert.message),),
        recall=(Recall("unit_change", 3, 4), Recall("volume_change", 6, 6)),
        recall_partitions=("2013-02-13", "2013-02-14"),
        targets=(TargetOutcome(1e-3, 1, 6, 9, 10), TargetOutcome(1e-2, 2, 6, 10, 10)),
        suggestion=Suggestion(1e-3, "1 alarm, and that is enough."),
    )


def lines(result: BacktestResult, width: int = 110) -> list[str]:
    return render_backtest(result, width=width).splitlines()


def test_terminal_table(result: BacktestResult) -> None:
    text = lines(result)
    assert text[0].startswith("flights: 14 partitions, 2013-02-01 to 2013-02-14, each judged by what came before it")
    table = text[text.index("") + 1 :]
    assert table[:6] == [
        "PARTITION                        ROWS  VERDICT     WORST PROBLEM",
        "2013-02-01 to 2013-02-07  1,000-1,006  warming up  7 partitions",
        "2013-02-08 to 2013-02-10  1,007-1,009  pass        3 partitions",
        "2013-02-11                      1,010  ALARM       "
        "air_time: mean was 9,061; expected 148.2 to 156.9 (+1 more)",
        "2013-02-12                          -  error       The file is cut off.",
        "2013-02-13 to 2013-02-14  1,012-1,013  pass        2 partitions",
    ]
    assert all(len(line) <= 110 for line in text)


def test_terminal_facts(result: BacktestResult) -> None:
    text = "\n".join(lines(result, 200))
    assert (
        "1 of 6 judged partitions (16.7%; 95% interval 0.4% to 64.1%), all of them false if the history was fine"
        in text
    )
    assert "6 judged, 7 warming up (history too short), 1 unreadable or not judged because of an error" in text
    assert "air_time 1 of 6; 1 column never" in text
    assert "1 time, last on 2013-02-11: air_time: mean was 9,061" in text
    assert (
        "90.0% of 10 errors injected into the 2 newest partitions that passed: volume change 100%, unit change 75%"
        in text
    )
    assert "Targets       0.001     1 alarm in 6,  90.0% of the injected errors caught  <- as judged above" in text
    assert "Suggestion    target_fpr=0.001: 1 alarm, and that is enough." in text
    assert 'DQGateSensor(dataset="flights", partition=..., target_fpr=0.001)' in text


def test_what_a_reader_must_know_is_said(result: BacktestResult) -> None:
    old = [replace(one, untrained=3) if one.status is Status.PASS else one for one in result.partitions]
    old[-1] = replace(old[-1], without_distances=True)
    text = " ".join(" ".join(lines(replace(result, partitions=tuple(old), recall=()), 300)).split())
    assert "For 5 of 6 partitions the injected errors are no longer kept" in text
    assert "1 partition was judged without distances" in text
    assert "not known: no partition that passed has injected errors" in text
    alarm = result.partitions[10]
    row = tuple(replace(alarm, partition=str(place)) for place in range(3))
    text = " ".join(" ".join(lines(replace(result, partitions=row, accept_after=None), 300)).split())
    assert "Up to 3 alarms came in a row" in text
    assert "--accept-after 2" in text
    quiet = render_backtest(replace(result, false_alarms=rate(0, 100)), width=300)
    assert "none in 100 judged partitions: the rate of false alarms is below 3.6%" in quiet
    nothing = replace(result, partitions=result.partitions[:7], false_alarms=rate(0, 0), targets=(), suggestion=None)
    assert "Give it at least 8 partitions that can be read: airflow dq backfill flights" in render_backtest(nothing)


def test_decisions_of_people_are_shown(result: BacktestResult) -> None:
    outcomes = list(result.partitions)
    outcomes[10] = replace(outcomes[10], decision="rejected")
    text = render_backtest(replace(result, partitions=tuple(outcomes), false_alarms=rate(0, 5)), width=200)
    assert "ALARM (rejected)" in text
    assert "1 of 1 partition that a person rejected would have alarmed" in " ".join(text.split())


def test_page_is_one_file_with_a_chart_for_the_alarm(result: BacktestResult, tmp_path: Path) -> None:
    write_backtest(tmp_path / "new" / "page.html", result)
    page = (tmp_path / "new" / "page.html").read_text(encoding="utf-8")
    assert page == render_backtest_page(result)
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    tree = ET.fromstring(
        page.partition("\n")[2].replace('<meta charset="utf-8">', "").replace('initial-scale=1">', 'initial-scale=1"/>')
    )
    strip = next(node for node in tree.iter("div") if node.get("class") == "strip")
    assert [node.get("class") for node in strip] == ["wait"] * 7 + ["good"] * 3 + ["bad", "wait"] + ["good"] * 2
    assert strip[10].get("href") == "#partition-10"
    (card,) = tree.iter("article")
    assert card.get("id") == "partition-10"
    assert len(list(card.iter("svg"))) == 2
    assert "air_time: max was 99,999" in "".join(card.itertext())
    assert "volume change" in page


def test_page_stays_small_and_harmless(result: BacktestResult) -> None:
    alarm = result.partitions[10]
    evil = replace(alarm.alerts[0], column="<script>alert(1)</script>", statement="<b>x</b>")
    many = tuple(replace(alarm, partition=f"p{place}", alerts=(evil,)) for place in range(CARDS + 5))
    page = render_backtest_page(replace(result, partitions=many, dataset="<i>"))
    assert page.count("<article") == CARDS
    assert "5 older alarms without a chart here" in page
    assert "<script" not in page
    assert "<i>:" not in page
    assert "<b>x" not in page
    assert len(page) < 1_500_000


def test_a_backtest_that_judged_nothing_is_a_page_too(result: BacktestResult) -> None:
    nothing = replace(
        result, partitions=(), false_alarms=rate(0, 0), columns=(), clauses=(), recall=(), targets=(), suggestion=None
    )
    assert "no partition could be judged" in render_backtest_page(nothing)
    assert "no partition could be judged" in render_backtest(nothing)
