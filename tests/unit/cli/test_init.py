from __future__ import annotations

import runpy
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from airflow_dq.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = 0
    try:
        main(["init", *arguments])
    except SystemExit as ended:
        code = int(ended.code or 0)
    return code, *capsys.readouterr()


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", "postgresql://nobody@127.0.0.1:1/none")


@pytest.mark.parametrize(
    ("dataset", "more", "wanted"),
    [
        ("orders", (), {"source": "/data/day={{ ds }}", "partition": "{{ ds }}"}),
        ("a\"b'c", ("--engine", "arrow", "--format", "csv"), {"engine": "arrow", "source_format": "csv"}),
        ("grün", ("--schedule", "None", "--partition", "{{ partition_key }}"), {"partition": "{{ partition_key }}"}),
    ],
)
def test_the_file_is_a_dag_that_guards_the_dataset(
    dataset: str, more: tuple[str, ...], wanted: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "dags" / "x.py"
    run(capsys, dataset, "--source", "/data/day={{ ds }}", "--out", str(file), *more)
    names = runpy.run_path(str(file))
    dag = names["guard"].dag
    profile = next(task for task in dag.tasks if task.task_id.endswith(".profile"))
    assert profile.dataset == dataset
    assert {name: getattr(profile, name) for name in wanted} == wanted
    assert dag.task_dict["write"].downstream_task_ids == {profile.task_id}
    # Airflow calls a run before it a success in which no task has run.
    assert dag.start_date < datetime.now(UTC) - timedelta(days=366)


@pytest.mark.parametrize(
    ("name", "engine", "wanted"),
    [
        ("day=1/part-0.csv", "spark", {"source_format": "csv", "read_options": {"inferSchema": "true"}}),
        ("day=1/part-0.csv.gz", "arrow", {"source_format": "csv", "read_options": None}),
        ("day=1/_SUCCESS", "spark", {"source_format": "parquet", "read_options": None}),
        ("day=1/x.jsonl", "spark", {"source_format": "json", "read_options": None}),
    ],
)
def test_the_format_is_what_the_files_that_are_there_are_called(
    name: str, engine: str, wanted: dict[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "lake" / name
    data.parent.mkdir(parents=True)
    data.touch()
    file = tmp_path / "x.py"
    run(capsys, "orders", "--source", f"{tmp_path}/lake/day={{{{ ds }}}}", "--engine", engine, "--out", str(file))
    profile = next(task for task in runpy.run_path(str(file))["guard"].dag.tasks if task.task_id.endswith(".profile"))
    assert {name: getattr(profile, name) for name in wanted} == wanted


def test_a_database_that_is_not_there_is_what_is_left_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AIRFLOW__CORE__DAGS_FOLDER", str(tmp_path))
    code, out, _ = run(capsys, "my orders", "--source", "s3://lake/day={{ ds }}", "--format", "csv")
    assert code == 1
    assert f"Written: {tmp_path}/my_orders_dq.py" in out
    assert "FAIL  connection:" in out
    assert "backfill 'my orders' --source 's3://lake/day=*' --format csv --option inferSchema=true --judge" in out
    code, _, said = run(capsys, "my orders", "--source", "s3://lake/day={{ ds }}")
    assert (code, "is there already: give --replace" in said) == (2, True)


def test_a_source_without_a_key_is_refused_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, said = run(capsys, "orders", "--source", "/data/orders", "--out", str(tmp_path / "x.py"))
    assert code == 2
    assert "write the partition's key as a template" in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("dataset", "more", "said"),
    [
        (" ", (), "DATASET is empty"),
        ("orders", ("--source", "/data/day={{ ds }"), "is no template"),
        ("orders", ("--partition", "2024-01-01"), "--partition '2024-01-01' is the same for each run"),
        ("orders", ("--engine", "arrow", "--format", "avro"), "--format 'avro' is read by Spark only"),
        ("orders", ("--schedule", "every tuesday"), "'every tuesday' is no schedule"),
        ("orders", ("--out", "."), ". is a folder: name the file"),
        ("orders", ("--out", ".", "--replace"), ". is a folder: name the file"),
    ],
)
def test_what_airflow_would_not_take_is_told_in_one_sentence(
    dataset: str,
    more: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, dataset, "--source", "/data/day={{ ds }}", "--out", "x.py", *more)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("schedule", ["@hourly", "0 6 * * *", "*/15 8-17 * * mon-fri", "0 0 1 jan,jul *"])
def test_schedules_of_airflow_are_written(schedule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.py"
    run(capsys, "orders", "--source", "/data/{{ ds }}", "--out", str(file), "--schedule", schedule)
    assert f'schedule="{schedule}"' in file.read_text()
