"""The question that a parked gate asks: what was found, in Airflow's Markdown; names and values are data in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from airflow_dq.explain.lines import details, marked
from airflow_dq.explain.record import record_words
from airflow_dq.judge.verdict import BUTTONS

if TYPE_CHECKING:
    from airflow_dq.explain.alert import Alert
    from airflow_dq.store.review_model import VerdictDetail

SUBJECT = 200
"""Longest subject, in characters."""
SHOWN = 20
"""Alerts that are spelt out; the page has them all."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>&:$@^=])")
_MEANING = {
    "accepted": "the data is right: the partition joins the history, and the run goes on.",
    "rejected": "the data is bad: the partition stays out of the history, and the task fails.",
    "new_normal": "the data is right and will stay like this: the history restarts at this partition.",
}


def subject(detail: VerdictDetail) -> str:
    """One line: what happened, and where; of a long one the first is cut."""
    partition = detail.partition
    where = _cut(" ".join(f"{partition.dataset} {partition.partition}".split()), SUBJECT // 2)
    return f"{_cut(' '.join(_first(detail).split()), SUBJECT - len(where) - 3)} ({where})"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"


def _first(detail: VerdictDetail) -> str:
    """The worst problem, and how many more there are."""
    return detail.verdict.headline or detail.partition.headline or detail.verdict.reason or "it does not pass"


def _problem_lines(detail: VerdictDetail) -> Iterator[str]:
    """Each of several problems, with what to do."""
    problems = detail.verdict.problems
    for problem in problems[:SHOWN]:
        told = marked(problem) if problem.advice is None else f"{marked(problem)}. {problem.advice}"
        yield f"- {escape(told)}"
    if len(problems) > SHOWN:
        yield f"- and {len(problems) - SHOWN} more"


def body(detail: VerdictDetail, page: str | None) -> str:
    """The explanation, the history's chart, a table of what was violated, and what each answer does.

    :param page: path of the alert's page; None when there is no alert
    """
    alerts = detail.verdict.alerts
    problems = detail.verdict.problems
    blocks = [
        f"**{escape(problems[0].headline if problems else _first(detail))}** in dataset "
        f"**{escape(detail.partition.dataset)}**, partition **{escape(detail.partition.partition)}**.",
        *_detail_lines(alerts[0] if alerts else None),
    ]
    if len(problems) > 1 or any(problem.advice for problem in problems):
        blocks.append("\n".join(_problem_lines(detail)))
    if page is not None:
        blocks.append(f"![What the metric was in the partitions before]({page}/chart.svg)")
    if alerts:
        blocks.append("\n".join(_table(detail)))
    if (said := record_words(detail.verdict.record)) is not None:
        blocks.append(f"How reliable this gate has been: {escape(said)}")
    if page is not None:
        blocks.append(f"[Open the alert: charts, what changed, snooze]({page})")
    blocks.append("\n".join(f"- **{option}**: {_MEANING[decision]}" for decision, option in BUTTONS.items()))
    return "\n\n".join(blocks)


def _detail_lines(alert: Alert | None) -> Iterator[str]:
    if alert is not None and (said := details(alert)):
        yield "\n".join(f"- {escape(line)}" for line in said)


def _table(detail: VerdictDetail) -> Iterator[str]:
    alerts = detail.verdict.alerts
    yield "| Column | Constraint | Seen | Expected | How unusual |"
    yield "|---|---|---|---|---|"
    for alert in islice(alerts, SHOWN):
        yield "| " + " | ".join(map(escape, _cells(alert))) + " |"
    if len(alerts) > SHOWN:
        yield f"| and {len(alerts) - SHOWN} more | | | | |"


def _cells(alert: Alert) -> tuple[str, str, str, str, str]:
    from airflow_dq.explain.evidence import evidence_words
    from airflow_dq.explain.wording import metric_words, reason_words
    from airflow_dq.metrics.descriptor import Reason
    from airflow_dq.report.number import expected, numbers

    column = alert.column if alert.column is not None else "(table)"
    if alert.metric is None:
        return column, alert.rule.replace("_", " "), "", "", ""
    seen = alert.observed
    shown = reason_words(seen) if isinstance(seen, Reason) else "".join(numbers(alert, [] if seen is None else [seen]))
    warns = " (only warns)" if alert.severity == "warn" else ""
    known = alert.evidence
    unusual = "" if known is None else evidence_words(known.deviation, known.worst, known.rank, known.partitions)
    return column, f"{metric_words(alert.metric, pair=False)}{warns}", shown, expected(alert), unusual


def escape(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
