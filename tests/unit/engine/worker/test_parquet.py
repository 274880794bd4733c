from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.engine.worker import parquet, task
from airflow_dq.engine.worker.parquet import RowGroups, merge_found, profile_lane, profile_row_groups, stamp_of
from airflow_dq.engine.worker.partial import partial_of
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.table import profile_table

OPTIONS = ProfileOptions()


def written(path: Path, table: pa.Table, key: str = "k", group: int = 2, schema: pa.Schema | None = None) -> RowGroups:
    """A slice of all row groups of a file that holds the table."""
    pq.write_table(table, path, row_group_size=group)
    groups = tuple(range(pq.read_metadata(path).num_row_groups))
    return RowGroups(key, str(path), stamp_of(str(path)), groups, schema or table.schema)


def test_only_the_columns_of_exactly_these_names_are_read(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2, 3], "a.b": ["x", "y", None], "a.": [True, False, None], "": [0.5, None, 1.0]})
    for names in (["a"], ["", "a.b"], ["a.", "a"]):
        schema = table.select(names).schema
        batches = list(written(tmp_path / "a.parquet", table, schema=schema).read())
        assert pa.Table.from_batches(batches) == table.select(names)


def test_values_come_in_the_types_that_spark_reads(tmp_path: Path) -> None:
    table = pa.table({"t": pa.array([1, None], pa.timestamp("ms", "CET")), "n": pa.nulls(2)})
    schema = pa.schema([("t", pa.timestamp("us", "UTC")), ("n", pa.int32())])
    (batch,) = written(tmp_path / "a.parquet", table, schema=schema).read()
    assert batch.schema.types == schema.types
    assert batch.column(0).cast(pa.int64()).to_pylist() == [1_000, None]


def test_what_is_below_a_microsecond_is_cut_off_towards_the_past(tmp_path: Path) -> None:
    nanos = [-(2**63) + 1, -1_001, -1_000, -1, 0, 999, 1_000, 2**63 - 1, None]
    table = pa.table({"t": pa.array(nanos, pa.timestamp("ns"))})
    schema = pa.schema([("t", pa.timestamp("us"))])
    batches = list(written(tmp_path / "a.parquet", table, schema=schema).read())
    micros = [None if nano is None else nano // 1_000 for nano in nanos]
    assert pa.Table.from_batches(batches) == pa.table({"t": pa.array(micros, pa.timestamp("us"))})


def test_numbers_with_more_digits_than_their_type_has_are_refused(tmp_path: Path) -> None:
    buffers = pa.array([99_999, 0, 1, 0], pa.int64()).buffers()
    column = pa.Array.from_buffers(pa.decimal128(4, 0), 2, [None, buffers[1]])
    with pytest.raises(pa.ArrowInvalid, match="precision"):
        list(written(tmp_path / "a.parquet", pa.table({"d": column})).read())


def test_slices_of_a_key_give_the_state_of_all_their_rows(tmp_path: Path) -> None:
    table = pa.table({"v": list(range(50)), "s": [f"{row % 7}" for row in range(50)]})
    slices = [
        written(tmp_path / "a.parquet", table.slice(0, 20), "a", 3),
        written(tmp_path / "b.parquet", table.slice(20, 10), "b", 3),
        written(tmp_path / "c.parquet", table.slice(30), "a", 100),
        written(tmp_path / "d.parquet", table.slice(0, 0), "d"),
    ]
    found = dict(profile_row_groups(slices, OPTIONS))
    assert set(found) == {"a", "b"}
    rows = {"a": pa.concat_tables([table.slice(0, 20), table.slice(30)]), "b": table.slice(20, 10)}
    for key, row in found.items():
        assert row is not None
        assert partial_of(row).profile(key, OPTIONS) == profile_table(rows[key], key, OPTIONS)


def test_small_row_groups_are_summarised_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    larger = task._larger

    def noting(state: object, table: pa.Table, options: ProfileOptions) -> object:
        sizes.append(table.num_rows)
        return larger(state, table, options)  # type: ignore[arg-type]

    monkeypatch.setattr(task, "_larger", noting)
    list(profile_row_groups([written(tmp_path / "a.parquet", pa.table({"v": list(range(1_000))}), group=5)], OPTIONS))
    assert sizes == [1_000]


def test_rows_are_decoded_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"v": pa.array(range(3 * parquet._BATCH_ROWS))})
    batches = list(written(tmp_path / "a.parquet", table, group=table.num_rows).read())
    assert {batch.num_rows for batch in batches} == {parquet._BATCH_ROWS}
    monkeypatch.setattr(parquet, "_BATCH_CELLS", 1_000)
    batches = list(written(tmp_path / "b.parquet", pa.table({"v": range(1_000), "w": range(1_000)})).read())
    assert {batch.num_rows for batch in batches} == {500}
    monkeypatch.setattr(parquet, "_BATCH_BYTES", 50_000)
    texts = pa.table({"v": [f"{row:05}" * 200 for row in range(1_000)]})
    batches = list(written(tmp_path / "c.parquet", texts, group=1_000).read())
    assert 40 <= batches[0].num_rows <= 50


def _of_short_groups(path: Path) -> tuple[pa.Table, RowGroups]:
    names = ["a", "a.b", "b", "t", "", "late"]
    kinds = [range(7), [*list("uvwxyz"), None], [None] * 6 + [1.5], [b"x"] * 7, ["v"] * 7, [[1], None, []] * 2 + [[2]]]
    table = pa.table(dict(zip(names, map(pa.array, kinds), strict=True)))
    return table, written(path, table, group=3)


@pytest.mark.parametrize("width", [1, 2, 4, 5, 6])
def test_short_row_groups_of_a_wide_table_are_read_whole_some_columns_after_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    table, groups = _of_short_groups(tmp_path / "a.parquet")
    monkeypatch.setattr(parquet, "_BATCH_ROWS", 2)
    expected = list(groups.read())
    monkeypatch.setattr(parquet, "SLICE_COLUMNS", width)
    batches = list(groups.read())
    assert pa.Table.from_batches(batches) == pa.Table.from_batches(expected) == table
    # As wide as a slice is not wide.
    assert [batch.num_rows for batch in batches] == ([3, 3, 1] if width < 6 else [2, 2, 2, 1])


@pytest.mark.parametrize(("limit", "most"), [("_SHORT_CELLS", 17), ("_SHORT_BYTES", 100)])
def test_longer_row_groups_of_a_wide_table_are_read_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    table, groups = _of_short_groups(tmp_path / "a.parquet")
    monkeypatch.setattr(parquet, "SLICE_COLUMNS", 2)
    monkeypatch.setattr(parquet, "_BATCH_ROWS", 2)
    monkeypatch.setattr(parquet, limit, most)
    batches = list(groups.read())
    assert [batch.num_rows for batch in batches] == [2, 2, 2, 1]
    assert pa.Table.from_batches(batches) == table


@pytest.mark.parametrize("change", ["gone", "rewritten", "touched", "damaged", "no permission"])
def test_a_key_whose_file_cannot_be_read_says_so_and_loses_no_other(tmp_path: Path, change: str) -> None:
    table = pa.table({"v": [f"value {row}" for row in range(2_000)]})
    first, bad, last, other = (
        written(tmp_path / name, table, key, 500) for name, key in zip("abcd", ("k", "k", "k", "other"), strict=True)
    )
    path = Path(bad.path)
    if change == "gone":
        path.unlink()
    elif change == "rewritten":
        pq.write_table(table.slice(1), path)
    elif change == "touched":
        os.utime(path, ns=(0, 0))
    elif change == "damaged":
        path.write_bytes(path.read_bytes()[:100] + b"\xff" * 3_000 + path.read_bytes()[3_100:])
        os.utime(path, ns=(bad.stamp[1], bad.stamp[1]))
    else:
        path.unlink()
        path.mkdir()
    found = list(profile_row_groups([first, bad, last, other], OPTIONS))
    assert [key for key, _ in found] == ["other", "k"]
    merged = dict(merge_found([*profile_row_groups([first], OPTIONS), *found]))
    assert merged.keys() == {"k", "other"}
    row = merged["k"]
    if change == "gone":
        assert row is not None
        assert str(partial_of(row).problem).startswith(f"the file {path} cannot be read (it is gone")
        assert partial_of(row).state is None
    else:
        assert row is None
    good = merged["other"]
    assert good is not None
    assert partial_of(good).profile("other", OPTIONS).row_count == 2_000


def test_lanes_share_the_variants_of_a_small_partition(tmp_path: Path) -> None:
    table = pa.table({"a": list(range(30)), "b": ["x", "y", "z"] * 10, "c": [True, False, None] * 10})
    slices = [written(tmp_path / "a.parquet", table.slice(0, 10)), written(tmp_path / "b.parquet", table.slice(10))]
    found = [row for lane in range(2) for _, row in profile_lane(slices, OPTIONS, 2, lane)]
    partials = [partial_of(row) for row in found if row is not None]
    assert [set(partial.variants) for partial in partials] == [{"a", "c"}, {"b"}]
    assert partials[0].join(partials[1]).profile("k", OPTIONS) == profile_table(table, "k", OPTIONS)
    assert partials[1].state is None
    Path(slices[1].path).write_bytes(b"")
    assert list(profile_lane(slices, OPTIONS, 2, 1)) == [("k", None)]
    assert list(profile_lane([written(tmp_path / "e.parquet", table.slice(0, 0))], OPTIONS, 2, 0)) == []
