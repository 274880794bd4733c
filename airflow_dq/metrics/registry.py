"""The registry of metrics: plain functions of one state, or of the same state of two partitions."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from inspect import unwrap
from typing import Any

from airflow_dq.states.base import Kind, Representation, State
from airflow_dq.states.memo import remember
from airflow_dq.states.pair import Pair


class Reason(StrEnum):
    """Why a metric has no value.  Stored in place of the value; never NaN, infinity, 0 or 1 as a stand-in."""

    EMPTY_BATCH = "empty batch"
    NO_VALUES = "no values"
    OVERFLOW = "overflow"
    NOT_APPLICABLE = "not applicable"
    ENGINE_ERROR = "engine error"


MetricValue = float | Reason
"""A finite number, or the reason why there is none."""


class Bound(StrEnum):
    """The inequality that bounds a constraint's false-positive rate (AVH, Propositions 1-3)."""

    CHEBYSHEV = "chebyshev"
    """Proposition 1: any metric, two-sided, ``(sigma / beta) ** 2``."""
    CANTELLI = "cantelli"
    """Proposition 2: distance-like metrics, upper side only, ``sigma**2 / (beta**2 + sigma**2)``."""
    CLT = "clt"
    """Proposition 3: averages and counts, two-sided, the normal tail ``erfc(beta / (sqrt(2) * sigma))``."""
    STUDENT_T = "student_t"
    """Mode ``calibrated``: a prediction interval whose mean and variance are estimated from the history."""


class Scale(StrEnum):
    """What kind of number a metric is: on which scale it varies, and what a material change of it is."""

    AMOUNT = "amount"
    """Any number; a change is compared with its level."""
    LENGTH = "length"
    """An average number of characters: a change is compared with its level, of at least a quarter of a character."""
    SIZE = "size"
    """A number of 0 or more that varies by factors: logarithmic."""
    COUNT = "count"
    """A number of things: logarithmic, and one thing more or less is never material."""
    SHARE = "share"
    """A share of a column's values, from 0 to 1: a change is absolute, one value more or less is never material."""
    DISTANCE = "distance"
    """A distance of two shares or distributions, 0 when they are equal: only an increase matters."""
    TRANSPORT = "transport"
    """A distance in the column's own unit: a change is compared with the column's standard deviation."""


MIN_EFFECT = {
    Scale.AMOUNT: 0.004,
    Scale.LENGTH: 0.004,
    Scale.SIZE: 0.004,
    Scale.COUNT: 0.004,
    Scale.SHARE: 0.004,
    Scale.DISTANCE: 0.01,
    Scale.TRANSPORT: 0.004,
}
"""Changes below these page nobody: 0.4 % of a level, 0.4 points of a share, a hundredth of a distance's range."""
DIVERGENCE_EFFECT = 0.002
"""The least material change of divergences, which grow with the square of a small difference."""


CARRIED_MODULE = "airflow_dq_own_metrics"
"""A module beside the package, in an executor's bundle only, that registers the users' own metrics."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One registered metric; ``function`` takes the states named by ``states`` (a pair metric: now, before)."""

    name: str
    states: tuple[type[State], ...]
    kinds: frozenset[Kind]
    pair: bool
    bound: Bound
    scale: Scale
    min_effect: float
    """Least change that may be an alarm, relative or absolute as ``scale`` says; mode ``calibrated`` adds it."""
    paper: bool
    """Whether it is one of the paper's Tables 3 and 4; mode ``paper`` uses no other."""
    function: Callable[..., MetricValue]
    represented: bool = False
    """Whether its value depends on how distinct values were counted (:class:`Representation`)."""
    calibrated: bool = True
    """Whether mode ``calibrated`` uses it."""
    level: float | None = None
    """The share of the values below it, for a quantile; 0 and 1 are the minimum and the maximum."""
    pool: int = 1
    """Number of past partitions whose merged states are the baseline of a pair metric."""
    pair_type: type[Pair[Any]] | None = None
    """What a pair metric's function takes in place of the two states (None: the two states)."""

    @property
    def doc(self) -> str:
        """First line of the function's docstring: what the metric measures."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]

    @property
    def source(self) -> tuple[str, str]:
        """File and qualified name of the function: the same even when its module is loaded again under another name."""
        return unwrap(self.function).__code__.co_filename, self.function.__qualname__

    @property
    def built_in(self) -> bool:
        """Whether it is one of this package's own."""
        return self.function.__module__.startswith("airflow_dq.")


_metrics: dict[tuple[str, Kind], Metric] = {}


def metric(
    *states: type[State] | type[Pair[Any]],
    bound: Bound,
    pair: bool = False,
    name: str | None = None,
    kinds: frozenset[Kind] | None = None,
    scale: Scale | None = None,
    min_effect: float | None = None,
    paper: bool = False,
    represented: bool = False,
    calibrated: bool = True,
    level: float | None = None,
    pool: int = 1,
) -> Callable[[Callable[..., MetricValue]], Callable[..., MetricValue]]:
    """Register a function of states as a metric of every kind of column that carries all of them.

    :param states: state classes; their instances are passed in this order (a pair metric takes exactly
        one and gets it twice: the partition's own, then the baseline's; of a ``Pair`` it gets one with both)
    :param bound: the inequality that holds for the metric (AVH, section 4.2)
    :param pair: True for a two-distribution metric
    :param name: stored name when it is not the function's own (a metric's name is never changed)
    :param kinds: only these of the kinds that carry the states (None: all of them)
    :param scale: what kind of number it is (None: a distance for a pair metric, else an amount)
    :param min_effect: least change worth an alarm, as ``scale`` measures changes (None: the scale's default)
    :param paper: True for a metric of the paper's own tables
    :param represented: True for a pair metric that differs between exact and sketched states of the same values
    :param calibrated: False for a metric that is stored and shown, but not learned from by mode ``calibrated``
    :param level: the share of the values that lies below, for a quantile (0 and 1: minimum and maximum)
    :param pool: number of past partitions whose merged states a pair metric is compared with
    :raises ValueError: when the name is already registered for one of the kinds
    """
    if not states or (pair and len(states) != 1):
        raise ValueError("A metric needs at least one state, a pair metric exactly one.")

    def register(function: Callable[..., MetricValue]) -> Callable[..., MetricValue]:
        read = tuple(one.state if issubclass(one, Pair) else one for one in states)
        carried = frozenset.intersection(*(state.kinds for state in read))
        kind_of_number = scale or (Scale.DISTANCE if pair else Scale.AMOUNT)
        entry = Metric(
            name=name or function.__name__,
            states=read,
            kinds=carried if kinds is None else carried & kinds,
            pair=pair,
            bound=bound,
            scale=kind_of_number,
            min_effect=MIN_EFFECT[kind_of_number] if min_effect is None else min_effect,
            paper=paper,
            function=function,
            represented=represented,
            calibrated=calibrated,
            level=level,
            pool=pool,
            pair_type=next((one for one in states if issubclass(one, Pair)), None),
        )
        register_metric(entry)
        return function

    return register


def register_metric(entry: Metric) -> None:
    """Register a metric; if its module was loaded anew, it takes the place of the one registered before.

    :raises ValueError: when the name is registered for another function
    """
    for kind in sorted(entry.kinds):
        known = _metrics.get((entry.name, kind))
        if known is not None and known.source != entry.source:
            raise ValueError(f"A metric named {entry.name!r} is already registered for {kind} columns.")
    _metrics.update({(entry.name, kind): entry for kind in entry.kinds})
    _forget()


def unregister_metric(name: str) -> None:
    """Remove a metric from all kinds of column, after a test or in a notebook."""
    for kind in Kind:
        _metrics.pop((name, kind), None)
    _forget()


def _forget() -> None:
    metrics_for.cache_clear()
    _measures.cache_clear()
    _kept_names.cache_clear()


def own_metrics() -> tuple[Metric, ...]:
    """The metrics that users have registered, ordered by name."""
    _discover()
    found = {entry.name: entry for entry in _metrics.values() if not entry.built_in}
    return tuple(found[name] for name in sorted(found))


@cache
def _discover() -> None:
    # On the first look-up, not on import: whoever imports Bound while a DAG is parsed must not pull in numpy.
    package = import_module("airflow_dq.metrics")
    for module in pkgutil.iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")
    # On a Spark executor: what the driver carried there.
    if find_spec(CARRIED_MODULE) is not None:
        import_module(CARRIED_MODULE)


@cache
def metrics_for(kind: Kind, pair: bool | None = None) -> tuple[Metric, ...]:
    """The metrics of a kind of column, ordered by name; only the (non-)pair ones when ``pair`` is given."""
    _discover()
    found = (entry for (_, k), entry in _metrics.items() if k == kind and pair in (None, entry.pair))
    return tuple(sorted(found, key=lambda entry: entry.name))


def get_metric(name: str, kind: Kind) -> Metric | None:
    """The metric of that name for a kind of column, or None."""
    _discover()
    return _metrics.get((name, kind))


def measure(kind: Kind, states: Mapping[str, State]) -> dict[str, MetricValue]:
    """Every single-distribution metric of one column's states, by name."""
    read = {key: state.reader() for key, state in states.items()}
    return {
        name: function(*(read[key] for key in keys))
        for name, function, keys in _measures(kind)
        if read.keys() >= {*keys}
    }


@cache
def _measures(kind: Kind) -> tuple[tuple[str, Callable[..., MetricValue], tuple[str, ...]], ...]:
    """Name, function and keys of the states of each single-distribution metric."""
    return tuple(
        (entry.name, entry.function, tuple(state.key for state in entry.states))
        for entry in metrics_for(kind, pair=False)
    )


def compare(
    kind: Kind,
    now: Mapping[str, State],
    before: Mapping[str, State],
    names: Iterable[str] | None = None,
    representation: Representation | None = None,
    pool: int = 1,
) -> dict[str, MetricValue]:
    """Every two-distribution metric (or those named) between two partitions' states of one column, by name.

    :param representation: SKETCH to sketch both sides first (None: exact where both sides are)
    :param pool: only metrics whose baseline is this many partitions; ``before`` holds their merged states
    """
    wanted = None if names is None else set(names)
    pairs: dict[tuple[type[Pair[Any]], bool], Pair[Any]] = {}
    sketches: dict[str, tuple[State, State]] = {}
    found: dict[str, MetricValue] = {}
    for entry in metrics_for(kind, pair=True):
        key = entry.states[0].key
        asked = entry.pool == pool and (wanted is None or entry.name in wanted)
        if not asked or key not in now or key not in before:
            continue
        sides = (now[key], before[key])
        sketched = entry.represented and (
            representation is Representation.SKETCH
            or any(Representation.EXACT not in side.representations for side in sides)
        )
        if sketched:
            if key not in sketches:
                sketches[key] = (_as_sketch(now[key]), _as_sketch(before[key]))
            sides = sketches[key]
        made = entry.pair_type
        if made is None:
            found[entry.name] = entry.function(*(side.reader() for side in sides))
            continue
        # One pair for all metrics that take it: they share what is computed of both sides.
        if (made, sketched) not in pairs:
            pairs[made, sketched] = made(*sides)
        found[entry.name] = entry.function(pairs[made, sketched])
    return found


def _as_sketch(state: State) -> State:
    return state if state.fullness > 1.0 else _sketched(state)


@remember(32)
def _sketched(state: State) -> State:
    # A partition is compared with several baselines, a baseline with all of a partition's variants, and in a backfill
    # a column again with the next partition's, when a dozen other columns have had their turn.
    return state.compared_sketch()


def stored_name(name: str, representation: Representation) -> str:
    """The name under which a value is cached: a sketched one says so."""
    return name if representation is Representation.EXACT else f"{name}/{representation}"


def pools(kind: Kind) -> tuple[int, ...]:
    """The sizes of the baselines that a kind's two-distribution metrics need, smallest first."""
    return tuple(sorted({entry.pool for entry in metrics_for(kind, pair=True)}))


def largest_pool() -> int:
    """The largest number of past partitions that a registered metric compares a partition with."""
    return max(pool for kind in Kind for pool in (1, *pools(kind)))


def is_complete(kind: Kind, kept: Mapping[str, MetricValue], pool: int = 1) -> bool:
    """Whether every two-distribution metric with a baseline of this size is there in some representation."""
    exact, otherwise = _kept_names(kind, pool)
    # Asked for every partition of every series: most often all are there in the one.
    return kept.keys() >= exact or all(name in kept or sketch in kept for name, sketch in otherwise.items())


@cache
def _kept_names(kind: Kind, pool: int) -> tuple[frozenset[str], Mapping[str, str]]:
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


def _worth_keeping(key: str, now: Mapping[str, State], before: Mapping[str, State]) -> set[Representation]:
    """The representations in which distances of a state are worth keeping."""
    reached = [side[key].representations for side in (now, before) if key in side]
    # Exact takes both sides, a sketch can be made of any: one side that needs it is enough.
    wanted = {Representation.EXACT: all, Representation.SKETCH: any}
    return {one for one, quantifier in wanted.items() if quantifier(one in each for each in reached)}
