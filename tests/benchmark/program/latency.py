"""How long it takes: profiling by rows (the paper's Fig. 4), and judging a wide table from loaded profiles."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from airflow_dq.codec import from_json, to_json
from airflow_dq.corruption.variant import all_variants
from airflow_dq.learn.history.distance import Distances
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.profile import Profile, profile_table
from airflow_dq.program import evaluate, synthesize

COLUMNS, PARTITIONS, WIDE_ROWS = 100, 30, 2_000


@dataclass(frozen=True, slots=True)
class Latency:
    """CPU seconds per column of ``rows`` rows."""

    rows: int
    profile: float
    """States and metrics."""
    variants: float
    """Injected errors."""
    judge: float
    """Synthesis and evaluation after 7 partitions, whose distances are measured here too."""


def by_rows(sizes: Sequence[int]) -> list[Latency]:
    """The latency of a table with numbers and strings, by its number of rows."""
    return [_latency(rows) for rows in sizes]


def _latency(rows: int) -> Latency:
    tables = [table(rows, 4, seed) for seed in range(8)]
    start = time.process_time()
    profiles = [profile_table(one, partition=str(i)) for i, one in enumerate(tables)]
    profiled = time.process_time()
    all_variants(profiles[-2])
    injected = time.process_time()
    _judge(profiles, Distances())
    judged = time.process_time()
    per_profile, columns = (profiled - start) / len(tables), tables[0].num_columns
    return Latency(rows, per_profile / columns, (injected - profiled) / columns, (judged - injected) / columns)


def wide(columns: int = COLUMNS, partitions: int = PARTITIONS) -> tuple[float, float]:
    """Seconds of one core to synthesize and to evaluate, from loaded profiles of columns of all kinds.

    As the gate has them: the distances of past partitions are stored with them, those of the new one are not.
    """
    made = [profile_table(mixed(WIDE_ROWS, columns, seed), partition=f"{seed:02}") for seed in range(partitions + 1)]
    known = Distances()
    for place in (7, len(made) - 1):
        _judge(made[: place + 1], known)
    all_variants(made[-2])
    *profiles, now = [from_json(Profile, to_json(profile)) for profile in made]
    history = History.of(_with_distances(profiles, known), distances=Distances())
    start = time.process_time()
    program = synthesize(history)
    synthesized = time.process_time()
    evaluate(program, now, history)
    return synthesized - start, time.process_time() - synthesized


def _with_distances(profiles: Sequence[Profile], known: Distances) -> list[Profile]:
    """The profiles as they come from the store once their distances have been measured."""
    kept: dict[str, dict[str, Mapping[str, MetricValue]]] = {}
    for (now, before), values in known.measured.items():
        kept.setdefault(now, {})[before] = values
    return [
        replace(
            profile,
            columns={
                name: replace(column, distances=kept.get(column.fingerprint, {}))
                for name, column in profile.columns.items()
            },
        )
        for profile in profiles
    ]


def _judge(profiles: Sequence[Profile], known: Distances) -> None:
    history = History.of(profiles[:-1], distances=known)
    evaluate(synthesize(history), profiles[-1], history)


def table(rows: int, columns: int, seed: int) -> pa.Table:
    """Numbers and strings in turn, from distributions that do not change."""
    return _table(rows, columns, seed, (_cities, _prices))


def mixed(rows: int, columns: int, seed: int) -> pa.Table:
    """Columns of all kinds in turn, few and many distinct values, from distributions that do not change."""
    return _table(rows, columns, seed, (_prices, _cities, _quantities, _keys, _flags, _moments, _classes, _readings))


_Maker = Callable[[np.random.Generator, int], Any]


def _table(rows: int, columns: int, seed: int, makers: Sequence[_Maker]) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table({f"c{i}": makers[i % len(makers)](rng, rows) for i in range(columns)})


def _prices(rng: np.random.Generator, rows: int) -> Any:
    return rng.lognormal(3.0, 1.0, rows).round(2)


def _readings(rng: np.random.Generator, rows: int) -> Any:
    return rng.normal(0.0, 1.0, rows)


def _quantities(rng: np.random.Generator, rows: int) -> Any:
    return rng.integers(0, 50, rows)


def _cities(rng: np.random.Generator, rows: int) -> Any:
    return np.array([f"city {i:03}" for i in range(200)])[rng.integers(0, 200, rows)]


def _classes(rng: np.random.Generator, rows: int) -> Any:
    return rng.choice(["A", "B", "C", "D"], rows, p=[0.5, 0.3, 0.15, 0.05])


def _keys(rng: np.random.Generator, rows: int) -> Any:
    return np.array([f"{i:08x}" for i in rng.integers(0, 2**32, rows)])


def _flags(rng: np.random.Generator, rows: int) -> Any:
    return rng.random(rows) < 0.3


def _moments(rng: np.random.Generator, rows: int) -> Any:
    return np.datetime64("2026-01-01", "s") + rng.integers(0, 86_400, rows).astype("timedelta64[s]")
