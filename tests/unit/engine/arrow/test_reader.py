"""Partitions found and read without Spark."""

from __future__ import annotations

import bz2
import datetime
import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.engine.arrow.listing import PartitionFiles, find_partitions
from airflow_dq.engine.arrow.reader import reader_of
from airflow_dq.exceptions import ConfigurationError, SourceEmptyError, SourceMissingError, SourceUnreadableError
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.states.base import Kind


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")


def profiles(
    found: list[PartitionFiles], options: ProfileOptions | None = None, format: str | None = None, **read_options: str
) -> list[Profile]:
    reader = reader_of([one.files[0] for one in found], format, read_options)
    return [reader.profile(one.key, one.files, options or ProfileOptions(), f"Partition {one.key}") for one in found]


def kinds(folder: Path, **read_options: str) -> dict[str | None, dict[str, Kind]]:
    found = profiles(find_partitions([f"{folder}/*.csv"]), **read_options)
    return {one.partition: {column.name: column.kind for column in one.columns.values()} for one in found}


def keys(found: list[PartitionFiles]) -> list[str]:
    return [one.key for one in found]


def test_keys_are_what_the_star_matches_in_natural_order(tmp_path: Path) -> None:
    write(tmp_path, day10="a\n1\n", day9="a\n1\n", day100="a\n1\n")
    assert keys(find_partitions([f"{tmp_path}/day*.csv"])) == ["9", "10", "100"]
    assert keys(find_partitions([f"{tmp_path}/*.csv"])) == ["day9", "day10", "day100"]
    # As a shell expands it when nobody quoted it.
    assert keys(find_partitions([str(path) for path in tmp_path.glob("*.csv")])) == ["day9", "day10", "day100"]


def test_paths_that_a_shell_expanded_have_the_keys_of_the_pattern(tmp_path: Path) -> None:
    for date in ("2024-01-09", "2024-01-10"):
        folder = tmp_path / f"day={date}"
        folder.mkdir()
        (folder / "part-0.csv.gz").write_bytes(gzip.compress(b"a\n1\n"))
    paths = sorted(str(path) for path in tmp_path.iterdir())
    assert keys(find_partitions(paths)) == ["2024-01-09", "2024-01-10"]
    files = sorted(str(path) for path in tmp_path.glob("*/*"))
    assert keys(find_partitions(files)) == ["2024-01-09", "2024-01-10"]


def test_a_folder_is_one_partition_without_its_side_files(tmp_path: Path) -> None:
    folder = tmp_path / "day=2024-01-01T10%3A00"
    (folder / "_temporary").mkdir(parents=True)
    (folder / "hour=1").mkdir()
    for name in ("b.parquet", "a.parquet", "hour=1/c.parquet", "_temporary/d.parquet"):
        pq.write_table(pa.table({"n": [1, 2]}), folder / name)
    for name in ("_SUCCESS", ".part.crc", "x.tmp"):
        (folder / name).write_bytes(b"")
    (tmp_path / "day=empty").mkdir()
    (one,) = find_partitions([f"{tmp_path}/day=*"])
    assert one.key == "2024-01-01T10:00"
    assert [path.name for path in one.files] == ["a.parquet", "b.parquet", "c.parquet"]
    (profile,) = profiles([one])
    assert profile.row_count == 6
    assert profile.columns["n"].metrics["sum"] == 9.0


def test_a_file_is_profiled_like_the_table_in_it(tmp_path: Path) -> None:
    table = pa.table({"n": [1.5, None, 3.0], "s": ["a", "", None], "d": [datetime.date(2024, 1, 1)] * 3})
    pq.write_table(table, tmp_path / "1.parquet")
    options = ProfileOptions(exclude=("d",))
    (one,) = find_partitions([f"{tmp_path}/*.parquet"])
    assert profiles([one], options) == [profile_table(table, "1", options)]
    pq.write_table(table.slice(0, 0), tmp_path / "1.parquet")
    assert profiles([one])[0].row_count == 0


@pytest.mark.parametrize("name", ["1.csv", "1.csv.gz", "1.CSV.bz2", "1.tsv"])
def test_text_files_may_be_compressed(tmp_path: Path, name: str) -> None:
    text = b"n;s\n1;x,y\n2;z\n".replace(b";", b"\t" if "tsv" in name else b";")
    packed = gzip.compress(text) if name.endswith("gz") else bz2.compress(text) if name.endswith("bz2") else text
    (tmp_path / name).write_bytes(packed)
    one = PartitionFiles("1", (tmp_path / name,))
    (profile,) = profiles([one], inferSchema="true")
    assert (profile.row_count, list(profile.columns), profile.columns["n"].metrics["sum"]) == (2, ["n", "s"], 3.0)


@pytest.mark.parametrize("text", ['[{"n": 1, "s": "a"},\n {"n": 2.5}]', '\ufeff [{"n": 1, "s": "a"}, {"n": 2.5}]\n'])
def test_a_list_of_rows_is_json_too(text: str, tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text(text, encoding="utf-8")
    (one,) = find_partitions([f"{tmp_path}/*.json"])
    (profile,) = profiles([one])
    assert (profile.row_count, profile.columns["n"].metrics["max"]) == (2, 2.5)
    (tmp_path / "1.json").write_text(text[:-3], encoding="utf-8")
    with pytest.raises(SourceUnreadableError, match=r"1\.json cannot be read"):
        profiles([one])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('id,t\n1,"say ""hi"""\n', 'say "hi"'),
        ('id,t\n1,"say \\"hi\\", he"\n', 'say "hi", he'),
        ("id,t\n1,caf\xe9\n", "caf\ufffd"),
    ],
)
def test_csv_text_is_what_the_engines_read(text: str, value: str, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_bytes(text.encode("latin-1"))
    (one,) = find_partitions([f"{tmp_path}/*.csv"])
    (typed,) = profiles([one], inferschema="TRUE")
    assert typed.fingerprint == profile_table(pa.table({"id": [1], "t": [value]}), "1").fingerprint
    (profile,) = profiles([one])
    assert profile.fingerprint == profile_table(pa.table({"id": ["1"], "t": [value]}), "1").fingerprint


def test_json_lines(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_text('{"n": 1, "s": "a"}\n{"n": 2.5}\n', encoding="utf-8")
    (one,) = find_partitions([f"{tmp_path}/*.jsonl"])
    (profile,) = profiles([one])
    assert profile.columns["n"].metrics["sum"] == 3.5
    assert profile.columns["s"].metrics["complete_ratio"] == 0.5


def test_csv_columns_are_text_as_for_a_job_unless_types_are_asked_for(tmp_path: Path) -> None:
    write(tmp_path, a="n,t,code\n1,2024-01-01,7\n", b="n,t,code\n1.5,2024-01-02,X7\n", c="n,t,code\n,2024-01-03,Y\n")
    (zip_code,) = (
        column for column in profiles(find_partitions([f"{tmp_path}/*.csv"]))[0].columns.values() if column.name == "n"
    )
    assert zip_code.kind is Kind.STRING
    every = {"n": Kind.NUMERIC, "t": Kind.TIMESTAMP, "code": Kind.STRING}
    assert kinds(tmp_path, inferSchema="true") == {"a": every, "b": every, "c": {**every, "n": Kind.NULL}}


def test_one_file_with_other_values_does_not_change_the_type_of_all(tmp_path: Path) -> None:
    write(tmp_path, **{f"d{place}": "n,m\n1,2\n2,3\n" for place in range(8)}, d8="n,m\n1,2\nunknown,3\n")
    found = kinds(tmp_path, inferSchema="true")
    assert found["d7"] == {"n": Kind.NUMERIC, "m": Kind.NUMERIC}
    assert found["d8"] == {"n": Kind.STRING, "m": Kind.NUMERIC}


@pytest.mark.parametrize("options", [{}, {"inferSchema": "true"}])
def test_only_an_empty_value_is_null_typed_or_not(options: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path, a='s,n\nNA,1\n"",2\n,3\nnull,4\n')
    (profile,) = profiles(find_partitions([f"{tmp_path}/*.csv"]), **options)
    assert profile.columns["s"].metrics["complete_ratio"] == 0.5


def test_read_options_of_csv_are_those_of_a_job(tmp_path: Path) -> None:
    write(tmp_path, a="s|n\n'x|y'|1\n")
    (profile,) = profiles(find_partitions([f"{tmp_path}/*.csv"]), sep="|", quote="'")
    assert profile.fingerprint == profile_table(pa.table({"s": ["x|y"], "n": ["1"]}), "a").fingerprint
    with pytest.raises(ConfigurationError, match="CSV with mode='PERMISSIVE' can be read by Spark only"):
        profiles(find_partitions([f"{tmp_path}/*.csv"]), mode="PERMISSIVE")
    pq.write_table(pa.table({"n": [1]}), tmp_path / "1.parquet")
    with pytest.raises(ConfigurationError, match="no read options for parquet"):
        profiles(find_partitions([f"{tmp_path}/*.parquet"]), sep="|")


def test_quoted_line_breaks_are_part_of_a_value(tmp_path: Path) -> None:
    write(tmp_path, a='s,n\n"one\ntwo",1\n')
    (one,) = find_partitions([f"{tmp_path}/*.csv"])
    assert profiles([one])[0].columns["s"].metrics["str_len"] == 7.0


@pytest.mark.parametrize("name", ["1.csv", "1.parquet", "1.csv.gz", "1.jsonl"])
def test_an_unreadable_file_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"{" if "json" in name else b"" if "parquet" in name else b"\x1f\x8bbroken")
    one = PartitionFiles("1", (tmp_path / name,))
    with pytest.raises(SourceUnreadableError, match=rf"{name} cannot be read"):
        profiles([one])


def test_what_cannot_be_found_is_explained(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"has no \*"):
        find_partitions([f"{tmp_path}/a.csv"])
    with pytest.raises(ConfigurationError, match=r"has 2 \*"):
        find_partitions([f"{tmp_path}/*/*.csv"])
    with pytest.raises(SourceMissingError, match="Nothing matches"):
        find_partitions([f"{tmp_path}/*.csv"])
    with pytest.raises(SourceMissingError, match=r"b\.csv does not exist"):
        find_partitions([f"{tmp_path}/a.csv", f"{tmp_path}/b.csv"][::-1])
    (tmp_path / "day=1").mkdir()
    with pytest.raises(SourceEmptyError, match="holds no data file"):
        find_partitions([f"{tmp_path}/day=*"])


def test_a_format_must_be_known_and_one(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"x")
    with pytest.raises(ConfigurationError, match=r"a\.xlsx cannot be told"):
        profiles(find_partitions([f"{tmp_path}/*.xlsx"]))
    write(tmp_path, a="n\n1\n")
    (tmp_path / "a.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="several formats"):
        profiles([PartitionFiles("1", (tmp_path / "a.csv",)), PartitionFiles("2", (tmp_path / "a.json",))])
    (tmp_path / "a.dat").write_text("n\n1\n", encoding="utf-8")
    (one,) = find_partitions([f"{tmp_path}/*.dat"])
    assert profiles([one], format="csv")[0].row_count == 1


@pytest.mark.parametrize("options", [{}, {"inferSchema": "true"}])
def test_a_file_that_ends_inside_quotes_is_an_error_with_its_line(options: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path, a='id,t\n1,x\n2,"6 inch pipe\n3,y\n')
    (one,) = find_partitions([f"{tmp_path}/*.csv"])
    with pytest.raises(SourceUnreadableError, match=r"a\.csv .* ends inside quotes, .* begins in line 3 is never"):
        profiles([one], **options)
    assert profiles([one], quote="", **options)[0].row_count == 3
