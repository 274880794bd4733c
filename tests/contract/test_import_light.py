"""What Airflow imports while it parses DAGs and starts its commands must not pull in a numeric library."""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

HEAVY = ("numpy", "scipy", "statsmodels", "pandas", "pyarrow", "pyspark")
FACING = ("cli", "hooks", "links", "notifications", "operators", "plugins", "sensors", "triggers")
DAGS = sorted((Path(__file__).parents[2] / "dags").glob("*.py"))


def modules() -> list[str]:
    names = ["airflow_dq.get_provider_info", "airflow_dq.version_compat", "airflow_dq.store", "airflow_dq.__main__"]
    for facing in FACING:
        package = import_module(f"airflow_dq.{facing}")
        names.append(package.__name__)
        names += [found.name for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")]
    return names


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ.copy()
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_each_module_that_airflow_imports_is_light() -> None:
    names = modules()
    assert "airflow_dq.operators.profile" in names
    assert "airflow_dq.sensors.gate" in names
    code = f"""
import importlib, json, sys
import airflow.sdk
guilty = {{}}
for name in {names!r}:
    before = set(sys.modules)
    importlib.import_module(name)
    new = sorted({{module.split('.')[0] for module in set(sys.modules) - before}} & set({HEAVY!r}))
    if new:
        guilty[name] = new
print(json.dumps(guilty))
"""
    assert json.loads(python(code)) == {}


def test_what_a_notebook_or_a_dag_imports_by_name_is_light_until_it_is_used() -> None:
    code = f"""
import json, sys
heavy = lambda: sorted({{name.split('.')[0] for name in sys.modules}} & {{'airflow', 'sqlalchemy', *{HEAVY!r}}})
import airflow_dq.check.file
import airflow_dq, airflow_dq.options, airflow_dq.profile, airflow_dq.program, airflow_dq.learn.program
import airflow_dq.judge.verdict, airflow_dq.metrics.descriptor
from airflow_dq import ProfileOptions, SynthesisOptions
from airflow_dq.program import Program
SynthesisOptions(target_fpr=1e-3), ProfileOptions(hidden=('name',)), Program(SynthesisOptions(), ())
before = heavy()
from airflow_dq import backtest, evaluate, from_json, profile_table, synthesize, to_json
for home in (airflow_dq, airflow_dq.profile, airflow_dq.program):
    for name in home.__all__:
        assert callable(getattr(home, name)), name
    assert home.__all__ == sorted(home.__all__)
assert airflow_dq.synthesize is airflow_dq.program.synthesize is synthesize
try:
    airflow_dq.backtest()
except TypeError as error:
    assert 'history' in str(error) or 'profiles' in str(error), error
assert airflow_dq.profile_table is airflow_dq.profile.profile_table is profile_table
print(json.dumps([before, heavy()]))
"""
    before, after = json.loads(python(code))
    assert before == []
    assert "numpy" in after
    assert not {"airflow", "sqlalchemy", "pyspark", "statsmodels"} & set(after)


@pytest.mark.parametrize("file", DAGS, ids=lambda file: file.name)
def test_an_example_dag_is_light_and_quick_to_parse(file: Path) -> None:
    code = f"""
import json, runpy, sys, time
from airflow.sdk import DAG, Param, task
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.providers.standard.operators.bash import BashOperator
start = time.process_time()
names = runpy.run_path({str(file)!r})
spent = time.process_time() - start
dags = [value.dag_id for value in names.values() if isinstance(value, DAG)]
print(json.dumps([spent, sorted({{m.split('.')[0] for m in sys.modules}} & set({HEAVY!r})), dags]))
"""
    spent, heavy, dags = json.loads(python(code))
    assert heavy == []
    assert spent < 1.0, f"{spent:.2f} s of processor time beyond Airflow's own import"
    assert all(name.startswith("dq_example_") for name in dags)


def test_every_example_dag_is_found() -> None:
    assert [file.name for file in DAGS] == ["example_flights.py", "example_minimal.py", "example_split.py"]


def test_the_entry_of_a_spark_job_needs_no_airflow() -> None:
    entry = Path(__file__).parents[2] / "spark_jobs" / "profile.py"
    code = f"""
import sys
sys.modules['airflow'] = None
import runpy
runpy.run_path({str(entry)!r})
import airflow_dq.engine.spark.engine, airflow_dq.engine.spark.environment, airflow_dq.engine.spark.session
import airflow_dq.job.pipeline, airflow_dq.metrics.user_metric, airflow_dq.store
print(sorted(name for name in sys.modules if name.startswith('airflow.')))
"""
    assert python(code) == "[]"


DRIVER = ("airflow_dq.store.repository", "airflow_dq.job.pipeline", "airflow_dq.engine.spark.engine")
"""What a driver on somebody's cluster runs and stores with."""
NOT_THERE = ("airflow", "alembic", "jinja2", "scipy", "statsmodels", "yaml")
"""Requirements of the package that such a driver need not have: ``airflow dq job`` does not name them."""


def test_a_clusters_driver_needs_no_more_than_it_is_told() -> None:
    code = f"""
import importlib, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {NOT_THERE!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
for name in {DRIVER!r}:
    importlib.import_module(name)
print("imported")
"""
    assert python(code) == "imported"
