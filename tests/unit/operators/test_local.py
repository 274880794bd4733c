"""``engine="arrow"`` is a task of its own: nothing of Spark has to be there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

_CODE = """
import sys
from contextlib import contextmanager

class NoSpark:
    def find_spec(self, name, path=None, target=None):
        # Airflow reads the metadata of whatever is installed; no more than this is to be had of the Spark provider.
        provider = name.startswith("airflow.providers.apache.spark.") and not name.endswith(".get_provider_info")
        if name == "pyspark" or name.startswith(("pyspark.", "py4j")) or provider:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NoSpark())

from airflow_dq.hooks.dq import DQHook
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.version_compat import AirflowException, AirflowFailException

class Store:
    saved = {}
    def begin_attempts(self, dataset, partitions, **about):
        return {key: number for number, key in enumerate(partitions)}
    def save_profiles(self, dataset, profiles):
        self.saved.update({profile.partition: profile for profile in profiles.values()})
    def fail_attempt(self, attempt, error):
        pass
    def tidy(self, dataset):
        pass
    def learn_rules(self, dataset, before):
        return ()

@contextmanager
def store(self):
    yield Store()

DQHook.get_store = store

def task(**more):
    arguments = {"conf": {"spark.x": "y"}, "executor_memory": "2g", "source": "FOLDER/day=1", "partition": "1"}
    return DQProfileOperator(task_id="t", dataset="d", engine="arrow", **{**arguments, **more})

print(task().execute({}), sorted(Store.saved))
for more in ({"columns": ["N"]}, {"source": "FOLDER/day=2"}):
    try:
        task(**more).execute({})
    except AirflowException as error:
        print(isinstance(error, AirflowFailException), error)
task().on_kill()
"""


def test_it_runs_without_the_spark_provider_pyspark_and_java(tmp_path: Path) -> None:
    (tmp_path / "day=1").mkdir()
    pq.write_table(pa.table({"n": [1, 2]}), tmp_path / "day=1" / "x.parquet")
    environment = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "SPARK_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", _CODE.replace("FOLDER", str(tmp_path))],
        capture_output=True,
        text=True,
        env={**environment, "PATH": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith(("{", "True", "False"))]
    assert lines[0] == "{'dataset': 'd', 'partition': '1', 'partitions': 1, 'rows': 2} ['1']"
    # A misspelt column is the same at every try, a folder may still be written.
    assert lines[1].startswith("True Dataset 'd', partition '1': No column is named 'N'")
    assert lines[2].startswith("False Dataset 'd', partition '1': the source")
