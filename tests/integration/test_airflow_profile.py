"""The whole path with real Spark: the commands, the operator and the gate, on a connection kept in Airflow."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.store import open_store
from airflow_dq.store.address import parse_dsn
from tests.integration.airflow_home import AirflowHome, Run

pytestmark = pytest.mark.slow

DAYS = [f"2026-01-{day:02d}" for day in range(1, 11)]
TODAY = DAYS[-1]
DATASET = "path_orders"

DAG_TEXT = """
from datetime import datetime
from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.sensors.gate import DQGateSensor

def publish():
    pass

with DAG("path", schedule=None, start_date=datetime(2026, 1, 1), default_args={{"retries": 0}}) as dag:
    for name in ("here", "missing"):
        profile = DQProfileOperator(
            task_id=f"profile_{{name}}", dataset="path_orders" if name == "here" else "path_missing",
            source="{lake}/" + name + "/day={{{{ ds }}}}", partition="{{{{ ds }}}}", master="local[2]",
            conf={{"spark.ui.enabled": "false"}},
        )
        gate = DQGateSensor(
            task_id=f"gate_{{name}}", dataset=profile.dataset, partition="{{{{ ds }}}}", deferrable=True,
            options={{"scope": "column", "target_fpr": 0.01}},
        )
        profile >> gate >> PythonOperator(task_id=f"publish_{{name}}", python_callable=publish)
    DQGateSensor(
        task_id="gate_absent", dataset="path_absent", partition="{{{{ ds }}}}", deferrable=True, timeout=0,
        poke_interval=1,
    )
"""


def write(lake: Path) -> None:
    for number, day in enumerate(DAYS):
        random = np.random.default_rng(number)
        folder = lake / "here" / f"day={day}"
        folder.mkdir(parents=True)
        rows = int(random.integers(480, 520))
        pq.write_table(pa.table({"amount": random.normal(100.0, 10.0, rows)}), folder / "part-0.parquet")


@pytest.fixture(scope="module")
def home(postgres_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AirflowHome:
    """An Airflow whose connection ``dq_default`` is in its own database, and a lake of ten days."""
    made = AirflowHome(tmp_path_factory.mktemp("airflow"), postgres_dsn, in_environment=False)
    made.migrate()
    url = parse_dsn(postgres_dsn).set(drivername="dq").render_as_string(hide_password=False)
    added = made.airflow("connections", "add", "dq_default", "--conn-uri", url)
    assert added.returncode == 0, added.stderr
    lake = made.folder / "lake"
    write(lake)
    made.add_dag("path", DAG_TEXT.format(lake=lake))
    return made


@pytest.fixture(scope="module")
def backfilled(home: AirflowHome) -> AirflowHome:
    """The nine days before today, profiled by the command."""
    assert home.airflow("dq", "db", "upgrade").returncode == 0
    pattern = f"{home.folder}/lake/here/day=*"
    done = home.airflow(
        "dq", "backfill", DATASET, "--source", pattern, "--until", DAYS[-2], "--master", "local[2]", "--json"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["partitions"], found["profiled"]) == (9, 9)
    assert "9 of 9 partitions profiled" in done.stderr
    return home


@pytest.fixture(scope="module")
def run(backfilled: AirflowHome) -> Run:
    return backfilled.run("path", TODAY)


def test_a_written_day_is_profiled_gated_and_published(run: Run, home: AirflowHome) -> None:
    tasks = ("profile_here", "gate_here", "publish_here")
    assert {task: run.states[task] for task in tasks} == dict.fromkeys(tasks, "success"), run.output
    written = pq.read_table(home.folder / "lake" / "here" / f"day={TODAY}" / "part-0.parquet")
    assert run.returned["profile_here"] == {
        "dataset": DATASET,
        "partition": TODAY,
        "partitions": 1,
        "rows": written.num_rows,
    }
    assert (run.returned["gate_here"]["status"], run.returned["gate_here"]["partition"]) == ("pass", TODAY)
    with open_store(home.dsn) as store:
        profile = store.load_profile(DATASET, TODAY)
    assert profile is not None
    assert profile.row_count == written.num_rows
    assert profile.columns["amount"].metrics["mean"] == pytest.approx(np.mean(written["amount"].to_numpy()), rel=1e-12)


def test_a_missing_folder_is_one_sentence_and_closes_the_gate(run: Run) -> None:
    assert (run.states["profile_missing"], run.states["gate_missing"]) == ("failed", "upstream_failed")
    assert run.states["publish_missing"] == "upstream_failed"
    (sentence,) = {line for line in run.output.splitlines() if line.startswith("airflow.sdk") and "missing" in line}
    assert f"lake/missing/day={TODAY}" in sentence
    assert "path_missing" in sentence


def test_a_deferred_gate_finds_the_connection_and_times_out(run: Run) -> None:
    assert run.states["gate_absent"] == "failed"
    assert "No profile within 0 s. Dataset 'path_absent', partition '2026-01-10': not profiled yet" in run.output


def test_the_password_is_in_no_log_and_no_rendered_field(run: Run, home: AirflowHome) -> None:
    password = parse_dsn(home.dsn).password
    assert password
    assert "Spark-Submit cmd" in run.output
    assert password not in run.output
    assert password not in str(run.rendered)
    assert password not in str(run.returned)
    # Not even in Airflow's database, where the connection is encrypted.
    assert password.encode() not in (home.folder / "airflow.db").read_bytes()


def test_status_and_explain_tell_what_happened(run: Run, backfilled: AirflowHome) -> None:
    status = backfilled.airflow("dq", "status", DATASET, "--json")
    lines = json.loads(status.stdout)
    assert [line["partition"] for line in lines] == DAYS[::-1]
    assert (lines[0]["verdict"], lines[0]["attempt"]) == ("pass", "succeeded")
    page = backfilled.folder / "verdict.html"
    explained = backfilled.airflow("dq", "explain", DATASET, TODAY, "--html", str(page))
    assert explained.returncode == 0, explained.stderr
    assert TODAY in explained.stdout
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    unjudged = backfilled.airflow("dq", "explain", DATASET, DAYS[0])
    assert (unjudged.returncode, unjudged.stdout) == (2, "")
    assert "no verdict is stored" in unjudged.stderr


def test_a_backfill_of_nothing_is_one_sentence(home: AirflowHome) -> None:
    done = home.airflow("dq", "backfill", "nothing", "--source", "/nowhere/day=*", "--master", "local[1]")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.strip().splitlines()[-1].startswith("airflow dq: Dataset 'nothing'")
    assert "Traceback" not in done.stderr
