"""Any partition, also one of a day that passed: its rows, its columns, what came near to an alarm, and a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from airflow_dq.explain.wording import times_words
from airflow_dq.judge.wording import held_words
from airflow_dq.profile.model import Profile
from airflow_dq.report.course import Insight
from airflow_dq.report.pages.address import Addresses
from airflow_dq.report.pages.column_table import COLUMNS, NearWords, by_column, column_rows, near_words
from airflow_dq.report.pages.contrast import Contrast, contrast
from airflow_dq.report.pages.mark import badge, marks_of
from airflow_dq.report.render import render
from airflow_dq.store.review_model import MetricHistory, VerdictDetail, through
from airflow_dq.store.summary import PartitionSummary

NEAREST = 5
"""Nearest misses that are told above the table."""


@dataclass(frozen=True, slots=True)
class PartitionView:
    """What the page shows.

    :param dag_id: the DAG through which the reader came; None in a report that was written to a file
    :param detail: the verdict; None when the partition was not judged
    :param insight: the partition beside its program and history, as far as these are known
    :param recent: the dataset's newest partitions, oldest first
    :param moves: metrics of the columns over these
    :param other: the partition that it is compared with
    """

    dataset: str
    dag_id: str | None
    profile: Profile
    detail: VerdictDetail | None
    insight: Insight | None
    recent: Sequence[PartitionSummary]
    readable: frozenset[str]
    now: datetime
    moves: Sequence[MetricHistory] = ()
    other: Profile | None = None


def render_partition(view: PartitionView, addresses: Addresses) -> str:
    """The page."""
    detail, profile = view.detail, view.profile
    verdict = None if detail is None else detail.verdict
    partition = None if detail is None else detail.partition
    judged = None if partition is None else badge(partition.status, partition.severity, partition.decision)
    key = profile.partition or "–"
    return render(
        "partition.html",
        links=addresses,
        title=f"{view.dataset} {key}",
        dataset=view.dataset,
        partition=key,
        dag_id=view.dag_id,
        shown=judged,
        judged_at=None if partition is None else partition.judged_at,
        origin=None if partition is None or view.dag_id is None else through(partition.origins, (view.dag_id,)),
        said=_said(view),
        problem=_problem(view, addresses),
        facts=_facts(view),
        near_rows=_nearest(view),
        marks=marks_of(
            view.recent, view.readable, view.dataset, addresses, here=profile.partition, through_dag=view.dag_id
        ),
        rows=column_rows(profile, verdict, view.insight, view.moves, view.other),
        more=len(profile.columns) - COLUMNS,
        states_kept=any(column.states for column in profile.columns.values()),
        choices=[one.partition for one in reversed(view.recent) if one.partition != key and one.rows is not None],
        other=None if view.other is None else view.other.partition,
        contrasts=_contrasts(view),
        now=view.now,
    )


def _said(view: PartitionView) -> str:
    if view.detail is None:
        return "No gate has judged this partition."
    verdict = view.detail.verdict
    return verdict.headline or verdict.reason or f"Everything that was checked holds: {held_words(verdict)}"


def _problem(view: PartitionView, addresses: Addresses) -> str | None:
    """Where a person decides about it, when something was found."""
    if view.detail is None or view.detail.partition.first_alert_id is None:
        return None
    return addresses.alert(view.dag_id or "", view.detail.partition.first_alert_id)


def _facts(view: PartitionView) -> list[tuple[str, str]]:
    facts = [("Rows", f"{view.profile.row_count:,}"), ("Columns", f"{len(view.profile.columns):,}")]
    if view.insight is not None:
        usual = view.insight.view.usual_rows
        facts.append(("Usual rows", f"{usual:,.0f}"))
    if view.other is not None:
        rows = view.other.row_count
        factor = f" ({times_words(view.profile.row_count, rows)})" if rows and view.profile.row_count else ""
        facts.append((f"Rows of {view.other.partition}", f"{rows:,}{factor}"))
    return facts


def _nearest(view: PartitionView) -> list[tuple[str | None, NearWords]]:
    if view.insight is None:
        return []
    outside = by_column(view.moves)
    found = [
        (near.column, near_words(near, view.insight, outside.get(near.column, {})))
        for near in view.insight.nears[:NEAREST]
    ]
    return [(column, words) for column, words in found if words is not None]


def _contrasts(view: PartitionView) -> list[tuple[str, Contrast]]:
    """The columns that differ clearly from the other partition's first."""
    if view.other is None:
        return []
    past = () if view.insight is None else view.insight.view.history.profiles
    names = list(view.profile.columns)[:COLUMNS]
    found = [(name, one) for name in names if (one := contrast(name, view.profile, view.other, past)) is not None]
    return sorted(found, key=lambda pair: -sum(line.moved for line in pair[1].lines))
