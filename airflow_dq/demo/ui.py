"""``python -m airflow_dq.demo.ui``: a whole Airflow with one day that passed and one that waits for a person."""

from __future__ import annotations

import argparse
import logging
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Event
from urllib.parse import quote

from airflow_dq.demo.airflow_api import NoAnswerError
from airflow_dq.demo.console import Console
from airflow_dq.demo.dag_run import DAG_ID
from airflow_dq.demo.flights import DATASET, write_history
from airflow_dq.demo.lake import history_days
from airflow_dq.demo.session import wait_until
from airflow_dq.demo.standalone import Airflow, service_environment, standalone
from airflow_dq.demo.workspace import DemoError, Workspace
from airflow_dq.exceptions import DQError

STEPS = 7
"""Steps that the console counts."""
RUN_SECONDS = 600
"""Longest wait for a run: it starts Spark several times, which takes minutes on a busy machine."""
PARKED = ("awaiting_input", "deferred")
"""State of a task that waits for a person, from Airflow 3.3 on and before."""
ENDED = ("success", "failed", "upstream_failed", "skipped")


def main(arguments: list[str] | None = None) -> int:
    """Run it until Ctrl-C.

    :return: 0 when it was ended by a person, 2 when a step failed
    """
    parser = argparse.ArgumentParser(prog="python -m airflow_dq.demo.ui", description=__doc__)
    parser.add_argument("--home", type=Path, default=Path(".demo-ui"), help="folder that is made anew (%(default)s)")
    parser.add_argument("--port", type=int, default=8080, help="port of Airflow (%(default)s)")
    given = parser.parse_args(arguments)

    # Ended by a signal of any kind, it still ends what it started; in the background, a shell has SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    workspace, console = Workspace(given.home.resolve()), Console(STEPS)
    try:
        _make_anew(workspace)
        logging.basicConfig(filename=workspace.log, format="%(levelname)s %(message)s")
        with serving(workspace, console, given.port) as airflow:
            _tell(console, airflow)
            Event().wait()
    except KeyboardInterrupt:
        console.say("\nEnded, with everything it had started.")
    except DQError as error:
        print(f"\n{error}", file=sys.stderr)
        return 2
    return 0


@contextmanager
def serving(workspace: Workspace, console: Console, port: int) -> Iterator[Airflow]:
    """Airflow with both runs in it, and its database server; both end with the block.

    :raises DQError: when a step fails.
    """
    from airflow_dq.store.embedded import EmbeddedPostgres

    days = history_days()
    passed, parked = (str(days[-1] + timedelta(days=n)) for n in (1, 2))
    server = EmbeddedPostgres(workspace.postgres)
    with console.step("An embedded PostgreSQL server"):
        dsn = server.start()
    with ExitStack() as stack:
        stack.callback(server.stop)
        environment = service_environment(workspace, dsn, port)
        with console.step("Airflow's own SQLite database, and `airflow dq db upgrade`"):
            workspace.run(["airflow", "db", "migrate"], environment)
            workspace.run_command(["db", "upgrade"], environment)
        with console.step(f"Real flights of {days[0]} to {days[-1]} into one Parquet folder per day") as step:
            step.outcome = f"{sum(1 for _ in write_history(workspace.lake, days))} folders"
        with console.step("Their profiles, without Spark"):
            _profile(workspace, dsn, [str(day) for day in days])
        with console.step(f"Airflow on port {port}"):
            airflow = stack.enter_context(standalone(workspace, environment))
            _wait_for("Reading the DAG", lambda: airflow.api.has_dag(DAG_ID), workspace)
            airflow.api.unpause(DAG_ID)
        with console.step(f"A run of {passed}, as it was") as step:
            step.outcome = _run(airflow, passed, False, workspace)
        with console.step(f"A run of {parked}: air_time in seconds, half of the tail numbers in lower case") as step:
            step.outcome = _run(airflow, parked, True, workspace)
        yield airflow


def _make_anew(workspace: Workspace) -> None:
    """The same start each time, whatever was decided the last time."""
    from airflow_dq.store.embedded import EmbeddedPostgres

    if workspace.home.exists() and not workspace.log.exists() and any(workspace.home.iterdir()):
        raise DemoError(f"{workspace.home} was not made by this program: name another folder with --home.")
    if workspace.postgres.exists():
        EmbeddedPostgres(workspace.postgres).stop()
    shutil.rmtree(workspace.home, ignore_errors=True)
    workspace.home.mkdir(parents=True)
    workspace.log.touch()


def _profile(workspace: Workspace, dsn: str, days: list[str]) -> None:
    from airflow_dq.engine.arrow.engine import ArrowEngine
    from airflow_dq.job.pipeline import ProfileJob
    from airflow_dq.profile import JobSpec
    from airflow_dq.store import open_store

    paths = {day: str(workspace.lake / f"day={day}") for day in days}
    with open_store(dsn) as store:
        ProfileJob(ArrowEngine(JobSpec(dataset=DATASET, paths=paths)), store, logging.getLogger(__name__).info).run()


def _run(airflow: Airflow, day: str, broken: bool, workspace: Workspace) -> str:
    """Run the DAG for a day until it has ended, or waits for a person; the gate's state.

    :raises DemoError: when that does not come about.
    """
    api = airflow.api
    run_id = api.trigger(DAG_ID, day, partition=day, broken=broken)

    def settled() -> bool:
        try:
            states = api.states(DAG_ID, run_id)
        except NoAnswerError:
            return False
        return states.get("gate") in PARKED or states.get("publish") in ENDED

    _wait_for(f"The run of {day}", settled, workspace)
    states = api.states(DAG_ID, run_id)
    if states["gate"] not in (PARKED if broken else ("success",)):
        told = ", ".join(f"{task}: {state}" for task, state in states.items())
        raise DemoError(f"The run of {day} did not go as it should ({told}). What happened is in {workspace.log}.")
    return f"gate: {states['gate'].replace('_', ' ')}"


def _wait_for(what: str, done: Callable[[], object], workspace: Workspace) -> None:
    try:
        wait_until(done, RUN_SECONDS, pause=1.0)
    except TimeoutError:
        raise DemoError(f"{what} took more than {RUN_SECONDS} s. What happened is in {workspace.log}.") from None


def _tell(console: Console, airflow: Airflow) -> None:
    logins = "\n".join(f"              {name} / {password}" for name, password in airflow.passwords.items())
    console.say(
        f"\nAirflow       {airflow.url}\n"
        f"Log in with   {logins.strip()}   (the viewer may read, not decide)\n"
        f"What waits    {airflow.url}/required_actions\n"
        f"Data quality  {airflow.url}/plugin/data-quality, and a tab on {airflow.url}/dags/{quote(DAG_ID)}\n\n"
        "Ctrl-C ends all of it."
    )


if __name__ == "__main__":
    sys.exit(main())
