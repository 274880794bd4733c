"""Distances of two frequency tables over the same outcomes: plain functions that category and pattern metrics share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from airflow_dq.metrics.descriptor import MetricValue, Reason
from airflow_dq.metrics.divergence import Shares, jensen_shannon, kullback_leibler
from airflow_dq.states.category import CategoryDistribution, common
from airflow_dq.states.memo import remember_last

Counted = NDArray[np.int64]
Distance = Callable[[Counted, Counted], float]


def between(distance: Distance, now: CategoryDistribution, before: CategoryDistribution) -> MetricValue:
    """A distance of two distributions, or the reason why there is none."""
    if not now.total or not before.total:
        return Reason.NO_VALUES
    return distance(*common(now, before))


@remember_last
def _shares(now: Counted, before: Counted) -> tuple[Shares, Shares]:
    return now / now.sum(), before / before.sum()


def l1(now: Counted, before: Counted) -> float:
    """Sum of absolute differences of shares, from 0 to 2."""
    p, q = _shares(now, before)
    return float(np.abs(p - q).sum())


def l_inf(now: Counted, before: Counted) -> float:
    """Largest absolute difference of shares, from 0 to 1."""
    p, q = _shares(now, before)
    return float(np.abs(p - q).max())


def cosine(now: Counted, before: Counted) -> float:
    """One minus the cosine of the angle between the vectors of shares, from 0 to 1."""
    p, q = _shares(now, before)
    # Not dot products: their last digits depend on the number of processors.
    return max(0.0, float(1.0 - (p * q).sum() / np.sqrt((p * p).sum() * (q * q).sum())))


def chi_squared(now: Counted, before: Counted) -> float:
    """Pearson's statistic of homogeneity divided by the number of values of both: phi squared, from 0 to 1."""
    size_now, size_before = int(now.sum()), int(before.sum())
    size = size_now + size_before
    expected = (now + before) / size
    statistic = sum(
        float(((seen - n * expected) ** 2 / (n * expected)).sum())
        for seen, n in ((now, size_now), (before, size_before))
    )
    return statistic / size


def js_div(now: Counted, before: Counted) -> float:
    """Jensen-Shannon divergence in nats."""
    return jensen_shannon(*_shares(now, before))


def kl_div(now: Counted, before: Counted) -> float:
    """Kullback-Leibler divergence in nats, smoothed."""
    return kullback_leibler(*_shares(now, before))


def new_ratio(now: CategoryDistribution, before: CategoryDistribution) -> MetricValue:
    """Share of the first one's values that the second does not have; when either is sketched, of the sampled values.

    Not of the buckets: with more values than buckets there is none that nothing fell into before.
    """
    if now.buckets is None and before.buckets is None:
        return between(new_share, now, before)
    if not now.total or not before.total:
        return Reason.NO_VALUES
    return now.bucketed().sample.new_share(before.bucketed().sample)


def new_share(now: Counted, before: Counted) -> float:
    """Share of the first table's mass on outcomes that the second does not have."""
    return float(now[before == 0].sum() / now.sum())


def entropy_of(values: CategoryDistribution) -> float:
    """Shannon entropy of a distribution in nats, estimated when it is sketched."""
    return entropy(values.counts) if values.buckets is None else values.buckets.entropy


def entropy(counts: Counted) -> float:
    """Shannon entropy of one table in nats."""
    shares = np.sort(counts[counts > 0] / counts.sum())
    return max(0.0, float(-(shares * np.log(shares)).sum()))
