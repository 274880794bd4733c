"""A backtest as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from airflow_dq.backtest.model import BacktestResult, PartitionOutcome, Rate
from airflow_dq.explain.lines import SPELT
from airflow_dq.explain.wording import metric_words
from airflow_dq.judge.verdict import Status
from airflow_dq.report.backtest_words import caution, counts, headline, next_step, rate_words, sorted_recall, subject
from airflow_dq.report.pages.card import Charts, charts
from airflow_dq.report.pages.verdict import NO_KEY
from airflow_dq.report.render import render
from airflow_dq.report.words import count, spaced, status_words

CARDS = 60
"""Most alarms that get a chart, the newest ones: a page must stay small enough to be mailed."""
_TONES = {Status.PASS: "good", Status.FAIL: "bad"}


@dataclass(frozen=True, slots=True)
class _Mark:
    """A partition in the strip; an alarm's leads to its chart."""

    place: int
    partition: str
    words: str
    tone: str
    linked: bool


@dataclass(frozen=True, slots=True)
class _Alarm:
    """One alarm: its worst problem with a chart and some of its findings, and what the other problems are."""

    place: int
    partition: str
    subject: str
    rule: str
    decision: str | None
    sentence: str
    charts: Charts | None
    evidence: Sequence[str]
    others: Sequence[str]


def write_backtest(path: Path, result: BacktestResult) -> None:
    """Write the page that :func:`render_backtest_page` makes; the folder is created when it is missing.

    :param path: the file to write
    :param result: what :func:`airflow_dq.backtest.walk.backtest` found
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render_backtest_page(result), encoding="utf-8")


def render_backtest_page(result: BacktestResult) -> str:
    """The page: a strip of all partitions, what they say about the gate, and a chart for each alarm.

    :param result: what :func:`airflow_dq.backtest.walk.backtest` found
    """
    places = [place for place, outcome in enumerate(result.partitions) if outcome.status is Status.FAIL]
    charted = places[-CARDS:]
    columns, quiet = _columns(result)
    return render(
        "backtest.html",
        title=result.dataset or "files",
        lede=headline(result),
        marks=[_mark(place, outcome, place in charted) for place, outcome in enumerate(result.partitions)],
        notes=list(_notes(result)),
        targets=result.targets if result.targets and result.targets[0].judged else (),
        chosen=None if result.suggestion is None else result.suggestion.target_fpr,
        recall=sorted_recall(result),
        columns=columns,
        quiet=quiet,
        alarms=[_alarm(place, result.partitions[place]) for place in charted],
        left_out=len(places) - len(charted),
    )


def _mark(place: int, outcome: PartitionOutcome, linked: bool) -> _Mark:
    key = outcome.partition or NO_KEY
    words = "alarm" if outcome.status is Status.FAIL else status_words(outcome.status)
    return _Mark(place, key, f"{key}: {words}", _TONES.get(outcome.status, "wait"), linked)


def _notes(result: BacktestResult) -> Iterator[tuple[str, str]]:
    yield "Alarms", rate_words(result)
    for text in caution(result):
        yield "Note", text
    yield "Partitions", counts(result)
    if result.suggestion is not None:
        yield f"Suggestion: target_fpr={result.suggestion.target_fpr:g}", result.suggestion.reason
    yield "Next", next_step(result)


def _columns(result: BacktestResult) -> tuple[list[tuple[str, Rate]] | None, str | None]:
    """The columns that alarmed, None when nothing was judged; and words for those that never did."""
    if not result.false_alarms.of:
        return None, None
    alarmed = [(subject(one.column), one.alarms) for one in result.columns if one.alarms.count]
    quiet = len(result.columns) - len(alarmed)
    if not quiet:
        return alarmed, None
    return alarmed, f"{quiet} others" if alarmed else "the table and all its columns"


def _alarm(place: int, outcome: PartitionOutcome) -> _Alarm:
    worst, *others = outcome.problems
    first = worst.alerts[0]
    sentences = [alert.sentence for alert in worst.alerts[1:]]
    if len(sentences) > SPELT:
        sentences = [*sentences[:SPELT], f"and {count(len(sentences) - SPELT, 'finding')} more"]
    return _Alarm(
        place=place,
        partition=outcome.partition or NO_KEY,
        subject=subject(first.column),
        rule=metric_words(first.metric, pair=False) if first.is_range and first.metric else spaced(first.rule),
        decision=None if outcome.decision is None else spaced(outcome.decision),
        sentence=worst.headline,
        charts=charts(first, outcome.partition),
        evidence=sentences,
        others=[one.headline for one in others],
    )
