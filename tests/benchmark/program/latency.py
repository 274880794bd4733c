"""How long it takes: profiling by rows (the paper's Fig. 4), and judging a wide table from loaded profiles."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.profile.codec import profile_from_json
from airflow_dq.profile.variant import all_variants
from airflow_dq.program import evaluate, synthesize

COLUMNS, PARTITIONS, WIDE_ROWS = 100, 30, 2_000


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds per column of ``rows`` rows."""

    rows: int
    profile: float
    """States and metrics."""
    variants: float
    """Injected errors."""
    judge: float
    """Synthesis and evaluation after 7 partitions."""


def by_rows(sizes: Sequence[int]) -> list[Latency]:
    """The latency of a table with numbers and strings, by its number of rows."""
    return [_latency(rows) for rows in sizes]


def _latency(rows: int) -> Latency:
    tables = [table(rows, 4, seed) for seed in range(8)]
    start = time.perf_counter()
    profiles = [profile_table(one, partition=str(i)) for i, one in enumerate(tables)]
    profiled = time.perf_counter()
    all_variants(profiles[-2])
    injected = time.perf_counter()
    _judge(profiles)
    judged = time.perf_counter()
    per_profile, columns = (profiled - start) / len(tables), tables[0].num_columns
    return Latency(rows, per_profile / columns, (injected - profiled) / columns, (judged - injected) / columns)


def wide(columns: int = COLUMNS, partitions: int = PARTITIONS) -> float:
    """Seconds of one core to synthesize and evaluate from loaded profiles.

    As the gate has them: the distances of past partitions are cached, those of the new one are not.
    """
    options = ProfileOptions()
    made = [
        profile_table(table(WIDE_ROWS, columns, seed), partition=f"{seed:02}", options=options)
        for seed in range(partitions + 1)
    ]
    # A program for each partition in turn is what fills the cache.
    for place in (7, len(made) - 1):
        _judge(made[: place + 1])
    all_variants(made[-2])
    loaded = [profile_from_json(profile.to_json()) for profile in made]
    for column in loaded[-1].columns.values():
        column.pairs.clear()
    start = time.process_time()
    _judge(loaded)
    return time.process_time() - start


def _judge(profiles: Sequence[Profile]) -> None:
    *history, now = profiles
    evaluate(synthesize(history), now, history)


def table(rows: int, columns: int, seed: int) -> pa.Table:
    """Numbers and strings in turn, from distributions that do not change."""
    rng = np.random.default_rng(seed)
    cities = np.array([f"city {i:03}" for i in range(200)])
    return pa.table(
        {
            f"c{i}": rng.lognormal(3.0, 1.0, rows).round(2) if i % 2 else cities[rng.integers(0, 200, rows)]
            for i in range(columns)
        }
    )
