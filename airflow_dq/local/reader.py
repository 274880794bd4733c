"""The rows of one partition's files, batch by batch, as the Spark job would read them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from airflow_dq.exceptions import ConfigurationError, SourceUnreadableError
from airflow_dq.local.schema import as_spark_reads, require_flat_names
from airflow_dq.profile.spec import JobSpec

FORMATS = ("parquet", "csv", "arrow")
_CSV_OPTIONS = {"sep": "sep", "delimiter": "sep", "header": "header", "escape": "escape", "quote": "quote"}


def read(path: Path, spec: JobSpec, where: str) -> Iterator[pa.RecordBatch]:
    """The rows of one file: at least one batch, even when it has none.

    :raises SourceUnreadableError: naming the file
    """
    try:
        match spec.format.lower():
            case "parquet":
                batches = _parquet(path)
            case "arrow":
                batches = _arrow(path)
            case _:
                batches = _csv(path, csv_options(spec.options))
        for batch in batches:
            yield as_spark_reads(batch)
    except (pa.ArrowException, OSError, EOFError, UnicodeError) as error:
        said = " ".join(str(error).split())
        raise SourceUnreadableError(f"{where}: the file {path} cannot be read ({said}). Write it again.") from error


def _parquet(path: Path) -> Iterator[pa.RecordBatch]:
    with pyarrow.parquet.ParquetFile(path) as file:
        require_flat_names(file.schema_arrow, str(path))
        yield _no_rows(file.schema_arrow)
        yield from file.iter_batches()


def _arrow(path: Path) -> Iterator[pa.RecordBatch]:
    with pa.memory_map(str(path)) as source, pyarrow.ipc.open_file(source) as file:
        require_flat_names(file.schema, str(path))
        yield _no_rows(file.schema)
        for index in range(file.num_record_batches):
            yield file.get_batch(index)


def _csv(path: Path, options: Mapping[str, str]) -> Iterator[pa.RecordBatch]:
    """Every column as text, as the Spark job reads CSV: a number's spelling is for the reader's schema to settle."""
    doubled = options["escape"] == options["quote"]
    if not doubled and _doubles_quotes(path, options):
        raise ConfigurationError(
            f"The file {path} doubles quotes inside of quoted values, and its escape character is said to be "
            f"{options['escape']!r}: give read_options={{'escape': '\"'}}, or write another escape character."
        )
    parse = pyarrow.csv.ParseOptions(
        delimiter=options["sep"],
        quote_char=options["quote"],
        double_quote=doubled,
        escape_char=False if doubled else options["escape"],
        newlines_in_values=True,
    )
    with pyarrow.csv.open_csv(str(path), parse_options=parse) as reader:
        names = reader.schema.names
    require_flat_names(reader.schema, str(path))
    convert = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=True,
    )
    with pyarrow.csv.open_csv(str(path), parse_options=parse, convert_options=convert) as reader:
        yield _no_rows(reader.schema)
        yield from reader


def _doubles_quotes(path: Path, options: Mapping[str, str]) -> bool:
    """Whether a doubled quote is more than an empty value; Spark takes such quotes as they are, pyarrow does not."""
    quote, sep = (re.escape(options[name].encode()) for name in ("quote", "sep"))
    ends = rb"[\r\n]|" + sep
    inside = re.compile(rb"(?<!^)(?<!\n)(?<!" + sep + rb")" + quote * 2 + rb"|" + quote * 2 + rb"(?!" + ends + rb"|$)")
    return inside.search(path.read_bytes()) is not None


def csv_options(options: Mapping[str, str]) -> dict[str, str]:
    """The options in effect.

    :raises ConfigurationError: when one is given that only Spark's reader has
    """
    found = {"sep": ",", "header": "true", "escape": "\\", "quote": '"'}
    for name, value in options.items():
        known = _CSV_OPTIONS.get(name.lower())
        if known is None or (known == "header" and value.lower() != "true"):
            raise ConfigurationError(
                f"engine='arrow' cannot read CSV with {name}={value!r}; it knows {', '.join(_CSV_OPTIONS)} (header is "
                "true). Use engine='spark'."
            )
        found[known] = value
    return found


def _no_rows(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)
