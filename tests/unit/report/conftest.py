"""One alert and one verdict that the report's tests vary."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from airflow_dq.XX import ClauseResult, Transform, TransformKind

from airflow_dq.explain.alert import Alert
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.learn.constraint.range import Clause
from airflow_dq.metrics.descriptor import Bound

DAYS = [f"2013-01-{day:02d}" for day in range(1, 31)]


@pytest.fixture
def alert() -> Alert:
    """The mean of air_time jumped from about 150 to 9,061; bounds 148.2 to 156.9 from 30 days."""
    return Alert(
        rule="metric",
        column="air_time",
        sentence="air_time: mean was 9,061; expected 148.2 to 156.9.",
        metric="mean",
        observed=9061.0,
        lower=148.2,
        upper=156.9,
        fpr=1e-3,
        bound=Bound.CHEBYSHEV,
        history=tuple((day, 150.0 + place % 5) for place, day in enumerate(DAYS)),
    )


@pytest.fixture
def make_verdict(alert: Alert):
    """A verdict on 2013-01-31 with the given alerts; ``transform`` is that of the failed clause."""

    def make(*alerts: Alert, transform: Transform | None = None, **changes: Any) -> Verdict:
        clause = Clause(
            metric="mean",
            column="air_time",
            pair=False,
            transform=transform or Transform(),
            lower=148.2,
            upper=156.9,
            fpr=1e-3,
            bound=Bound.CHEBYSHEV,
            center=152.0,
            spread=1.4,
            samples=30,
        )
        status = Status.FAIL if alerts else Status.PASS
        result = ClauseResult(clause, status, alert.observed, 9061.0, (148.2, 156.9))
        made = Verdict(
            partition="2013-01-31",
            status=status,
            table=ScopeVerdict(Status.PASS),
            columns={"air_time": ScopeVerdict(status, (result,))},
            alerts=alerts,
        )
        return replace(made, **changes)

    return make


@pytest.fixture
def moving() -> Transform:
    """A clause on the difference to the partition seven before."""
    return Transform(TransformKind.DIFF, 7)
