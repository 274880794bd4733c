from __future__ import annotations

from dataclasses import replace

from airflow_dq.explain.alert import Alert, Change
from airflow_dq.explain.lines import details, digest

ALERT = Alert(
    "range",
    "a",
    "odd.",
    changes=(
        Change("history", "last values: 1, 2"),
        Change("quantile", "median 1 -> 2"),
        Change("quantile", "max 2 -> 4"),
        Change("pattern", "'99' appeared: 5.00%"),
        Change("text", "letters in upper case: 10.0%, before 0%"),
    ),
)


def test_what_is_alike_shares_a_line() -> None:
    assert details(ALERT) == (
        "last values: 1, 2",
        "quantiles: median 1 -> 2; max 2 -> 4",
        "patterns: '99' appeared: 5.00%",
        "letters in upper case: 10.0%, before 0%",
    )


def test_details_are_told_once_for_a_column_and_only_by_roots() -> None:
    alerts = [
        ALERT,
        replace(ALERT, statement="again"),
        replace(ALERT, column="b", root=False),
        replace(ALERT, column="c"),
    ]
    assert [bool(lines) for _, lines in digest(alerts)] == [True, False, False, True]
