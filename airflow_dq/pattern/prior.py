"""The index that ships with the package: patterns of common machine-made strings, from generated values only."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from airflow_dq.pattern.index import PatternIndex


@cache
def load_prior() -> PatternIndex:
    """Dates, times, ids, UUIDs, addresses of hosts and pages, versions, numbers and the like.

    Made by ``tests/benchmark/pattern/make_prior.py``; merge it with the index of one's own lake.
    """
    return PatternIndex.from_bytes(files("airflow_dq.pattern").joinpath("prior.bin").read_bytes())
