"""Histories of profiles that have metrics and no states: what a store keeps of old partitions."""

from __future__ import annotations

import numpy as np

from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind

ROWS = 1000


def column(name: str, metrics: dict[str, MetricValue], kind: Kind = Kind.NUMERIC) -> ColumnProfile:
    """A column with these metrics."""
    return ColumnProfile(name, kind, "double", metrics)


def numbers(rng: np.random.Generator, shift: float = 0.0) -> dict[str, MetricValue]:
    """Metrics of a complete column of about a hundred, whose mean moves by one."""
    mean = 100.0 + shift + rng.normal()
    return {"complete_ratio": 1.0, "mean": mean, "std": 10.0 + rng.normal() / 5, "min": mean - 30, "max": mean + 30}


def profile(seed: int, columns: int = 5, *, shift: float = 0.0, rows: int = ROWS) -> Profile:
    """A partition of some columns, all shifted by so much."""
    rng = np.random.default_rng(seed)
    found = {f"c{place}": column(f"c{place}", numbers(rng, shift)) for place in range(columns)}
    return Profile(f"2026-{seed:05d}", rows, found)


def history(partitions: int = 40, columns: int = 5) -> list[Profile]:
    """A history of clean partitions."""
    return [profile(seed, columns) for seed in range(partitions)]
