"""The two array types that the mathematics of this package is written in, how values become one, and its median."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def median(values: FloatArray) -> float:
    """The median of some finite numbers (at least one): of few, numpy's own takes ten times as long."""
    ordered = sorted(values.tolist())
    middle = len(ordered) // 2
    return float(ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2.0)


def floats(values: Sequence[object]) -> FloatArray:
    """The values of a metric, or the numbers of rows; NaN where there is no number, but a reason or None."""
    try:
        # Nearly always all of them are numbers, or None: numpy asks what each is in a fifth of the time.
        return np.array(values, dtype=np.float64)
    except ValueError:
        return np.array([one if isinstance(one, float | int) else np.nan for one in values], dtype=np.float64)
