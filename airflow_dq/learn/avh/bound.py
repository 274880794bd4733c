"""Bounds on a constraint's false-positive rate (AVH, Propositions 1-3)."""

from __future__ import annotations

import math

from airflow_dq.metrics.descriptor import Bound


def false_positive_rate(bound: Bound, sigma: float, beta: float) -> float:
    """Highest chance that a metric without data-quality issues lies further than ``beta`` from its mean.

    :param bound: the inequality that holds for the metric
    :param sigma: standard deviation of the metric over its history, in the metric's unit
    :param beta: half width of the constraint (CANTELLI: width of its upper side), > 0, in the same unit
    :return: a rate within [0, 1]; Chebyshev's is capped at 1
    :raises ValueError: for a bound that is none of the three propositions'

    >>> false_positive_rate(Bound.CHEBYSHEV, 0.01, 0.1)  # AVH, Example 4
    0.01
    """
    ratio = sigma / beta
    match bound:
        case Bound.CHEBYSHEV:
            return min(1.0, ratio**2)
        case Bound.CANTELLI:
            return ratio**2 / (1.0 + ratio**2)
        case Bound.CLT:
            return math.erfc(beta / (math.sqrt(2.0) * sigma)) if sigma > 0 else 0.0
        case Bound.POOLED:
            raise ValueError("Pooled surprises take their rate as given, see airflow_dq.learn.expect.surprise.")
