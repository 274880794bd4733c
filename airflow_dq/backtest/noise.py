"""What makes a table alarm again and again, where no other target would help."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from airflow_dq.backtest.model import PartitionOutcome
from airflow_dq.explain.alert import Alert
from airflow_dq.judge.verdict import Status

LEAST_ALARMS = 2
"""One alarm may be a bad partition."""
_MOST = 0.5
"""Of the alarms, those that one column or metric must account for to be called the noise."""


@dataclass(frozen=True, slots=True)
class Noise:
    """One column, or one metric of all columns, without which there would be far fewer alarms."""

    subject: Literal["column", "metric"]
    name: str
    alarms: int
    """Those that would be none if it only warned."""
    of: int
    """All alarms."""

    @property
    def key(self) -> str:
        """As a gate's ``severity`` names it."""
        return f"{self.subject}:{self.name}"


def noise(outcomes: Sequence[PartitionOutcome]) -> Noise | None:
    """What accounts for at least half of the alarms by itself; a metric rather than a column, for it mutes less.

    :param outcomes: of a backtest; alarms that a person has rejected were right, and do not count
    """
    alarms = [
        one for one in outcomes if one.status is Status.FAIL and one.decision != "rejected" and not one.only_warns
    ]
    alone: dict[tuple[Literal["column", "metric"], str], int] = defaultdict(int)
    for outcome in alarms:
        for key in _in_all([alert for alert in outcome.alerts if alert.severity == "fail"]):
            alone[key] += 1
    if not alone:
        return None
    (subject, name), most = max(alone.items(), key=lambda item: (item[1], item[0][0] == "metric"))
    enough = most >= LEAST_ALARMS and most >= _MOST * len(alarms)
    return Noise(subject, name, most, len(alarms)) if enough else None


def _in_all(alerts: Sequence[Alert]) -> Iterator[tuple[Literal["column", "metric"], str]]:
    """The column and the metric that all alerts of a partition have in common."""
    columns, metrics = {alert.column for alert in alerts}, {alert.metric for alert in alerts}
    if len(columns) == 1 and (column := columns.pop()) is not None:
        yield "column", column
    if len(metrics) == 1 and (metric := metrics.pop()) is not None:
        yield "metric", metric
