"""Adding up the verdicts of a backtest: rates with their confidence intervals, and the clauses that fired."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from airflow_dq.backtest.model import JUDGED, ColumnOutcome, FiredClause, PartitionOutcome, Rate
from airflow_dq.explain.alert import Alert
from airflow_dq.explain.record import interval
from airflow_dq.judge.verdict import Status, Verdict


def rate(count: int, of: int) -> Rate:
    """A share with its exact two-sided 95% confidence interval (Clopper and Pearson 1934).

    :param count: how many
    :param of: out of how many; for 0, nothing is known and the interval is 0 to 1
    """
    return Rate(count, of, *interval(count, of))


def false_alarms(outcomes: Sequence[PartitionOutcome]) -> Rate:
    """Alarms among the judged partitions that no person has rejected."""
    judged = [one for one in outcomes if one.status in JUDGED and one.decision != "rejected"]
    return rate(sum(one.status is Status.FAIL for one in judged), len(judged))


class Tally:
    """How often each column was judged, and how often it alarmed."""

    def __init__(self) -> None:
        """Start from nothing."""
        self.partitions: list[bool] = []
        """By judged partition: whether the table as a whole alarmed."""
        self._judged: Counter[str] = Counter()
        self._alarms: Counter[str] = Counter()

    def add(self, verdict: Verdict, judged: Sequence[str]) -> None:
        """Count one verdict.

        :param judged: the columns that passed or failed
        """
        self.partitions.append(verdict.table.status is Status.FAIL)
        self._judged.update(judged)
        self._alarms.update(name for name in judged if verdict.columns[name].status is Status.FAIL)

    def columns(self) -> tuple[ColumnOutcome, ...]:
        """The table as a whole and every column, most alarms first."""
        found = [ColumnOutcome(None, rate(sum(self.partitions), len(self.partitions)))]
        found += [ColumnOutcome(name, rate(self._alarms[name], of)) for name, of in self._judged.items()]
        return tuple(sorted(found, key=lambda one: -one.alarms.count))


def fired_clauses(outcomes: Sequence[PartitionOutcome]) -> tuple[FiredClause, ...]:
    """Each constraint that alarmed, with the partitions, most alarms first."""
    fired: dict[tuple[str, str | None, str | None], list[tuple[str | None, Alert]]] = defaultdict(list)
    for outcome in outcomes:
        for alert in outcome.alerts:
            fired[alert.rule, alert.column, alert.metric].append((outcome.partition, alert))
    found = [
        FiredClause(*subject, tuple(dict.fromkeys(key for key, _ in alerts)), alerts[-1][1].message)
        for subject, alerts in fired.items()
    ]
    return tuple(sorted(found, key=lambda one: -len(one.partitions)))
