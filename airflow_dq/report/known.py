"""What pages draw of a partition beyond its verdict: the profile, and the history that it is seen against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from airflow_dq.drill.report import DrillReport
from airflow_dq.novelty.map import map_metrics
from airflow_dq.profile.model import Profile
from airflow_dq.report.ahead import Ahead, ahead_of
from airflow_dq.report.course import Insight
from airflow_dq.report.pages.mark import is_good
from airflow_dq.store import Repository
from airflow_dq.store.metric_history import METRICS
from airflow_dq.store.review_model import MetricHistory, VerdictDetail
from airflow_dq.store.summary import PartitionSummary

PARTITIONS = 60
"""Partitions in strips and sparklines: twice the history that programs learn from."""
CELLS = 6_000
"""Columns times partitions of the history that are read for a page: they take half a second."""
LEAST = 8
"""Partitions of the history that are read of the widest table: a week and one more."""


@dataclass(frozen=True, slots=True)
class Known:
    """What there is to draw of a partition.

    :param profile: None where it is not stored
    :param insight: None where no program judged it
    :param drilled: the slices that carry its change; None where nobody has looked
    """

    profile: Profile | None
    insight: Insight | None
    moves: Sequence[MetricHistory]
    drilled: DrillReport | None = None


def known_of(
    store: Repository,
    dataset: str,
    partition: str,
    detail: VerdictDetail | None,
    moves: Sequence[MetricHistory] | None = None,
) -> Known:
    """Read it.

    :param moves: what :func:`moves_of` gives, where that is at hand
    """
    profile = store.load_profile(dataset, partition, variants=False)
    moves = moves_of(store, dataset) if moves is None else moves
    program = None if detail is None else detail.program
    drilled = store.load_drill(dataset, partition)
    if profile is None or program is None:
        return Known(profile, None, moves, drilled)
    most = max(LEAST, CELLS // max(1, len(profile.columns)))
    history = store.load_history(dataset, partition, min(program.options.history, most))
    return Known(profile, Insight.of(program, profile, history), moves, drilled)


def moves_of(store: Repository, dataset: str) -> list[MetricHistory]:
    """The metrics that small charts and the map are made of, read once for all of them."""
    return store.metric_histories(dataset, PARTITIONS, tuple(dict.fromkeys((*METRICS, *map_metrics()))))


def ahead_in(store: Repository, dataset: str, known: Known, latest: PartitionSummary) -> Ahead | None:
    """What is expected of the partition after the newest one; by that one too, when it was found right."""
    current = store.current_program(dataset)
    if known.profile is None or known.insight is None or current is None:
        return None
    past = known.insight.view.history.profiles
    history = [*past, known.profile] if is_good(latest) else past
    return ahead_of(current[1], history, latest.partition)
