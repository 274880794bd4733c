"""The demo's steps, in order: database, lake, backfill, a clean day, a broken day, report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from airflow_dq.demo.console import Console
from airflow_dq.demo.flights import DATASET, write_history
from airflow_dq.demo.lake import history_days
from airflow_dq.demo.workspace import DemoError, Workspace
from airflow_dq.settings import dsn_from_environment

if TYPE_CHECKING:
    from airflow_dq.judge.verdict import Verdict

STEPS = 7
"""Steps that the console counts."""

GATE, PUBLISH = "gate", "publish"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the demo found out."""

    clean_passed: bool
    """The gate let the clean day through and ``publish`` ran."""
    broken_blocked: bool
    """The gate failed on the broken day and ``publish`` did not run."""
    verdicts: tuple[tuple[str, Verdict], ...]
    """(dataset, verdict) of both days."""

    @property
    def as_promised(self) -> bool:
        """The clean day passed and the broken one was blocked."""
        return self.clean_passed and self.broken_blocked


def run_demo(workspace: Workspace, console: Console, *, keep: bool = False) -> Outcome:
    """Run everything; a second run in the same folder gives the same outcome.

    :param keep: leave the embedded database server running
    :raises DQError: when a step fails.
    """
    history = history_days()
    clean, broken = (history[-1] + timedelta(days=n) for n in (1, 2))
    with _database(workspace, console, keep=keep) as dsn:
        environment = workspace.environment(dsn)
        with console.step("Airflow's own SQLite database, and `airflow dq db upgrade`"):
            workspace.run(["airflow", "db", "migrate"], environment)
            workspace.run_command(["db", "upgrade"], environment)
        with console.step(f"Real flights of {history[0]} to {history[-1]} into one Parquet folder per day") as step:
            step.outcome = f"{sum(1 for _ in write_history(workspace.lake, history))} folders"
        with console.step(f"`airflow dq backfill {DATASET}`: {len(history)} days in one Spark job"):
            pattern = str(workspace.lake / "day=*")
            until = ["--until", str(history[-1])]
            workspace.run_command(["backfill", DATASET, "--source", pattern, *until], environment)
        with console.step(f"The DAG on {clean}, as it was: write -> profile -> gate -> publish") as step:
            clean_states = _run_dag(workspace, environment, clean, broken=False)
            step.outcome = _words(clean_states)
        with console.step(f"The DAG on {broken}: air_time in seconds, half of the tail numbers in lower case") as step:
            broken_states = _run_dag(workspace, environment, broken, broken=True)
            step.outcome = _words(broken_states)
        with console.step("The report"):
            verdicts = tuple((DATASET, _verdict(dsn, day)) for day in (clean, broken))
            _write_report(workspace, verdicts)
    return Outcome(
        clean_passed=verdicts[0][1].status == "pass" and clean_states[PUBLISH] == "success",
        broken_blocked=verdicts[1][1].status == "fail" and broken_states[PUBLISH] == "upstream_failed",
        verdicts=verdicts,
    )


@contextmanager
def _database(workspace: Workspace, console: Console, *, keep: bool) -> Iterator[str]:
    """The DSN of the user's database when there is one, else of an embedded server that ends with the block."""
    from airflow_dq.store.embedded import EmbeddedPostgres
    from airflow_dq.store.migration import check

    given = dsn_from_environment()
    if given is not None:
        with console.step("The statistics database that AIRFLOW_DQ_DSN names"):
            check(given)
        yield given
        return
    server = EmbeddedPostgres(workspace.postgres)
    with console.step("An embedded PostgreSQL server"):
        dsn = server.start()
    try:
        yield dsn
    finally:
        if not keep:
            server.stop()


def _run_dag(workspace: Workspace, environment: dict[str, str], day: date, *, broken: bool) -> dict[str, str]:
    result = workspace.home / "tasks.json"
    result.unlink(missing_ok=True)
    arguments = ["airflow_dq.demo.dag_run", "--day", str(day), "--result", str(result)]
    workspace.run([*arguments, *(["--broken"] if broken else [])], environment)
    states: dict[str, str] = json.loads(result.read_text(encoding="utf-8"))
    if not {GATE, PUBLISH} <= states.keys() or states[GATE] == "upstream_failed":
        raise DemoError(f"The gate was not reached on {day}: {_words(states)}. What happened is in {workspace.log}.")
    return states


def _words(states: dict[str, str]) -> str:
    return f"gate: {states[GATE]}, publish: {states[PUBLISH].replace('_', ' ')}"


def _verdict(dsn: str, day: date) -> Verdict:
    from airflow_dq.store import open_store

    with open_store(dsn) as repository:
        verdict = repository.load_verdict(DATASET, str(day))
    if verdict is None:
        raise DemoError(f"The gate stored no verdict on dataset {DATASET!r}, partition {str(day)!r}.")
    return verdict


def _write_report(workspace: Workspace, verdicts: tuple[tuple[str, Verdict], ...]) -> None:
    from airflow_dq.report import write_report

    write_report(workspace.report, verdicts)
