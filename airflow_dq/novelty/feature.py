"""Profiles as rows of features: metrics on scales on which they vary evenly, and the least spread of each.

Only metrics that every profile keeps for ever are read, and one share that takes the states of the newest partitions:
a history of years costs no more than its metrics.  Quantiles, skewness and kurtosis are left out: on clean partitions
they are odd three times as often as means are, and no error moves them alone.  So is what a date foretells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from airflow_dq.metrics.descriptor import Scale
from airflow_dq.metrics.registry import find_metric
from airflow_dq.novelty.options import NoveltyOptions
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind

Floats = NDArray[np.float64]
Key = tuple[str | None, str]
"""Column (None: the table) and metric."""

UNSEEN = "unseen_ratio"
"""The share of values that none of the three partitions before has: what finds swaps and misspelt words."""
ROWS = "row_count"
LEAST = 0.01
"""Least spread of a feature that is no share: a hundredth of its size, as floats are on logarithmic scales."""
LEAST_SHARE = 0.7
"""Least spread of a share, in standard errors of a share of as many values as a partition typically has rows."""

_ANY = ("complete_ratio", "unique_ratio", "mode_ratio")
FEATURES: dict[Kind, tuple[str, ...]] = {
    Kind.NUMERIC: (*_ANY, "mean", "std", "min", "max", "integer_ratio", "negative_ratio", "zero_ratio", UNSEEN),
    Kind.STRING: (
        *(*_ANY, "dist_val_count", "entropy", "numeric_ratio", "pat_count", "pat_entropy"),
        *("str_len", "digit_len", "punc_len", "upper_len", "lower_len", "space_len", UNSEEN),
    ),
    Kind.TIMESTAMP: (*_ANY, "std", "midnight_ratio"),
    Kind.BOOLEAN: ("complete_ratio", "true_ratio"),
    Kind.BINARY: ("complete_ratio", "size_mean"),
    Kind.NESTED: ("complete_ratio", "size_mean"),
    Kind.NULL: (),
}
"""The metrics of each kind of column."""
EMPHASIS = {"min": 0.7, "max": 0.85, UNSEEN: 0.9}
"""What a deviation of a metric weighs, where that is not 1: extremes and new values have the longest tails of all on
clean partitions, and half of the false alarms were theirs."""


class Unseen(Protocol):
    """Where the share of unseen values comes from."""

    def __call__(self, name: str, now: ColumnProfile, earlier: Sequence[ColumnProfile | None]) -> float | None:
        """The share of a column's values that none of the partitions before has; None where that is not known.

        :param earlier: the column in the partitions before, oldest first
        """


@dataclass(frozen=True, slots=True)
class Features:
    """A history and the partition that follows it, as rows of numbers."""

    keys: tuple[Key, ...]
    past: Floats
    """A row for each past partition, oldest first; NaN where it has no value."""
    now: Floats
    least: Floats
    rises: NDArray[np.bool_]
    emphasis: Floats

    @classmethod
    def of(cls, history: Sequence[Profile], profile: Profile, options: NoveltyOptions, unseen: Unseen) -> Features:
        """The features of the columns that the partition has, as far back as they have been of the same kind."""
        profiles = [*history, profile]
        keys: list[Key] = [(None, ROWS)]
        series = [np.array([float(one.row_count) for one in profiles])]
        for name, column in profile.columns.items():
            metrics = FEATURES[column.kind] if options.reads(name) else ()
            columns = [_of_kind(one.columns.get(name), column.kind) for one in profiles]
            own = [metric for metric in metrics if metric != UNSEEN]
            keys += [(name, metric) for metric in own]
            series += list(_table(columns, own).T)
            if UNSEEN in metrics:
                keys.append((name, UNSEEN))
                series.append(_unseen(name, columns, unseen))
        kinds = {name: column.kind for name, column in profile.columns.items()}
        every = cls.of_values(tuple(keys), kinds, np.array(series).T)
        return replace(every, past=every.past[:-1], now=every.past[-1:])

    @classmethod
    def of_values(cls, keys: tuple[Key, ...], kinds: Mapping[str, Kind], values: Floats) -> Features:
        """The features of some partitions whose metrics are known, without one that follows.

        :param values: a row for each partition, in the order of the keys; NaN where it has no value
        """
        entries = [find_metric(metric, None if name is None else kinds[name]) for name, metric in keys]
        scales = [Scale.AMOUNT if entry is None else entry.scale for entry in entries]
        rows = values[:, keys.index((None, ROWS))] if (None, ROWS) in keys else np.ones(1)
        typical = max(1.0, float(np.median(rows)))
        shares = np.array([scale in (Scale.SHARE, Scale.DISTANCE) for scale in scales])
        matrix = np.empty_like(values)
        for scale in dict.fromkeys(scales):
            alike = np.array([one is scale for one in scales])
            matrix[:, alike] = _evenly(values[:, alike], scale)
        return cls(
            keys=keys,
            past=matrix,
            now=matrix[:0],
            least=np.where(shares, LEAST_SHARE / np.sqrt(typical), LEAST),
            rises=np.array([scale is Scale.DISTANCE for scale in scales]),
            emphasis=np.array([EMPHASIS.get(metric, 1.0) for _, metric in keys]),
        )


def _of_kind(column: ColumnProfile | None, kind: Kind) -> ColumnProfile | None:
    return column if column is not None and column.kind is kind else None


def _table(columns: Sequence[ColumnProfile | None], metrics: Sequence[str]) -> Floats:
    """A row of metrics for each partition of a column."""
    if len(metrics) > 1:
        every = itemgetter(*metrics)
        try:
            # Most often all are there and are numbers: a long history of a wide table has a million of them.
            return np.array([every(one.metrics) for one in columns], np.float64)  # type: ignore[union-attr]
        except (AttributeError, KeyError, ValueError):
            # A partition lacks the column or a metric, or a metric is a reason.
            return np.array([_row(one, metrics) for one in columns])
    return np.array([_row(one, metrics) for one in columns]).reshape(len(columns), len(metrics))


def _row(column: ColumnProfile | None, metrics: Sequence[str]) -> list[float]:
    if column is None:
        return [np.nan] * len(metrics)
    found = column.metrics
    return [value if isinstance(value := found.get(name), float) else np.nan for name in metrics]


def _unseen(name: str, columns: Sequence[ColumnProfile | None], unseen: Unseen) -> Floats:
    values = np.full(len(columns), np.nan)
    for place, now in enumerate(columns):
        share = None if now is None or not place else unseen(name, now, columns[:place])
        if share is not None:
            values[place] = share
    return values


def _evenly(values: Floats, scale: Scale) -> Floats:
    """The values on a scale on which they vary as much where they are large as where they are small."""
    if scale is Scale.SHARE:
        return np.asarray(np.arcsin(np.sqrt(np.clip(values, 0.0, 1.0))))
    if scale in (Scale.DISTANCE, Scale.TRANSPORT):
        return np.sqrt(np.maximum(values, 0.0))
    if scale in (Scale.COUNT, Scale.RATIO):
        return np.log1p(np.maximum(values, 0.0))
    return np.arcsinh(values)
