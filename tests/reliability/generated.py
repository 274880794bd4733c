"""A large store for the scale test: one dataset profiled and judged for real, and copies of it made in the database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
from sqlalchemy import Connection, text

from airflow_dq.corruption.variant import with_variants
from airflow_dq.gate.pipeline import judge
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.program import SynthesisOptions
from airflow_dq.store import Repository

PROTOTYPE = "table_0000"
JUDGED = 12
"""Newest partitions of the prototype that are really judged; their judgements are copied to the older ones."""
DISTINCT = 20
"""Days with other data; the days after them have the same again, under their own keys."""
BATCH = 50


def key(day: int) -> str:
    """Key of the day's partition."""
    return (date(2024, 1, 1) + timedelta(days=day)).isoformat()


def table(day: int, rows: int = 300, *, bad: bool = False) -> pa.Table:
    """One day of a table of 20 columns of every common kind; a bad one has a shifted amount and lost codes."""
    rng = np.random.default_rng(day)
    columns: dict[str, object] = {
        f"amount_{i}": rng.normal(100 + i, 5, rows) * (10 if bad and i == 0 else 1) for i in range(8)
    }
    columns |= {f"count_{i}": rng.integers(0, 500, rows) for i in range(3)}
    columns |= {f"code_{i}": rng.choice([f"code {j}" for j in range(30)], rows) for i in range(5)}
    if bad:
        columns["code_0"] = pa.array([None] * rows, pa.string())
    columns |= {f"id_{i}": [f"{value:08x}" for value in rng.integers(0, 2**31, rows)] for i in range(2)}
    columns["flag"] = rng.random(rows) < 0.3
    columns["at"] = pa.array(1_700_000_000 + rng.integers(0, 86_400, rows), pa.timestamp("s"))
    return pa.table(columns)


def profiled(day: int, *, variants: bool = True, bad: bool = False) -> Profile:
    """The day's profile as the profile job makes it, with variants only where they are kept."""
    profile = profile_table(table(day, bad=bad), partition=key(day))
    return with_variants(profile) if variants else profile


def put(store: Repository, dataset: str, profile: Profile) -> None:
    """Save a profile under an attempt of its own."""
    assert profile.partition is not None
    store.save_profile(store.begin_attempt(dataset, profile.partition, engine="generated"), dataset, profile)


def fill(store: Repository, datasets: int, partitions: int, say: Callable[[str], None]) -> None:
    """Fill an empty store.  Each dataset has 20 columns."""
    distinct = [profiled(day, variants=False) for day in range(min(DISTINCT, partitions))]
    for day in range(partitions):
        newest = day >= partitions - JUDGED
        again = replace(distinct[day % len(distinct)], partition=key(day), sample=None)
        put(store, PROTOTYPE, profiled(day, bad=day % 4 == 0) if newest else again)
        if newest:
            judge(store, PROTOTYPE, key(day), SynthesisOptions())
    say(f"{PROTOTYPE}: {partitions} partitions profiled, {JUDGED} judged")
    with store._engine.begin() as connection:
        _judge_older(connection)
    for first in range(1, datasets, BATCH):
        last = min(first + BATCH, datasets) - 1
        with store._engine.begin() as connection:
            _copy(connection, first, last)
        say(f"{last + 1} of {datasets} datasets")


_OLDER = """
    SET LOCAL session_replication_role = replica;
    CREATE TEMPORARY TABLE judged ON COMMIT DROP AS
        SELECT v.*, row_number() OVER (ORDER BY v.partition_key) AS place, count(*) OVER () AS places
        FROM airflow_dq.verdict v;
    CREATE TEMPORARY TABLE older ON COMMIT DROP AS
        SELECT p.*, row_number() OVER (ORDER BY p.partition_key) AS place
        FROM airflow_dq.profile p WHERE p.partition_key < (SELECT min(partition_key) FROM judged);
    CREATE TEMPORARY TABLE pair ON COMMIT DROP AS
        SELECT older.partition_key, older.sort_key, older.fingerprint, judged.id AS verdict_id, judged.program_id
        FROM older JOIN judged ON judged.place = 1 + older.place % judged.places;
    INSERT INTO airflow_dq.program (dataset_id, partition_key, sort_key, inputs, document)
        SELECT g.dataset_id, pair.partition_key, pair.sort_key, g.inputs, g.document
        FROM pair JOIN airflow_dq.program g ON g.id = pair.program_id;
    INSERT INTO airflow_dq.verdict (dataset_id, partition_key, program_id, profile_fingerprint, status, reason,
            document, alert_count, open_count, severity, withheld)
        SELECT v.dataset_id, pair.partition_key, g.id, pair.fingerprint, v.status, v.reason, v.document,
            v.alert_count, v.open_count, v.severity, v.withheld
        FROM pair JOIN airflow_dq.verdict v ON v.id = pair.verdict_id
        LEFT JOIN airflow_dq.program g ON g.dataset_id = v.dataset_id AND g.partition_key = pair.partition_key;
"""
_ALERTS = """
    INSERT INTO airflow_dq.alert (verdict_id, key, rule, column_name, metric, message, headline, problem, observed,
            reason, lower, upper, severity, rank)
        SELECT twin.new, a.key, a.rule, a.column_name, a.metric, a.message, a.headline, a.problem, a.observed,
            a.reason, a.lower, a.upper, a.severity, a.rank
        FROM twin JOIN airflow_dq.alert a ON a.verdict_id = twin.old;
"""
_COPY = """
    SET LOCAL session_replication_role = replica;
    CREATE TEMPORARY TABLE made ON COMMIT DROP AS
        SELECT 'table_' || lpad(n::text, 4, '0') AS name FROM generate_series(CAST(:first AS int), :last) n;
    INSERT INTO airflow_dq.dataset (name) SELECT name FROM made;
    CREATE TEMPORARY TABLE mine ON COMMIT DROP AS SELECT d.id FROM airflow_dq.dataset d JOIN made USING (name);
    INSERT INTO airflow_dq.profile_attempt (dataset_id, partition_key, sort_key, state, source, read_options, engine,
            version, started_at, finished_at)
        SELECT mine.id, a.partition_key, a.sort_key, a.state, a.source, a.read_options, a.engine, a.version,
            a.started_at, a.finished_at
        FROM mine CROSS JOIN airflow_dq.profile_attempt a WHERE a.dataset_id = :model;
    INSERT INTO airflow_dq.profile (dataset_id, partition_key, sort_key, attempt_id, row_count, fingerprint, options,
            checks, failing, has_states, has_variants)
        SELECT mine.id, p.partition_key, p.sort_key, a.id, p.row_count, p.fingerprint, p.options, p.checks, p.failing,
            p.has_states, p.has_variants
        FROM mine CROSS JOIN airflow_dq.profile p
        JOIN airflow_dq.profile_attempt a ON a.dataset_id = mine.id AND a.partition_key = p.partition_key
        WHERE p.dataset_id = :model;
    INSERT INTO airflow_dq.column_profile (profile_id, ordinal, name, kind, data_type, remark, states_digest,
            fingerprint, metrics, distances)
        SELECT n.id, c.ordinal, c.name, c.kind, c.data_type, c.remark, c.states_digest, c.fingerprint, c.metrics,
            c.distances
        FROM mine JOIN airflow_dq.profile n ON n.dataset_id = mine.id
        JOIN airflow_dq.profile p ON p.dataset_id = :model AND p.partition_key = n.partition_key
        JOIN airflow_dq.column_profile c ON c.profile_id = p.id ORDER BY n.id, c.ordinal;
    CREATE TEMPORARY TABLE kept ON COMMIT DROP AS
        SELECT c.id AS old, m.id AS new
        FROM airflow_dq.profile p JOIN airflow_dq.column_profile c ON c.profile_id = p.id
        JOIN airflow_dq.profile n ON n.partition_key = p.partition_key JOIN mine ON mine.id = n.dataset_id
        JOIN airflow_dq.column_profile m ON m.profile_id = n.id AND m.ordinal = c.ordinal
        WHERE p.dataset_id = :model AND (p.has_states OR p.has_variants);
    INSERT INTO airflow_dq.column_state
        SELECT kept.new, s.key, s.data FROM kept JOIN airflow_dq.column_state s ON s.column_profile_id = kept.old;
    INSERT INTO airflow_dq.column_variant
        SELECT kept.new, s.data FROM kept JOIN airflow_dq.column_variant s ON s.column_profile_id = kept.old;
    INSERT INTO airflow_dq.program (dataset_id, partition_key, sort_key, inputs, document)
        SELECT mine.id, g.partition_key, g.sort_key, g.inputs, g.document
        FROM mine CROSS JOIN airflow_dq.program g WHERE g.dataset_id = :model;
    INSERT INTO airflow_dq.verdict (dataset_id, partition_key, program_id, profile_fingerprint, status, reason,
            document, alert_count, open_count, severity, withheld)
        SELECT mine.id, v.partition_key, g.id, v.profile_fingerprint, v.status, v.reason, v.document, v.alert_count,
            v.open_count, v.severity, v.withheld
        FROM mine CROSS JOIN airflow_dq.verdict v
        LEFT JOIN airflow_dq.program g ON g.dataset_id = mine.id AND g.partition_key = v.partition_key
        WHERE v.dataset_id = :model;
    INSERT INTO airflow_dq.verdict_origin (verdict_id, dag_id, run_id, task_id, map_index, dataset_id)
        SELECT v.id, 'dag_' || mine.id % 50, 'scheduled__' || v.partition_key, 'gate', -1, mine.id
        FROM mine JOIN airflow_dq.verdict v ON v.dataset_id = mine.id;
    CREATE TEMPORARY TABLE twin ON COMMIT DROP AS
        SELECT v.id AS old, n.id AS new
        FROM airflow_dq.verdict v JOIN airflow_dq.verdict n ON n.partition_key = v.partition_key
        JOIN mine ON mine.id = n.dataset_id WHERE v.dataset_id = :model;
"""


def _judge_older(connection: Connection) -> None:
    _run(connection, _OLDER)
    _run(
        connection,
        "CREATE TEMPORARY TABLE twin ON COMMIT DROP AS SELECT pair.verdict_id AS old, v.id AS new "
        "FROM pair JOIN airflow_dq.verdict v USING (partition_key)",
    )
    _run(connection, _ALERTS)


def _copy(connection: Connection, first: int, last: int) -> None:
    model = connection.execute(
        text("SELECT id FROM airflow_dq.dataset WHERE name = :name"), {"name": PROTOTYPE}
    ).scalar_one()
    _run(connection, _COPY, first=first, last=last, model=model)
    _run(connection, _ALERTS)


def _run(connection: Connection, script: str, **values: int) -> None:
    for statement in script.split(";"):
        if statement.strip():
            used = {name: value for name, value in values.items() if f":{name}" in statement}
            connection.execute(text(statement), used)
