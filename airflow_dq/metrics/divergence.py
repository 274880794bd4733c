"""Divergences of two discrete distributions given as shares of the same outcomes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

SMOOTHING = 1e-6
"""Added to every share before a Kullback-Leibler divergence, which is infinite where only one side has mass."""
LARGEST_JS = math.log(2.0)
"""The Jensen-Shannon divergence of two distributions that have nothing in common."""

Shares = NDArray[np.float64]


def jensen_shannon(now: Shares, before: Shares) -> float:
    """Jensen-Shannon divergence in nats, from 0 to ln 2."""
    # Not against the mean of both shares: half of the smallest float is zero.
    both = now + before
    halves = _relative_entropy(2.0 * now, both) + _relative_entropy(2.0 * before, both)
    return min(max(0.0, 0.25 * halves), LARGEST_JS)


def kullback_leibler(now: Shares, before: Shares) -> float:
    """Kullback-Leibler divergence of ``now`` from ``before`` in nats, both smoothed by :data:`SMOOTHING`."""
    p, q = now + SMOOTHING, before + SMOOTHING
    return max(0.0, _relative_entropy(p / p.sum(), q / q.sum()))


def _relative_entropy(p: Shares, q: Shares) -> float:
    there = p > 0.0
    if not there.all():
        p, q = p[there], q[there]
    return float((p * np.log(p / q)).sum())
