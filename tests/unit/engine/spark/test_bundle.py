"""The executors' bundle: small, the same every time, and enough to profile a table with numpy and pyarrow."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import numpy
import pyarrow

from airflow_dq.engine.spark.bundle import executor_bundle

_PROFILE = """
import importlib.abc, sys

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"airflow", "sqlalchemy", "scipy", "statsmodels", "pandas", "pyspark"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
bundle, *packages = sys.argv[1:]
sys.path[:0] = [bundle, *packages]
import pyarrow as pa
import airflow_dq
from airflow_dq.corruption.blob import PackedVariants
from airflow_dq.engine.worker.partial import merge_batches
from airflow_dq.engine.worker.task import profile_batches, variants_of_column
from airflow_dq.profile import ProfileOptions
from airflow_dq.profile.table import TableState

assert airflow_dq.__file__.startswith(bundle), airflow_dq.__file__
rows = {"n": [1.0, 2.0, 4.0, None], "s": ["a", "b", "b", ""], "key": ["x", "y", "x", "x"]}
partials = list(merge_batches(profile_batches([pa.record_batch(rows)], ("n", "s"), ProfileOptions())))
for partial in partials:
    [row] = partial.to_pylist()
    assert row["problem"] is None, row["trace"]
    profile = TableState.decode(row["state"]).profile(row["key"])
    shared = type("Shared", (), {"value": (profile,)})
    variants = sum(len(PackedVariants(variants_of_column(shared, [8], (0, name))[2])) for name in profile.columns)
    print(row["key"], profile.row_count, profile.columns["n"].metrics["sum"], variants > 0)
"""


def test_an_executor_needs_only_the_bundle_numpy_and_pyarrow(tmp_path: Path) -> None:
    bundle = executor_bundle(tmp_path)
    # Not this environment's site-packages: an editable installation would stand in for what the bundle lacks.
    packages = {str(Path(module.__file__ or "").parents[1]) for module in (numpy, pyarrow)}
    answer = subprocess.run(
        [sys.executable, "-S", "-I", "-c", _PROFILE, str(bundle), *packages], capture_output=True, text=True
    )
    assert answer.returncode == 0, answer.stderr
    assert sorted(answer.stdout.splitlines()) == ["x 3 5.0 True", "y 1 2.0 True"]


def test_only_the_pure_part_is_inside(tmp_path: Path) -> None:
    names = zipfile.ZipFile(executor_bundle(tmp_path)).namelist()
    tops = {name.split("/")[1] for name in names}
    pure = {"check", "options", "pattern", "relation", "states", "metrics", "profile", "corruption", "engine"}
    assert tops == {"__init__.py", "exceptions.py", "settings.py", "uncollected.py", "visible.py", *pure}
    assert {name.split("/")[2] for name in names if "/engine/" in name} == {"__init__.py", "worker"}
    assert all(name.endswith(".py") for name in names)


def test_equal_sources_give_equal_bytes_and_are_written_once(tmp_path: Path) -> None:
    first, second = executor_bundle(tmp_path / "a"), executor_bundle(tmp_path / "b")
    assert first.name == second.name
    assert first.read_bytes() == second.read_bytes()
    before = first.stat().st_mtime_ns
    assert executor_bundle(tmp_path / "a") == first
    assert first.stat().st_mtime_ns == before
    assert list(first.parent.iterdir()) == [first]
