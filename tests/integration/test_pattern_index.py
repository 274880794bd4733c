"""The index of a lake: by Spark as in this process, resumed, kept in the database, and fed by stored profiles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import text

from airflow_dq.cli.main import main
from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.arrow.lake import tables
from airflow_dq.exceptions import CodecError
from airflow_dq.job.index import FilePlace, StorePlace, columns_of, index_by_spark, index_store
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.pattern import PatternIndex
from airflow_dq.profile import JobSpec
from airflow_dq.settings import DSN_VARIABLE
from airflow_dq.store import Repository

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KEYS = [f"K{n * 37 % 900 + 100}" for n in range(30)]
TABLE = pa.table({"key": KEYS, "hour": [f"{n % 24}:0{n % 10}" for n in range(30)], "n": list(range(30))})


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    for part in ("a/day=1", "a/day=2", "b c/day=1", "a/_delta_log"):
        (folder / part).mkdir(parents=True)
        pq.write_table(TABLE, folder / part / "part-0.parquet")
    (folder / "d.csv").write_text("key,word\nK123,x\nK456,y\n", encoding="utf-8")
    return folder


def local(lake: Path) -> PatternIndex:
    return PatternIndex.build(columns_of(tables(str(lake)), []))


def test_spark_finds_what_this_process_finds(lake: Path, tmp_path: Path, spark: SparkSession) -> None:
    place = FilePlace(tmp_path / "index")
    told = index_by_spark(spark, f"{lake}/**/*.parquet", place, False, print)
    assert (len(told.index.tables), told.new, told.index.columns) == (2, 2, 4)
    # What was there stays, and what has come is added.
    told = index_by_spark(spark, str(lake), place, False, print)
    assert (len(told.index.tables), told.new, told.unreadable) == (3, 1, ())
    by_spark, here = place.load(), local(lake)
    assert by_spark is not None
    for pattern in ("K<digit>{3}", "<digit>+:<digit>{2}"):
        assert by_spark.known(pattern) == here.known(pattern)
    assert index_by_spark(spark, str(lake), place, False, print).new == 0


def test_files_elsewhere_come_through_spark_and_broken_ones_are_named(
    lake: Path, tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    (lake / "broken.parquet").write_bytes(b"nothing")
    name = "fs.viewfs.mounttable.mounted.link./lake"
    spark.conf.set(name, f"file://{lake}")
    try:
        whole = index_by_spark(spark, "viewfs://mounted/lake/**", FilePlace(tmp_path / "whole"), False, print)
        monkeypatch.setattr("airflow_dq.engine.spark.lake._WHOLE", 20)
        parts = index_by_spark(spark, "viewfs://mounted/lake", FilePlace(tmp_path / "parts"), False, print)
    finally:
        spark.conf.unset(name)
    for told in (whole, parts):
        assert (len(told.index.tables), told.index.columns) == (3, 6)
        assert ["broken.parquet" in said for said in told.unreadable] == [True]
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "parts").read_bytes()


def test_an_interrupted_job_goes_on_from_what_was_saved(
    lake: Path, tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("airflow_dq.engine.spark.lake._TABLES_PER_TASK", 1)
    monkeypatch.setattr("airflow_dq.engine.spark.lake._SAVED", 1)
    place = FilePlace(tmp_path / "index")

    def stop(line: str) -> None:
        if line.endswith(": 2 tables"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index_by_spark(spark, str(lake), place, False, stop)
    assert index_by_spark(spark, str(lake), place, False, print).new == 1
    assert (tmp_path / "index").read_bytes() == local_bytes(spark, lake, tmp_path)


def local_bytes(spark: SparkSession, lake: Path, folder: Path) -> bytes:
    """The index in one go; Spark's addresses are the names of its tables."""
    index_by_spark(spark, str(lake), FilePlace(folder / "again"), False, print)
    return (folder / "again").read_bytes()


def test_profiles_feed_the_index_from_day_to_day(lake: Path, store: Repository, tmp_path: Path) -> None:
    for dataset, hidden in (("one", ()), ("two", ("hour",))):
        paths = {"2026-01-01": str(lake / "b c" / "day=1")}
        spec = JobSpec(dataset=dataset, paths=paths, sample_rows=0, hidden=hidden)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AIRFLOW_DQ_HASH_SECRET", "a secret of ours")
            assert [one.error for one in ProfileJob(ArrowEngine(spec), store, print).run()] == [None]
    place = StorePlace(store)
    told = index_store(store, place, renew=False)
    assert (len(told.index.tables), told.index.columns, told.new) == (2, 3, 2)
    kept = store.pattern_index()
    assert kept is not None
    known = kept.known("K<digit>{3}")
    assert known is not None
    assert (known.coverage, known.fpr) == (2, 0.0)
    assert kept.without("two").known("K<digit>{3}").coverage == 1  # type: ignore[union-attr]
    assert index_store(store, place, renew=False).index.columns == 3


def test_a_stored_index_that_cannot_be_read_is_told_and_replaced(store: Repository, lake: Path) -> None:
    store.save_pattern_index(local(lake))
    with store._engine.begin() as connection:
        connection.execute(text("UPDATE airflow_dq.pattern_index SET data = substr(data, 1, 60)"))
    with pytest.raises(CodecError, match=r"Table pattern_index: .* damaged.* With --renew"):
        index_store(store, StorePlace(store), renew=False)
    index_store(store, StorePlace(store), renew=True)
    assert store.pattern_index() is not None


def test_the_command_keeps_it_in_the_database_and_tags_with_it(
    lake: Path, clean_dsn: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv(DSN_VARIABLE, clean_dsn)
    examples = tmp_path / "examples"
    examples.write_text("\n".join(KEYS), encoding="utf-8")
    tag = ["tag", "key", "--source", str(lake), "--examples", str(examples), "--stored-index"]
    with pytest.raises(SystemExit):
        main(tag)
    assert "has no pattern index" in capsys.readouterr().err
    main(["index", "--source", str(lake), "--json"])
    assert json.loads(capsys.readouterr().out)["index"] == "the statistics database"
    with pytest.raises(SystemExit):
        main(tag)  # too few columns have any pattern
    assert "No tag 'key'" in capsys.readouterr().err
