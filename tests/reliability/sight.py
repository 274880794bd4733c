"""What the reliability tests look at: whether anything is lost, doubled or half there."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from sqlalchemy import text

from airflow_dq.profile.model import Profile
from airflow_dq.store import Repository

ROOT = Path(__file__).parents[2]
PATIENCE = 300
"""Seconds in which something must have happened, on a slow machine."""


def put(store: Repository, *profiles: Profile, dataset: str = "t") -> None:
    """Save profiles, each under an attempt of its own."""
    for profile in profiles:
        assert profile.partition is not None
        store.save_profile(store.begin_attempt(dataset, profile.partition), dataset, profile)


def rows(store: Repository, table: str, where: str = "true") -> int:
    """Rows of one of our tables."""
    with store._engine.begin() as connection:
        return int(connection.execute(text(f"SELECT count(*) FROM airflow_dq.{table} WHERE {where}")).scalar_one())


def assert_whole(store: Repository) -> None:
    """One profile for a partition, one verdict for a profile, and no part without its whole."""
    whole = {
        "profile": "SELECT count(*) FROM (SELECT 1 FROM airflow_dq.profile GROUP BY dataset_id, partition_key "
        "HAVING count(*) > 1) AS twice",
        "verdict": "SELECT count(*) FROM (SELECT 1 FROM airflow_dq.verdict GROUP BY dataset_id, partition_key "
        "HAVING count(*) > 1) AS twice",
        "succeeded attempt without profile": "SELECT count(*) FROM airflow_dq.profile_attempt a WHERE "
        "state = 'succeeded' AND NOT EXISTS (SELECT 1 FROM airflow_dq.profile p WHERE p.dataset_id = a.dataset_id "
        "AND p.partition_key = a.partition_key)",
        "profile without columns": "SELECT count(*) FROM airflow_dq.profile p WHERE NOT EXISTS "
        "(SELECT 1 FROM airflow_dq.column_profile c WHERE c.profile_id = p.id)",
        "profile that lost its states": "SELECT count(*) FROM airflow_dq.column_profile c JOIN airflow_dq.profile p "
        "ON p.id = c.profile_id WHERE p.has_states AND NOT EXISTS "
        "(SELECT 1 FROM airflow_dq.column_state s WHERE s.column_profile_id = c.id)",
    }
    with store._engine.begin() as connection:
        found = {name: connection.execute(text(query)).scalar_one() for name, query in whole.items()}
    assert found == dict.fromkeys(whole, 0)


def until(condition: Callable[[], bool], what: str) -> float:
    """Look again and again until it is so; the seconds it took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < PATIENCE, f"not in {PATIENCE} s: {what}"
        time.sleep(0.02)
    return time.monotonic() - began


def script(text: str, dsn: str, folder: Path) -> subprocess.Popen[str]:
    """Start a Python process of its own on this store, in a session of its own."""
    import os

    path = folder / "process.py"
    path.write_text(text)
    environment = {**os.environ, "AIRFLOW_DQ_DSN": dsn, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, str(path)],
        env=environment,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def family(process: int) -> list[int]:
    """A process and all that descend from it: a driver, its JVM, and the JVM's Python workers."""
    found = [process]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            with suppress(FileNotFoundError):
                found += [int(child) for child in task.read_text().split()]
    return found


def report(test: str, **figures: float | str) -> None:
    """Print a test's figures (``pytest -s`` or ``-rP`` shows them)."""
    shown = ", ".join(
        f"{name.replace('_', ' ')} {value:.2f}" if isinstance(value, float) else f"{name.replace('_', ' ')} {value}"
        for name, value in figures.items()
    )
    print(f"reliability | {test} | {shown}")
