"""Problems as the lines of a task's log or a terminal: what happened, then the evidence, each thing once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.problem import Problem
from airflow_dq.metrics.descriptor import Reason

_TITLES = {"quantile": "quantiles", "value": "values", "pattern": "patterns"}
"""Aspects whose changes share a line, which begins with this title."""


SPELT = 3
"""Findings of a problem that are spelt out below its headline; the page has all of them."""


def marked(problem: Problem) -> str:
    """The headline, with a word on what it does to the gate where it stops nothing."""
    warning = "(warning) " if problem.severity == "warn" else ""
    on = "" if problem.event is None else f" (on {problem.event})"
    return f"{warning}{problem.headline}{'' if problem.snoozed is None else f' (snoozed {problem.snoozed})'}{on}"


def evidence(problem: Problem, most: int = SPELT) -> Iterator[str]:
    """What a problem rests on, one line each: what to do, what changed, what was measured, how much more there is.

    :param most: findings that are spelt out
    """
    if problem.advice is not None:
        yield f"what to do: {problem.advice}"
    for alert in problem.alerts[:1]:
        yield from details(alert)
    others = [alert for alert in problem.alerts if alert.sentence.rstrip(".") != problem.headline]
    shown = telling(others)[:most]
    for alert in shown:
        yield alert.sentence
        yield from failing_lines(alert) if alert is not problem.alerts[0] else ()
    left = len(others) - len(shown)
    if left:
        yield f"and {left} more finding{'' if left == 1 else 's'}"


def telling(alerts: Sequence[Alert]) -> tuple[Alert, ...]:
    """Those that say something of their own: the alert that speaks for a group implies what has no value for it."""
    return tuple(alert for alert in alerts if alert.root or not isinstance(alert.observed, Reason))


def details(alert: Alert) -> tuple[str, ...]:
    """What an alert has to say beyond its sentence, one line per aspect."""
    lines: dict[str, list[str]] = {}
    for place, change in enumerate(alert.changes):
        lines.setdefault(_TITLES.get(change.aspect, str(place)), []).append(change.words)
    told = (
        f"{title}: {'; '.join(words)}" if title in _TITLES.values() else "; ".join(words)
        for title, words in lines.items()
    )
    return (*failing_lines(alert), *told)


def failing_lines(alert: Alert) -> tuple[str, ...]:
    """Some of the rows that a check found wrong, one line each."""
    return () if alert.failing is None else tuple(f"fails: {line}" for line in alert.failing.lines)
