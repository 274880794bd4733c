"""The two array types that the mathematics of this package is written in, and the median of one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def median(values: FloatArray) -> float:
    """The median of some finite numbers (at least one): of few, numpy's own takes ten times as long."""
    ordered = sorted(values.tolist())
    middle = len(ordered) // 2
    return float(ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2.0)
