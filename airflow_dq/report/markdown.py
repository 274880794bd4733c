"""A verdict for a pull request or a chat: Markdown for people, plain data for programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from airflow_dq.explain.problem import Problem
from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.judge.wording import held_words, not_judged_words
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.report.number import expected
from airflow_dq.report.words import clean, count, status_words

SHOWN = 10
"""Problems that are told; a table that is wholly another one would have a hundred."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~<>&@])")
_SIGNS = {Status.PASS: "✅", Status.FAIL: "❌", Status.ERROR: "❌"}


def render_markdown(dataset: str, verdict: Verdict, link: str | None = None) -> str:
    """One paragraph, and one point for each problem with what to do.

    :param link: address of the partition's page
    """
    return "\n".join(_lines(dataset, verdict, link)) + "\n"


def _lines(dataset: str, verdict: Verdict, link: str | None) -> Iterator[str]:
    sign = "⚠️" if verdict.severity == "warn" else _SIGNS.get(verdict.status, "⚠️")
    name = f"{_text(dataset)} {_text(verdict.partition or '-')}"
    name = name if link is None else f"[{name}]({link.replace(')', '%29').replace(' ', '%20')})"
    problems = verdict.problems
    said = count(len(problems), "problem") if problems else verdict.reason or held_words(verdict)
    yield f"{sign} **{name}**: {status_words(verdict.status, verdict.severity)}, {_text(said)}"
    if problems:
        yield ""
    for problem in problems[:SHOWN]:
        warns = " (only warns)" if problem.severity == "warn" else ""
        yield f"- **{_text(problem.headline)}**{warns}"
        if problem.advice:
            yield f"  {_text(problem.advice)}"
        yield f"  <sub>{_text(_evidence(problem))}</sub>"
    if len(problems) > SHOWN:
        yield f"- and {len(problems) - SHOWN} more"
    if verdict.not_judged:
        yield ""
        yield f"Not judged: {_text(not_judged_words(verdict))}"


def _evidence(problem: Problem) -> str:
    """What was measured first, and how much more there is."""
    first = problem.alerts[0]
    rest = len(problem.alerts) - 1
    more = f", and {count(rest, 'more alert')}" if rest else ""
    return f"{first.sentence.rstrip('.')}{more}"


def _text(text: str) -> str:
    """Text that Markdown shows as it is, on one line; no name in it calls anybody."""
    return _SPECIAL.sub(r"\\\1", " ".join(clean(text).split())).replace("\\@", "@\u200b")


def verdict_data(dataset: str, verdict: Verdict) -> dict[str, Any]:
    """The same as plain data: what happened, with its evidence in words and numbers."""
    return {
        "dataset": dataset,
        "partition": verdict.partition,
        "status": str(verdict.status),
        "headline": verdict.headline,
        "reason": verdict.reason,
        "problems": [_problem_data(problem) for problem in verdict.problems],
        "not_judged": dict(verdict.not_judged),
    }


def _problem_data(problem: Problem) -> dict[str, Any]:
    return {
        "key": problem.key,
        "headline": problem.headline,
        "columns": list(problem.columns),
        "rows": problem.rows,
        "cause": problem.cause,
        "advice": problem.advice,
        "severity": problem.severity,
        "evidence": [
            {
                "column": alert.column,
                "metric": alert.metric,
                "rule": alert.rule,
                "observed": str(alert.observed) if isinstance(alert.observed, Reason) else alert.observed,
                "expected": expected(alert) if alert.is_range else None,
                "words": alert.sentence,
            }
            for alert in problem.alerts
        ],
    }
