"""Runs of the DAGs in a file through ``dag.test()``, many in one process: starting Airflow takes longer than a run.

Called with the DAG file and a file for the results; the steps come as JSON lines on stdin: ``{"name", "dag_id",
"day" (an instant in ISO format, or null: no logical date), "conf"}``, with ``"copy": [from, to]`` of a file first.
"""

from __future__ import annotations

import json
import runpy
import shutil
import sys
import traceback
from datetime import datetime
from typing import Any


def main() -> None:
    """Carry out every step, and write what became of each."""
    from airflow.sdk import DAG

    file, result = sys.argv[1:]
    found = {}
    for line in sys.stdin:
        step = json.loads(line)
        if "copy" in step:
            shutil.copy(*step["copy"])
        # Read anew: a DAG's tasks keep what one run rendered into them.
        dags = {value.dag_id: value for value in runpy.run_path(file).values() if isinstance(value, DAG)}
        day = None if step["day"] is None else datetime.fromisoformat(step["day"])
        try:
            found[step["name"]] = outcome(dags[step["dag_id"]].test(logical_date=day, run_conf=step.get("conf")))
        except Exception:
            found[step["name"]] = {"error": traceback.format_exc()}
    with open(result, "w", encoding="utf-8") as output:
        json.dump(found, output, default=str)


def outcome(run: Any) -> dict[str, Any]:
    """States, returned values, and asset events of a run; a mapped task's are listed by its id."""
    from airflow.models.asset import AssetEvent, AssetModel
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session

    states: dict[str, Any] = {}
    tries: dict[str, int] = {}
    for ti in sorted(run.get_task_instances(), key=lambda ti: ti.map_index):
        states.setdefault(ti.task_id, []).append(str(ti.state))
        tries[ti.task_id] = ti.try_number
    with create_session() as session:
        pushed = session.query(XComModel).filter_by(dag_id=run.dag_id, run_id=run.run_id, key="return_value")
        returned: dict[str, Any] = {}
        for one in sorted(pushed, key=lambda one: one.map_index):
            returned.setdefault(one.task_id, []).append(XComModel.deserialize_value(one))
        events = session.query(AssetEvent.extra, AssetModel.name).join(AssetModel, AssetModel.id == AssetEvent.asset_id)
        made = [(name, extra) for extra, name in events.filter(AssetEvent.source_run_id == run.run_id)]
    return {"states": states, "returned": returned, "events": made, "tries": tries}


if __name__ == "__main__":
    main()
