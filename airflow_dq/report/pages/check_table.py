"""The declared checks of a dataset with what became of each in its newest partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from airflow_dq.explain.declared import bounds_words, value_words
from airflow_dq.learn.constraint.base import Finding, NotEvaluated
from airflow_dq.learn.constraint.declared import Declared
from airflow_dq.report.course import Insight
from airflow_dq.report.pages.mark import Badge
from airflow_dq.states.base import Kind


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One check: what it measures, what was asked, what was seen."""

    id: str
    words: str
    asked: str
    value: str
    badge: Badge


def check_rows(insight: Insight | None) -> Sequence[CheckRow]:
    """The rows, those that do not hold first."""
    if insight is None:
        return ()
    checks = [one for one in insight.program.constraints if isinstance(one, Declared)]
    rows = [_row(one, insight) for one in checks]
    return sorted(rows, key=lambda row: row.badge.tone == "good")


def _row(one: Declared, insight: Insight) -> CheckRow:
    check, measured = one.declared, one.measured(insight.view)
    column = insight.view.column(check.columns[0]) if len(check.columns) == 1 else None
    kind = Kind.NUMERIC if column is None else column.kind
    asked = (
        bounds_words(check, check.error or check.warn) if check.error or check.warn else "as the history lets expect"
    )
    return CheckRow(check.id, check.words, asked, value_words(check, measured, kind), _badge(one, insight))


def _badge(one: Declared, insight: Insight) -> Badge:
    outcome = one.check(insight.view)
    if isinstance(outcome, Finding):
        return Badge("fails", "bad") if outcome.severity == "fail" else Badge("warns", "warn")
    return Badge("not judged", "plain") if isinstance(outcome, NotEvaluated) else Badge("holds", "good")
