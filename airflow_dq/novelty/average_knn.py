"""The published detector (Redyuk et al., EDBT 2021, section 4): average distance to the nearest neighbours.

Of every column: completeness, the number of distinct values, the share of the most frequent one; of numbers their
largest, mean, smallest and standard deviation, of strings the index of peculiarity.  Each statistic is scaled to 0..1
by the history; one that was constant stays unscaled, as published.  A statistic without a value takes its mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.novelty.options import NoveltyOptions
from airflow_dq.novelty.peculiarity import peculiarity_of
from airflow_dq.novelty.result import NoveltyResult, attributes
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind

NEIGHBOURS = 5
"""As published."""
CONTAMINATION = 0.01
"""Share of the history that is taken for misjudged: the threshold is the 99th percentile of its own distances."""

Metrics = Mapping[str, MetricValue]
Statistic = Callable[[ColumnProfile, float], float]


def _metric(name: str) -> Statistic:
    def statistic(column: ColumnProfile, rows: float) -> float:
        value = column.metrics.get(name)
        return value if isinstance(value, float) else np.nan

    return statistic


def _peculiarity(column: ColumnProfile, rows: float) -> float:
    index = peculiarity_of(column)
    return np.nan if index is None else index


def _completeness(column: ColumnProfile, rows: float) -> float:
    value = column.metrics.get("complete_ratio")
    return value if isinstance(value, float) else 0.0


def _of_values(name: str, scale: Callable[[float], float]) -> Statistic:
    """A share of the values as it is among all rows; 0 without values."""

    def statistic(column: ColumnProfile, rows: float) -> float:
        value = column.metrics.get(name)
        return value * _completeness(column, rows) * scale(rows) if isinstance(value, float) else 0.0

    return statistic


_GENERAL: tuple[tuple[str, Statistic], ...] = (
    ("complete_ratio", _completeness),
    # How many there are: exact, or HyperLogLog's estimate.
    ("unique_ratio", _of_values("unique_ratio", lambda rows: rows)),
    ("mode_ratio", _of_values("mode_ratio", lambda rows: 1.0)),
)
_OWN = {
    Kind.NUMERIC: tuple((name, _metric(name)) for name in ("max", "mean", "min", "std")),
    Kind.STRING: (("peculiarity", _peculiarity),),
}


def detect(history: Sequence[Profile], profile: Profile, options: NoveltyOptions) -> NoveltyResult:
    """Whether the partition lies further from its neighbours than 99 % of the history do from theirs.

    :param history: at least two profiles
    """
    keys, rows = statistics((*history, profile), options)
    if not keys:
        return NoveltyResult(False, None, None, partitions=len(history), reason="there is no column to look at")
    scaled = scaled_by_history(rows)
    past, now = scaled[:-1], scaled[-1:]
    near = min(NEIGHBOURS, len(past) - 1)
    # The nearest point to a past one is itself.
    own = np.sort(cdist(past, past), axis=1)[:, 1 : near + 1].mean(axis=1)
    threshold = float(np.percentile(own, 100 * (1 - CONTAMINATION)))
    distances = cdist(now, past)[0]
    nearest = np.argsort(distances, kind="stable")[: min(NEIGHBOURS, len(past))]
    score = float(distances[nearest].mean())
    parts = ((past[nearest] - now) ** 2).sum(axis=0)
    return NoveltyResult(score > threshold, score, threshold, attributes(keys, parts), len(history))


def statistics(
    profiles: Sequence[Profile], options: NoveltyOptions
) -> tuple[tuple[tuple[str | None, str], ...], NDArray[np.float64]]:
    """The published statistics of the columns that the newest profile has.

    :param profiles: oldest first
    :return: column and metric of each, and a row for each profile; NaN where one has no value
    """
    found = [
        (name, column.kind, metric, statistic)
        for name, column in profiles[-1].columns.items()
        if options.reads(name)
        for metric, statistic in (*_GENERAL, *_OWN.get(column.kind, ()))
    ]
    rows = np.array([[_value(one, name, kind, read) for name, kind, _, read in found] for one in profiles])
    return tuple((name, metric) for name, _, metric, _ in found), rows


def _value(profile: Profile, name: str, kind: Kind, statistic: Statistic) -> float:
    column = profile.columns.get(name)
    if column is None or column.kind not in (kind, Kind.NULL):
        return float(np.nan)
    return statistic(column, float(profile.row_count))


def scaled_by_history(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """All rows on the scale that all but the last one span; what has no value takes its mean."""
    past = rows[:-1]
    known = ~np.isnan(past)
    mean = np.where(known, past, 0.0).sum(axis=0) / np.maximum(1, known.sum(axis=0))
    filled = np.where(np.isnan(rows), mean, rows)
    low, width = filled[:-1].min(axis=0), np.ptp(filled[:-1], axis=0)
    return np.asarray((filled - low) / np.where(width > 0, width, 1.0))
