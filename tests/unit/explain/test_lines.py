from __future__ import annotations

from dataclasses import replace

from airflow_dq.explain.alert import Alert, Change
from airflow_dq.explain.lines import details, evidence, marked
from airflow_dq.explain.problem import Problem, problems_of

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


def test_evidence_is_told_once_and_what_is_too_much_is_counted() -> None:
    alerts = tuple(replace(ALERT, statement=f"odd {place}.", changes=()) for place in range(5))
    found = Problem("column a", "a is odd", ("a",), (replace(ALERT, statement="odd."), *alerts), advice="Look.")
    lines = list(evidence(found, most=2))
    assert lines[0] == "what to do: Look."
    assert lines[1:5] == list(details(ALERT))
    assert lines[5:] == ["a: odd.", "a: odd 0.", "and 4 more findings"]


def test_what_the_headline_says_is_not_said_again() -> None:
    (found,) = problems_of([replace(ALERT, changes=())])
    assert (found.headline, list(evidence(found))) == ("a: odd", [])


def test_a_warning_and_a_snooze_are_said_with_the_headline() -> None:
    (found,) = problems_of([replace(ALERT, severity="warn", snoozed="by ann, until 2026-01-01")])
    assert marked(found).startswith("(warning) a: odd")
    assert marked(found).endswith("(snoozed by ann, until 2026-01-01)")
