"""One alert and one verdict that the report's tests vary."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from airflow_dq.explain.alert import Alert
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.learn.constraint.base import Evidence

DAYS = [f"2013-01-{day:02d}" for day in range(1, 31)]


@pytest.fixture
def alert() -> Alert:
    """The mean of air_time jumped from about 150 to 9,061; bounds 148.2 to 156.9 from 30 days."""
    return Alert(
        rule="range",
        column="air_time",
        statement="mean was 9,061; expected 148.2 to 156.9.",
        metric="mean",
        observed=9061.0,
        lower=148.2,
        upper=156.9,
        evidence=Evidence(8909.0, 4.5, 1, 30, DAYS[0]),
        partitions=30,
        history=tuple((day, 150.0 + place % 5) for place, day in enumerate(DAYS)),
    )


@pytest.fixture
def make_verdict(alert: Alert):
    """A verdict on 2013-01-31 with the given alerts."""

    def make(*alerts: Alert, **changes: Any) -> Verdict:
        status = Status.FAIL if alerts else Status.PASS
        made = Verdict(
            partition="2013-01-31",
            status=status,
            table=ScopeVerdict(Status.PASS),
            columns={"air_time": ScopeVerdict(status, 1)},
            alerts=alerts,
        )
        return replace(made, **changes)

    return make
