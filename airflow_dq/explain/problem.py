"""Problems: what a person is shown, one per accident; the alerts that have it in common are its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from airflow_dq.explain.alert import Alert
from airflow_dq.learn.constraint.base import Severity


@dataclass(frozen=True, slots=True)
class Problem:
    """One accident: what happened, in which columns and rows, what to do."""

    key: str
    """What it is, the same on the following day (``unit_change air_time``, ``rows``, ``check orders.x``)."""
    headline: str
    """The fact with values, factor, share and names: ``air_time is 60 times too large (median 139 -> 9,360) in all
    738 rows; undone, the partition passes``."""
    columns: tuple[str, ...]
    """The columns concerned, the likely root first; () for the table as a whole."""
    alerts: tuple[Alert, ...]
    """The evidence, the most telling first."""
    cause: str | None = None
    """The proven cause in words."""
    rows: int | None = None
    """Rows concerned; None where nobody knows."""
    advice: str | None = None
    """What to do."""
    severity: Severity = "fail"
    """``warn`` where all of its alerts only warn."""

    @property
    def snoozed(self) -> str | None:
        """By whom and until when all of it is snoozed; None when some of it is not."""
        said = [alert.snoozed for alert in self.alerts]
        return said[0] if said and None not in said else None

    @property
    def event(self) -> str | None:
        """The events of the calendar that its partition lies on, in words; None when there is none."""
        return next((alert.event for alert in self.alerts if alert.event is not None), None)


def problems_of(alerts: Sequence[Alert]) -> tuple[Problem, ...]:
    """The problems that a verdict's alerts tell of, the worst first: what stops the gate, in the alerts' own order."""
    found = [_problem(together) for together in groups(alerts)]
    return tuple(sorted(found, key=lambda problem: problem.severity != "fail"))


def headline_of(problems: Sequence[Problem]) -> str | None:
    """All of them in one line: the first one's headline, and how many more there are; None without any."""
    if not problems:
        return None
    more = len(problems) - 1
    return problems[0].headline + (f"; and {more} more problem{'' if more == 1 else 's'}" if more else "")


def same_problem(key: str, earlier: str) -> bool:
    """Whether two partitions' problems are one: their keys are the same, or differ in a cause that one does not know.

    A cause that is proven on one day may not be proven on the next.
    """
    if key == earlier:
        return True
    (kind, _, subject), (other, _, their_subject) = key.partition(" "), earlier.partition(" ")
    return bool(subject) and subject == their_subject and UNKNOWN in (kind, other)


UNKNOWN = "column"
"""The first word of the key of a problem whose cause is not known."""


def groups(alerts: Sequence[Alert]) -> Iterator[tuple[Alert, ...]]:
    """The alerts of each problem: those of a group stand together, one without a group stands alone."""
    together: list[Alert] = []
    for alert in alerts:
        if together and (alert.group is None or alert.group != together[-1].group):
            yield tuple(together)
            together = []
        together.append(alert)
    if together:
        yield tuple(together)


def _problem(alerts: tuple[Alert, ...]) -> Problem:
    root = next((alert for alert in alerts if alert.fact is not None), alerts[0])
    severity: Severity = "fail" if any(alert.severity == "fail" for alert in alerts) else "warn"
    fact = root.fact
    if fact is None:
        # An alert that nobody has explained speaks for itself.
        columns = tuple(dict.fromkeys(alert.column for alert in alerts if alert.column is not None))
        key = f"{UNKNOWN} {root.column}" if root.column is not None else root.rule
        return Problem(key, root.headline.rstrip("."), columns, alerts, root.cause, severity=severity)
    return Problem(fact.key, fact.headline, fact.columns, alerts, root.cause, fact.rows, fact.advice, severity)
