"""The overview: every dataset in one line, what is open first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Literal
from xml.etree.ElementTree import Element

from airflow_dq.learn.history.timeline import timestamp_of
from airflow_dq.report.pages.address import Addresses
from airflow_dq.report.pages.strip import strip_drawing
from airflow_dq.report.render import render
from airflow_dq.report.words import count
from airflow_dq.store.summary import DatasetOverview, PartitionMark

State = Literal["all", "open", "late", "failing", "fine"]
STATES: tuple[tuple[State, str], ...] = (
    ("all", "All"),
    ("open", "Needs a decision"),
    ("late", "Late"),
    ("failing", "Not good now"),
    ("fine", "Fine"),
)
"""What the list can be narrowed to."""
_ENOUGH = 4
"""Good partitions that tell what is usual."""
_timestamp = lru_cache(maxsize=4096)(timestamp_of)
"""Datasets have their days in common, and a page of a thousand has thirty thousand keys."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What the page shows.

    :param datasets: those that the reader may see, at most as many as a page has
    :param more: whether there are others that the page has no room for
    :param dag_id: the DAG that it is about; None: all that the reader may see
    :param search: part of a name that was asked for
    """

    datasets: Sequence[DatasetOverview]
    now: datetime
    dag_id: str | None = None
    search: str = ""
    state: State = "all"
    more: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One dataset.

    :param states: of the states above those that it is in
    :param problem_words: the headline of what is open
    :param problem_address: the page where it is decided
    :param more_problems: ``and 2 more partitions``
    :param rows: of the newest partition
    :param usual: ``usual 791 to 933``; empty while too few are known
    :param odd_rows: whether the rows are outside of that
    :param late: why it is late, in words
    :param last_good: key of the newest good partition
    """

    name: str
    address: str
    states: str
    strip: Element
    problem_words: str
    problem_address: str | None
    more_problems: str
    newest: str
    rows: str
    usual: str
    odd_rows: bool
    profiled_at: datetime | None
    late: str
    last_good: str


def render_overview(view: Overview, addresses: Addresses) -> str:
    """The page."""
    lines = sorted((_line(one, view.now, addresses) for one in view.datasets), key=_urgency)
    counts = {state: sum(state in line.states.split() for line in lines) for state, _ in STATES}
    return render(
        "overview.html",
        links=addresses,
        title="Data quality",
        dag_id=view.dag_id,
        lede=_lede(counts),
        lines=lines,
        search=view.search,
        state=view.state,
        states=[(state, words, counts[state]) for state, words in STATES],
        more=view.more,
        now=view.now,
    )


def _urgency(line: Line) -> tuple[bool, bool, bool, str]:
    found = line.states.split()
    return "open" not in found, "failing" not in found, "late" not in found, line.name


def _lede(counts: dict[State, int]) -> str:
    if not counts["all"]:
        return "No gate has judged a partition of any dataset that you may see."
    waiting, late = counts["open"], counts["late"]
    verb = "needs" if waiting == 1 else "need"
    words = f"{waiting:,} of {count(counts['all'], 'dataset')} {verb} a decision" if waiting else ""
    calm = f"Nothing waits for a decision in {count(counts['all'], 'dataset')}"
    return (words or calm) + (f"; {late:,} {'is' if late == 1 else 'are'} late." if late else ".")


def _line(dataset: DatasetOverview, now: datetime, addresses: Addresses) -> Line:
    newest = dataset.marks[-1] if dataset.marks else None
    usual = usual_rows(dataset.marks[:-1])
    odd = newest is not None and usual is not None and not usual[0] <= newest.rows <= usual[1]
    late = late_words(dataset, now)
    problem = dataset.problem
    good = next((mark.partition for mark in reversed(dataset.marks) if mark.is_good), None)
    bad = dataset.failed is not None or (newest is not None and newest.verdict is not None and not _is_calm(newest))
    states = [
        "all",
        *(["open"] if problem else []),
        *(["late"] if late else []),
        *(["failing"] if bad else []),
        *([] if problem or late or bad else ["fine"]),
    ]
    return Line(
        name=dataset.name,
        address=addresses.dataset(dataset.name),
        states=" ".join(states),
        strip=strip_drawing(dataset.marks),
        problem_words=problem.headline if problem else _failed_words(dataset),
        problem_address=None if problem is None else addresses.alert(problem.dag_id, problem.alert_id),
        more_problems=_more_words(problem.partitions) if problem else "",
        newest="nothing profiled yet" if newest is None else newest.partition,
        rows="" if newest is None else f"{newest.rows:,} rows",
        usual=_usual_words(usual),
        odd_rows=odd,
        profiled_at=dataset.profiled_at,
        late=late,
        last_good=good or (f"none of {len(dataset.marks)}" if dataset.marks else ""),
    )


def _is_calm(mark: PartitionMark) -> bool:
    return mark.is_good or (mark.verdict is not None and mark.verdict.value == "warming_up") or mark.severity == "warn"


def _failed_words(dataset: DatasetOverview) -> str:
    return "" if dataset.failed is None else f"{dataset.failed} could not be profiled"


def _more_words(partitions: int) -> str:
    return f"and {count(partitions - 1, 'more partition')}" if partitions > 1 else ""


def usual_rows(marks: Sequence[PartitionMark]) -> tuple[int, int] | None:
    """Fewest and most rows of the good ones among some partitions; None where they are too few to tell."""
    rows = [mark.rows for mark in marks if mark.is_good]
    return (min(rows), max(rows)) if len(rows) >= _ENOUGH else None


def _usual_words(usual: tuple[int, int] | None) -> str:
    if usual is None:
        return ""
    low, high = usual
    return f"always {low:,}" if low == high else f"usual {low:,} to {high:,}"


def late_words(dataset: DatasetOverview, now: datetime) -> str:
    """How long ago the newest partition came, when it never took so long from one to the next; else nothing.

    The rhythm is that of the keys: a history that was backfilled came in a minute.
    """
    times = [at for mark in dataset.marks if (at := _timestamp(mark.partition)) is not None]
    gaps = [later - earlier for earlier, later in pairwise(times) if later > earlier]
    if dataset.profiled_at is None or len(gaps) < _ENOUGH:
        return ""
    # A load that takes half as long again as ever is a slow one yet.
    allowed = max(gaps) + sorted(gaps)[len(gaps) // 2] / 2
    waited = now - dataset.profiled_at
    return f"nothing for {_span(waited)}, at most {_span(max(gaps))} so far" if waited > allowed else ""


def _span(length: timedelta) -> str:
    hours = length / timedelta(hours=1)
    return f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.0f} d"
