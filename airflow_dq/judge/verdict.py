"""What is said of a partition in the end: a status in one word, and what it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import ClassVar, Literal

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.problem import Problem, headline_of, problems_of
from airflow_dq.explain.record import Record
from airflow_dq.learn.constraint.base import Finding, NotEvaluated, Severity

Decision = Literal["accepted", "rejected", "new_normal"]
"""What a person says about a verdict.

``accepted``: the data is right and joins the history.  ``rejected``: it is bad and stays out.  ``new_normal``:
accepted, and the history restarts at this partition."""
BUTTONS: dict[Decision, str] = {
    "accepted": "Accept and go on",
    "rejected": "Reject: stay blocked",
    "new_normal": "New normal",
}
"""The words of their buttons, on the pages and among Airflow's Required Actions, which a task's answer is read by."""


class Status(StrEnum):
    """A verdict in one word; only ``pass`` passes."""

    PASS = "pass"
    FAIL = "fail"
    WARMING_UP = "warming_up"
    NOT_EVALUATED = "not_evaluated"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class ScopeVerdict:
    """The verdict on one column, or on the table as a whole."""

    status: Status
    checked: int = 0
    """Number of constraints that were evaluated, and could have failed."""
    reason: str | None = None
    """Why the status is neither pass nor fail."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on one partition; ``status`` is ``pass`` only if everything that was asked for was checked."""

    format: ClassVar[str] = "verdict/1"
    """Name and version of its JSON form."""

    partition: str | None
    status: Status
    table: ScopeVerdict
    columns: Mapping[str, ScopeVerdict]
    findings: tuple[Finding, ...] = ()
    """What is wrong, as the constraints found it."""
    not_evaluated: tuple[NotEvaluated, ...] = ()
    """The constraints that could not be judged."""
    alerts: tuple[Alert, ...] = ()
    """The findings in words, for a person: those with one cause together, the one to look at first."""
    reason: str | None = None
    """One sentence when the status is neither pass nor fail (how many partitions are missing, what went wrong), or when
    declared checks alone were judged."""
    record: Record | None = None
    """How reliable the gate has been on the partitions before; None where there is no alert, or no store to tell."""

    notes: tuple[str, ...] = ()
    """What the calendar of events says of it, and of the partitions that it was not compared with, as sentences."""

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What happened, the worst first: one per accident, with the alerts that are its evidence."""
        return problems_of(self.alerts)

    @property
    def headline(self) -> str | None:
        """The worst problem in one line, and how many more there are; None without any."""
        return headline_of(self.problems)

    @property
    def checked(self) -> int:
        """Number of constraints that were evaluated, and could have failed."""
        return self.table.checked + sum(column.checked for column in self.columns.values())

    @property
    def severity(self) -> Severity | None:
        """``warn`` where all alerts only warn, so that no gate stops; None where nothing was found."""
        return _severity(self.status, self.alerts)

    def column_severity(self, name: str) -> Severity | None:
        """The same of one column, and the alerts that name it."""
        scope = self.columns.get(name)
        own = [alert for alert in self.alerts if alert.column == name or name in alert.columns]
        return None if scope is None else _severity(scope.status, own)

    @property
    def only_warns(self) -> bool:
        """Whether all that is wrong was declared to be worth a warning, and no more."""
        # A failure without a finding is no case of findings that all only warn.
        return self.status is Status.FAIL and {one.severity for one in self.findings} == {"warn"}

    @property
    def judged(self) -> tuple[str, ...]:
        """The columns of which something was checked that says whether they are right."""
        return tuple(name for name, column in self.columns.items() if column.status in (Status.PASS, Status.FAIL))

    @property
    def not_judged(self) -> Mapping[str, str]:
        """The columns that were not judged, and why, though others may have been."""
        return {
            name: column.reason or "" for name, column in self.columns.items() if column.status is Status.NOT_EVALUATED
        }


def _severity(status: Status, alerts: Sequence[Alert]) -> Severity | None:
    if status is not Status.FAIL:
        return None
    # A failure without an alert is no case of alerts that all only warn.
    return "warn" if {alert.severity for alert in alerts} == {"warn"} else "fail"
