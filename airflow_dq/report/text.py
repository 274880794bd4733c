"""Verdicts as plain text: a table for a terminal or a task log."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence

from airflow_dq.explain.lines import evidence, marked
from airflow_dq.explain.record import record_words
from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.judge.wording import held_words
from airflow_dq.report.words import clean, count, count_or_no, status_words

_NARROWEST = 30
"""Fewest characters of a line of the finding column, however narrow the terminal is."""


def finding(verdict: Verdict) -> str:
    """What a verdict says, in one line: how much was found or checked, or what kept it from being checked."""
    if verdict.problems:
        columns = len({alert.column for alert in verdict.alerts if alert.column is not None})
        where = f" in {count(columns, 'column')}" if columns else ""
        return f"{count(len(verdict.problems), 'problem')}{where}"
    if verdict.reason:
        return verdict.reason
    return held_words(verdict)


def summary(verdicts: Sequence[Verdict]) -> str:
    """How many partitions passed, and how many problems there are, in one sentence."""
    passed = sum(verdict.status is Status.PASS for verdict in verdicts)
    problems = sum(len(verdict.problems) for verdict in verdicts)
    return f"{passed} of {count(len(verdicts), 'partition')} passed; {count_or_no(problems, 'problem')}."


def render_text(verdicts: Sequence[tuple[str, Verdict]], width: int | None = None, findings: int | None = None) -> str:
    """A table of partition, verdict and finding; below its partition each problem and its evidence.

    :param verdicts: (dataset, verdict) in the order to show them
    :param width: characters in a line (None: as wide as the terminal, 100 where there is none)
    :param findings: findings of each problem that are spelt out (None: all)
    """
    width = width or shutil.get_terminal_size((100, 24)).columns
    many = len({dataset for dataset, _ in verdicts}) > 1
    heads = (["DATASET"] if many else []) + ["PARTITION", "VERDICT", "FINDING"]
    rows = [
        ([dataset] if many else []) + [verdict.partition or "-", status_words(verdict.status, verdict.severity)]
        for dataset, verdict in verdicts
    ]
    sizes = [max(len(head), *(len(row[n]) for row in rows)) if rows else len(head) for n, head in enumerate(heads[:-1])]
    indent = sum(sizes) + 2 * len(sizes)
    lines = [_line(heads[:-1], sizes) + heads[-1]]
    for row, (_, verdict) in zip(rows, verdicts, strict=True):
        texts = _wrap(finding(verdict), width - indent)
        for problem in verdict.problems:
            first, *rest = _wrap(marked(problem), width - indent - 2)
            texts += [f"- {first}", *(f"  {line}" for line in rest)]
            for detail in evidence(problem, len(problem.alerts) if findings is None else findings):
                first, *rest = _wrap(detail, width - indent - 6)
                texts += [f"    {first}", *(f"      {line}" for line in rest)]
        for said in (*verdict.notes, *filter(None, [record_words(verdict.record)])):
            texts += _wrap(said, width - indent)
        lines.append(_line(row, sizes) + texts[0])
        lines += [" " * indent + text for text in texts[1:]]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _line(cells: Sequence[str], sizes: Sequence[int]) -> str:
    return "".join(clean(cell).ljust(size + 2) for cell, size in zip(cells, sizes, strict=True))


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(clean(text), max(_NARROWEST, width), break_on_hyphens=False) or [""]
