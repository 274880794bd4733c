from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from airflow_dq.cli.backfill import backfill, job_spec
from airflow_dq.cli.main import build_parser
from airflow_dq.exceptions import ConfigurationError, ProfileError, SourceMissingError
from airflow_dq.job.result import JobResult

SECRET = "postgresql://me:correct-horse@db/stats"


def parsed(*arguments: str) -> Any:
    return build_parser().parse_args(["backfill", "flights", *arguments])


@pytest.fixture
def spark_submit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ``spark-submit`` that writes down how it was called and then runs the script ``does`` next to it."""
    file = tmp_path / "spark-submit"
    file.write_text(
        f'#!/bin/bash\ncd {tmp_path}\nprintf "%s\\n" "$@" > arguments\necho "$AIRFLOW_DQ_DSN" > dsn\n. ./does\n'
    )
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("AIRFLOW_DQ_DSN", SECRET)
    (tmp_path / "lake" / "day=1").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("airflow_dq.engine.spark.environment.find_spark_submit", lambda: file)
    monkeypatch.setattr("airflow_dq.engine.spark.environment.check_java", lambda: None)
    return tmp_path


def does(folder: Path, *lines: str, code: int = 0) -> None:
    (folder / "does").write_text("\n".join([f"echo '{line}'" for line in lines] + [f"exit {code}"]))


GOOD = (
    "26/11/28 00:00:00 INFO SparkContext: Running",
    "flights: 3 partition(s) to profile from lake/day=*",
    "profiled 3/3 partitions",
    "flights: 3 of 3 partitions profiled (2013-01-01 to 2013-01-03), 2534 rows, 10 columns profiled, 0 skipped, 12 s",
    JobResult("flights", 3, 0, 2534, 12.3).to_line(),
)


def test_arguments_become_the_order() -> None:
    spec = job_spec(
        parsed(
            "--source",
            "lake/day=*",
            "--format",
            "csv",
            "--option",
            "header=true",
            "--option",
            "sep==",
            "--since",
            "1",
            "--until",
            "3",
            "--limit",
            "2",
            "--columns",
            "a, b",
            "--exclude",
            "c",
            "--hidden",
            "b",
        )
    )
    assert (spec.pattern, spec.format, spec.options) == ("lake/day=*", "csv", {"header": "true", "sep": "="})
    assert (spec.since, spec.until, spec.limit) == ("1", "3", 2)
    assert (spec.columns, spec.exclude, spec.hidden) == (("a", "b"), ("c",), ("b",))


def test_a_hidden_column_names_no_partition() -> None:
    asked = parsed("--table", "flights", "--partition-by", "passenger", "--hidden", "passenger")
    with pytest.raises(ConfigurationError, match="values of column 'passenger', which hidden names"):
        job_spec(asked)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "exactly one source"),
        (("--source", "lake/day=1"), "exactly one '*'"),
        (("--table", "t"), "partition_by"),
        (("--source", "lake/*", "--option", "header"), "--option 'header' is not of the form KEY=VALUE"),
    ],
)
def test_contradictions_are_explained(arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        job_spec(parsed(*arguments))
    assert words in str(raised.value)


def test_one_spark_job_with_the_dsn_in_its_environment_only(
    spark_submit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    does(spark_submit, *GOOD)
    assert backfill(parsed("--source", "lake/day=*", "--master", "local[3]", "--conf", "spark.a=b")) == 0
    arguments = (spark_submit / "arguments").read_text().splitlines()
    assert arguments[arguments.index("--master") + 1] == "local[3]"
    assert {"spark.a=b", f"spark.pyspark.driver.python={sys.executable}"} <= set(arguments)
    assert json.loads(arguments[-1])["pattern"] == "lake/day=*"
    assert not any("correct-horse" in argument for argument in arguments)
    assert (spark_submit / "dsn").read_text().strip() == SECRET
    out, err = capsys.readouterr()
    assert out == "flights: 3 of 3 partitions profiled in 12 s\n"
    assert "flights: 3 partition(s) to profile from lake/day=*" in err
    assert "INFO" not in err
    assert "{" not in err


def test_what_is_stored_is_judged_when_that_is_asked_for(
    spark_submit: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    does(spark_submit, *GOOD)
    monkeypatch.setattr("airflow_dq.cli.backfill._judged", lambda spec, dsn: f"{spec.dataset}: {dsn}")
    assert backfill(parsed("--source", "lake/day=*", "--judge")) == 0
    assert capsys.readouterr().out.splitlines()[1] == f"flights: {SECRET}"


def test_json_is_one_document(spark_submit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    does(spark_submit, *GOOD)
    backfill(parsed("--source", "lake/day=*", "--json"))
    expected = {"dataset": "flights", "partitions": 3, "profiled": 3, "seconds": 12}
    assert json.loads(capsys.readouterr().out) == expected


def test_the_jobs_explanation_is_raised_once(spark_submit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    error = "Nothing matches lake/day=*."
    does(spark_submit, JobResult("flights", error=error).to_line(), f"airflow_dq: error: {error}", code=2)
    with pytest.raises(ProfileError, match=r"^Nothing matches lake/day=\*\.$"):
        backfill(parsed("--source", "lake/day=*"))
    assert "Nothing matches" not in capsys.readouterr().err


def test_an_unexplained_end_shows_sparks_last_words(spark_submit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    does(spark_submit, "26/11/28 00:00:00 ERROR OutOfMemoryError", code=137)
    assert backfill(parsed("--source", "lake/day=*")) == 1
    err = capsys.readouterr().err
    assert "OutOfMemoryError" in err
    assert err.endswith("airflow dq: the Spark job ended with exit code 137.\n")


def test_a_pattern_that_matches_nothing_is_told_before_spark_starts(spark_submit: Path) -> None:
    with pytest.raises(SourceMissingError, match="nothing matches lake/hour="):
        backfill(parsed("--source", "lake/hour=*"))
    assert not os.path.exists(spark_submit / "arguments")
    # What is elsewhere, this machine cannot know.
    does(spark_submit, *GOOD)
    assert backfill(parsed("--source", "s3a://lake/hour=*")) == 0
    assert backfill(parsed("--source", "lake/hour=*", "--master", "yarn")) == 0


def test_cluster_mode_is_refused(spark_submit: Path) -> None:
    with pytest.raises(ConfigurationError, match="leave out"):
        backfill(parsed("--source", "lake/day=*", "--conf", "spark.submit.deployMode=cluster"))
    assert not os.path.exists(spark_submit / "arguments")


def test_the_order_has_the_checks_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "flights.dq.yml"
    file.write_text("dataset: flights\nchecks:\n  - complete: carrier\n")
    arguments = ("--source", "lake/day=*", "--checks", str(file))
    assert [check.id for check in job_spec(parsed(*arguments)).checks] == ["completeness.carrier"]
    file.write_text("dataset: other\nchecks:\n  - complete: carrier\n")
    with pytest.raises(ConfigurationError, match="the checks are of 'other'"):
        job_spec(parsed(*arguments))


def test_a_connect_server_gets_its_job_from_a_process_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", SECRET)
    started: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(
        "airflow_dq.cli.backfill._submit",
        lambda command, environment: started.append((command, environment)) or (1, []),
    )
    assert backfill(parsed("--table", "t", "--partition-by", "day", "--master", "sc://lake:15002")) == 1
    ((command, environment),) = started
    assert command[0] == sys.executable
    assert command[1].endswith("profile.py")
    assert environment["SPARK_REMOTE"] == "sc://lake:15002"
    with pytest.raises(ConfigurationError, match="leave out --conf"):
        backfill(parsed("--table", "t", "--partition-by", "day", "--master", "sc://lake:15002", "--conf", "a=b"))
