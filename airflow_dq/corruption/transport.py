"""The states of a whole partition after an error that was observed on a sample of it.

:func:`transport_of` knows the states that distances are computed from; a new state may register its own class.
An error that leaves the sample's state as it is leaves the partition's state exactly as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, singledispatch
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.corruption.movement import FloatArray, IntArray, aligned, filled, moved, rounded
from airflow_dq.metrics.extrapolation import SampleChange, scaled, shifted
from airflow_dq.states.base import State
from airflow_dq.states.bucket import NUMBER, Buckets, bucket_counts
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.cell import Cells
from airflow_dq.states.exact import units
from airflow_dq.states.initial import Initials
from airflow_dq.states.joint import sketched_cells
from airflow_dq.states.moment import Moments
from airflow_dq.states.number import NumberDistribution
from airflow_dq.states.sketch import NumberSketch

S = TypeVar("S", bound=State)


def repeated(states: Mapping[str, State], times: int) -> dict[str, State]:
    """The states of a column whose every row occurs ``times`` times."""
    return {key: state.repeated(times) for key, state in states.items()}


@singledispatch
def ordered(state: State) -> State:
    """An equal state whose values are in their order, whatever order the scan met them in."""
    return state


@ordered.register
def _(state: CategoryDistribution) -> State:
    return state if state.buckets is not None else type(state)(*state.items())


class Transport(Generic[S]):
    """One state of a partition, and the same state of its sample before any error, for all errors of the column.

    Only what distances read (:meth:`~airflow_dq.states.base.State.compared`) is extrapolated.  A state that nobody
    taught to be transported is replaced by the sample's own.
    """

    def __init__(self, full: S, clean: S) -> None:
        """Take both states.

        :param full: :func:`ordered`
        """
        self.full, self.clean = full, clean

    def replaced(self, injected: S) -> State:
        """The partition's state after an error that turned the sample's into ``injected``."""
        return self.full if injected == self.clean else injected

    def thinned(self, share: float) -> State:
        """The state of a share of the rows, distributed like all of them."""
        return self.full

    def linear(self, factor: float, offset: float) -> State:
        """The state of all numbers times ``factor`` plus ``offset``."""
        return self.full


@singledispatch
def transport_of(full: State, clean: State) -> Transport[Any]:
    """The transport of a state, by its type."""
    return Transport(full, clean)


@dataclass(frozen=True, slots=True)
class _KnownValues:
    """The values of a partition and of its sample before an error, and how often each has them."""

    values: pa.LargeStringArray
    full: IntArray
    clean: IntArray


@transport_of.register(CategoryDistribution)
class _CategoryTransport(Transport[CategoryDistribution]):
    @cached_property
    def _known(self) -> _KnownValues:
        values = pa.concat_arrays([self.full.values, self.clean.values]).dictionary_encode()
        place = values.indices.to_numpy(zero_copy_only=False)
        counts = aligned([self.full.counts, self.clean.counts], place, len(values.dictionary))
        return _KnownValues(values.dictionary, *counts)

    def replaced(self, injected: CategoryDistribution) -> State:
        full, clean = self.full, self.clean
        if injected.values.equals(clean.values) and np.array_equal(injected.counts, clean.counts):
            return full
        known = self._known
        place = pc.index_in(injected.values, value_set=known.values)
        new = place.null_count
        found = place.drop_null().to_numpy(zero_copy_only=False)
        told = place.is_valid().to_numpy(zero_copy_only=False)
        after = np.zeros(len(known.values) + new, dtype=np.int64)
        after[found] = injected.counts[told]
        after[len(known.values) :] = injected.counts[~told]
        before = np.append(known.clean, np.zeros(new, np.int64))
        if not new and np.array_equal(before, after):
            return full
        # The known values first, then the new ones in their order.
        values = known.values if not new else pa.concat_arrays([known.values, injected.values.filter(pa.array(~told))])
        if full.buckets is not None:
            return _buckets_transported(type(full), full.buckets, values, before, after)
        counts = moved(np.append(known.full, np.zeros(new, np.int64)), before, after)
        return type(full).from_distinct(values.filter(pa.array(counts > 0)), counts[counts > 0])

    def thinned(self, share: float) -> State:
        full = self.full
        if full.buckets is not None:
            return type(full)(buckets=replace(full.buckets, counts=rounded(full.buckets.counts * share)))
        counts = rounded(full.counts * share)
        return type(full).from_distinct(full.values.filter(pa.array(counts > 0)), counts[counts > 0])


def _buckets_transported(
    category: type[CategoryDistribution],
    buckets: Buckets,
    values: pa.LargeStringArray,
    before: IntArray,
    after: IntArray,
) -> State:
    """Over hash buckets, of which the sample's rows are too few to show how their values are spread.

    A value that the sample holds once stands for many others, which hash anywhere; only a value that the sample
    gains several times without having had it stands for itself.
    """
    staying = np.minimum(before, after)
    gained = after - staying
    alone = (gained > 0) & ((before > 1) | ((before == 0) & (after > 1)))
    here = bucket_counts(values.filter(pa.array(alone)), gained[alone])
    spread = here + _anywhere(buckets.total) * float(gained[~alone].sum())
    share = float(staying.sum() / before.sum()) if before.any() else 1.0
    counts = filled(buckets.counts * share, spread, buckets.total * float(after.sum() / max(1, before.sum())))
    sample = buckets.sample.replaced(float(gained[before == 0].sum() / max(1, after.sum())))
    return category(buckets=replace(buckets, counts=counts, sample=sample))


@lru_cache(maxsize=4)
def _anywhere(rows: int) -> FloatArray:
    """Shares of the buckets when this many different values hash into them."""
    # A fixed seed: the same profile always has the same variants.
    shares: FloatArray = np.random.default_rng(0).multinomial(rows, np.full(NUMBER, 1.0 / NUMBER)) / rows
    return shares


@transport_of.register(Initials)
class _InitialsTransport(Transport[Initials]):
    def replaced(self, injected: Initials) -> State:
        if injected == self.clean:
            return self.full
        return Initials(moved(self.full.counts, self.clean.counts, injected.counts))

    def thinned(self, share: float) -> State:
        return Initials(rounded(self.full.counts * share))


@dataclass(frozen=True, slots=True)
class _KnownPoints:
    """The numbers of a partition and of its sample before an error, ascending, and how often each has them."""

    points: FloatArray
    full: IntArray
    clean: IntArray


@transport_of.register(NumberDistribution)
class _NumberTransport(Transport[NumberDistribution]):
    @cached_property
    def _cells(self) -> Cells:
        return _cells(self.full)

    @cached_property
    def _known(self) -> _KnownPoints:
        sample = _cells(self.clean)
        points, place = np.unique(np.concatenate([self._cells.points, self._points(sample)]), return_inverse=True)
        return _KnownPoints(points, *aligned([self._cells.now, sample.now], place, len(points)))

    def _points(self, cells: Cells) -> FloatArray:
        """Values of the sample: where the partition's are sketched, as its cells show them."""
        return cells.points if self.full.sketch is None else _settled(self._cells, cells.points)

    def replaced(self, injected: NumberDistribution) -> State:
        if injected == self.clean:
            return self.full
        before, cells = self._known, _cells(injected)
        values = self._points(cells)
        place = np.searchsorted(before.points, values)
        known = np.append(before.points, np.nan)[place] == values
        new, which = np.unique(values[~known], return_inverse=True)
        (after,) = aligned([cells.now[known]], place[known], len(before.points))
        if not len(new):
            return _numbers(self.full, before.points, moved(before.full, before.clean, after))
        (gained,) = aligned([cells.now[~known]], which, len(new))
        at = np.searchsorted(before.points, new)
        counts = moved(np.insert(before.full, at, 0), np.insert(before.clean, at, 0), np.insert(after, at, gained))
        return _numbers(self.full, np.insert(before.points, at, new), counts)

    def thinned(self, share: float) -> State:
        return _numbers(self.full, self._cells.points, rounded(self._cells.now * share))

    def linear(self, factor: float, offset: float) -> State:
        with np.errstate(over="ignore"):
            points = self._cells.points * factor + offset
        counts = np.where(np.isfinite(points), self._cells.now, 0)
        order = np.argsort(points, kind="stable")
        return _numbers(self.full, points[order], counts[order])


def _cells(numbers: NumberDistribution) -> Cells:
    """Single values and their counts; of a sketch, its cells, each of which stands for its middle."""
    if numbers.sketch is not None:
        return sketched_cells(numbers.sketch, numbers.sketch)
    return Cells(numbers.values, numbers.values, numbers.counts, numbers.counts)


def _settled(cells: Cells, values: FloatArray) -> FloatArray:
    """Values moved to the point that stands for their cell; those that lie in none stay as they are."""
    if not len(cells.lower):
        return values
    cell = np.maximum(np.searchsorted(cells.lower, values, side="right") - 1, 0)
    inside = (values >= cells.lower[cell]) & (values <= cells.upper[cell])
    return np.where(inside, cells.points[cell], values)


def _numbers(like: NumberDistribution, points: FloatArray, counts: IntArray) -> NumberDistribution:
    """The distribution of ascending points, sketched when ``like`` is: the two are then compared cell by cell."""
    points, counts = points[counts > 0], counts[counts > 0]
    exact = NumberDistribution.from_counts(points, counts)
    if like.sketch is None or exact.sketch is not None or not len(points):
        return exact
    return NumberDistribution(sketch=NumberSketch.of(exact.values, exact.counts))


@transport_of.register(Moments)
class _MomentsTransport(Transport[Moments]):
    def replaced(self, injected: Moments) -> State:
        full, clean = self.full, self.clean
        if injected == clean:
            return full
        if not (full.count and clean.count and injected.count):
            return injected
        mean = shifted(SampleChange(full.mean, clean.mean, injected.mean))
        std = scaled(SampleChange(full.std, clean.std, injected.std))
        count = max(1, round(full.count * (injected.count / clean.count)))
        return _moments(count, mean, std, injected)

    def thinned(self, share: float) -> State:
        full = self.full
        return _moments(max(1, round(full.count * share)), full.mean, full.std, full) if full.count else full

    def linear(self, factor: float, offset: float) -> State:
        full = self.full
        return _moments(full.count, full.mean * factor + offset, full.std * abs(factor), full) if full.count else full


def _moments(count: int, mean: float, std: float, other: Moments) -> Moments:
    """Moments with this mean and spread, or the other ones where these are out of range.

    Their low and high are the other's: no distance looks at them.
    """
    if not (math.isfinite(mean) and math.isfinite(std)):
        return other
    middle, spread = units(mean), units(std)
    return Moments(count, count * middle, count * (middle**2 + spread**2), other.low, other.high)
