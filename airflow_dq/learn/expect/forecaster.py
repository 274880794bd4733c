"""What would have been expected at every slot of a series, from the values before it: all slots at once.

Each function takes values on their slots along the last axis, NaN where there is none: one series, or several of one
length in rows.  It returns one more number than that of each: what is expected at each slot of those before it, and
last of what comes behind all; NaN where nothing can be expected.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from airflow_dq.learn.array import FloatArray, sorted_across

CYCLES = 4
"""A week is compared with the median of this many before it: one unusual week must not make the next look unusual."""

Forecaster = Callable[[FloatArray, int], FloatArray]
"""Takes values and the slots of a cycle."""


def last(values: FloatArray, cycle: int) -> FloatArray:
    """The newest value."""
    # Behind all of them lies a NaN, which is where place -1 leads to.
    return np.take_along_axis(_between(None, values, np.nan), _newest(values), axis=-1)


def trend(values: FloatArray, cycle: int) -> FloatArray:
    """The newest value, moved on by the average step since the first one."""
    place, newest = _newest(values), last(values, cycle)
    if not values.shape[-1]:
        return newest
    first, start = _first(values)
    step = (newest - start) / np.maximum(1, place - first)
    return np.asarray(newest + step * (np.arange(values.shape[-1] + 1) - place))


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
    count, place = _before(known.astype(np.float64)), np.arange(values.shape[-1] + 1.0)
    # Less the first one: sums of large values would lose the digits in which they differ.
    first = np.where(known.any(axis=-1, keepdims=True), _first(values)[1], 0.0) if values.shape[-1] else 0.0
    y, x = np.where(known, values - first, 0.0), np.where(known, place[:-1], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        sum_x, sum_y = _before(x), _before(y)
        slope = (count * _before(x * y) - sum_x * sum_y) / (count * _before(x * x) - sum_x * sum_x)
        found = first + sum_y / count + slope * (place - sum_x / count)
    return np.where(count < 2, np.nan, found)


def season_of_level(values: FloatArray, cycle: int) -> FloatArray:
    """The mean of the last cycle, and how far the same weekday usually lies from the cycle before it.

    Where too little of the last cycle is known to have a mean, or of the weekday, the newest value.
    """
    level, slots = _cycle_means(values, cycle), values.shape[-1] + 1
    rows = -(-slots // cycle)
    # A row for each cycle, a column for each weekday; those of the first cycle have none before them.
    shape = (*values.shape[:-1], rows, cycle)
    pad = np.full((*values.shape[:-1], rows * cycle - slots + 1), np.nan)
    there = ~np.isnan(np.concatenate([values, pad], axis=-1).reshape(shape))
    there[..., 0, :] = False
    deviations = np.concatenate([values - level[..., :-1], pad], axis=-1).reshape(shape)
    # The places of the known ones move to the top of their column, oldest first.
    packed = np.take_along_axis(deviations, np.argsort(~there, axis=-2, kind="stable"), axis=-2)
    count = np.cumsum(there, axis=-2) - there
    newest = [_at(packed, count - back, axis=-2) for back in range(1, CYCLES + 1)]
    found = _medians(np.stack(newest)).reshape(*values.shape[:-1], -1)
    expected = level + found[..., :slots]
    return np.where(np.isnan(expected), last(values, cycle), expected)


def _newest(values: FloatArray) -> NDArray[np.int64]:
    """Place of the newest known value before each slot, and behind all; -1 where there is none."""
    places = np.where(np.isnan(values), -1, np.arange(values.shape[-1]))
    newest: NDArray[np.int64] = np.maximum.accumulate(_between(-1, places, None), axis=-1)
    return newest


def _first(values: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """Place of each series' first known value, and the value, in columns; NaN where none is known."""
    place = np.argmax(~np.isnan(values), axis=-1)[..., None]
    return place, np.take_along_axis(values, place, axis=-1)


def _moved(values: FloatArray, count: int) -> FloatArray:
    """The value so many slots before each slot, and behind all."""
    before = np.full((*values.shape[:-1], count), np.nan)
    return np.concatenate([before, values], axis=-1)[..., : values.shape[-1] + 1]


def _before(values: FloatArray) -> FloatArray:
    """Sum of the values before each slot, and of all."""
    return _between(0.0, np.cumsum(values, axis=-1), None)


def _between(before: float | None, values: FloatArray, behind: float | None) -> FloatArray:
    """Values with one more before or behind all."""
    shape = (*values.shape[:-1], 1)
    ends = [None if end is None else np.full(shape, end, values.dtype) for end in (before, behind)]
    return np.concatenate([part for part in (ends[0], values, ends[1]) if part is not None], axis=-1)


def _cycle_means(values: FloatArray, cycle: int) -> FloatArray:
    """The mean of the known values of the cycle before each slot; NaN where fewer than half of them are known."""
    before = np.full((*values.shape[:-1], cycle), np.nan)
    padded = np.concatenate([before, values], axis=-1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, cycle, axis=-1)
    known = ~np.isnan(windows)
    count = known.sum(axis=-1)
    # The first slots have fewer before them.
    size = np.minimum(np.arange(values.shape[-1] + 1), cycle)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(known, windows, 0.0).sum(axis=-1) / count
    return np.where(2 * count >= np.maximum(size, 1), means, np.nan)


def _at(rows: FloatArray, place: NDArray[np.int64], axis: int = 0) -> FloatArray:
    """The number in each place along an axis; NaN where the place is negative."""
    return np.asarray(np.where(place < 0, np.nan, np.take_along_axis(rows, np.maximum(place, 0), axis=axis)))


def _medians(stacked: FloatArray) -> FloatArray:
    """The median of the known numbers along the first axis; NaN where there is none."""
    missing = np.isnan(stacked)
    # Those that are missing come behind all numbers.
    ordered = np.stack(sorted_across(np.where(missing, np.inf, stacked)))
    count = len(stacked) - np.count_nonzero(missing, axis=0)
    low, high = (_at(ordered, place[None])[0] for place in ((count - 1) // 2, np.where(count, count // 2, -1)))
    # Not half of twice a number: it may be too large to be doubled.
    return np.asarray(np.where(count % 2 == 1, low, (low + high) / 2.0))
