"""The question a gate asks: names and values are data in it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from airflow_dq.explain.alert import Alert, Change
from airflow_dq.explain.fact import Fact
from airflow_dq.explain.record import Record
from airflow_dq.gate.question import SHOWN, SUBJECT, body, escape, subject
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.learn.constraint.base import Evidence
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.store.review_model import VerdictDetail, VerdictSummary

EVIL = "<script>|`[x](http://y)`\n# *a*"


def detail(*alerts: Alert, headline: str | None = "price: the mean is 500.") -> VerdictDetail:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    line = VerdictSummary(1, "orders", "d=1", Status.FAIL, now, None, None, None, None, 1, 1, "fail", 9, headline)
    verdict = Verdict("d=1", Status.FAIL, ScopeVerdict(Status.PASS), {}, alerts=alerts)
    return VerdictDetail(line, verdict, None, (), (), (), None)


def test_subject_is_one_short_line() -> None:
    assert subject(detail()) == "price: the mean is 500. (orders d=1)"
    long = subject(detail(headline="x\ny " * 200))
    assert (len(long), "\n" in long) == (SUBJECT, False)
    assert long.endswith("\u2026 (orders d=1)")


def test_subject_begins_with_the_fact_and_counts_the_others() -> None:
    fact = Fact("unit_change price", "price is 60 times too large", ("price",))
    alert = Alert("range", "price", "too high.", metric="mean", fact=fact)
    other = Alert("range", "tax", "too low.", metric="mean")
    assert subject(detail(alert)) == "price is 60 times too large (orders d=1)"
    assert subject(detail(alert, other)) == "price is 60 times too large; and 1 more problem (orders d=1)"


def test_body_explains_shows_and_offers() -> None:
    alert = Alert(
        "range", "price", "price: too high.", metric="mean", observed=500.0, lower=9.0, upper=11.0,
        evidence=Evidence(489.0, 1.0, 1, 30),
        changes=(Change("history", "before: 10.1, 9.9"),),
    )  # fmt: skip
    gone = Alert("column_missing", "label", "label is gone.")
    text = body(detail(alert, gone), "/dq-alerts/dags/d/alerts/9")
    blocks = text.split("\n\n")
    assert blocks[0] == r"**price\: price\: too high** in dataset **orders**, partition **d\=1**."
    assert blocks[2].splitlines() == [r"- price\: price\: too high", r"- label\: label is gone"]
    assert "![What the metric was in the partitions before](/dq-alerts/dags/d/alerts/9/chart.svg)" in blocks
    assert "[Open the alert: charts, what changed, snooze](/dq-alerts/dags/d/alerts/9)" in blocks
    assert r"- before\: 10\.1, 9\.9" in blocks
    table = next(block for block in blocks if block.startswith("|")).splitlines()
    assert table[2:] == [
        "| price | mean | 500 | 9 to 11 | 489 times the largest deviation in 30 partitions |",
        "| label | column missing |  |  |  |",
    ]
    assert [line.partition(":")[0] for line in blocks[-1].splitlines()] == [
        "- **Accept**",
        "- **Reject**",
        "- **New normal**",
    ]


def test_markdown_in_the_data_is_text() -> None:
    assert escape(EVIL) == r"\<script\>\|\`\[x\]\(http\://y\)\` \# \*a\*"
    text = body(detail(Alert("range", EVIL, EVIL, metric="mean", observed=Reason.NO_VALUES), headline=EVIL), None)
    assert "<script>" not in text
    assert "](http" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 3
    assert rows[2].replace(r"\|", "").count("|") == 6
    assert "there is no usable value in it" in rows[2]


def test_a_hundred_alerts_stay_a_table_of_twenty() -> None:
    alerts = [Alert("range", f"c{n}", "x", metric="mean") for n in range(100)]
    rows = [line for line in body(detail(*alerts), None).splitlines() if line.startswith("|")]
    assert len(rows) == 2 + SHOWN + 1
    assert rows[-1].startswith("| and 80 more |")


def test_how_reliable_the_gate_has_been_is_said_above_the_answers() -> None:
    found = detail(Alert("range", "price", "too high.", metric="mean"))
    found = replace(found, verdict=replace(found.verdict, record=Record(45, accepted=1)))
    said = next(block for block in body(found, None).split("\n\n") if block.startswith("How reliable"))
    assert said.startswith("How reliable this gate has been: Of the last 45 partitions judged, 1 alarmed")
