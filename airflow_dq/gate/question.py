"""The question that a parked gate asks: what was found, in Airflow's Markdown; names and values are data in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from airflow_dq.explain.lines import marked
from airflow_dq.explain.record import record_words
from airflow_dq.judge.verdict import BUTTONS

if TYPE_CHECKING:
    from airflow_dq.store.review_model import VerdictDetail

SUBJECT = 200
"""Longest subject, in characters."""
SHOWN = 3
"""Problems that are told: the answers below must be seen without scrolling; the page has all."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>&:$@^=])")
_MEANING = {
    "accepted": "the data is right: it joins the history, and the run goes on",
    "rejected": "the data is bad: it stays out, the task fails, and what follows does not run",
    "new_normal": "right, and will stay like this: the history restarts here",
}


def subject(detail: VerdictDetail) -> str:
    """One line: what happened, and where; of a long one the first is cut."""
    partition = detail.partition
    where = _cut(" ".join(f"{partition.dataset} {partition.partition}".split()), SUBJECT // 2)
    fact = " ".join(_first(detail).rstrip(".").split())
    return f"{_cut(fact, SUBJECT - len(where) - 3)} ({where})"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"


def _first(detail: VerdictDetail) -> str:
    """The worst problem, and how many more there are."""
    return detail.verdict.headline or detail.partition.headline or detail.verdict.reason or "it does not pass"


def body(detail: VerdictDetail, page: str | None) -> str:
    """The problems, what was measured, the history's chart, and what each answer does.

    :param page: path of the alert's page; None when there is no alert
    """
    measured = _measured(detail)
    blocks = ["\n".join([*_problem_lines(detail), *([] if measured is None else [measured])])]
    if page is not None:
        blocks.append(f"![What the metric was in the partitions before]({page}/chart.svg)")
        blocks.append(f"[Open the page: all findings, rows, what changed, who is held up, snooze]({page})")
    if (said := record_words(detail.verdict.record)) is not None:
        blocks.append(f"How reliable this gate has been: {escape(said)}")
    answers = (f"**{option}**: {_MEANING[decision]}" for decision, option in BUTTONS.items())
    blocks.append(". ".join(answers) + ".")
    return "\n\n".join(block for block in blocks if block)


def _problem_lines(detail: VerdictDetail) -> Iterator[str]:
    """What the subject does not tell: what to do about the first problem, or its cause, and the other ones."""
    problems = detail.verdict.problems
    if not problems:
        yield escape(_first(detail))
        return
    first = problems[0]
    if len(first.headline) > SUBJECT // 2:
        # The subject may have been cut.
        yield f"- {escape(marked(first))}"
    # The headline of a problem that there is an advice for has its cause, in other words.
    if first.advice is not None:
        yield f"- **What to do**: {escape(first.advice)}"
    elif first.cause is not None and first.cause not in first.headline:
        yield f"- {escape(first.cause)}"
    for problem in problems[1:SHOWN]:
        yield f"- **Also**: {escape(marked(problem))}"
    if len(problems) > SHOWN:
        yield f"- and {len(problems) - SHOWN} more"


def _measured(detail: VerdictDetail) -> str | None:
    """The metric that says most, in one line: a table of it would push the answers out of sight."""
    from airflow_dq.explain.wording import metric_words, reason_words
    from airflow_dq.metrics.descriptor import Reason
    from airflow_dq.report.number import expected, numbers

    alert = next((alert for alert in detail.verdict.alerts if alert.metric is not None), None)
    if alert is None:
        return None
    column = alert.column if alert.column is not None else "whole table"
    seen = alert.observed
    shown = reason_words(seen) if isinstance(seen, Reason) else "".join(numbers(alert, [] if seen is None else [seen]))
    warns = " (only warns)" if alert.severity == "warn" else ""
    usual = f", expected {words}" if (words := expected(alert)) else ""
    said = f"{column}, {metric_words(alert.metric or '', pair=False)}{warns}: {shown}{usual}"
    return f"- **Measured**: {escape(said)}"


def escape(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
