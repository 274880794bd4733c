"""The question a gate asks: names and values are data in it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.fact import Fact
from airflow_dq.explain.record import Record
from airflow_dq.gate.question import SHOWN, SUBJECT, body, escape, subject
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.store.review_model import VerdictDetail, VerdictSummary

EVIL = "<script>|`[x](http://y)`\n# *a*"


def detail(*alerts: Alert, headline: str | None = "price: the mean is 500.") -> VerdictDetail:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    line = VerdictSummary(1, "orders", "d=1", Status.FAIL, now, None, None, None, None, 1, 1, "fail", 9, headline)
    verdict = Verdict("d=1", Status.FAIL, ScopeVerdict(Status.PASS), {}, alerts=alerts)
    return VerdictDetail(line, verdict, None, (), (), (), None)


def test_subject_is_one_short_line_with_the_fact_first() -> None:
    assert subject(detail()) == "price: the mean is 500 (orders d=1)"
    long = subject(detail(headline="x\ny " * 200))
    assert (len(long) <= SUBJECT, "\n" in long, long.endswith("\u2026 (orders d=1)")) == (True, False, True)


def test_subject_is_the_headline_of_the_worst_problem_and_how_many_there_are() -> None:
    fact = Fact("factor price", "price is 60 times too large", ("price",))
    found = detail(
        Alert("range", "price", "too high.", metric="mean", fact=fact), Alert("column_missing", "a", "gone.")
    )
    assert subject(found) == "price is 60 times too large; and 1 more problem (orders d=1)"


def test_body_explains_shows_and_offers() -> None:
    alert = Alert("range", "price", "price: too high.", metric="mean", observed=500.0, lower=9.0, upper=11.0)
    other = replace(alert, metric="max", observed=900.0)
    gone = Alert("column_missing", "label", "label is gone.")
    blocks = body(detail(alert, other, gone), "/dq-alerts/dags/d/alerts/9").split("\n\n")
    *_, also, measured = blocks[0].splitlines()
    assert also == r"- **Also**: label\: label is gone"
    assert measured == r"- **Measured**: price, mean\: 500, expected 9 to 11"
    assert "![What the metric was in the partitions before](/dq-alerts/dags/d/alerts/9/chart.svg)" in blocks
    page = "/dq-alerts/dags/d/alerts/9"
    assert f"[Open the page: all findings, rows, what changed, who is held up, snooze]({page})" in blocks
    assert blocks[-1].startswith("**Accept and go on**: the data is right")
    assert "**Reject: stay blocked**: the data is bad" in blocks[-1]


def test_markdown_in_the_data_is_text() -> None:
    assert escape(EVIL) == r"\<script\>\|\`\[x\]\(http\://y\)\` \# \*a\*"
    text = body(detail(Alert("range", EVIL, EVIL, metric="mean", observed=Reason.NO_VALUES), headline=EVIL), None)
    assert "<script>" not in text
    assert "](http" not in text
    (measured,) = (line for line in text.splitlines() if line.startswith("- **Measured**"))
    assert "there is no usable value in it" in measured


def test_a_hundred_alerts_stay_a_few_lines() -> None:
    alerts = [Alert("range", f"c{n}", "x", metric="mean") for n in range(100)]
    lines = body(detail(*alerts), None).split("\n\n")[0].splitlines()
    assert len(lines) <= SHOWN + 2
    assert lines[-1].startswith("- **Measured**: c0, mean")


def test_how_reliable_the_gate_has_been_is_said_above_the_answers() -> None:
    found = detail(Alert("range", "price", "too high.", metric="mean"))
    found = replace(found, verdict=replace(found.verdict, record=Record(45, accepted=1)))
    said = next(block for block in body(found, None).split("\n\n") if block.startswith("How reliable"))
    assert said.startswith("How reliable this gate has been: Of the last 45 partitions judged, 1 alarmed")
