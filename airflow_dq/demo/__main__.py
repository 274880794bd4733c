"""``python -m airflow_dq.demo``: learn 45 days of real flights, then gate a clean and a broken day."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from pathlib import Path

from airflow_dq.demo.console import Console
from airflow_dq.demo.job import STEPS, Outcome, run_demo
from airflow_dq.demo.workspace import Workspace
from airflow_dq.exceptions import DQError


def main(arguments: list[str] | None = None) -> int:
    """Run the demo.

    :return: 0 when the clean day passed and the broken day was blocked, 1 when not, 2 when a step failed
    """
    parser = argparse.ArgumentParser(prog="python -m airflow_dq.demo", description=__doc__)
    parser.add_argument("--home", type=Path, default=Path(".demo"), help="folder for everything it makes (%(default)s)")
    parser.add_argument("--keep", action="store_true", help="leave the embedded PostgreSQL server running")
    parser.add_argument("--stop", action="store_true", help="only stop a server that --keep left running")
    given = parser.parse_args(arguments)

    # A terminated demo still stops its server and what it started.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    workspace = Workspace(given.home.resolve())
    console = Console(STEPS)
    try:
        if given.stop:
            _stop(workspace)
            return 0
        workspace.home.mkdir(parents=True, exist_ok=True)
        workspace.log.unlink(missing_ok=True)
        # The terminal shows progress and results; whatever is logged on the way goes where the rest does.
        logging.basicConfig(filename=workspace.log, format="%(levelname)s %(message)s")
        outcome = run_demo(workspace, console, keep=given.keep)
    except KeyboardInterrupt:
        return 130
    except DQError as error:
        print(f"\n{error}", file=sys.stderr)
        return 2
    _show(outcome, workspace, console)
    return 0 if outcome.as_promised else 1


def _show(outcome: Outcome, workspace: Workspace, console: Console) -> None:
    from airflow_dq.report import render_text

    console.say(f"\n{render_text(outcome.verdicts)}")
    if not outcome.clean_passed:
        console.say("NOT AS PROMISED: the clean day did not pass.")
    if not outcome.broken_blocked:
        console.say("NOT AS PROMISED: the broken day was not blocked.")
    console.say(f"The same with a chart per alert: {workspace.report}")


def _stop(workspace: Workspace) -> None:
    from airflow_dq.store.embedded import EmbeddedPostgres

    if workspace.postgres.exists():
        EmbeddedPostgres(workspace.postgres).stop()


if __name__ == "__main__":
    sys.exit(main())
