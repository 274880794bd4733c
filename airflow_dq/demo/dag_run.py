"""Runs the example DAG once, in a process of its own, and writes down how each task ended."""

from __future__ import annotations

import argparse
import json
import runpy
import sys
from datetime import UTC, datetime
from pathlib import Path

DAG_FILE = "example_flights.py"
DAG_ID = "dq_example_flights"


def main(arguments: list[str] | None = None) -> int:
    """Run the DAG for one day through ``dag.test()``: no scheduler, no web server; the exit code is always 0.

    A gate that fails is a result here and not an error: it is in the file.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--day", required=True, help="logical date, as 2013-02-15")
    parser.add_argument("--broken", action="store_true", help="let the upstream change be made to the data")
    parser.add_argument("--result", required=True, type=Path, help="file for the tasks' states, as JSON")
    given = parser.parse_args(arguments)

    states = run_dag(datetime.fromisoformat(given.day).replace(tzinfo=UTC), broken=given.broken)
    given.result.write_text(json.dumps(states), encoding="utf-8")
    return 0


def run_dag(day: datetime, *, broken: bool) -> dict[str, str]:
    """State by task id of one run of the example DAG."""
    from airflow_dq.resource import resource_dir

    file = resource_dir("dags") / DAG_FILE
    module = runpy.run_path(str(file))
    dag = next(value for value in module.values() if getattr(value, "dag_id", None) == DAG_ID)
    run = dag.test(logical_date=day, run_conf={"broken": broken})
    return {instance.task_id: str(instance.state) for instance in run.get_task_instances()}


if __name__ == "__main__":
    sys.exit(main())
