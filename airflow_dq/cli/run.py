"""Running a command: its exit code, and a sentence instead of a traceback for a problem that has an explanation."""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from typing import Any

from airflow_dq.exceptions import DQError
from airflow_dq.visible import visible

USER_ERROR = 2
"""Exit code of a mistake that is explained in a sentence, as argparse has it for a wrong argument."""

_HOMES = {
    "accept": "airflow_dq.cli.decision",
    "alerts": "airflow_dq.cli.alerts",
    "backfill": "airflow_dq.cli.backfill",
    "backfill_dag": "airflow_dq.cli.backfill_dag",
    "backtest": "airflow_dq.cli.backtest",
    "db_check": "airflow_dq.cli.database",
    "db_downgrade": "airflow_dq.cli.database",
    "db_start": "airflow_dq.cli.embedded",
    "db_stop": "airflow_dq.cli.embedded",
    "db_upgrade": "airflow_dq.cli.database",
    "diff": "airflow_dq.cli.diff",
    "doctor": "airflow_dq.cli.doctor",
    "drill": "airflow_dq.cli.drill",
    "events_add": "airflow_dq.cli.events",
    "events_delete": "airflow_dq.cli.events",
    "events_list": "airflow_dq.cli.events",
    "explain": "airflow_dq.cli.explain",
    "export": "airflow_dq.cli.exchange",
    "export_rules": "airflow_dq.cli.export_rules",
    "import_profiles": "airflow_dq.cli.exchange",
    "index": "airflow_dq.cli.pattern",
    "init": "airflow_dq.cli.init",
    "job": "airflow_dq.cli.job",
    "judge": "airflow_dq.cli.judge",
    "new_normal": "airflow_dq.cli.decision",
    "problems": "airflow_dq.cli.problems",
    "profile": "airflow_dq.cli.profile",
    "prune": "airflow_dq.cli.retention",
    "reject": "airflow_dq.cli.decision",
    "report": "airflow_dq.cli.report",
    "rows": "airflow_dq.cli.rows",
    "rules": "airflow_dq.cli.rules",
    "show": "airflow_dq.cli.alerts",
    "snooze": "airflow_dq.cli.snooze",
    "status": "airflow_dq.cli.status",
    "suggest": "airflow_dq.cli.suggest",
    "tag": "airflow_dq.cli.pattern",
}


def run(name: str, arguments: Any) -> None:
    """Run one command and leave the process with its exit code unless that is 0.

    :param name: a command's function; it takes the parsed arguments and returns the exit code
    """
    command = getattr(import_module(_HOMES[name]), name)
    code = 0
    try:
        code = command(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads the output has seen enough of it (`| head`): what is left must not be written when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except DQError as error:
        if arguments.output:
            print_json({"error": str(error), "type": type(error).__name__})
        print(f"airflow dq: {error}", file=sys.stderr)
        code = USER_ERROR
    if code:
        sys.exit(code)


def tell(arguments: Any, document: Any, text: str) -> None:
    """Print the result of a command: the document when JSON is asked for, else the text."""
    if arguments.output:
        print_json(document)
    else:
        print(visible(text, lines=True))


def print_json(document: Any) -> None:
    """One strict JSON document on stdout."""
    print(json.dumps(document, allow_nan=False, indent=2, default=str))
