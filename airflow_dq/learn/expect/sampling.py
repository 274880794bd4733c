"""How much data stands behind a metric, and what another draw of as many values may do to it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from airflow_dq.learn.history.column import ColumnHistory
from airflow_dq.metrics.descriptor import Metric, Support
from airflow_dq.states.base import State
from airflow_dq.states.number import NumberDistribution

RANK_ERRORS = 3.0
"""Number of standard errors by which the rank of a quantile may be off by chance."""
NEARLY = 0.05
"""A quantile may become the next value when so few of the values, as a share, would have to change sides: of few
distinct numbers one more or less is no news.  Of 22,400 series that had never moved, ten moved by such a step."""


@dataclass(frozen=True, slots=True)
class SamplingError:
    """The data behind a metric, typical of the history's partitions, and what chance may do to it."""

    values: float
    """Values (of a metric of rows: rows) of one partition, at least 1."""
    std: float = 0.0
    """The column's standard deviation, the unit of an earth mover's distance; 0.0 where there is none."""
    below: float = 0.0
    """How far the metric may fall short of what is expected because other rows of the same distribution came."""
    above: float = 0.0
    """How far the metric may exceed what is expected, for the same reason."""
    alike: bool = False
    """Whether the share of the most frequent value is such that all values may be that one."""

    @classmethod
    def of(cls, past: ColumnHistory, metric: Metric) -> SamplingError:
        """What is known of a column's metric from its history."""
        complete = 1.0 if metric.support is Support.ROWS else past.typical("complete_ratio")
        values, std = max(1.0, past.rows * complete), past.typical("std")
        modes = past.series("mode_ratio", False).floats()
        known = modes[~np.isnan(modes)]
        of_mode = float(known.std()) if len(known) else 0.0
        if metric.level is None:
            alike = len(known) > 0 and float(known.mean()) + RANK_ERRORS * of_mode >= 1.0
            return cls(values, std, alike=alike)
        if metric.is_extreme:
            # A new extreme is news.  That nothing came near the old one is not, unless all values stay far from it.
            return cls(values, std, *((0.0, std) if metric.level == 0.0 else (std, 0.0)))
        newest = past.columns[-1]
        state = None if newest is None else newest.states.get(NumberDistribution.key)
        return cls(values, std, *_rank_noise(state, metric.level, values, of_mode))


def _rank_noise(state: State | None, level: float, values: float, of_mode: float) -> tuple[float, float]:
    """How far a quantile moves down and up when as many values are drawn anew from the newest distribution.

    The rank of a quantile has the standard error of a binomial share; what lies within RANK_ERRORS of them may be the
    quantile of the next partition.  One that stands on the most frequent value never moves while that has share
    enough, however much the share varies: there its rank has the share's own error as well.  Where the distribution is
    not kept, nothing is known.

    :param of_mode: standard deviation of the most frequent value's share over the past partitions
    """
    if not isinstance(state, NumberDistribution) or not state.total:
        return 0.0, 0.0
    middle = state.quantile(level)
    between = of_mode if _is_mode(state, middle) else 0.0
    error = RANK_ERRORS * math.hypot(math.sqrt(level * (1.0 - level) / values), between)
    low, high = max(0.0, level - error), min(1.0, level + error)
    down, up = _steps(state, level, middle)
    return max(middle - state.quantile(low), down), max(state.quantile(high) - middle, up)


def _is_mode(state: NumberDistribution, value: float) -> bool:
    """Whether a value is the most frequent one; unknown, and False, of a sketch."""
    return state.sketch is None and bool(state.values[int(np.argmax(state.counts))] == value)


def _steps(state: NumberDistribution, level: float, middle: float) -> tuple[float, float]:
    """How far the next smaller and the next larger value lie from a quantile that is nearly one of them."""
    if state.sketch is not None:
        return 0.0, 0.0
    known = state.values
    place = int(np.searchsorted(known, middle))
    # Share of the values below the quantile's own, and up to it.
    below = float(state.counts[:place].sum()) / state.total
    upto = float(state.counts[: place + 1].sum()) / state.total
    down = middle - float(known[place - 1]) if place > 0 and level - below <= NEARLY else 0.0
    up = float(known[place + 1]) - middle if place + 1 < len(known) and upto - level <= NEARLY else 0.0
    return down, up
