"""What another submitter gets: a file, a zip that works as it is, arguments, and the names of secrets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_dq.cli.job import job, job_order
from airflow_dq.cli.main import build_parser
from airflow_dq.engine.spark.bundle import executor_bundle
from airflow_dq.options.job import JobSpec


def written(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert job(build_parser().parse_args(["job", "orders", str(folder), "--json", *arguments])) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_the_zip_is_the_package_and_the_executors_get_the_same_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = written(tmp_path / "job", capsys, "--table", "lake.orders", "--partition", "1", "--hidden", "email")
    assert Path(str(found["file"])).read_text().startswith('"""Entry point of a profile job')
    flag, order = found["arguments"]  # type: ignore[misc]
    assert (flag, JobSpec.from_json(order).table) == ("--spec", "lake.orders")
    assert found["secrets"] == ["AIRFLOW_DQ_DSN", "AIRFLOW_DQ_HASH_SECRET"]
    code = (
        "import sys, pathlib, airflow_dq.engine.spark.bundle as one; print(one.__file__);"
        "print(one.executor_bundle(pathlib.Path(sys.argv[1])).name)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "bundle")],
        env={**os.environ, "PYTHONPATH": str(found["py_files"])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    home, name = done.stdout.split()
    assert home.startswith(str(found["py_files"]))
    assert name == executor_bundle(tmp_path / "here").name


@pytest.mark.parametrize(
    ("arguments", "paths", "pattern", "partition"),
    [
        (("--source", "a/day=1", "--partition", "1"), {"1": "a/day=1"}, None, None),
        (("--source", "a/day=*"), {}, "a/day=*", None),
        (("--source", "a", "--partition", "1", "--partition-by", "day"), {}, "a", "1"),
        (("--table", "t", "--partition", "1", "--where", "true"), {}, None, "1"),
    ],
)
def test_one_partition_or_those_that_the_source_names(
    arguments: tuple[str, ...], paths: dict[str, str], pattern: str | None, partition: str | None
) -> None:
    spec = job_order(build_parser().parse_args(["job", "orders", "x", *arguments]))
    assert (spec.paths, spec.pattern, spec.partition) == (paths, pattern, partition)
