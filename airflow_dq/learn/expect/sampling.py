"""How much data stands behind a metric, and what another draw of as many values may do to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from airflow_dq.learn.history.column import ColumnHistory, kind_of
from airflow_dq.metrics.descriptor import Metric, Support
from airflow_dq.profile.model import ColumnProfile
from airflow_dq.states.base import Kind, State
from airflow_dq.states.number import NumberDistribution

RANK_ERRORS = 3.0
"""Number of standard errors by which the rank of a quantile may be off by chance."""
NEARLY = 0.05
"""A quantile may become the next value when so few of the values, as a share, would have to change sides: of few
distinct numbers one more or less is no news.  Of 22,400 series that had never moved, ten moved by such a step."""
FINE = 0.05
"""A step between two values that is no longer than this part of the column's standard deviation is nothing that anybody
would look at: a median of prices that had been 2.40 for three weeks fell to 2.39."""
HIGHER = 0.8
"""A maximum that has not moved may rise by this part of itself: the largest customer was the largest for two years.
Of 993, 660 and 301 places of 35 tables where one had not moved for 7, 14 and 30 partitions it rose in 36, 13 and 8, far
more often than any rate allows, and half as often to more than twice itself.  A minimum fell in 1, 0 and 0 of 2,045,
1,640 and 1,053."""


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
    error: float = math.inf
    """Standard error of a quantile if the rows of each partition were drawn anew from one distribution; infinite of
    other metrics, and where the distribution is not kept."""

    @classmethod
    def of(cls, past: ColumnHistory, metric: Metric) -> SamplingError:
        """What is known of a column's metric from its history."""
        complete = 1.0 if metric.support is Support.ROWS else past.typical("complete_ratio")
        values, std = max(1.0, past.rows * complete), past.typical("std")
        if metric.level is None:
            modes = past.series("mode_ratio", False).floats()
            known = modes[~np.isnan(modes)]
            alike = len(known) > 0 and float(known.mean() + RANK_ERRORS * known.std()) >= 1.0
            return cls(values, std, alike=alike)
        if metric.is_extreme:
            # A new minimum is news.  That nothing came near the old one is not, unless all values stay far from it.
            step = max(std, _lone_step(_newest(past), metric.level))
            return cls(values, std, *((0.0, step) if metric.level == 0.0 else (step, _room_above(past))))
        below, above = quantile_noise(past, metric.level, values)
        return cls(values, std, below, above, error=_rank_error(_newest(past), metric.level, values))


def quantile_noise(past: ColumnHistory, level: float, values: float) -> tuple[float, float]:
    """How far a quantile moves down and up when so many values are drawn anew from the newest distribution."""
    states = [state for one in past.columns if one is not None and (state := _counted(one)) is not None]
    return _rank_noise(_newest(past), states, level, values, FINE * past.typical("std"))


def _rank_error(state: State | None, level: float, values: float) -> float:
    """The standard error of a quantile, over all that its rank may err: what lies right beside it is too few values.

    Infinite where values lie further apart than that: then a quantile that stands still says nothing, for rows that
    come in bunches, as the players of a match, move it as little as others do.
    """
    if not isinstance(state, NumberDistribution) or not state.total:
        return math.inf
    error = RANK_ERRORS * math.sqrt(level * (1.0 - level) / values)
    lowest, highest = state.quantile(max(0.0, level - error)), state.quantile(min(1.0, level + error))
    if state.sketch is None:
        there = np.searchsorted(state.values, highest, "right") - np.searchsorted(state.values, lowest, "left")
        if there <= 2.0 * RANK_ERRORS:
            return math.inf
    return (highest - lowest) / (2.0 * RANK_ERRORS)


def _newest(past: ColumnHistory) -> State | None:
    newest = past.columns[-1] if past.columns else None
    return None if newest is None else newest.states.get(NumberDistribution.key)


def _counted(column: ColumnProfile) -> NumberDistribution | None:
    """The numbers of a column, where each is counted by itself."""
    state = column.states.get(NumberDistribution.key)
    return state if isinstance(state, NumberDistribution) and state.sketch is None and state.total else None


def _room_above(past: ColumnHistory) -> float:
    """How far a maximum of numbers that has never moved may be exceeded; one that moves has its own errors."""
    if kind_of(past.columns) is not Kind.NUMERIC:
        return 0.0  # a moment is no multiple of another
    highs = past.series("max", False).floats()
    known = highs[np.isfinite(highs)]
    return HIGHER * float(known[0]) if len(known) and known[0] > 0.0 and (known == known[0]).all() else 0.0


def _lone_step(state: State | None, level: float) -> float:
    """How far the value next to an extreme lies from it, where so few are the extreme that there might be none."""
    if not isinstance(state, NumberDistribution) or state.sketch is not None or len(state.values) < 2:
        return 0.0
    end, beside = (0, 1) if level == 0.0 else (-1, -2)
    return abs(float(state.values[end] - state.values[beside])) if state.counts[end] <= RANK_ERRORS**2 else 0.0


def _rank_noise(
    state: State | None, past: Sequence[NumberDistribution], level: float, values: float, fine: float
) -> tuple[float, float]:
    """How far a quantile moves down and up when as many values are drawn anew from the newest distribution.

    The rank of a quantile has the standard error of a binomial share; what lies within RANK_ERRORS of them may be the
    quantile of the next partition.  One that stands on a frequent value never moves while that has share enough,
    however much the shares of smaller and larger ones vary: there its rank has their own error as well.  Where the
    distribution is not kept, nothing is known.

    :param past: the past distributions that are counted value by value
    :param fine: a step to the next value that is no longer than this is always allowed
    """
    if not isinstance(state, NumberDistribution) or not state.total:
        return 0.0, 0.0
    middle = state.quantile(level)
    error = RANK_ERRORS * math.sqrt(level * (1.0 - level) / values)
    down, up = 0.0, 0.0
    low = high = error
    if state.sketch is None:
        below, upto = _shares(state, middle)
        down, up = _steps(state, level, middle, below, upto, fine)
        if upto - below > error:
            varied = RANK_ERRORS * np.std([_shares(one, middle) for one in past], axis=0)
            low, high = np.hypot(error, varied).tolist()
    lowest, highest = state.quantile(max(0.0, level - low)), state.quantile(min(1.0, level + high))
    return max(middle - lowest, down), max(highest - middle, up)


def _shares(state: NumberDistribution, value: float) -> tuple[float, float]:
    """The share of the values below one, and up to it."""
    below, upto = np.searchsorted(state.values, value, "left"), np.searchsorted(state.values, value, "right")
    return float(state.counts[:below].sum()) / state.total, float(state.counts[:upto].sum()) / state.total


def _steps(
    state: NumberDistribution, level: float, middle: float, below: float, upto: float, fine: float
) -> tuple[float, float]:
    """How far the next smaller and the next larger value lie from a quantile that is nearly one of them, or fine steps.

    :param below: share of the values below the quantile's own
    :param upto: share of those up to it
    """
    known = state.values
    place = int(np.searchsorted(known, middle))
    down = middle - float(known[place - 1]) if place > 0 else 0.0
    up = float(known[place + 1]) - middle if place + 1 < len(known) else 0.0
    return (
        down if level - below <= NEARLY or down <= fine else 0.0,
        up if upto - level <= NEARLY or up <= fine else 0.0,
    )
