"""What an engineer has declared of a partition: bounds of a metric, which hold however short the history is.

What was not looked at never holds: a check that could not be computed keeps the partition from passing, unless it only
warns.  One that the data leaves nothing to measure (no row in scope) counts for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.model import Check
from airflow_dq.learn.constraint.base import Constraint, Detector, Finding, Learned, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.check.answer import answer
from airflow_dq.profile.check.measured import Measured

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
            applies = measured.problem is not None and check.error is not None
            return NotEvaluated(RULE, self.scope, reason, check.id, applies)
        if check.error is not None and not check.error.holds(measured.value):
            return self._finding(measured, check.error)
        if check.warn is not None and not check.warn.holds(measured.value):
            return self._finding(measured, check.warn)
        return None

    def measured(self, partition: PartitionView) -> Measured:
        """What was measured of the partition."""
        return answer(self.declared, partition.profile)

    def _finding(self, measured: Measured, bounds: Bounds) -> Finding:
        value = measured.value or 0
        of_rows = measured.numerator is not None and measured.denominator is not None
        return Finding(
            RULE,
            self.scope,
            self.declared.id,
            observed=float(value),
            seen=measured.seen,
            expected=bounds.words,
            rows=measured.denominator - measured.numerator if of_rows and self.declared.entry.unit == "share" else None,  # type: ignore[operator]
            severity="fail" if bounds is self.declared.error else "warn",
        )


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
