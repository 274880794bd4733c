"""Shape of the distribution of numbers, over the finite values.

Exact up to 20,000 distinct values.  Beyond, each value is taken for the middle of its cell, which is at most 0.8 % (or
a thousandth of the range) off: the shape of anything but a spread far below that is within 1 %.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from airflow_dq.metrics.descriptor import Bound, MetricValue, Reason, Use
from airflow_dq.metrics.outcome import finite
from airflow_dq.metrics.registry import metric
from airflow_dq.states.count import Counts
from airflow_dq.states.number import NumberDistribution

FloatArray = NDArray[np.float64]


@metric(Counts, NumberDistribution, bound=Bound.CHEBYSHEV, use=Use.NAMED, words="skewness")
def skewness(counts: Counts, numbers: NumberDistribution) -> MetricValue:
    """Third standardised central moment: 0 when symmetric, positive with a long tail to the right."""
    return _standardised(counts, numbers, 3)


@metric(
    Counts, NumberDistribution, bound=Bound.CHEBYSHEV, use=Use.NAMED, words="kurtosis", natural_range=(-2.0, math.inf)
)
def kurtosis(counts: Counts, numbers: NumberDistribution) -> MetricValue:
    """Fourth standardised central moment minus 3: 0 for a normal distribution, positive with heavy tails."""
    moment = _standardised(counts, numbers, 4)
    return moment if isinstance(moment, Reason) else moment - 3.0


def _standardised(counts: Counts, numbers: NumberDistribution, power: Literal[3, 4]) -> MetricValue:
    if not counts.rows or not numbers.total:
        return Reason.NO_VALUES if counts.rows else Reason.EMPTY_BATCH
    cells = numbers.cells
    share, deviation = cells.shares[0], cells.deviations
    # Multiplied out: numpy's integer powers beyond the square take ten times as long.
    square = deviation * deviation
    spread = _sum(share * square)
    if spread == 0.0:
        return Reason.NOT_APPLICABLE
    return finite(_sum(share * (square * (deviation if power == 3 else square))) / spread ** (power / 2))


def _sum(values: FloatArray) -> float:
    # Not the dot product of two arrays: its last digits depend on the number of processors.
    return float(values.sum())
