"""What would have been expected at every slot of a series, from the values before it: all slots at once.

Each function takes values on their slots, NaN where there is none, and returns one more number than that: what is
expected at each slot of those before it, and last of what comes behind all; NaN where nothing can be expected.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from airflow_dq.learn.array import FloatArray

CYCLES = 4
"""A week is compared with the median of this many before it: one unusual week must not make the next look unusual."""

Forecaster = Callable[[FloatArray, int], FloatArray]
"""Takes values and the slots of a cycle."""


def last(values: FloatArray, cycle: int) -> FloatArray:
    """The newest value."""
    place = _newest(values)
    return np.where(place < 0, np.nan, np.append(values, np.nan)[place])


def trend(values: FloatArray, cycle: int) -> FloatArray:
    """The newest value, moved on by the average step since the first one."""
    place, newest = _newest(values), last(values, cycle)
    if not (place >= 0).any():
        return newest
    first = place[place >= 0][0]
    step = (newest - values[first]) / np.maximum(1, place - first)
    return np.asarray(newest + step * (np.arange(len(values) + 1) - place))


def difference(values: FloatArray, cycle: int) -> FloatArray:
    """The value exactly a cycle before."""
    return _moved(values, cycle)


def season(values: FloatArray, cycle: int) -> FloatArray:
    """The median of the values one, two, ... cycles before; where there is none, the newest value."""
    found = _medians(np.stack([_moved(values, count * cycle) for count in range(1, CYCLES + 1)]))
    return np.where(np.isnan(found), last(values, cycle), found)


def line(values: FloatArray, cycle: int) -> FloatArray:
    """The straight line through all values before, by least squares; at least two are needed."""
    known = ~np.isnan(values)
    count, place = _before(known.astype(np.float64)), np.arange(len(values) + 1.0)
    # Less the first one: sums of large values would lose the digits in which they differ.
    first = values[np.argmax(known)] if known.any() else 0.0
    y, x = np.where(known, values - first, 0.0), np.where(known, place[:-1], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        sum_x, sum_y = _before(x), _before(y)
        slope = (count * _before(x * y) - sum_x * sum_y) / (count * _before(x * x) - sum_x * sum_x)
        found = first + sum_y / count + slope * (place - sum_x / count)
    return np.where(count < 2, np.nan, found)


def season_of_level(values: FloatArray, cycle: int) -> FloatArray:
    """The mean of the last cycle, and how far the same weekday usually lies from the cycle before it."""
    level = _cycle_means(values, cycle)
    rows = -(-(len(values) + 1) // cycle)
    # A row for each cycle, a column for each weekday; those of the first cycle have none before them.
    shape, pad = (rows, cycle), np.full(rows * cycle - len(values), np.nan)
    there = ~np.isnan(np.append(values, pad).reshape(shape))
    there[0] = False
    deviations = np.append(values - level[:-1], pad).reshape(shape)
    # The places of the known ones move to the top of their column, oldest first.
    packed = np.take_along_axis(deviations, np.argsort(~there, axis=0, kind="stable"), axis=0)
    count = np.cumsum(there, axis=0) - there
    newest = [_at(packed, count - back) for back in range(1, CYCLES + 1)]
    return level + _medians(np.stack(newest).reshape(CYCLES, -1))[: len(values) + 1]


def _newest(values: FloatArray) -> NDArray[np.int64]:
    """Place of the newest known value before each slot, and behind all; -1 where there is none."""
    places = np.where(np.isnan(values), -1, np.arange(len(values)))
    return np.append(-1, np.maximum.accumulate(places) if len(values) else places)


def _moved(values: FloatArray, count: int) -> FloatArray:
    """The value so many slots before each slot, and behind all."""
    return np.append(np.full(count, np.nan), values)[: len(values) + 1]


def _before(values: FloatArray) -> FloatArray:
    """Sum of the values before each slot, and of all."""
    return np.append(0.0, np.cumsum(values))


def _cycle_means(values: FloatArray, cycle: int) -> FloatArray:
    """The mean of the known values of the cycle before each slot; NaN where fewer than half of them are known."""
    padded = np.append(np.full(cycle, np.nan), values)
    windows = np.lib.stride_tricks.sliding_window_view(padded, cycle)
    known = ~np.isnan(windows)
    count = known.sum(axis=1)
    # The first slots have fewer before them.
    size = np.minimum(np.arange(len(values) + 1), cycle)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(known, windows, 0.0).sum(axis=1) / count
    return np.where(2 * count >= np.maximum(size, 1), means, np.nan)


def _at(rows: FloatArray, place: NDArray[np.int64]) -> FloatArray:
    """The number in each place of its column; NaN where the place is negative."""
    return np.asarray(np.where(place < 0, np.nan, np.take_along_axis(rows, np.maximum(place, 0), axis=0)))


def _medians(stacked: FloatArray) -> FloatArray:
    """The median of the known numbers of each column; NaN where there is none."""
    # NaN sorts behind all numbers.
    ordered = np.sort(stacked, axis=0)
    count = np.count_nonzero(~np.isnan(stacked), axis=0)
    low, high = (_at(ordered, place[None])[0] for place in ((count - 1) // 2, np.where(count, count // 2, -1)))
    # Not half of twice a number: it may be too large to be doubled.
    return np.asarray(np.where(count % 2 == 1, low, (low + high) / 2.0))
