"""The two array types that the mathematics of this package is written in, how values become one, and its median."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def median(values: FloatArray) -> float:
    """The median of some finite numbers (at least one): of few, numpy's own takes ten times as long."""
    ordered = sorted(values.tolist())
    middle = len(ordered) // 2
    return float(ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2.0)


def sorted_across(several: FloatArray) -> list[FloatArray]:
    """A handful of arrays with the numbers of each place in order."""
    ordered = list(several)
    # Neighbours are exchanged: numpy sorts large arrays fast, but a hundred thousand handfuls three times as slowly.
    for turn in range(len(ordered)):
        for place in range(turn % 2, len(ordered) - 1, 2):
            low, high = ordered[place], ordered[place + 1]
            ordered[place], ordered[place + 1] = np.minimum(low, high), np.maximum(low, high)
    return ordered


def floats(values: Sequence[object]) -> FloatArray:
    """The values of a metric, or the numbers of rows; NaN where there is no number, but a reason or None."""
    try:
        # Nearly always all of them are numbers, or None: numpy asks what each is in a fifth of the time.
        return np.array(values, dtype=np.float64)
    except ValueError:
        return np.array([one if isinstance(one, float | int) else np.nan for one in values], dtype=np.float64)


def table(found: Sequence[Mapping[str, object]], names: Sequence[str]) -> FloatArray:
    """A row for each of these metrics with its values in all partitions; NaN where there is no number.

    :param found: the metrics of each partition, by name
    """
    if len(names) < 2:
        return _each(found, names)
    every = itemgetter(*names)
    try:
        # Most often each has all of them: a long history of a wide table has a million values.
        values = np.array([every(one) for one in found], dtype=np.float64)
    except (KeyError, ValueError):
        # A partition lacks one, or has the reason why.
        return _each(found, names)
    return np.ascontiguousarray(values.reshape(len(found), len(names)).T)


def _each(found: Sequence[Mapping[str, object]], names: Sequence[str]) -> FloatArray:
    return np.array([floats([one.get(name) for one in found]) for name in names]).reshape(len(names), len(found))
