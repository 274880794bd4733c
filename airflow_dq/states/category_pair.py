"""Two distributions of values as counts over the same outcomes: what every distance between them is computed from."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.states.base import State
from airflow_dq.states.bucket import Buckets
from airflow_dq.states.category import CategoryDistribution, Counted
from airflow_dq.states.pair import Pair

Shares = NDArray[np.float64]


class CategoryPair(Pair[CategoryDistribution]):
    """The values of one column in two partitions that are compared."""

    state: ClassVar[type[State]] = CategoryDistribution

    @property
    def hashed(self) -> bool:
        """Whether either side is hashed: both are then compared as buckets."""
        return self.now.buckets is not None or self.before.buckets is not None

    @cached_property
    def buckets(self) -> tuple[Buckets, Buckets]:
        """The hashed form of both sides."""
        return self.now.bucketed(), self.before.bucketed()

    @cached_property
    def counts(self) -> tuple[Counted, Counted]:
        """As :attr:`aligned`, in an order that depends on nothing but the counts."""
        # Values come in the order of the split, which floating-point sums would show; buckets do not.
        return self.aligned if self.hashed else _ordered(*self.aligned)

    @cached_property
    def aligned(self) -> tuple[Counted, Counted]:
        """The counts of both over the values (or, when either is hashed, the buckets) that occur in one of them.

        A hashed distribution is only ever compared with a hashed one: buckets make unequal values look equal.
        """
        if self.hashed:
            left, right = (side.counts for side in self.buckets)
            occupied = (left > 0) | (right > 0)
            return left[occupied], right[occupied]
        now, before = self.now, self.before
        values = pa.concat_arrays([now.values, before.values]).dictionary_encode()
        indices = values.indices.to_numpy(zero_copy_only=False)
        counts = np.zeros((2, len(values.dictionary)), np.int64)
        counts[0, indices[: len(now.values)]] = now.counts
        counts[1, indices[len(now.values) :]] = before.counts
        return counts[0], counts[1]

    @cached_property
    def shares(self) -> tuple[Shares, Shares]:
        """As :attr:`counts`, each as a share of its side; both sides need a value."""
        now, before = self.counts
        return now / now.sum(), before / before.sum()


def _ordered(now: Counted, before: Counted) -> tuple[Counted, Counted]:
    """Pairs of counts, ascending by the second one and then the first."""
    base = int(now.max(initial=0)) + 1
    if base * (int(before.max(initial=0)) + 1) > np.iinfo(np.int64).max:
        order = np.lexsort((now, before))
        return now[order], before[order]
    # As one number each they are sorted ten times as fast; equal ones are alike.
    before, now = np.divmod(np.sort(before * base + now), base)
    return now, before
