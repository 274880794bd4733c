"""What a verdict that passes says it rests on: how many constraints held, and which columns nobody looked at."""

from __future__ import annotations

from airflow_dq.judge.verdict import Verdict

NAMED = 10
"""Columns that are named one by one; hundreds of them would hide the rest of a line."""


def held_words(verdict: Verdict) -> str:
    """``55 constraints on 3 columns hold; not judged: pet (no metric could be bounded)``."""
    held = f"{what_holds(verdict)} hold"
    return f"{held}; not judged: {not_judged_words(verdict)}" if verdict.not_judged else held


def what_holds(verdict: Verdict) -> str:
    """``120 constraints on 12 columns``: how much was checked of a partition that has no alerts."""
    return f"{_count(verdict.checked, 'constraint')} on {_count(len(verdict.judged), 'column')}"


def not_judged_words(verdict: Verdict) -> str:
    """The columns that were not judged with their reasons: ``pet (no metric could be bounded), tag (...)``."""
    skipped = verdict.not_judged
    named = [f"{name} ({reason})" if reason else name for name, reason in list(skipped.items())[:NAMED]]
    more = f" and {len(skipped) - NAMED} more" if len(skipped) > NAMED else ""
    return ", ".join(named) + more


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
