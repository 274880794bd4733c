"""The string columns of a lake, a bounded part of each: what a pattern index and a tag look at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from glob import glob
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from airflow_dq.exceptions import SourceMissingError, SourceUnreadableError

ROWS = 1_000
"""Rows of a table that are looked at: an index samples a hundred of them."""
_FORMATS = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv", ".arrow": "arrow", ".feather": "arrow"}


def tables(pattern: str) -> dict[str, Path]:
    """Table -> a file of it.  Files of one folder that are partitions or parts of one table count once.

    A table is a file by its path, or, where folders are named ``key=value`` or files are numbered parts, their folder.

    :raises SourceMissingError: when no file that can be read matches
    """
    found: dict[str, Path] = {}
    for name in sorted(glob(pattern, recursive=True)):
        path = Path(name)
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in inside:
            if file.suffix in _FORMATS and not file.name.startswith(("_", ".")):
                # The newest partition sorts last, and is what the next one will look like.
                found[_table(file)] = file
    if not found:
        raise SourceMissingError(f"No file of the kinds {', '.join(_FORMATS)} matches {pattern}.")
    return found


def string_columns(file: Path) -> Iterator[tuple[str, list[str | None]]]:
    """The string columns of a file's first rows: name and values.

    :raises SourceUnreadableError: when it cannot be read
    """
    try:
        head = _head(file)
    except (OSError, pa.ArrowException) as error:
        raise SourceUnreadableError(f"{file} cannot be read: {error}.") from error
    for name, column in zip(head.column_names, head.columns, strict=True):
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            yield name, pc.cast(column, pa.large_string()).to_pylist()


def _table(file: Path) -> str:
    parts = [part for part in file.parts[:-1] if "=" not in part]
    numbered = file.stem.startswith(("part-", "part_")) or len(parts) < len(file.parts) - 1
    return os.path.join(*parts) if numbered and parts else str(file)


def _head(file: Path) -> pa.Table:
    kind = _FORMATS[file.suffix]
    if kind == "parquet":
        source = pyarrow.parquet.ParquetFile(file)
        batches = list(next_rows(source.iter_batches(batch_size=ROWS)))
        return pa.Table.from_batches(batches, source.schema_arrow)
    if kind == "arrow":
        with pa.memory_map(str(file)) as mapped:
            opened = pyarrow.ipc.open_file(mapped)
            return opened.get_batch(0).slice(0, ROWS) if opened.num_record_batches else opened.schema.empty_table()
    parse = pyarrow.csv.ParseOptions(delimiter="\t" if file.suffix == ".tsv" else ",", newlines_in_values=True)
    with pyarrow.csv.open_csv(file, parse_options=parse) as reader:
        names = reader.schema.names
    texts = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    with pyarrow.csv.open_csv(file, parse_options=parse, convert_options=texts) as reader:
        return pa.Table.from_batches(list(next_rows(reader)), reader.schema)


def next_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The first rows of the first batch that has some."""
    for batch in batches:
        if batch.num_rows:
            yield batch.slice(0, ROWS)
            return
