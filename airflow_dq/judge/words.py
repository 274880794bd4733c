"""What a verdict rests on, in words: how much held, and which columns nothing was found out about."""

from __future__ import annotations

from airflow_dq.judge.verdict import Status, Verdict

NAMED = 20
"""Columns that a sentence names one by one."""


def not_judged_lines(verdict: Verdict) -> list[str]:
    """The columns that a verdict says nothing about, each with its reason; none while it is on no column at all."""
    if verdict.status not in (Status.PASS, Status.FAIL):
        return []
    return [f"{name}: {reason}" for name, reason in verdict.not_judged.items()]


def not_judged_words(verdict: Verdict) -> str:
    """The same as one sentence; empty when all columns were judged."""
    lines = not_judged_lines(verdict)
    more = f"; and {len(lines) - NAMED} more" if len(lines) > NAMED else ""
    return f"Not judged: {'; '.join(lines[:NAMED])}{more}" if lines else ""


def held(verdict: Verdict) -> str:
    """How much held, and what was not judged: never more than was looked at."""
    judged = sum(bool(scope.checked) for scope in verdict.columns.values())
    words = f"{_count(verdict.checked, 'constraint')} on {_count(judged, 'column')} hold"
    unjudged = not_judged_words(verdict)
    return f"{words}. {unjudged}" if unjudged else words


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
