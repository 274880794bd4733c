"""The rows of one partition's files, batch by batch, as the Spark job would read them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from airflow_dq.engine.arrow.schema import as_spark_reads, require_flat_names
from airflow_dq.engine.csv_text import HEAD, csv_content, doubles_quotes, escape_of, safe_header
from airflow_dq.exceptions import ConfigurationError, SourceUnreadableError
from airflow_dq.options.job import JobSpec

FORMATS = ("parquet", "csv", "arrow")
_CSV_OPTIONS = {
    "sep": "sep",
    "delimiter": "sep",
    "header": "header",
    "escape": "escape",
    "quote": "quote",
    "encoding": "encoding",
    "charset": "encoding",
}


def read(path: Path, spec: JobSpec, where: str) -> Iterator[pa.RecordBatch]:
    """The rows of one file: at least one batch, even when it has none, unless it has no columns either.

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
        raise SourceUnreadableError(
            f"{where}: the file {path} cannot be read as {spec.format.lower()} ({said}). Write it again, or name the "
            "format that it has (source_format=..., --format)."
        ) from error


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
    content = csv_content(path, options["encoding"])
    if not content:
        return
    sep, quote = options["sep"], options["quote"]
    escape = options.get("escape") or escape_of(content[:HEAD].decode("utf-8", "ignore"), sep, quote)
    _require_spelling(path, content.decode(), sep, quote, escape)
    parse = pyarrow.csv.ParseOptions(
        delimiter=sep,
        quote_char=quote,
        double_quote=escape == quote,
        escape_char=False if escape == quote else escape,
        newlines_in_values=True,
    )
    with pyarrow.csv.open_csv(pa.BufferReader(content), parse_options=parse) as reader:
        names = reader.schema.names
    convert = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=True,
    )
    with pyarrow.csv.open_csv(pa.BufferReader(content), parse_options=parse, convert_options=convert) as reader:
        yield _no_rows(pa.schema([(name, pa.string()) for name in safe_header(names)]))
        for batch in reader:
            yield batch.rename_columns(safe_header(names))


def _require_spelling(path: Path, text: str, sep: str, quote: str, escape: str) -> None:
    """Refuse what pyarrow would take for other characters than Spark does."""
    if escape == quote:
        return
    if doubles_quotes(text, sep, quote):
        raise ConfigurationError(
            f"The file {path} doubles quotes inside of quoted values, and its escape character is said to be "
            f"{escape!r}: give read_options={{'escape': '{quote}'}}, or write another escape character."
        )
    mark = re.escape(escape)
    found = re.search(rf"(?<!{mark})(?:{mark}{mark})*{mark}(?![{re.escape(quote + escape)}])", text)
    if found:
        raise ConfigurationError(
            f"The file {path} has {escape!r} before quotes, which it escapes, and before other characters as well (at "
            f"{text[max(0, found.start() - 10) : found.end() + 10]!r}): use engine='spark', which tells them apart."
        )


def csv_options(options: Mapping[str, str]) -> dict[str, str]:
    """The options in effect.

    :raises ConfigurationError: when one is given that only Spark's reader has
    """
    found = {"sep": ",", "header": "true", "quote": '"', "encoding": "utf-8"}
    for name, value in options.items():
        known = _CSV_OPTIONS.get(name.lower())
        if known is None or (known == "header" and value.lower() != "true"):
            raise ConfigurationError(
                f"engine='arrow' cannot read CSV with {name}={value!r}; it knows {', '.join(_CSV_OPTIONS)} (header is "
                "true). Use engine='spark'."
            )
        found[known] = value
    try:
        "".encode(found["encoding"])
    except LookupError:
        raise ConfigurationError(
            f"engine='arrow' knows no encoding {found['encoding']!r}: use engine='spark'."
        ) from None
    return found


def _no_rows(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)
