"""What an engineer has declared of a partition: bounds of a metric, which hold however short the history is.

What was not looked at never holds: a check that could not be computed keeps the partition from passing, unless it only
warns.  One that the data leaves nothing to measure (no row in scope) counts for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from airflow_dq.check.anomaly import Anomaly
from airflow_dq.check.bounds import Bounds
from airflow_dq.check.model import Check
from airflow_dq.learn.constraint.base import (
    Constraint,
    Detector,
    Finding,
    Learned,
    NotEvaluated,
    Scope,
    Severity,
    Skipped,
)
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.expect.anomaly import expected_range
from airflow_dq.learn.expect.violation import violates
from airflow_dq.learn.history.history import History
from airflow_dq.learn.history.series import Series
from airflow_dq.metrics.descriptor import Metric
from airflow_dq.metrics.registry import get_metric
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.check.answer import answer
from airflow_dq.profile.check.failed_rows import FailedRows
from airflow_dq.profile.check.measured import Measured
from airflow_dq.states.base import Kind

RULE = "check"
"""What its findings are called; which check it is, their metric says."""


@dataclass(frozen=True, slots=True)
class Declared(Constraint):
    """One declared check."""

    family: ClassVar[str] = "declared"

    declared: Check

    @classmethod
    def of(cls, check: Check) -> Declared:
        """The constraint that a check is; about the columns it names, or those that its expression reads."""
        return cls(Scope(check.subjects), check)

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """The value outside of the bounds: of those to fail first."""
        check, measured = self.declared, self.measured(partition)
        if measured.value is None:
            reason = measured.problem or measured.nothing or "it has no value"
            # A check that only warns must not stop the gate by not being computed, either.
            stops = check.error is not None or (check.anomaly is not None and check.anomaly.level == "error")
            applies = measured.problem is not None and stops
            return NotEvaluated(RULE, self.scope, reason, check.id, applies)
        if check.error is not None and not check.error.holds(measured.value):
            return self._finding(measured, check.error, "fail")
        odd = None if check.anomaly is None else self._unlike_history(partition, measured, check.anomaly)
        if isinstance(odd, Finding) and odd.severity == "fail":
            return odd
        if check.warn is not None and not check.warn.holds(measured.value):
            return self._finding(measured, check.warn, "warn")
        # Where bounds hold as well, that the history is too short for more leaves these as they are.
        return odd if isinstance(odd, Finding) or (check.error is None and check.warn is None) else None

    def past(self, partition: PartitionView) -> Series:
        """The values of the partitions before; None where it was not counted, or had nothing to count."""
        profiles = partition.history.profiles
        values = (answer(self.declared, one).value for one in profiles)
        return Series(
            tuple(one.partition for one in profiles), tuple(None if value is None else float(value) for value in values)
        )

    def _unlike_history(
        self, partition: PartitionView, measured: Measured, anomaly: Anomaly
    ) -> Finding | NotEvaluated | None:
        """By what the values before let expect; what they are too few for is not judged, and counts for nothing."""
        value, timeline = float(measured.value or 0), partition.history.timeline
        past = self.past(partition).floats()
        slots = np.concatenate([timeline.spread(past), np.full(partition.steps() - 1, np.nan)])
        found = expected_range(anomaly, slots, value, _like(self.declared), timeline.week)
        if isinstance(found, str):
            return NotEvaluated(RULE, self.scope, found, self.declared.id, applies=False)
        low, high = found
        if not violates(value, low, high):
            return None
        finding = self._finding(measured, None, "fail" if anomaly.level == "error" else "warn")
        known = int(np.count_nonzero(~np.isnan(past)))
        return replace(finding, lower=low, upper=high, partitions=known, expected=anomaly.words)

    def measured(self, partition: PartitionView) -> Measured:
        """What was measured of the partition."""
        return answer(self.declared, partition.profile)

    def failing(self, partition: PartitionView) -> FailedRows | None:
        """Some of the rows that do not follow it, where it is a rule on each row."""
        return partition.profile.failing.get(self.declared.measure)

    def _finding(self, measured: Measured, bounds: Bounds | None, severity: Severity) -> Finding:
        value = measured.value or 0
        of_rows = measured.numerator is not None and measured.denominator is not None
        return Finding(
            RULE,
            self.scope,
            self.declared.id,
            observed=float(value),
            seen=measured.seen,
            expected=None if bounds is None else bounds.words,
            rows=measured.denominator - measured.numerator if of_rows and self.declared.entry.unit == "share" else None,  # type: ignore[operator]
            severity=severity,
        )


def _like(check: Check) -> Metric:
    """A built-in metric that is the same kind of number: what is learned of it is learned of the check's."""
    name = {"share": "complete_ratio", "count": "row_count"}.get(check.entry.unit, "mean")
    found = get_metric(name, Kind.NUMERIC)
    assert found is not None
    return found


class DeclaredDetector(Detector):
    """Takes what the options declare; nothing of it is learned."""

    name: ClassVar[str] = "declared"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One constraint for each check."""
        found = declared(options.checks)
        return Learned(found) if found else Skipped("no checks are declared")


def declared(checks: Sequence[Check]) -> tuple[Declared, ...]:
    """The constraints that checks are."""
    return tuple(Declared.of(check) for check in checks)
