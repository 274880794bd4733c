"""The states of a whole partition after an error that was observed on a sample of it.

Each function takes any state and knows those that distances are computed from; a new state may register its own.
An error that leaves the sample's state as it is leaves the partition's state exactly as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, singledispatch

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.corruption.movement import Counts, Floats, aligned, filled, moved, rounded
from airflow_dq.metrics.extrapolation import SampleChange, scaled, shifted
from airflow_dq.states.base import State
from airflow_dq.states.bucket import NUMBER, Buckets, bucket_counts
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.cell import Cells
from airflow_dq.states.exact import units
from airflow_dq.states.initial import Initials
from airflow_dq.states.joint import sketched_cells
from airflow_dq.states.memo import remember, remember_last
from airflow_dq.states.moment import Moments
from airflow_dq.states.number import NumberDistribution
from airflow_dq.states.sketch import NumberSketch


def repeated(states: Mapping[str, State], times: int) -> dict[str, State]:
    """The states of a column whose every row occurs ``times`` times."""
    return {key: _repeated(state, times) for key, state in states.items()}


def _repeated(state: State, times: int) -> State:
    if times == 1:
        return state
    half = _repeated(state, times // 2)
    both = half.merge(half)
    return both.merge(state) if times % 2 else both


@singledispatch
def ordered(state: State) -> State:
    """An equal state whose values are in their order, whatever order the scan met them in."""
    return state


@singledispatch
def transported(full: State, clean: State, injected: State) -> State:
    """The partition's state after an error that turned the sample's ``clean`` state into ``injected``.

    Only what distances read (:meth:`~airflow_dq.states.base.State.compared`) is carried over.  A state that nobody
    taught to be transported is replaced by the sample's own.

    :param full: :func:`ordered`
    """
    return full if injected == clean else injected


@singledispatch
def thinned(full: State, share: float) -> State:
    """The state of a share of the rows, distributed like all of them."""
    return full


@singledispatch
def rescaled(full: State, factor: float, offset: float) -> State:
    """The state of all numbers times ``factor`` plus ``offset``."""
    return full


@ordered.register
def _(state: CategoryDistribution) -> State:
    return state if state.buckets is not None else type(state)(*state.items())


@transported.register
def _(full: CategoryDistribution, clean: CategoryDistribution, injected: CategoryDistribution) -> State:
    if injected.values.equals(clean.values) and np.array_equal(injected.counts, clean.counts):
        return full
    known = _known(full, clean)
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


@dataclass(frozen=True, slots=True)
class _Known:
    """The values of a partition and of its sample before an error, and how often each has them."""

    values: pa.LargeStringArray
    full: Counts
    clean: Counts


@remember(4)
def _known(full: CategoryDistribution, clean: CategoryDistribution) -> _Known:
    values = pa.concat_arrays([full.values, clean.values]).dictionary_encode()
    place = values.indices.to_numpy(zero_copy_only=False)
    return _Known(values.dictionary, *aligned([full.counts, clean.counts], place, len(values.dictionary)))


def _buckets_transported(
    category: type[CategoryDistribution], buckets: Buckets, values: pa.LargeStringArray, before: Counts, after: Counts
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
def _anywhere(rows: int) -> Floats:
    """Shares of the buckets when this many different values hash into them."""
    # A fixed seed: the same profile always has the same variants.
    shares: Floats = np.random.default_rng(0).multinomial(rows, np.full(NUMBER, 1.0 / NUMBER)) / rows
    return shares


@thinned.register
def _(full: CategoryDistribution, share: float) -> State:
    if full.buckets is not None:
        return type(full)(buckets=replace(full.buckets, counts=rounded(full.buckets.counts * share)))
    counts = rounded(full.counts * share)
    return type(full).from_counts(full.values.filter(pa.array(counts > 0)), counts[counts > 0])


@transported.register
def _(full: Initials, clean: Initials, injected: Initials) -> State:
    return full if injected == clean else Initials(moved(full.counts, clean.counts, injected.counts))


@thinned.register
def _(full: Initials, share: float) -> State:
    return Initials(rounded(full.counts * share))


@transported.register
def _(full: NumberDistribution, clean: NumberDistribution, injected: NumberDistribution) -> State:
    if injected == clean:
        return full
    before, cells = _points(full, clean), _cells(injected)
    values = cells.points if full.sketch is None else _settled(_cells(full), cells.points)
    place = np.searchsorted(before.points, values)
    known = np.append(before.points, np.nan)[place] == values
    new, which = np.unique(values[~known], return_inverse=True)
    (after,) = aligned([cells.now[known]], place[known], len(before.points))
    (gained,) = aligned([cells.now[~known]], which, len(new))
    at = np.searchsorted(before.points, new)
    counts = moved(np.insert(before.full, at, 0), np.insert(before.clean, at, 0), np.insert(after, at, gained))
    return _numbers(full, np.insert(before.points, at, new), counts)


@dataclass(frozen=True, slots=True)
class _Points:
    """The numbers of a partition and of its sample before an error, ascending, and how often each has them."""

    points: Floats
    full: Counts
    clean: Counts


@remember_last
def _points(full: NumberDistribution, clean: NumberDistribution) -> _Points:
    cells, sample = _cells(full), _cells(clean)
    values = sample.points if full.sketch is None else _settled(cells, sample.points)
    points, place = np.unique(np.concatenate([cells.points, values]), return_inverse=True)
    return _Points(points, *aligned([cells.now, sample.now], place, len(points)))


@thinned.register
def _(full: NumberDistribution, share: float) -> State:
    cells = _cells(full)
    return _numbers(full, cells.points, rounded(cells.now * share))


@rescaled.register
def _(full: NumberDistribution, factor: float, offset: float) -> State:
    cells = _cells(full)
    with np.errstate(over="ignore"):
        points = cells.points * factor + offset
    counts = np.where(np.isfinite(points), cells.now, 0)
    order = np.argsort(points, kind="stable")
    return _numbers(full, points[order], counts[order])


@remember(4)
def _cells(numbers: NumberDistribution) -> Cells:
    """Single values and their counts; of a sketch, its cells, each of which stands for its middle."""
    if numbers.sketch is not None:
        return sketched_cells(numbers.sketch, numbers.sketch)
    return Cells(numbers.values, numbers.values, numbers.counts, numbers.counts)


def _settled(cells: Cells, values: Floats) -> Floats:
    """Values moved to the point that stands for their cell; those that lie in none stay as they are."""
    if not len(cells.lower):
        return values
    cell = np.maximum(np.searchsorted(cells.lower, values, side="right") - 1, 0)
    inside = (values >= cells.lower[cell]) & (values <= cells.upper[cell])
    return np.where(inside, cells.points[cell], values)


def _numbers(like: NumberDistribution, points: Floats, counts: Counts) -> NumberDistribution:
    """The distribution of ascending points, sketched when ``like`` is: the two are then compared cell by cell."""
    points, counts = points[counts > 0], counts[counts > 0]
    exact = NumberDistribution.from_counts(points, counts)
    if like.sketch is None or exact.sketch is not None or not len(points):
        return exact
    return NumberDistribution(sketch=NumberSketch.of(exact.values, exact.counts))


@transported.register
def _(full: Moments, clean: Moments, injected: Moments) -> State:
    if injected == clean:
        return full
    if not (full.count and clean.count and injected.count):
        return injected
    mean = shifted(SampleChange(full.mean, clean.mean, injected.mean))
    std = scaled(SampleChange(full.std, clean.std, injected.std))
    count = max(1, round(full.count * (injected.count / clean.count)))
    return _moments(count, mean, std, injected)


@thinned.register
def _(full: Moments, share: float) -> State:
    return _moments(max(1, round(full.count * share)), full.mean, full.std, full) if full.count else full


@rescaled.register
def _(full: Moments, factor: float, offset: float) -> State:
    return _moments(full.count, full.mean * factor + offset, full.std * abs(factor), full) if full.count else full


def _moments(count: int, mean: float, std: float, other: Moments) -> Moments:
    """Moments with this mean and spread, or the other ones where these are out of range.

    Their low and high are the other's: no distance looks at them.
    """
    if not (math.isfinite(mean) and math.isfinite(std)):
        return other
    middle, spread = units(mean), units(std)
    return Moments(count, count * middle, count * (middle**2 + spread**2), other.low, other.high)
