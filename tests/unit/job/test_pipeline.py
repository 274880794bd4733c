from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from traceback import format_exception
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from airflow_dq.corruption.variant import all_variants
from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.arrow.schema import spark_type
from airflow_dq.exceptions import (
    ConfigurationError,
    ProfileError,
    SourceEmptyError,
    SourceMissingError,
    StaleAttemptError,
)
from airflow_dq.job.outcome import Outcome
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.profile import JobSpec, Profile, profile_table

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

    def save_profiles(self, dataset: str, profiles: Mapping[int, Profile]) -> None:
        self.profiles |= {profile.partition or "": profile for profile in profiles.values()}

    def tidy(self, dataset: str) -> None:
        pass

    def learn_rules(self, dataset: str, before: str) -> tuple[()]:
        return ()

    def fail_attempt(self, attempt: int, error: str) -> None:
        self.failed[attempt] = error


@pytest.fixture
def store() -> Store:
    return Store()


def run(store: Store, **spec: Any) -> list[Outcome]:
    return ProfileJob(ArrowEngine(JobSpec(dataset="d", **spec)), store, lambda line: None).run()  # type: ignore[arg-type]


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
    assert {name: tuple(one) for name, one in store.profiles["1"].variants.items()} == all_variants(expected)
    assert store.begun["engine"] == f"arrow {pa.__version__}"


def test_a_pattern_names_its_keys_and_the_newest_two_get_variants(tmp_path: Path, store: Store) -> None:
    for day in ("2", "10", "1", "%2F"):
        write(tmp_path / f"day={day}", TABLE)
    write(tmp_path / "_temporary", TABLE)
    outcomes = run(store, pattern=f"{tmp_path}/day=*")
    assert [outcome.partition for outcome in outcomes] == ["/", "1", "2", "10"]  # as the store orders them
    assert {key for key, profile in store.profiles.items() if profile.variants} == {"10", "2"}
    chosen = run(store, pattern=f"file://{tmp_path}/day=*", since="1", until="12", limit=1)
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
    def interrupt(self: Store, *_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Store, "save_profiles", interrupt)
    write(tmp_path / "day=1", TABLE)
    with pytest.raises(KeyboardInterrupt):
        run(store, pattern=f"{tmp_path}/day=*")
    assert store.failed[0].startswith("The job ended: KeyboardInterrupt")


def test_of_partitions_that_are_stored_together_one_that_cannot_be_takes_down_no_other(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, together = Store.save_profiles, []

    def refuse_the_third(self: Store, dataset: str, profiles: Mapping[int, Profile]) -> None:
        together.append(len(profiles))
        if 2 in profiles:
            raise StaleAttemptError("a newer one has started")
        save(self, dataset, profiles)

    monkeypatch.setattr(Store, "save_profiles", refuse_the_third)
    for day in range(6):
        write(tmp_path / f"day={day}", TABLE)
    outcomes = run(store, pattern=f"{tmp_path}/day=*")
    (failed,) = [outcome for outcome in outcomes if outcome.error is not None]
    assert failed.error == "Dataset 'd', partition '2': a newer one has started"
    assert (set(store.profiles), set(store.failed)) == (set("01345"), {2})
    assert together == [6, 1, 1, 1, 1, 1, 1]


def test_what_a_job_that_ends_has_profiled_is_kept(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise RuntimeError("no more errors")

    monkeypatch.setattr(ArrowEngine, "inject", fail)
    for day in range(5):
        write(tmp_path / f"day={day}", TABLE)
    with pytest.raises(RuntimeError):
        run(store, pattern=f"{tmp_path}/day=*")
    # The newest two wait for their injected errors, which there are none of.
    assert (set(store.profiles), set(store.failed)) == (set("012"), {3, 4})


def test_wide_partitions_do_not_wait_for_each_other(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, together = Store.save_profiles, []

    def note(self: Store, dataset: str, profiles: Mapping[int, Profile]) -> None:
        together.append(len(profiles))
        save(self, dataset, profiles)

    monkeypatch.setattr(Store, "save_profiles", note)
    monkeypatch.setattr("airflow_dq.job.ledger.COLUMNS_AT_ONCE", 2 * TABLE.num_columns)
    for day in range(5):
        write(tmp_path / f"day={day}", TABLE)
    run(store, pattern=f"{tmp_path}/day=*")
    assert together == [2, 2, 1]


@pytest.mark.parametrize("kind", [RuntimeError, ConfigurationError])
def test_what_ends_a_job_is_told_without_what_was_read_when_a_column_is_hidden(
    kind: type[Exception], tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise kind("of s3cret")

    monkeypatch.setenv("AIRFLOW_DQ_HASH_SECRET", "a secret of ours")
    monkeypatch.setattr(ArrowEngine, "inject", fail)
    folder = str(write(tmp_path / "day=1", TABLE))
    with pytest.raises(kind, match="of s3cret"):
        run(store, paths={"1": folder})
    if kind is not RuntimeError:
        return  # its words are ours
    with pytest.raises(ProfileError, match="the job ended with RuntimeError") as error:
        run(store, paths={"1": folder}, hidden=("s",))
    assert "s3cret" not in "".join(format_exception(error.value)) + store.failed[0]


def test_what_is_to_be_hidden_and_is_not_there_stops_the_partition(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_HASH_SECRET", "a secret of ours")
    folder = str(write(tmp_path / "day=1", TABLE))
    (misspelt,) = run(store, paths={"1": folder}, hidden=("S",))
    assert str(misspelt.error).startswith(
        "Dataset 'd', partition '1': hidden names 'S', which is none of the 2 columns"
    )
    assert store.profiles == {}
    assert store.failed == {0: misspelt.error}
    (left_out,) = run(store, paths={"1": folder}, hidden=("S", "s"), exclude=("S",))
    assert left_out.error is None


def test_a_column_that_is_not_there_is_told_for_its_partition(tmp_path: Path, store: Store) -> None:
    (outcome,) = run(store, paths={"1": str(write(tmp_path / "day=1", TABLE))}, columns=("N",))
    assert outcome.error == "Dataset 'd', partition '1': No column is named 'N'; the table has: 'n', 's'."


def test_a_column_may_be_in_any_of_the_files(tmp_path: Path, store: Store) -> None:
    folder = write(tmp_path / "day=1", TABLE.select(["n"]), TABLE)
    (outcome,) = run(store, paths={"1": str(folder)}, columns=("s",))
    assert outcome.error is None
    assert store.profiles["1"].columns["s"].metrics["complete_ratio"] == 3 / 8


def test_folders_that_would_have_one_key_keep_their_names(tmp_path: Path, store: Store) -> None:
    for folder in ("a%3Ab", "x%41", "xA", "__HIVE_DEFAULT_PARTITION__"):
        write(tmp_path / folder, TABLE)
    outcomes = run(store, pattern=f"{tmp_path}/*")
    assert [outcome.partition for outcome in outcomes] == ["(null)", "a:b", "x%41", "xA"]


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


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (r'"say ""hi"""', 'say "hi"'),
        (r'"say \"hi\""', 'say "hi"'),
        (r'"C:\temp\"', "C:\\temp\\"),
        (r"C:\new", r"C:\new"),
        (r'"{""a"": ""x\""y""}"', r'{"a": "x\"y"}'),
    ],
)
def test_quotes_are_escaped_as_the_file_itself_says(written: str, name: str, tmp_path: Path, store: Store) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"id,name\n1,{written}\n2,b\n")
    run(store, paths={"1": str(path)}, format="csv")
    expected = pa.table({"id": ["1", "2"], "name": [name, "b"]})
    assert store.profiles["1"].fingerprint == profile_table(expected, "1").fingerprint


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (b'id,name\n1,"say ""hi"""\n', {"escape": "\\"}, "doubles quotes inside of quoted values"),
        (b'id,name\n1,"say \\"hi\\""\n2,C:\\x\n', {}, r"before other characters as well \(at .*C:"),
        (b"\x1f\x8b\x08\x00", {}, "it is gzip, and not unpacked by its name: let it end in .gz"),
        (b"PK\x03\x04", {}, "it is zip, not CSV"),
        ("id,name\n1,é\n".encode("utf-16"), {}, "UTF-16 text. Set the read option encoding='UTF-16'"),
    ],
)
def test_text_that_cannot_be_told_is_an_error(
    content: bytes, options: dict[str, str], said: str, tmp_path: Path, store: Store
) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    (outcome,) = run(store, paths={"1": str(path)}, format="csv", options=options)
    assert re.search(said, str(outcome.error))


@pytest.mark.parametrize(
    ("content", "options", "columns"),
    [
        (b"id,name\n1,caf\xe9\n", {}, {"id": ["1"], "name": ["caf\ufffd"]}),
        (b"id,name\n1,caf\xe9\n", {"encoding": "ISO-8859-1"}, {"id": ["1"], "name": ["café"]}),
        ("id,name\n1,café\n".encode("utf-16"), {"charset": "UTF-16"}, {"id": ["1"], "name": ["café"]}),
        (b"id,t,,t\n1,a,b,c\n", {}, {"id": ["1"], "t1": ["a"], "_c2": ["b"], "t3": ["c"]}),
        (b"", {}, {}),
    ],
)
def test_csv_is_read_as_spark_reads_it(
    content: bytes, options: dict[str, str], columns: dict[str, list[str]], tmp_path: Path, store: Store
) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    run(store, paths={"1": str(path)}, format="csv", options=options)
    assert store.profiles["1"].fingerprint == profile_table(pa.table(columns), "1").fingerprint


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"table": "t", "partition": "1"}, "no table"),
        ({"sql": "select 1", "partition": "1"}, "no sql"),
        ({"pattern": "lake", "partition_by": "day"}, "no partition_by"),
        ({"paths": {"1": "x"}, "format": "orc"}, "no format 'orc'"),
        ({"paths": {"1": "x"}, "options": {"mergeSchema": "true"}}, "There are no read options for parquet"),
        ({"paths": {"1": "x"}, "format": "csv", "options": {"inferSchema": "true"}}, "CSV with inferSchema='true'"),
        ({"paths": {"1": "x"}, "format": "csv", "options": {"header": "false"}}, "CSV with header='false'"),
        ({"paths": {"1": "x"}, "format": "csv", "options": {"encoding": "klingon"}}, "no encoding 'klingon'"),
    ],
)
def test_what_needs_spark_is_told_before_anything_is_stored(spec: dict[str, Any], said: str, store: Store) -> None:
    with pytest.raises(ConfigurationError, match=said):
        run(store, **spec)
    assert store.begun == {}


def test_numbers_in_a_csv_file_are_told_to_be_text(tmp_path: Path, store: Store) -> None:
    (tmp_path / "x.csv").write_text("zip code,amount,city\n00501,1.5,a\n10001,-2e3,b\n")
    said: list[str] = []
    order = JobSpec(dataset="t", paths={"1": str(tmp_path)}, format="csv")
    ProfileJob(ArrowEngine(order), store, said.append).run()  # type: ignore[arg-type]
    (remark,) = [line for line in said if "profiled as text" in line]
    # A zip code is none: whoever had it typed would lose its zeros.
    assert remark.startswith("t 1: 'amount' read as numbers")
    assert "inferSchema=true" in remark


def test_a_file_of_another_format_is_told_by_the_argument_that_names_it(tmp_path: Path, store: Store) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    (found,) = run(store, paths={"1": str(tmp_path)})
    assert "x.csv cannot be read as parquet" in str(found.error)
    assert "source_format=" in str(found.error)


def test_what_only_spark_can_read_is_told_for_its_partition(tmp_path: Path, store: Store) -> None:
    write(tmp_path / "day=1" / "country=DE", TABLE)
    (nested,) = run(store, paths={"1": str(tmp_path / "day=1")})
    assert "sub-folder that is a column (country=DE)" in str(nested.error)
    (remote,) = run(store, paths={"1": "ftp://host/x"})
    assert "reads no ftp://: known are s3://, s3a://" in str(remote.error)


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
