"""Metrics of a column's states: measured on one partition, compared between two."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from airflow_dq.metrics.descriptor import Metric, MetricValue, Reason
from airflow_dq.metrics.outcome import as_value
from airflow_dq.metrics.registry import metrics_for, revision
from airflow_dq.states.base import Kind, Representation, State
from airflow_dq.states.pair import Pair

log = logging.getLogger(__name__)


def measure(kind: Kind, states: Mapping[str, State]) -> dict[str, MetricValue]:
    """Every single-distribution metric of one column's states, by name."""
    read = {key: state.reader() for key, state in states.items()}
    return {
        name: _returned(name, function, *[read[key] for key in keys])
        for name, function, keys in _measures(kind, frozenset(read), revision())
    }


def _returned(name: str, function: Callable[..., MetricValue], *given: object) -> MetricValue:
    """What a metric's function returns; an error that it raises, as a user's own may, is one of this metric alone."""
    try:
        return as_value(function(*given))
    except Exception as error:
        # Its words may quote values of a hidden column.
        log.warning("metric %r cannot be computed: its function raises %s", name, type(error).__name__)
        return Reason.ENGINE_ERROR


@cache
def _measures(
    kind: Kind, given: frozenset[str], revised: int
) -> tuple[tuple[str, Callable[..., MetricValue], tuple[str, ...]], ...]:
    """Name, function and keys of the states of each single-distribution metric whose states are given."""
    measures = (
        (entry.name, entry.function, tuple(state.key for state in entry.states))
        for entry in metrics_for(kind, pair=False)
    )
    return tuple(one for one in measures if given.issuperset(one[2]))


def measured(kind: Kind) -> frozenset[str]:
    """The keys of the states that any metric of a kind of column reads: the others are there for other readers."""
    return _measured(kind, revision())


@cache
def _measured(kind: Kind, revised: int) -> frozenset[str]:
    return frozenset(state.key for entry in metrics_for(kind) for state in entry.states)


class ComparisonSide(Mapping[str, State]):
    """A column's states for several comparisons: a sketch that more than one of them needs is made once.

    It lives as long as its owner compares with it; the states, which may be kept for long, do not grow.
    """

    __slots__ = ("_reached", "_sketches", "_states")

    def __init__(self, states: Mapping[str, State]) -> None:
        """Take the states by key; none of them is looked at before it is asked for."""
        self._states = states
        self._sketches: dict[str, State] = {}
        self._reached: dict[str, frozenset[Representation]] = {}

    @classmethod
    def of(cls, states: Mapping[str, State]) -> ComparisonSide:
        """The states themselves if they are such a side, else a side of their own."""
        return states if isinstance(states, ComparisonSide) else cls(states)

    def sketch(self, key: str) -> State:
        """The state as distances between sketches read it."""
        if key not in self._sketches:
            state = self._states[key]
            self._sketches[key] = state.compared_sketch() if self.is_exact(key) else state
        return self._sketches[key]

    def form(self, key: str, sketched: bool) -> State:
        """The state as it is, or as distances between sketches read it."""
        return self.sketch(key) if sketched else self._states[key]

    def is_exact(self, key: str) -> bool:
        """Whether exact distances from the state are to be had."""
        return Representation.EXACT in self.representations(key)

    def representations(self, key: str) -> frozenset[Representation]:
        """The representations in which distances from the state are worth keeping."""
        # Each metric asks for it anew, and a state counts the bytes of its values to answer.
        if key not in self._reached:
            self._reached[key] = self._states[key].representations
        return self._reached[key]

    def __getitem__(self, key: str) -> State:
        """The state as it is."""
        return self._states[key]

    def __iter__(self) -> Iterator[str]:
        """The keys of the states."""
        return iter(self._states)

    def __len__(self) -> int:
        """How many states there are."""
        return len(self._states)


def compare(
    kind: Kind,
    now: Mapping[str, State],
    before: Mapping[str, State],
    names: Iterable[str] | None = None,
    representation: Representation | None = None,
    pool: int = 1,
) -> dict[str, MetricValue]:
    """Every two-distribution metric (or those named) between two partitions' states of one column, by name.

    :param now: the partition's states; for several comparisons a :class:`ComparisonSide`, as ``before``
    :param representation: SKETCH to sketch both sides first (None: exact where both sides are)
    :param pool: only metrics whose baseline is this many partitions; ``before`` holds their merged states
    """
    now, before = ComparisonSide.of(now), ComparisonSide.of(before)
    found: dict[str, MetricValue] = {}
    for key, entries in _asked(kind, names, pool).items():
        if key in now and key in before:
            (values,) = _compare(entries, key, [now], before, representation)
            found |= values
    return found


def compare_each(
    kind: Kind,
    key: str,
    nows: Sequence[State],
    before: ComparisonSide,
    names: Iterable[str],
    representation: Representation | None = None,
    pool: int = 1,
) -> list[dict[str, MetricValue]]:
    """The two-distribution metrics of one state, by name, of several such states and the same one before.

    Each is what :func:`compare` gives; what is looked up of the one before is looked up for all at once.

    :param key: the state's
    :param names: of metrics; those of other states are not among what is found
    """
    entries = _asked(kind, names, pool).get(key, [])
    return _compare(entries, key, [ComparisonSide({key: now}) for now in nows], before, representation)


def _asked(kind: Kind, names: Iterable[str] | None, pool: int) -> dict[str, list[Metric]]:
    """The two-distribution metrics that are asked for, by the key of their state."""
    wanted = None if names is None else set(names)
    found: dict[str, list[Metric]] = {}
    for entry in metrics_for(kind, pair=True):
        if entry.pool == pool and (wanted is None or entry.name in wanted):
            found.setdefault(entry.states[0].key, []).append(entry)
    return found


def _compare(
    entries: Sequence[Metric],
    key: str,
    nows: Sequence[ComparisonSide],
    before: ComparisonSide,
    representation: Representation | None,
) -> list[dict[str, MetricValue]]:
    """The metrics of one state, by name, for each of the first sides."""
    found: list[dict[str, MetricValue]] = [{} for _ in nows]
    # One pair for all metrics that take it: they share what is computed of both sides.
    of_pairs: dict[tuple[type[Pair[Any]], bool], dict[int, list[Metric]]] = {}
    sketch_all = representation is Representation.SKETCH or not before.is_exact(key)
    for place, now in enumerate(nows):
        sketch = sketch_all or not now.is_exact(key)
        for entry in entries:
            sketched = entry.represented and sketch
            if entry.pair_type is not None:
                of_pairs.setdefault((entry.pair_type, sketched), {}).setdefault(place, []).append(entry)
                continue
            sides = [side.form(key, sketched).reader() for side in (now, before)]
            found[place][entry.name] = entry.bounded(_returned(entry.name, entry.function, *sides))
    for (made, sketched), asked in of_pairs.items():
        pairs = made.each([nows[place].form(key, sketched) for place in asked], before.form(key, sketched))
        for (place, metrics), pair in zip(asked.items(), pairs, strict=True):
            for entry in metrics:
                found[place][entry.name] = entry.bounded(_returned(entry.name, entry.function, pair))
    return found


def stored_name(name: str, representation: Representation) -> str:
    """The name under which a value is cached: a sketched one says so."""
    return name if representation is Representation.EXACT else f"{name}/{representation}"


def is_complete(kind: Kind, kept: Mapping[str, MetricValue], pool: int = 1) -> bool:
    """Whether every two-distribution metric with a baseline of this size is there in some representation."""
    exact, otherwise = _kept_names(kind, pool, revision())
    # Asked for every partition of every series: most often all are there in the one.
    return kept.keys() >= exact or all(name in kept or sketch in kept for name, sketch in otherwise.items())


@cache
def _kept_names(kind: Kind, pool: int, revised: int) -> tuple[frozenset[str], Mapping[str, str]]:
    """The metrics with a baseline of this size, and the other name under which each may be kept instead."""
    entries = [entry for entry in metrics_for(kind, pair=True) if entry.pool == pool]
    sketched = {
        entry.name: stored_name(entry.name, Representation.SKETCH) if entry.represented else entry.name
        for entry in entries
    }
    return frozenset(sketched), sketched


def compare_for_keeping(
    kind: Kind, now: Mapping[str, State], before: Mapping[str, State], pool: int = 1
) -> dict[str, MetricValue]:
    """Every two-distribution metric in each representation that a later reader may need, by stored name.

    A metric that does not depend on the representation has its own name, like an exact one.

    :param pool: only metrics whose baseline is this many partitions; ``before`` holds their merged states
    """
    now, before = ComparisonSide.of(now), ComparisonSide.of(before)
    entries = [entry for entry in metrics_for(kind, pair=True) if entry.pool == pool and entry.states[0].key in now]
    worth = {key: _worth_keeping(key, now, before) for key in {entry.states[0].key for entry in entries}}
    # What does not depend on the representation is computed once.
    once = {Representation.EXACT}
    kept: dict[str, MetricValue] = {}
    for representation in Representation:
        wanted = [e.name for e in entries if representation in (worth[e.states[0].key] if e.represented else once)]
        values = compare(kind, now, before, wanted, representation, pool)
        kept |= {stored_name(name, representation): value for name, value in values.items()}
    return kept


def _worth_keeping(key: str, now: ComparisonSide, before: ComparisonSide) -> set[Representation]:
    """The representations in which distances of a state are worth keeping."""
    reached = [side.representations(key) for side in (now, before) if key in side]
    # Exact takes both sides, a sketch can be made of any: one side that needs it is enough.
    wanted = {Representation.EXACT: all, Representation.SKETCH: any}
    return {one for one, quantifier in wanted.items() if quantifier(one in each for each in reached)}
