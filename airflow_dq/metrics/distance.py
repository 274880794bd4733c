"""Distances of two frequency tables over the same outcomes: plain functions that category and pattern metrics share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from airflow_dq.metrics.descriptor import MetricValue, Reason
from airflow_dq.metrics.divergence import jensen_shannon, kullback_leibler
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.category_pair import CategoryPair

Counted = NDArray[np.int64]
Distance = Callable[[CategoryPair], float]


def between(distance: Distance, pair: CategoryPair) -> MetricValue:
    """A distance of two distributions, or the reason why there is none."""
    return Reason.NO_VALUES if pair.empty else distance(pair)


def l1(pair: CategoryPair) -> float:
    """Sum of absolute differences of shares, from 0 to 2."""
    p, q = pair.shares
    return float(np.abs(p - q).sum())


def l_inf(pair: CategoryPair) -> float:
    """Largest absolute difference of shares, from 0 to 1."""
    p, q = pair.shares
    return float(np.abs(p - q).max())


def cosine(pair: CategoryPair) -> float:
    """One minus the cosine of the angle between the vectors of shares, from 0 to 1."""
    p, q = pair.shares
    # Not dot products: their last digits depend on the number of processors.
    return max(0.0, float(1.0 - (p * q).sum() / np.sqrt((p * p).sum() * (q * q).sum())))


def chi_squared(pair: CategoryPair) -> float:
    """Pearson's statistic of homogeneity divided by the number of values of both: phi squared, from 0 to 1."""
    now, before = pair.counts
    size_now, size_before = int(now.sum()), int(before.sum())
    size = size_now + size_before
    expected = (now + before) / size
    statistic = sum(
        float(((seen - n * expected) ** 2 / (n * expected)).sum())
        for seen, n in ((now, size_now), (before, size_before))
    )
    return statistic / size


def js_div(pair: CategoryPair) -> float:
    """Jensen-Shannon divergence in nats."""
    return jensen_shannon(*pair.shares)


def kl_div(pair: CategoryPair) -> float:
    """Kullback-Leibler divergence in nats, smoothed."""
    return kullback_leibler(*pair.shares)


def new_ratio(pair: CategoryPair) -> MetricValue:
    """Share of the first one's values that the second does not have; when either is sketched, of the sampled values.

    Not of the buckets: with more values than buckets there is none that nothing fell into before.
    """
    if pair.empty:
        return Reason.NO_VALUES
    if pair.hashed:
        now, before = pair.buckets
        return now.sample.new_share(before.sample)
    counts = pair.now.counts
    return float(counts[pair.places < 0].sum() / counts.sum())


def entropy_of(values: CategoryDistribution) -> float:
    """Shannon entropy of a distribution in nats, estimated when it is sketched."""
    return entropy(values.counts) if values.buckets is None else values.buckets.entropy


def entropy(counts: Counted) -> float:
    """Shannon entropy of one table in nats."""
    shares = np.sort(counts[counts > 0] / counts.sum())
    return max(0.0, float(-(shares * np.log(shares)).sum()))
