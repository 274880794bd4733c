from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import pytest

from airflow_dq.explain.alert import Alert, Change
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.report.pages.address import Addresses
from airflow_dq.report.pages.problem import AlertView
from airflow_dq.states.base import Kind
from airflow_dq.store.review_model import AlertSummary, Origin, VerdictDetail, VerdictSummary
from airflow_dq.store.summary import PartitionSummary

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ORIGIN = Origin("load orders", "manual__2026-03-01T00:00:00+00:00", "group.gate")


class Page(HTMLParser):
    """What a page holds: tags with their attributes, and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def all(self, tag: str, **wanted: str) -> list[dict[str, str | None]]:
        return [
            found
            for name, found in self.tags
            if name == tag and all(found.get(key.rstrip("_")) == value for key, value in wanted.items())
        ]


@pytest.fixture
def where() -> Addresses:
    return Addresses(version="v1")


@pytest.fixture
def alert() -> Alert:
    """The mean of price, ten times what it was."""
    return Alert(
        rule="range",
        column="price",
        statement="mean was 1,000; expected 90 to 110.",
        metric="mean",
        observed=1000.0,
        lower=90.0,
        upper=110.0,
        history=tuple((f"day {n}", 100.0 + n % 3) for n in range(10)),
        kind=Kind.NUMERIC,
        changes=(Change("quantile", "median 100 -> 1,000 (x10)", "median", 100.0, 1000.0),),
        cause="change of unit, x10",
    )


@pytest.fixture
def make_detail(alert: Alert) -> Callable[..., VerdictDetail]:
    """A failed partition with the given alerts."""

    def make(*alerts: Alert, **changes: Any) -> VerdictDetail:
        given = alerts or (alert,)
        verdict = Verdict("2026-02-28", Status.FAIL, ScopeVerdict(Status.FAIL), {}, alerts=given)
        partition = VerdictSummary(
            verdict_id=3,
            dataset="orders",
            partition="2026-02-28",
            status=Status.FAIL,
            judged_at=NOW - timedelta(hours=2),
            origin=ORIGIN,
            decision=None,
            decided_by=None,
            decided_at=None,
            alert_count=len(given),
            open_count=len(given),
            severity="fail",
            first_alert_id=11,
            headline=given[0].headline,
        )
        partition = replace(partition, **changes)
        alerts_ = tuple(
            AlertSummary(
                id=11 + place,
                dataset="orders",
                partition="2026-02-28",
                rule=one.rule,
                column=one.column,
                metric=one.metric,
                message=one.message,
                severity="fail",
                observed=None,
                reason=None,
                lower=one.lower,
                upper=one.upper,
                created_at=NOW,
                closed_at=None,
                closed_reason=None,
                decision=None,
                origin=ORIGIN,
                snoozed_until=None,
            )
            for place, one in enumerate(given)
        )
        return VerdictDetail(partition, verdict, None, alerts_, (), (), None)

    return make


@pytest.fixture
def make_view(make_detail: Callable[..., VerdictDetail]) -> Callable[..., AlertView]:
    def make(detail: VerdictDetail | None = None, **changes: Any) -> AlertView:
        made = AlertView(
            detail=detail or make_detail(),
            dag_id=ORIGIN.dag_id,
            may_decide=True,
            recent=(),
            readable=frozenset({ORIGIN.dag_id}),
            now=NOW,
        )
        return replace(made, **changes)

    return make


def partition(key: str, **changes: Any) -> PartitionSummary:
    """A partition that passed."""
    made = PartitionSummary(key, 10, NOW, "succeeded", None, Status.PASS, None, 0, verdict_id=1, origins=(ORIGIN,))
    return replace(made, **changes)
