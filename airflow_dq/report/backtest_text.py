"""A backtest as plain text: what happened partition by partition, then what it says about the gate."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from airflow_dq.backtest.model import BacktestResult, FiredClause, PartitionOutcome
from airflow_dq.judge.verdict import Status
from airflow_dq.report.backtest_words import (
    by_type,
    caution,
    counts,
    headline,
    next_step,
    noise_words,
    rate_words,
    subject,
    target_words,
)
from airflow_dq.report.words import clean, count, spaced, status_words

_SENTENCES = 6
"""Most fired clauses that are shown with their sentence; the page and the JSON have all."""
_LABEL = 14
"""Width of the labels below the table."""
_NARROWEST = 40
"""Fewest characters of a line of sentences, however narrow the terminal is."""


def render_backtest(result: BacktestResult, *, from_files: bool = False, width: int | None = None) -> str:
    """The whole report.

    :param result: what :func:`airflow_dq.backtest.walk.backtest` found
    :param from_files: whether files were read, and no stored history
    :param width: characters in a line (None: as wide as the terminal, 100 where there is none)
    """
    width = max(_NARROWEST + _LABEL, width or shutil.get_terminal_size((100, 24)).columns)
    lines = [
        *_wrap(f"{result.dataset or 'files'}: {headline(result)}", width),
        "",
        *_table(result.partitions, width),
        "",
    ]
    for label, text in _facts(result, from_files):
        first, *rest = _wrap(text, width - _LABEL)
        lines += [label.ljust(_LABEL) + first, *(" " * _LABEL + line for line in rest)]
    return "\n".join(clean(line).rstrip() for line in lines) + "\n"


def _table(outcomes: Sequence[PartitionOutcome], width: int) -> list[str]:
    """One line per alarm; partitions in a row with the same other verdict share one."""
    heads = ("PARTITION", "ROWS", "VERDICT")
    runs = groupby(enumerate(outcomes), lambda pair: _run_key(*pair))
    rows = [_row([outcome for _, outcome in run]) for _, run in runs]
    sizes = [max(len(cells[n]) for cells in (heads, *(cells for cells, _, _ in rows))) for n in range(3)]
    left = sum(sizes) + 6
    lines = []
    for (key, size, verdict), finding, more in [(heads, "WORST PROBLEM", None), *rows]:
        start = f"{key.ljust(sizes[0])}  {size.rjust(sizes[1])}  {verdict.ljust(sizes[2])}  "
        first, *rest = _wrap(finding, max(_NARROWEST, width - left), more)
        lines += [start + first, *(" " * left + line for line in rest)]
    return lines


def _run_key(place: int, outcome: PartitionOutcome) -> object:
    """What partitions on one line have in common; an alarm has its own."""
    alone = outcome.status in (Status.FAIL, Status.ERROR) or outcome.decision is not None
    if alone:
        return place, outcome.status
    return outcome.status, outcome.reason if outcome.status is Status.NOT_EVALUATED else None


def _row(run: Sequence[PartitionOutcome]) -> tuple[tuple[str, str, str], str, str | None]:
    """Partition, rows and verdict; the finding; and of an alarm, which must be brief, how many more problems."""
    first, last = run[0], run[-1]
    key = (first.partition or "-") + (f" to {last.partition or '-'}" if len(run) > 1 else "")
    sizes = sorted({outcome.rows for outcome in run if outcome.rows is not None})
    spread = f"{sizes[0]:,}-{sizes[-1]:,}" if len(sizes) > 1 else f"{sizes[0]:,}" if sizes else "-"
    verdict = "ALARM" if first.status is Status.FAIL else status_words(first.status)
    if first.decision is not None:
        verdict += f" ({spaced(first.decision)})"
    cells = key, spread, verdict
    if first.status is Status.FAIL and first.alerts:
        problem, *others = first.problems
        return cells, problem.headline, f"(+{len(others)} more)" if others else ""
    said = [count(len(run), "partition")] if len(run) > 1 else []
    if first.reason and first.status is not Status.WARMING_UP:
        said.append(first.reason)
    return cells, ": ".join(said), None


def _facts(result: BacktestResult, from_files: bool) -> Iterator[tuple[str, str]]:
    yield "Alarms", rate_words(result)
    for sentence in caution(result):
        yield "", sentence
    yield "Partitions", counts(result)
    alarmed = [one for one in result.columns if one.alarms.count]
    if alarmed:
        quiet = sum(one.column is not None for one in result.columns) - sum(one.column is not None for one in alarmed)
        named = ", ".join(f"{subject(one.column)} {one.alarms.count} of {one.alarms.of}" for one in alarmed)
        yield "By column", f"{named}; {count(quiet, 'column')} never"
    for label, fired in zip(["Fired", *[""] * _SENTENCES], result.clauses[:_SENTENCES], strict=False):
        yield label, fired_words(fired)
    if len(result.clauses) > _SENTENCES:
        yield "", f"... and {len(result.clauses) - _SENTENCES} more clauses (--html or --json shows all)"
    yield "Would catch", by_type(result)
    for label, one in zip(["Targets", *[""] * len(result.targets)], result.targets, strict=False):
        mark = "  <- as judged above" if one.target_fpr == result.options.target_fpr else ""
        yield label, target_words(one) + mark
    if result.suggestion is not None:
        yield "Suggestion", f"target_fpr={result.suggestion.target_fpr:g}: {result.suggestion.reason}"
    if (noisy := noise_words(result)) is not None:
        yield "Noise", noisy
    yield "Next", next_step(result, from_files=from_files)


def fired_words(fired: FiredClause) -> str:
    """How often a clause fired, and what it said the last time."""
    times = len(fired.partitions)
    return f"{times} {'time' if times == 1 else 'times'}, last on {fired.partitions[-1]}: {fired.message}"


def _wrap(text: str, width: int, more: str | None = None) -> list[str]:
    """The text in lines; with ``more`` in two at most, which end with it: the sentence is told in full elsewhere."""
    wrapper = textwrap.TextWrapper(width, break_on_hyphens=False, break_long_words=False)
    if more is None:
        # Columns of numbers keep their places.
        wrapper.replace_whitespace = False
        return wrapper.wrap(clean(text)) or [""]
    # A no-break space keeps the end in one piece.
    end = more.replace(" ", "\u00a0")
    wrapper.max_lines, wrapper.placeholder = 2, f"… {end}".rstrip()
    return [line.replace("\u00a0", " ") for line in wrapper.wrap(f"{clean(text)} {end}")] or [""]
