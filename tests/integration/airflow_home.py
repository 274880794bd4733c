"""An Airflow of its own for a test: a SQLite home, a DAG file, and ``dag.test()`` in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

RUNNER = """
import json, runpy, sys
from datetime import datetime, timezone
from airflow.sdk import DAG
file, dag_id, day, conf, result = sys.argv[1:]
dag = next(v for v in runpy.run_path(file).values() if isinstance(v, DAG) and v.dag_id == dag_id)
run = dag.test(logical_date=datetime.fromisoformat(day).replace(tzinfo=timezone.utc), run_conf=json.loads(conf))
from airflow.models.renderedtifields import RenderedTaskInstanceFields
from airflow.models.xcom import XComModel
from airflow.utils.session import create_session
with create_session() as session:
    fields = session.query(RenderedTaskInstanceFields).filter_by(dag_id=dag_id)
    rendered = {r.task_id: r.rendered_fields for r in fields}
    returned = {
        x.task_id: XComModel.deserialize_value(x)
        for x in session.query(XComModel).filter_by(dag_id=dag_id, run_id=run.run_id, key="return_value")
    }
states = {ti.task_id: str(ti.state) for ti in run.get_task_instances()}
json.dump({"states": states, "returned": returned, "rendered": rendered}, open(result, "w"), default=str)
"""


@dataclass(frozen=True)
class Run:
    """What became of a DAG run."""

    states: dict[str, str]
    """State by task id."""
    returned: dict[str, Any]
    """What each task returned (XCom)."""
    rendered: dict[str, Any]
    """Each task's rendered template fields, as the user interface shows them."""
    output: str
    """Everything that was printed and logged."""


@dataclass(frozen=True)
class AirflowHome:
    """
    :param folder: the home
    :param dsn: the statistics database
    :param in_environment: whether the processes find it in AIRFLOW_DQ_DSN
    :param database: Airflow's own database, when it is not the SQLite file in its home
    """

    folder: Path
    dsn: str
    in_environment: bool = True
    database: str | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The variables of every process of this Airflow."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")}
        return {
            **kept,
            **({"AIRFLOW_DQ_DSN": self.dsn} if self.in_environment else {}),
            "AIRFLOW_HOME": str(self.folder),
            "AIRFLOW__CORE__DAGS_FOLDER": str(self.folder / "dags"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": self.database or f"sqlite:///{self.folder}/airflow.db",
            # Of PostgreSQL's drivers only the synchronous one is installed; nothing here runs what needs another.
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_ASYNC": f"sqlite+aiosqlite:///{self.folder}/airflow.db",
            # Without one each thread that asks first makes a key of its own, and its users are then strangers (403).
            "AIRFLOW__API_AUTH__JWT_SECRET": "for-tests-only-" + "0" * 32,
            "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
            "NO_COLOR": "1",
        }

    def airflow(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run an ``airflow`` command."""
        command = [sys.executable, "-m", "airflow", *arguments]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False, timeout=550)

    def migrate(self) -> None:
        """Create Airflow's own database and configuration."""
        made = _migrated()
        (self.folder / "dags").mkdir(parents=True, exist_ok=True)
        for file in made.glob("airflow.*"):
            shutil.copy(file, self.folder)
        configuration = self.folder / "airflow.cfg"
        configuration.write_text(configuration.read_text().replace(str(made), str(self.folder)))

    def add_dag(self, name: str, text: str) -> None:
        """Write a DAG file."""
        (self.folder / "dags" / f"{name}.py").write_text(text)

    def run(self, dag_id: str, day: str, **conf: Any) -> Run:
        """``dag.test()`` of the DAG in the file of the same name."""
        result = self.folder / "result.json"
        result.unlink(missing_ok=True)
        file = str(self.folder / "dags" / f"{dag_id}.py")
        command = [sys.executable, "-c", RUNNER, file, dag_id, day, json.dumps(conf), str(result)]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False, timeout=550)
        output = done.stdout + done.stderr
        assert result.exists(), output
        return Run(**json.loads(result.read_text()), output=output + self.task_logs())

    def scenario(self, dag_file: str, steps: list[dict[str, Any]]) -> tuple[dict[str, Any], str]:
        """Carry out ``dag.test()`` runs one after the other, see ``airflow_scenario``; results by name, and output."""
        result = self.folder / "scenario.json"
        script = str(Path(__file__).with_name("airflow_scenario.py"))
        command = [sys.executable, script, str(self.folder / "dags" / f"{dag_file}.py"), str(result)]
        lines = "".join(json.dumps(step) + "\n" for step in steps)
        done = subprocess.run(
            command, env=self.environment, input=lines, capture_output=True, text=True, check=False, timeout=550
        )
        output = done.stdout + done.stderr
        assert result.exists(), output
        return json.loads(result.read_text()), output + self.task_logs()

    def task_states(self) -> dict[tuple[str, str, str], str]:
        """What has become of every task so far: (DAG, partition, backfilled day or run type, task) -> state."""
        query = (
            "SELECT ti.dag_id, run.run_type, run.partition_key, date(run.logical_date), ti.task_id, ti.state "
            "FROM task_instance ti JOIN dag_run run ON run.dag_id = ti.dag_id AND run.run_id = ti.run_id"
        )
        database = self.folder / "airflow.db"
        if not database.exists():
            return {}
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)
        try:
            rows = connection.execute(query).fetchall()
        finally:
            connection.close()
        return {
            (dag, key or (day if kind == "backfill" else kind), task): str(state)
            for dag, kind, key, day, task, state in rows
        }

    def task_logs(self) -> str:
        """What every task has logged so far."""
        files = sorted((self.folder / "logs").rglob("*.log"))
        return "".join(f"==> {file} <==\n{file.read_text(errors='replace')}" for file in files)


@cache
def _migrated() -> Path:
    """A home with an empty database of Airflow: made once, since that takes longer than most DAG runs."""
    home = AirflowHome(Path(os.environ["AIRFLOW_HOME"]) / "migrated", "", in_environment=False)
    home.folder.mkdir(exist_ok=True)
    done = home.airflow("db", "migrate")
    assert done.returncode == 0, done.stdout + done.stderr
    return home.folder
