from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from airflow_dq.exceptions import ConfigurationError, SourceEmptyError, SourceMissingError
from airflow_dq.local.job import LocalJob
from airflow_dq.local.schema import spark_type
from airflow_dq.profile import JobSpec, Profile, profile_table
from airflow_dq.profile.variant import all_variants
from airflow_dq.spark.outcome import Outcome

TABLE = pa.table({"n": [1.0, 2.0, 3.5, None], "s": ["a", "b", None, "d"]})


class Store:
    """What would have been stored."""

    def __init__(self) -> None:
        self.profiles: dict[str, Profile] = {}
        self.failed: dict[int, str] = {}
        self.begun: dict[str, Any] = {}

    def begin_attempts(self, dataset: str, partitions: Sequence[str], **about: Any) -> dict[str, int]:
        self.begun = about
        return {partition: number for number, partition in enumerate(partitions)}

    def save_profile(self, attempt: int, dataset: str, profile: Profile) -> bool:
        self.profiles[profile.partition or ""] = profile
        return True

    def fail_attempt(self, attempt: int, error: str) -> None:
        self.failed[attempt] = error


@pytest.fixture
def store() -> Store:
    return Store()


def run(store: Store, **spec: Any) -> list[Outcome]:
    return LocalJob(JobSpec(dataset="d", **spec), store, lambda line: None).run()  # type: ignore[arg-type]


def write(folder: Path, *tables: pa.Table) -> Path:
    folder.mkdir(parents=True)
    for number, table in enumerate(tables):
        pq.write_table(table, folder / f"part-{number}.parquet")
    return folder


def test_one_partition_is_profile_table_of_all_its_files(tmp_path: Path, store: Store) -> None:
    folder = write(tmp_path / "day=1", TABLE.slice(0, 1), TABLE.slice(1))
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").write_bytes(b"x")
    (folder / "half.tmp").write_bytes(b"x")
    (outcome,) = run(store, paths={"1": str(folder)})
    assert (outcome.partition, outcome.rows, outcome.profiled, outcome.error) == ("1", 4, 2, None)
    expected = profile_table(TABLE, "1")
    assert store.profiles["1"].fingerprint == expected.fingerprint
    assert store.profiles["1"].variants == all_variants(expected)
    assert store.begun["engine"] == f"arrow {pa.__version__}"


def test_a_pattern_names_its_keys_and_the_newest_two_get_variants(tmp_path: Path, store: Store) -> None:
    for day in ("2", "10", "1", "%2F"):
        write(tmp_path / f"day={day}", TABLE)
    write(tmp_path / "_temporary", TABLE)
    outcomes = run(store, pattern=f"{tmp_path}/day=*")
    assert [outcome.partition for outcome in outcomes] == ["/", "1", "10", "2"]  # by their bytes, as they are stored
    assert {key for key, profile in store.profiles.items() if profile.variants} == {"10", "2"}
    chosen = run(store, pattern=f"file://{tmp_path}/day=*", since="1", until="10", limit=1)
    assert [outcome.partition for outcome in chosen] == ["10"]


def test_one_bad_partition_does_not_lose_the_others(tmp_path: Path, store: Store) -> None:
    for day in ("1", "2", "3"):
        write(tmp_path / f"day={day}", TABLE)
    (tmp_path / "day=3" / "part-0.parquet").write_bytes(b"PAR1 cut off")
    bad, empty = str(tmp_path / "day=4"), tmp_path / "day=5"
    empty.mkdir()
    paths = {day: str(tmp_path / f"day={day}") for day in ("1", "2", "3")} | {"4": bad, "5": str(empty)}
    outcomes = run(store, paths=paths)
    assert [outcome.error is None for outcome in outcomes] == [True, True, False, False, False]
    assert "part-0.parquet cannot be read" in store.failed[2]
    assert "does not exist" in store.failed[3]
    assert "holds no data file" in store.failed[4]
    assert set(store.profiles["2"].variants) == {"n", "s"}  # the newest that could be profiled


def test_an_interrupted_job_says_so_in_every_attempt(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: Store, *_: Any) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(Store, "save_profile", interrupt)
    write(tmp_path / "day=1", TABLE)
    with pytest.raises(KeyboardInterrupt):
        run(store, pattern=f"{tmp_path}/day=*")
    assert store.failed[0].startswith("The job ended: KeyboardInterrupt")


def test_no_rows_are_a_profile_and_no_match_is_an_error(tmp_path: Path, store: Store) -> None:
    write(tmp_path / "day=1", TABLE.slice(0, 0))
    (outcome,) = run(store, pattern=f"{tmp_path}/day=*")
    assert (outcome.rows, outcome.error, list(store.profiles["1"].columns)) == (0, None, ["n", "s"])
    with pytest.raises(SourceMissingError, match="nothing matches"):
        run(store, pattern=f"{tmp_path}/hour=*")
    with pytest.raises(SourceEmptyError, match="holds no partition from 2 to the last"):
        run(store, pattern=f"{tmp_path}/day=*", since="2")


def test_arrow_files_give_the_same_as_parquet(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "x.arrow"
    with pyarrow.ipc.new_file(str(path), TABLE.schema) as writer:
        writer.write_table(TABLE)
    run(store, paths={"1": str(path)}, format="arrow")
    assert store.profiles["1"].fingerprint == profile_table(TABLE, "1").fingerprint


def test_csv_is_text_and_an_empty_value_is_null(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "x.csv"
    path.write_text('id;name\n1;"a;b"\n02;\n3;""\n4;"c\nd"\n')
    run(store, paths={"1": str(path)}, format="csv", options={"sep": ";"})
    expected = pa.table({"id": ["1", "02", "3", "4"], "name": ["a;b", None, None, "c\nd"]})
    assert store.profiles["1"].fingerprint == profile_table(expected, "1").fingerprint


def test_doubled_quotes_need_a_word(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "x.csv"
    path.write_text('id,name\n1,"say ""hi"""\n')
    (outcome,) = run(store, paths={"1": str(path)}, format="csv")
    assert "doubles quotes inside of quoted values" in str(outcome.error)
    run(store, paths={"1": str(path)}, format="csv", options={"escape": '"'})
    expected = pa.table({"id": ["1"], "name": ['say "hi"']})
    assert store.profiles["1"].fingerprint == profile_table(expected, "1").fingerprint


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"table": "t", "partition": "1"}, "no table"),
        ({"sql": "select 1", "partition": "1"}, "no sql"),
        ({"pattern": "lake", "partition_by": "day"}, "no partition_by"),
        ({"paths": {"1": "x"}, "format": "orc"}, "no format 'orc'"),
        ({"paths": {"1": "x"}, "options": {"mergeSchema": "true"}}, "knows no read options for parquet"),
        ({"paths": {"1": "x"}, "format": "csv", "options": {"inferSchema": "true"}}, "CSV with inferSchema='true'"),
        ({"paths": {"1": "x"}, "format": "csv", "options": {"header": "false"}}, "CSV with header='false'"),
    ],
)
def test_what_needs_spark_is_told_before_anything_is_stored(spec: dict[str, Any], said: str, store: Store) -> None:
    with pytest.raises(ConfigurationError, match=said):
        run(store, **spec)
    assert store.begun == {}


def test_what_only_spark_can_read_is_told_for_its_partition(tmp_path: Path, store: Store) -> None:
    write(tmp_path / "day=1" / "country=DE", TABLE)
    (nested,) = run(store, paths={"1": str(tmp_path / "day=1")})
    assert "sub-folder that is a column (country=DE)" in str(nested.error)
    (remote,) = run(store, paths={"1": "s3a://bucket/x"})
    assert "not s3a://bucket/x: use engine='spark'" in str(remote.error)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (pa.uint32(), pa.int64()),
        (pa.uint64(), pa.decimal128(20)),
        (pa.timestamp("ms"), pa.timestamp("us")),
        (pa.timestamp("ns", "Europe/Berlin"), pa.timestamp("us", "UTC")),
        (pa.date64(), pa.date32()),
        (pa.dictionary(pa.int8(), pa.large_string()), pa.string()),
        (pa.binary(4), pa.binary()),
        (pa.null(), pa.int32()),
        (pa.decimal128(12, 2), pa.decimal128(12, 2)),
        (pa.list_(pa.int64()), pa.list_(pa.int64())),
    ],
)
def test_types_are_those_that_spark_reads(written: pa.DataType, read: pa.DataType) -> None:
    assert spark_type(written) == read
