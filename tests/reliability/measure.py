"""What the scale test measures, and the limits that it holds the store to."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import event, text

from airflow_dq.gate.pipeline import judge
from airflow_dq.judge.verdict import Status
from airflow_dq.program import SynthesisOptions
from airflow_dq.store import Repository, open_store
from airflow_dq.store.review_model import AlertFilter
from tests.reliability.generated import PROTOTYPE, key, profiled, put
from tests.reliability.sight import ROOT

GATE_SECONDS = 3.0
PAGE_SECONDS = 1.0
COLUMN_BYTES = 1024
_SMALL = 20_000
"""Rows of a table below which reading all of them is no scan that grows."""


@dataclass
class Figures:
    """Measured numbers by name, printed as they come."""

    values: dict[str, float] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    scans: list[str] = field(default_factory=list)

    def add(self, name: str, value: float, unit: str, limit: float | None = None) -> None:
        """Note and print one; greater than its limit is missed."""
        self.values[name] = value
        if limit is not None:
            self.limits[name] = limit
        shown = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
        print(f"{name:<58}{shown:>14} {unit}" + ("" if limit is None else f"  (at most {limit:g})"), flush=True)

    def missed(self) -> list[str]:
        """Every limit that was not kept, and every query that read a whole table."""
        late = [f"{name}: {self.values[name]:.4g}" for name, limit in self.limits.items() if self.values[name] > limit]
        return late + self.scans


def vacuum(store: Repository) -> float:
    """What the autovacuum would do in time; the seconds it took."""
    began = time.monotonic()
    with store._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM (ANALYZE)"))
    return time.monotonic() - began


def sizes(store: Repository, figures: Figures) -> None:
    """Bytes on the disk, indexes included, and what a large site would take."""
    with store._engine.begin() as connection:

        def size(*tables: str) -> int:
            query = text("SELECT sum(pg_total_relation_size(('airflow_dq.' || name)::regclass)) FROM unnest(:t) name")
            return int(connection.execute(query, {"t": list(tables)}).scalar_one())

        def one(query: str) -> float:
            return float(connection.execute(text(query)).scalar_one())

        columns = one("SELECT count(*) FROM airflow_dq.column_profile")
        partitions = one("SELECT count(*) FROM airflow_dq.profile")
        values = "pg_column_size(metrics) + pg_column_size(distances)"
        mean, largest = (one(f"SELECT {each}({values}) FROM airflow_dq.column_profile") for each in ("avg", "max"))
        kept = one("SELECT count(*) FROM airflow_dq.profile WHERE has_states")
        wide = columns / partitions
        datasets = one("SELECT count(*) FROM airflow_dq.dataset")
        column = size("column_profile") / columns
        parts = {
            name: size(name) / partitions for name in ("program", "verdict", "alert", "profile_attempt", "profile")
        }
        blobs = {name: size(name) / max(1.0, kept * wide) for name in ("column_state", "column_variant")}
    figures.add("column profiles", columns, "")
    figures.add("partitions", partitions, "")
    figures.add("metric values and distances of a column profile", mean, "bytes")
    figures.add("the same of the largest", largest, "bytes", COLUMN_BYTES)
    figures.add("column profile, its row and its indexes", column, "bytes")
    for name, each in parts.items():
        figures.add(f"{name} of a partition of {wide:.0f} columns", each, "bytes")
    figures.add("partitions with states per dataset", kept / datasets, "")
    for name, each in blobs.items():
        figures.add(f"{name} of a column that has its states", each, "bytes")
    sites = 10_000 * 100
    year = "10,000 datasets x 100 columns x 365 days: "
    figures.add(f"{year}column profiles", sites * 365 * column / 1e9, "GB")
    figures.add(f"{year}judgements", sites * 365 * sum(parts.values()) / wide / 1e9, "GB")
    figures.add(f"{year}states, variants", sites * kept / datasets * sum(blobs.values()) / 1e9, "GB")


def gate(store: Repository, figures: Figures, partitions: int) -> None:
    """A new partition of one dataset: saved, judged, judged again."""
    dataset, day = store.datasets()[1].name, partitions
    profile = profiled(day)
    figures.add("save a profile of 20 columns", _timed(lambda: put(store, dataset, profile)), "s", GATE_SECONDS)
    began = time.process_time()
    figures.add("judge it", _timed(lambda: _pass(store, dataset, day)), "s", GATE_SECONDS)
    figures.add("judge it, seconds of this process's CPU", time.process_time() - began, "s")
    with scans(store, figures):
        put(store, dataset, profiled(day + 1))
        _pass(store, dataset, day + 1)
    history = _timed(lambda: store.load_history(dataset, key(day), 30))
    figures.add("of which: load a history of 30", history, "s", GATE_SECONDS)
    figures.add("judge it again", _timed(lambda: _pass(store, dataset, day)), "s", GATE_SECONDS)


def pages(store: Repository, figures: Figures, partitions: int) -> None:
    """Every list and page that people look at."""
    dataset = PROTOTYPE
    (newest, *_) = store.verdicts(AlertFilter(), limit=1)
    dags = frozenset({"dag_3", "dag_7"})
    last = store.verdicts(AlertFilter(), limit=200)[-1].verdict_id
    calls: dict[str, Callable[[], Any]] = {
        "datasets": store.datasets,
        "datasets of two DAGs": lambda: store.datasets_of(dags),
        "partitions of a dataset": lambda: store.partitions(dataset),
        "verdict strip": lambda: store.partitions(dataset),
        "metric series of a dataset": lambda: store.metric_histories(dataset),
        "current program": lambda: store.current_program(dataset),
        "alerts": lambda: store.verdicts(AlertFilter()),
        "alerts, page 5": lambda: store.verdicts(AlertFilter(), before=last),
        "alerts, open": lambda: store.verdicts(AlertFilter(state="open")),
        "alerts, decided": lambda: store.verdicts(AlertFilter(state="decided")),
        "alerts, closed": lambda: store.verdicts(AlertFilter(state="closed")),
        "alerts of two DAGs": lambda: store.verdicts(AlertFilter(dag_ids=dags)),
        "alerts of an unknown DAG": lambda: store.verdicts(AlertFilter(dag_ids=frozenset({"nobody's"}))),
        "alerts of a dataset": lambda: store.verdicts(AlertFilter(dataset=dataset)),
        "alerts of severity warn": lambda: store.verdicts(AlertFilter(severity="warn")),
        "an alert": lambda: store.verdict_of_alert(newest.first_alert_id or 0),
        "a judged partition": lambda: store.verdict_of_partition(dataset, key(partitions - 1)),
        "a dataset's DAGs": lambda: store.dags_of(dataset),
        "snoozes": lambda: store.snoozes(dataset),
        "attempt status": lambda: store.attempt_status(dataset, key(partitions - 1)),
        "program and verdict": lambda: (
            store.load_program(dataset, key(partitions - 1)),
            store.load_verdict(dataset, key(partitions - 1)),
        ),
    }
    for name, call in calls.items():
        call()  # with a warm cache, as on a server that is in use
        figures.add(name, _timed(call), "s", PAGE_SECONDS)
        with scans(store, figures):
            call()


@contextmanager
def scans(store: Repository, figures: Figures) -> Iterator[None]:
    """Notes each statement that the server answers by reading a whole table that grows."""
    large = _large_tables(store)

    def explain(connection: Any, cursor: Any, statement: str, parameters: Any, *rest: Any) -> None:
        if not statement.startswith(("SELECT airflow_dq", "SELECT max", "SELECT anon", "WITH", "UPDATE", "DELETE")):
            return
        with cursor.connection.cursor() as other:
            other.execute(f"EXPLAIN {statement}", parameters[0] if isinstance(parameters, list) else parameters)
            lines = [line for (line,) in other.fetchall()]
        for line in lines:
            if "Seq Scan on " in line and line.partition("Seq Scan on ")[2].split()[0] in large:
                figures.scans.append(f"{line.strip()} for: {statement[:300]}")

    event.listen(store._engine, "before_cursor_execute", explain)
    try:
        yield
    finally:
        event.remove(store._engine, "before_cursor_execute", explain)


def _large_tables(store: Repository) -> set[str]:
    query = "SELECT relname FROM pg_class WHERE relnamespace = 'airflow_dq'::regnamespace AND reltuples > :rows"
    with store._engine.begin() as connection:
        return set(connection.execute(text(query), {"rows": _SMALL}).scalars())


def prune_beside_gates(store: Repository, dsn: str, figures: Figures, partitions: int) -> None:
    """Drop the older half while gates judge: nobody waits."""
    profile, number = profiled(partitions), 10
    names = [one.name for one in store.datasets()]

    def one() -> None:
        nonlocal number
        number += 1
        put(store, names[number % len(names)], profile)
        _pass(store, names[number % len(names)], partitions)

    with scans(store, figures):
        store.prune(partitions - 1, names[-1])
    figures.add("a gate before the prune, with saving", _timed(one), "s")
    before = _partitions(store)
    began = time.monotonic()
    with lock_waits(dsn) as blocked:
        # A process of its own, as in life: threads of one would wait for each other.
        worker = subprocess.Popen([sys.executable, "-c", _PRUNES, dsn, str(partitions // 2)], cwd=ROOT)
        waits = [_timed(one)]
        while worker.poll() is None:
            waits.append(_timed(one))
    figures.add("prune of the older half", time.monotonic() - began, "s")
    figures.add("partitions dropped, of 20 columns", before - _partitions(store) + len(waits), "")
    figures.add("gates meanwhile", len(waits), "")
    figures.add("slowest gate meanwhile, with saving", max(waits), "s", GATE_SECONDS)
    figures.add("looks at the locks meanwhile", len(blocked), "")
    figures.add("looks that found somebody waiting for a lock", sum(blocked), "", 0)
    if worker.returncode or before == _partitions(store):
        figures.scans.append("nothing was pruned")


_PRUNES = "import sys; from airflow_dq.store import open_store; open_store(sys.argv[1]).prune(int(sys.argv[2]))"


def _partitions(store: Repository) -> int:
    with store._engine.begin() as connection:
        return int(connection.execute(text("SELECT count(*) FROM airflow_dq.profile")).scalar_one())


@contextmanager
def lock_waits(dsn: str) -> Iterator[list[int]]:
    """For as long as it is open, looks again and again how many wait for a lock."""
    found: list[int] = []
    ended = threading.Event()

    def look() -> None:
        with open_store(dsn) as own, own._engine.connect() as connection:
            while not ended.wait(0.02):
                found.append(connection.execute(text("SELECT count(*) FROM pg_locks WHERE NOT granted")).scalar_one())
                connection.rollback()

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield found
    finally:
        ended.set()
        watcher.join()


def _pass(store: Repository, dataset: str, day: int) -> None:
    verdict = judge(store, dataset, key(day), SynthesisOptions())
    assert verdict.status in (Status.PASS, Status.FAIL), verdict.reason


def _timed(work: Callable[[], Any]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began
