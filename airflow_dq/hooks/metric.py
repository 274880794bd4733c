"""Counters, gauges and timers of this package, through Airflow's own Stats: StatsD and OpenTelemetry see them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from time import monotonic

from airflow_dq.version_compat import Stats


def count(name: str, dataset: str) -> None:
    """One more of ``dq.<name>``, tagged with the dataset."""
    Stats.incr(f"dq.{name}", tags={"dataset": dataset})


def gauge(name: str, value: float, dataset: str) -> None:
    """``dq.<name>`` is now ``value``."""
    Stats.gauge(f"dq.{name}", value, tags={"dataset": dataset})


@contextmanager
def timed(name: str, dataset: str) -> Iterator[None]:
    """The duration of the block as ``dq.<name>``, however it ends."""
    began = monotonic()
    try:
        yield
    finally:
        Stats.timing(f"dq.{name}", timedelta(seconds=monotonic() - began), tags={"dataset": dataset})
