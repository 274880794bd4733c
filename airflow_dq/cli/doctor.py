"""``airflow dq doctor``: whether this machine has what profile jobs and gates need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from airflow_dq.cli.argument import pairs
from airflow_dq.cli.health import Finding, database, packages, spark
from airflow_dq.cli.run import print_json
from airflow_dq.visible import visible


def doctor(arguments: Any) -> int:
    """Say of each thing whether it is right, or what to do; exit code 1 when something is wrong."""
    pairs("--conf", arguments.conf)  # a word that is none is told before anything is looked at
    found = []
    for one in _findings(arguments):
        found.append(one)
        if not arguments.output:
            # As it comes: Spark takes a while to start.
            print(visible(one.line, lines=True), flush=True)
    wrong = [one for one in found if not one.ok]
    if arguments.output:
        print_json({"ok": not wrong, "findings": [asdict(one) for one in found]})
    elif wrong:
        print(f"\n{len(wrong)} of {len(found)} to be mended: {', '.join(one.subject for one in wrong)}.")
    return 1 if wrong else 0


def _findings(arguments: Any) -> Iterator[Finding]:
    yield from packages()
    yield from database(arguments.dq_conn_id)
    if not arguments.no_spark:
        yield from spark(arguments)
