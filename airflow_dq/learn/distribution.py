"""Distributions reduced to what explanations compare: a few hundred quantiles, a few hundred frequent values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.learn.array import BoolArray, FloatArray
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.number import NumberDistribution

IntArray = NDArray[np.int64]
K = TypeVar("K", bound=Hashable)
QUANTILES = 512
"""Equally likely points that stand for an exact distribution of numbers."""
_SKETCHED = 128
"""The same of a sketched one, where each point costs a search among the cells."""
FREQUENT = 300
"""Most frequent values that are looked at one by one."""


@dataclass(frozen=True)
class QuantilePoints:
    """Equally likely values, ascending, that stand for a distribution of ``count`` numbers."""

    values: FloatArray
    count: int
    exact: bool = True
    """Whether the points are values that occur, and not places in a sketch."""

    @classmethod
    def of(cls, numbers: NumberDistribution) -> QuantilePoints:
        """The middles of equal shares of a distribution with at least one value."""
        if numbers.sketch is not None:
            shares = (np.arange(_SKETCHED) + 0.5) / _SKETCHED
            return cls(np.array([numbers.quantile(share) for share in shares.tolist()]), numbers.total, exact=False)
        return cls._exact(numbers.values, numbers.counts)

    @classmethod
    def nonzero(cls, numbers: NumberDistribution) -> QuantilePoints | None:
        """The same without the zeros; None when there is nothing else."""
        if numbers.sketch is not None:
            every = cls.of(numbers)
            return every.where(every.values != 0.0)
        others = numbers.values != 0.0
        return cls._exact(numbers.values[others], numbers.counts[others]) if others.any() else None

    @classmethod
    def _exact(cls, values: FloatArray, counts: IntArray) -> QuantilePoints:
        total = int(counts.sum())
        size = min(QUANTILES, total)
        ranks = (np.arange(size) + 0.5) / size * total
        return cls(values[np.searchsorted(np.cumsum(counts), ranks, side="right")], total)

    def share_up_to(self, places: FloatArray | float) -> FloatArray:
        """Share of the values that are at most each place."""
        return np.asarray(np.searchsorted(self.values, places, side="right") / len(self.values))

    @cached_property
    def whole_numbers(self) -> bool:
        """Whether no value has a fraction."""
        return bool((self.values == np.round(self.values)).all())

    @cached_property
    def decimal_texts(self) -> Mapping[str, float]:
        """The points as decimal texts, with their shares."""
        shares: dict[str, float] = defaultdict(float)
        for value in self.values.tolist():
            shares[str(int(value)) if self.whole_numbers else repr(value)] += 1.0 / len(self.values)
        return shares

    def where(self, chosen: BoolArray) -> QuantilePoints | None:
        """The points that are chosen (a mask); None when there are none."""
        kept = self.values[chosen]
        return QuantilePoints(kept, round(self.count * len(kept) / len(self.values)), self.exact) if len(kept) else None

    def scaled(self, factor: float, offset: float) -> QuantilePoints:
        """The distribution of ``factor * value + offset``."""
        moved = factor * self.values + offset
        return QuantilePoints(moved if factor >= 0 else moved[::-1], self.count, self.exact)

    def ks_distance(self, other: QuantilePoints) -> float:
        """Kolmogorov-Smirnov distance (0 to 1), to the resolution of the points."""
        places = np.concatenate([self.values, other.values])
        return float(np.abs(self.share_up_to(places) - other.share_up_to(places)).max())


@dataclass(frozen=True)
class ValueShares:
    """Strings and the share of the values that each is: all of them, or the most frequent ones when sketched."""

    shares: Mapping[str, float]
    """Of the most frequent values, most frequent first."""
    total: int
    distribution: CategoryDistribution
    """Where the shares are from: it has those of the rarer values."""

    @classmethod
    def of(cls, categories: CategoryDistribution) -> ValueShares:
        """The most frequent of a distribution with at least one value."""
        total = categories.total
        if categories.buckets is not None:
            found = {str(entry.value): entry.count / total for entry in categories.top(FREQUENT)}
            return cls(found, total, categories)
        return cls(_listed(categories, FREQUENT), total, categories)

    @property
    def exact(self) -> bool:
        """Whether a value that is not found does not occur."""
        return self.distribution.buckets is None

    @cached_property
    def all_shares(self) -> Mapping[str, float]:
        """All values that are known, with their shares."""
        if not self.exact or len(self.distribution.values) <= FREQUENT:
            return self.shares
        return _listed(self.distribution, len(self.distribution.values))

    def share(self, value: str) -> float:
        """Share of one value."""
        return self.all_shares.get(value, 0.0)


def _listed(categories: CategoryDistribution, number: int) -> Mapping[str, float]:
    """The most frequent values of an exact distribution first, with their shares."""
    order = np.argsort(-categories.counts, kind="stable")[:number]
    names = categories.values.take(pa.array(order)).to_pylist()
    return dict(zip(names, (categories.counts[order] / categories.total).tolist(), strict=True))


def total_variation(one: Mapping[K, float], other: Mapping[K, float]) -> float:
    """Total variation distance (0 to 1) of two distributions: the share of the values that are others."""
    return sum(abs(one.get(value, 0.0) - other.get(value, 0.0)) for value in {**one, **other}) / 2.0


def shape(value: str) -> str:
    """The text with a symbol for each digit and each letter of either case."""
    return "".join(
        "d" if symbol.isdigit() else "u" if symbol.isupper() else "l" if symbol.islower() else symbol
        for symbol in value
    )
