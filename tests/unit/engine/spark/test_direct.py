from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.types import (
    BinaryType,
    DataType,
    DateType,
    DecimalType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

from airflow_dq.engine.spark import direct_file
from airflow_dq.engine.spark.direct import SETTINGS, require_plain_order, require_settings
from airflow_dq.engine.spark.direct_column import columns_of, type_read
from airflow_dq.engine.spark.direct_file import (
    inspect_file,
    plain_files,
    require_no_other_folders,
    require_one_kind,
    require_room,
)
from airflow_dq.engine.spark.direct_scan import share_out
from airflow_dq.engine.spark.listing import DataFile, Listing
from airflow_dq.engine.spark.refused import RefusedError
from airflow_dq.engine.worker.parquet import RowGroups
from airflow_dq.exceptions import UnknownColumnError
from airflow_dq.options.job import JobSpec
from airflow_dq.options.profile import ProfileOptions


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ({"table": "t", "partition": "a"}, "not read from Parquet files"),
        ({"sql": "select 1", "partition": "a"}, "not read from Parquet files"),
        ({"paths": {"a": "/x"}, "format": "csv"}, "not read from Parquet files"),
        ({"paths": {"a": "/x"}, "format": "delta"}, "not read from Parquet files"),
        ({"paths": {"a": "/x"}, "options": {"pathGlobFilter": "*.p"}}, "pathGlobFilter"),
        ({"paths": {"a": "/x"}, "options": {"modifiedBefore": "2020-01-01"}}, "modifiedBefore"),
        ({"paths": {"a": "/x"}, "options": {"schema": "v int"}}, "schema"),
    ],
)
def test_an_order_of_anything_but_parquet_as_it_is_is_refused(order: dict[str, object], reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        require_plain_order(JobSpec(dataset="d", **order))  # type: ignore[arg-type]


def test_a_plain_order_and_session_are_taken() -> None:
    require_plain_order(JobSpec(dataset="d", paths={"a": "/x"}, format="Parquet"))
    require_settings(dict(SETTINGS))
    require_settings({name: value or None for name, value in SETTINGS.items()})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.airflow_dq.direct", "false"),
        ("spark.sql.session.timeZone", "Europe/Berlin"),
        ("spark.sql.parquet.datetimeRebaseModeInRead", "LEGACY"),
        ("spark.sql.parquet.fieldId.read.enabled", "true"),
        ("spark.sql.files.ignoreCorruptFiles", "true"),
        ("spark.sql.files.ignoreMissingFiles", "true"),
        ("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension"),
        ("spark.hadoop.fs.file.impl", "org.example.FileSystem"),
    ],
)
def test_a_session_that_may_read_otherwise_is_refused(name: str, value: str) -> None:
    assert name in SETTINGS
    with pytest.raises(RefusedError, match=f"{name} is {value}"):
        require_settings({**SETTINGS, name: value})


def _listing(*paths: str, root: str = "file:/lake/day=1") -> Listing:
    return Listing((root,), tuple(DataFile(path, 1) for path in paths), False)


def test_plain_files_right_at_the_path_are_taken_under_their_local_names() -> None:
    inside = _listing("file:/lake/day=1/a b%20.parquet", "file:///lake/day=1/ß.parquet")
    assert plain_files(inside) == [("/lake/day=1/a b%20.parquet", 1), ("/lake/day=1/ß.parquet", 1)]
    assert plain_files(_listing("file:/x:y.parquet", root="file:///x:y.parquet")) == [("/x:y.parquet", 1)]


@pytest.mark.parametrize("path", ["hdfs://name/lake/day=1", "s3a://bucket/lake/day=1", "dbfs:/lake/day=1", "lake"])
def test_files_elsewhere_are_refused(path: str) -> None:
    with pytest.raises(RefusedError, match="no local file"):
        plain_files(_listing(f"{path}/a.parquet", root=path))


def test_files_in_folders_below_and_too_many_or_no_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RefusedError, match=r"region=eu/a\.parquet lies in a folder below"):
        plain_files(_listing("file:/lake/day=1/region=eu/a.parquet"))
    with pytest.raises(RefusedError, match="0 files"):
        plain_files(_listing())
    monkeypatch.setattr(direct_file, "_MOST_FILES", 1)
    with pytest.raises(RefusedError, match="2 files"):
        plain_files(_listing("file:/lake/day=1/a", "file:/lake/day=1/b"))


@pytest.mark.parametrize("log", ["_spark_metadata", "_delta_log"])
def test_a_folder_whose_log_says_which_files_count_is_refused(tmp_path: Path, log: str) -> None:
    (tmp_path / log).mkdir()
    with pytest.raises(RefusedError, match=log):
        plain_files(_listing(f"file:{tmp_path}/a.parquet", root=f"file:{tmp_path}"))


def test_folders_of_further_keys_are_refused() -> None:
    require_no_other_folders(_listing(root="file:/lake/day=1"), "/lake/")
    with pytest.raises(RefusedError, match="region=eu/day=1 lies in a folder"):
        require_no_other_folders(_listing(root="file:/lake/region=eu/day=1"), "/lake")


def test_a_footer_is_looked_at_and_an_old_calendar_or_another_size_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "a.parquet")
    table = pa.table({"v": [1, 2, 3]})
    pq.write_table(table.replace_schema_metadata({"org.apache.spark.version": "3.5.1"}), path, row_group_size=2)
    size = Path(path).stat().st_size
    found = inspect_file(path, size)
    assert (len(found.groups), found.schema, found.noted) == (2, table.schema, None)
    with pytest.raises(RefusedError, match="changed"):
        inspect_file(path, size + 1)
    for marks in (
        {"org.apache.spark.version": "2.4.8"},
        {"org.apache.spark.version": "3.0.0", "org.apache.spark.legacyDateTime": ""},
    ):
        pq.write_table(table.replace_schema_metadata(marks), path)
        with pytest.raises(RefusedError, match="calendar"):
            inspect_file(path, Path(path).stat().st_size)


def test_files_of_different_schemas_are_refused(tmp_path: Path) -> None:
    def written(name: str, table: pa.Table) -> direct_file.File:
        pq.write_table(table, tmp_path / name)
        return inspect_file(str(tmp_path / name), (tmp_path / name).stat().st_size)

    first = written("a", pa.table({"v": pa.array([1])}))
    require_one_kind((first, written("b", pa.table({"v": pa.array([], pa.int64())}))))
    noted = {"org.apache.spark.sql.parquet.row.metadata": "{}"}
    for other in (
        pa.table({"v": pa.array([1], pa.int32())}),
        pa.table({"w": pa.array([1])}),
        pa.table({"v": pa.array([1])}, pa.schema([pa.field("v", pa.int64(), nullable=False)])),
        pa.table({"v": pa.array([1])}).replace_schema_metadata(noted),
    ):
        with pytest.raises(RefusedError, match=r"schemas of .*a and .*c differ"):
            require_one_kind((first, written("c", other)))


@pytest.mark.parametrize(
    ("arrow", "spark"),
    [
        (pa.int32(), pa.int32()),
        (pa.large_string(), pa.string()),
        (pa.dictionary(pa.int32(), pa.string()), pa.string()),
        (pa.timestamp("ms", "Europe/Berlin"), pa.timestamp("us", "UTC")),
        (pa.timestamp("us"), pa.timestamp("us")),
        (pa.decimal128(9, 2), pa.decimal128(9, 2)),
        (pa.null(), pa.int32()),
    ],
)
def test_types_that_both_readers_read_alike(arrow: pa.DataType, spark: pa.DataType) -> None:
    assert type_read(arrow, spark) == spark


def test_counts_of_nanoseconds_become_timestamps() -> None:
    assert type_read(pa.timestamp("ns"), pa.int64()) == pa.timestamp("us")
    assert type_read(pa.timestamp("ns", "CET"), pa.int64()) == pa.timestamp("us", "UTC")


@pytest.mark.parametrize(
    ("arrow", "spark"),
    [
        (pa.uint8(), pa.int16()),
        (pa.uint64(), pa.decimal128(20, 0)),
        (pa.timestamp("us"), pa.int64()),
        (pa.timestamp("ns"), pa.timestamp("us")),
        (pa.timestamp("ns"), pa.timestamp("us", "UTC")),
        (pa.timestamp("us"), pa.timestamp("us", "UTC")),
        (pa.timestamp("us", "UTC"), pa.timestamp("us")),
        (pa.duration("us"), pa.int64()),
        (pa.time64("us"), pa.time64("ns")),
        (pa.float16(), pa.float32()),
        (pa.binary(2), pa.binary()),
        (pa.binary(), pa.string()),
        (pa.string(), pa.binary()),
        (pa.date64(), pa.date32()),
        (pa.int8(), pa.int32()),
        (pa.decimal128(9, 2), pa.decimal128(10, 2)),
        (pa.decimal256(40, 2), pa.decimal128(38, 2)),
        (pa.dictionary(pa.int32(), pa.int64()), pa.int64()),
        (pa.list_(pa.int32()), pa.list_(pa.int32())),
        (pa.struct([("a", pa.int32())]), pa.struct([("a", pa.int32())])),
        (pa.uuid(), pa.binary()),
    ],
)
def test_types_that_they_may_read_differently(arrow: pa.DataType, spark: pa.DataType) -> None:
    assert type_read(arrow, spark) is None


def _inferred(**types: DataType) -> StructType:
    return StructType([StructField(name, data_type) for name, data_type in types.items()])


def test_columns_come_in_the_types_of_spark_and_only_those_asked_for() -> None:
    schema = pa.schema([("a", pa.timestamp("ms", "CET")), ("b", pa.list_(pa.int8())), ("c", pa.decimal128(9, 2))])
    inferred = _inferred(a=TimestampType(), b=VariantType(), c=DecimalType(9, 2))
    found = columns_of(schema, inferred, ProfileOptions(exclude=("b",)))
    assert found.schema == pa.schema([("a", pa.timestamp("us", "UTC")), ("c", pa.decimal128(9, 2))])
    assert list(found.empty.columns) == ["a", "c"]


@pytest.mark.parametrize(
    ("schema", "inferred", "reason"),
    [
        (pa.schema([("a", pa.int64()), ("b", pa.uint8())]), _inferred(a=LongType(), b=ShortType()), "'b' is read as"),
        (pa.schema([("a", pa.int64()), ("b", pa.int8())]), _inferred(b=LongType(), a=LongType()), "names"),
        (pa.schema([("a", pa.int64())]), _inferred(), "names"),
        (pa.schema([("a", pa.int64())] * 2), StructType([StructField("a", LongType())] * 2), "names"),
        (pa.schema([("a\0", pa.int64())]), _inferred(**{"a\0": LongType()}), "names"),
        (pa.schema([]), _inferred(), "none of its columns is profiled"),
        (pa.schema([("a", pa.timestamp("us"))]), _inferred(a=TimestampType()), "'a' is read as timestamp"),
        (pa.schema([("a", pa.binary())]), _inferred(a=StringType()), "'a' is read as binary"),
        (pa.schema([("a", pa.string())]), _inferred(a=BinaryType()), "'a' is read as string"),
        (pa.schema([("a", pa.int64())]), _inferred(a=VariantType()), "'a' is read as int64"),
    ],
)
def test_columns_on_which_they_may_not_agree_are_refused(schema: pa.Schema, inferred: StructType, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        columns_of(schema, inferred, ProfileOptions())


def test_wide_row_groups_are_refused_unless_they_are_small_or_few_of_their_columns_are_profiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(direct_file, "_MOST_COLUMNS", 2)
    monkeypatch.setattr(direct_file, "_MOST_BYTES", 100)
    small, large = (
        direct_file.File(name, (0, 0), groups, pa.schema([]), "", None)
        for name, groups in (("small", (100, 100)), ("large", (100, 101)))
    )
    require_room(3, [small])
    require_room(2, [small, large])
    with pytest.raises(RefusedError, match="3 columns are profiled, and a row group of large is large"):
        require_room(3, [small, large])


def test_a_column_with_a_note_and_one_that_is_unknown_are_refused() -> None:
    # A fixed-length text, which Spark may pad.
    noted = StructType([StructField("a", StringType(), True, {"__CHAR_VARCHAR_TYPE_STRING": "char(3)"})])
    with pytest.raises(RefusedError, match="'a'"):
        columns_of(pa.schema([("a", pa.string())]), noted, ProfileOptions())
    with pytest.raises(UnknownColumnError, match="'z'"):
        columns_of(pa.schema([("a", pa.date32())]), _inferred(a=DateType()), ProfileOptions(columns=("z",)))
    assert columns_of(
        pa.schema([("a", pa.timestamp("us")), ("b", pa.int32())]),
        _inferred(a=TimestampNTZType(), b=IntegerType()),
        ProfileOptions(),
    ).schema.names == ["a", "b"]


def _slices(*sizes: int, files: int = 1) -> list[tuple[RowGroups, int]]:
    schema = pa.schema([("a", pa.int64())])
    return [
        (
            RowGroups(str(number * files // len(sizes)), str(number * files // len(sizes)), (1, 1), (number,), schema),
            size,
        )
        for number, size in enumerate(sizes)
    ]


def test_row_groups_are_shared_out_evenly_and_neighbours_stay_together() -> None:
    megabyte = 2**20
    shares = share_out(_slices(*[megabyte] * 8), cores=2)
    assert [share[0].groups for share in shares] == [(0, 1), (2, 3), (4, 5), (6, 7)]
    many = share_out(_slices(*[10] * 60, files=60), cores=2)
    assert [len(share) for share in many] == [15] * 4
    # A large one has a task to itself; none is lost, whatever their sizes.
    uneven = share_out(_slices(0, 900 * megabyte, 0, 5 * megabyte, 3), cores=2)
    assert sorted(group for share in uneven for one in share for group in one.groups) == [0, 1, 2, 3, 4]
    assert len(share_out(_slices(7), cores=8)) == 1
    # As much as there is for each of few cores would be too much for one task.
    assert len(share_out(_slices(*[128 * megabyte] * 40), cores=1)) == 40
    assert share_out([], cores=8) == []
