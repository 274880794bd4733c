"""Ten years of a daily table: ``python -m tests.reliability.decade [--days 3650] [--real 400]``.

It fills an empty store with 60 columns a day, the newest days stored as a job stores them and the older ones copied
from them in the database, and prints what a gate costs that learns from a year (``history=365``), and how long the
pages take that show the dataset.  It ends with exit code 1 when a limit is missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import pyarrow as pa
from sqlalchemy import text

from airflow_dq.corruption.variant import with_variants
from airflow_dq.gate.pipeline import judge
from airflow_dq.options.key import order_key
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.program import SynthesisOptions
from airflow_dq.store import Repository, open_store
from tests.reliability.generated import DISTINCT, table
from tests.reliability.measure import Figures, vacuum
from tests.reliability.server import server

DATASET = "decade"
LAST = date(2026, 6, 30)
GATE_CPU_SECONDS = 5
"""CPU of a gate that learns from a year of 60 columns."""
PAGE_SECONDS = 1
"""What a page may take."""


def key(days_ago: int) -> str:
    """Key of the partition so many days before the last."""
    return (LAST - timedelta(days=days_ago)).isoformat()


def profiled(seed: int) -> Profile:
    """A day of 60 columns: three times those of the scale test, of other data."""
    columns = {}
    for part in range(3):
        day = table(1000 * part + seed)
        columns |= {f"{name}_{part}": day[name] for name in day.column_names}
    return profile_table(pa.table(columns), partition=key(0))


_OLDER = """
    WITH model AS (
        SELECT p.*, row_number() OVER (ORDER BY p.sort_key) AS place, count(*) OVER () AS places
        FROM airflow_dq.profile p
    ), older AS (
        SELECT partition_key, sort_key, 1 + n % (SELECT count(*) FROM airflow_dq.profile) AS place
        FROM unnest(CAST(:keys AS text[]), CAST(:sort_keys AS text[])) WITH ORDINALITY
            AS o(partition_key, sort_key, n)
    ), attempt AS (
        INSERT INTO airflow_dq.profile_attempt (dataset_id, partition_key, sort_key, state, read_options, engine,
            version)
        SELECT model.dataset_id, older.partition_key, older.sort_key, 'succeeded', '{}', 'generated', '0'
        FROM older JOIN model USING (place)
        RETURNING id, partition_key
    ), profile AS (
        INSERT INTO airflow_dq.profile (dataset_id, partition_key, sort_key, attempt_id, row_count, fingerprint,
            options, checks, failing, has_states, has_variants)
        SELECT model.dataset_id, older.partition_key, older.sort_key, attempt.id, model.row_count, model.fingerprint,
            model.options, model.checks, model.failing, false, false
        FROM older JOIN model USING (place) JOIN attempt ON attempt.partition_key = older.partition_key
        RETURNING id, partition_key
    )
    INSERT INTO airflow_dq.column_profile (profile_id, ordinal, name, kind, data_type, remark, states_digest,
        fingerprint, metrics, distances)
    SELECT profile.id, c.ordinal, c.name, c.kind, c.data_type, c.remark, c.states_digest, c.fingerprint, c.metrics,
        c.distances
    FROM profile JOIN older USING (partition_key) JOIN model USING (place)
    JOIN airflow_dq.column_profile c ON c.profile_id = model.id
"""


def fill(store: Repository, days: int, real: int) -> None:
    """The newest days as a job stores them, the last one with injected errors; copies of them before."""
    distinct = [profiled(seed) for seed in range(DISTINCT)]
    for ago in range(min(real, days), -1, -1):
        profile = replace(distinct[ago % DISTINCT], partition=key(ago), sample=None)
        if ago < 3:
            profile = with_variants(replace(profiled(DISTINCT + ago), partition=key(ago)))
        attempt = store.begin_attempt(DATASET, key(ago), engine="generated")
        store.save_profile(attempt, DATASET, profile, tidy=ago % 40 == 0)
    if days > real:
        keys = [key(ago) for ago in range(real + 1, days + 1)]
        with store._engine.begin() as connection:
            connection.execute(text(_OLDER), {"keys": keys, "sort_keys": [order_key(one) for one in keys]})


def measure(store: Repository, figures: Figures) -> None:
    """The gate, and what the pages ask."""
    options = SynthesisOptions(history=365)
    for name in ("judge with history=365", "judge it again"):
        began, cpu = time.monotonic(), time.process_time()
        verdict = judge(store, DATASET, key(0), options)
        figures.add(f"{name}, {verdict.checked} constraints", time.monotonic() - began, "s")
        figures.add(f"{name}, CPU", time.process_time() - cpu, "s", GATE_CPU_SECONDS)
    pages: dict[str, Callable[[], object]] = {
        "datasets": store.datasets,
        "partitions": lambda: store.partitions(DATASET, 60),
        "metric series": lambda: store.metric_histories(DATASET, 60),
        "current program": lambda: store.current_program(DATASET),
        "a judged partition": lambda: store.verdict_of_partition(DATASET, key(0)),
        "DAGs": lambda: store.dags_of(DATASET),
    }
    for name, call in pages.items():
        call()
        began, cpu = time.monotonic(), time.process_time()
        call()
        figures.add(name, time.monotonic() - began, "s", PAGE_SECONDS)
        figures.add(f"{name}, CPU", time.process_time() - cpu, "s")


def main(arguments: list[str] | None = None) -> int:
    """Fill, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--days", type=int, default=3650)
    parser.add_argument("--real", type=int, default=400, help="days that are stored as a job stores them")
    given = parser.parse_args(arguments)
    figures = Figures()
    with server(durable=False) as made, open_store(made.dsn) as store:
        began = time.monotonic()
        fill(store, given.days, given.real)
        figures.add("fill", time.monotonic() - began, "s")
        vacuum(store)
        measure(store, figures)
    missed = figures.missed()
    print("all limits kept" if not missed else f"MISSED: {'; '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
