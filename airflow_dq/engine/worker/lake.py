"""The string columns of a lake's files, a bounded part of each: what a pattern index and a tag look at."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from airflow_dq.exceptions import SourceUnreadableError
from airflow_dq.pattern.contribution import sampled
from airflow_dq.pattern.generalise import LONGEST

ROWS = 1_000
"""Rows of a table that are looked at: an index samples a hundred of them."""
FORMATS = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv", ".arrow": "arrow", ".feather": "arrow"}
Source = str | bytes
"""A local path, or what a file holds."""


def suffix_of(file: str) -> str:
    """How a file's name ends, from the last dot on; nothing without one."""
    return "".join(file.rpartition("/")[2].rpartition(".")[1:])


def string_columns(file: str, source: Source | None = None) -> Iterator[tuple[str, list[str | None]]]:
    """The string columns of a file's first rows: name and values, cut where no pattern looks any further.

    :param file: its path
    :param source: where it is read from, if not from that path
    :raises SourceUnreadableError: when it cannot be read
    """
    try:
        head = _head(file if source is None else source, FORMATS[suffix_of(file)], suffix_of(file) == ".tsv")
    except (OSError, pa.ArrowException) as error:
        raise SourceUnreadableError(f"{file} cannot be read: {error}.") from error
    for name, column in zip(head.column_names, head.columns, strict=True):
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            yield name, pc.utf8_slice_codeunits(column.cast(pa.large_string()), 0, LONGEST + 1).to_pylist()


def samples_of(file: str, source: Source | None = None) -> list[list[str]]:
    """The sampled values of each string column that has some; as :func:`string_columns`."""
    return [sample for _, values in string_columns(file, source) if (sample := sampled(values))]


def _head(source: Source, kind: str, tabs: bool) -> pa.Table:
    if kind == "parquet":
        with pa.parquet.ParquetFile(_opened(source)) as file:
            return pa.Table.from_batches(list(_first(file.iter_batches(batch_size=ROWS))), file.schema_arrow)
    if kind == "arrow":
        with pa.ipc.open_file(_opened(source)) as opened:
            batches = (opened.get_batch(number) for number in range(opened.num_record_batches))
            return pa.Table.from_batches(list(_first(batches)), opened.schema)
    parse = pa.csv.ParseOptions(delimiter="\t" if tabs else ",", newlines_in_values=True)
    with pa.csv.open_csv(_opened(source), parse_options=parse) as reader:
        names = reader.schema.names
    texts = pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    with pa.csv.open_csv(_opened(source), parse_options=parse, convert_options=texts) as reader:
        return pa.Table.from_batches(list(_first(reader)), reader.schema)


def _opened(source: Source) -> str | io.BytesIO:
    return source if isinstance(source, str) else io.BytesIO(source)


def _first(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The first rows of the first batch that has some."""
    for batch in batches:
        if batch.num_rows:
            yield batch.slice(0, ROWS)
            return
