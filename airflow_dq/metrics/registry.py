"""The registry of metrics: functions of one state, or of the same state of two partitions, by name and kind."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar, Unpack

from airflow_dq.metrics.descriptor import Facts, Metric, MetricValue, describe
from airflow_dq.states.base import Kind, State
from airflow_dq.states.pair import Pair

USER_METRICS_MODULE = "airflow_dq_own_metrics"
"""A module beside the package, in an executor's bundle only, that registers the users' own metrics."""

F = TypeVar("F", bound=Callable[..., MetricValue])

_metrics: dict[tuple[str, Kind], Metric] = {}
_revision = 0


def metric(*states: type[State] | type[Pair[Any]], **facts: Unpack[Facts]) -> Callable[[F], F]:
    """Register a function of states as a metric of every kind of column that carries all of them.

    :param states: state classes; their instances are passed in this order (a pair metric takes exactly
        one and gets it twice: the partition's own, then the baseline's; of a ``Pair`` it gets one with both)
    :param facts: what is known about it: fields of :class:`~airflow_dq.metrics.descriptor.Metric`, with the defaults
        of :class:`~airflow_dq.metrics.descriptor.Facts`; ``bound`` must be given
    :raises ValueError: when the name is already registered for one of the kinds, or a pair metric has several states
    """
    if not states or (facts.get("pair", False) and len(states) != 1):
        raise ValueError("A metric needs at least one state, a pair metric exactly one.")

    def register(function: F) -> F:
        register_metric(describe(function, states, facts))
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
    _revise()


def unregister_metric(name: str) -> None:
    """Remove a metric from all kinds of column, after a test or in a notebook."""
    for kind in Kind:
        _metrics.pop((name, kind), None)
    _revise()


def _revise() -> None:
    global _revision
    _revision += 1
    metrics_for.cache_clear()
    pools.cache_clear()


def revision() -> int:
    """A number that changes whenever the registered metrics do: what is cached of them is cached under it."""
    return _revision


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
    # On a Spark executor: what the driver put there.
    if find_spec(USER_METRICS_MODULE) is not None:
        import_module(USER_METRICS_MODULE)


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


def find_metric(name: str, kind: Kind | None = None) -> Metric | None:
    """The metric of that name: for this kind of column, or where that has none for any; None where no kind has."""
    kinds = Kind if kind is None else (kind, *Kind)
    return next((entry for each in kinds if (entry := get_metric(name, each)) is not None), None)


@cache
def pools(kind: Kind) -> tuple[int, ...]:
    """The sizes of the baselines that a kind's two-distribution metrics need, smallest first."""
    return tuple(sorted({entry.pool for entry in metrics_for(kind, pair=True)}))


def largest_pool() -> int:
    """The largest number of past partitions that a registered metric compares a partition with."""
    return max(pool for kind in Kind for pool in (1, *pools(kind)))
