"""Two distributions of values as counts over the same outcomes: what every distance between them is computed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.states.base import State
from airflow_dq.states.bucket import Buckets
from airflow_dq.states.category import CategoryDistribution, Counted
from airflow_dq.states.pair import Pair

Shares = NDArray[np.float64]
Places = NDArray[np.int32]


class CategoryPair(Pair[CategoryDistribution]):
    """The values of one column in two partitions that are compared."""

    state: ClassVar[type[State]] = CategoryDistribution

    @classmethod
    def each(cls, nows: Sequence[CategoryDistribution], before: CategoryDistribution) -> Iterator[Self]:
        """A pair of each with the same one before, among whose values those of all are looked up at once."""
        exact = [] if before.buckets is not None else [now.values for now in nows]
        found = _places(pa.concat_arrays(exact), before.values) if exact else np.empty(0, np.int32)
        end = 0
        for now in nows:
            pair, start = cls(now, before), end
            if not pair.hashed:
                end += len(now.values)
                pair.places = found[start:end]
            yield pair

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
        now, before = self.now.counts, self.before.counts
        known = self.places >= 0
        new = now[~known]
        counts = np.zeros((2, len(before) + len(new)), np.int64)
        counts[0, self.places[known]], counts[0, len(before) :] = now[known], new
        counts[1, : len(before)] = before
        return counts[0], counts[1]

    @cached_property
    def places(self) -> Places:
        """Where each value of ``now`` stands among those of ``before``; -1 where it does not."""
        return _places(self.now.values, self.before.values)

    @cached_property
    def shares(self) -> tuple[Shares, Shares]:
        """As :attr:`counts`, each as a share of its side; both sides need a value."""
        now, before = self.counts
        return now / now.sum(), before / before.sum()


def _places(values: pa.LargeStringArray, among: pa.LargeStringArray) -> Places:
    found: Places = pc.index_in(values, value_set=among).fill_null(-1).to_numpy()
    return found


def _ordered(now: Counted, before: Counted) -> tuple[Counted, Counted]:
    """Pairs of counts, ascending by the second one and then the first."""
    base = int(now.max(initial=0)) + 1
    if base * (int(before.max(initial=0)) + 1) > np.iinfo(np.int64).max:
        order = np.lexsort((now, before))
        return now[order], before[order]
    # As one number each they are sorted ten times as fast; equal ones are alike.
    before, now = np.divmod(np.sort(before * base + now), base)
    return now, before
