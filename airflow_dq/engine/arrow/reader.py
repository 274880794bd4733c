"""The rows of one partition's files, batch by batch, as the Spark job would read them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.ipc
import pyarrow.json
import pyarrow.parquet

from airflow_dq.engine.arrow.csv import Types, read_csv, settled_types
from airflow_dq.engine.arrow.schema import as_spark_reads, no_rows, require_flat_names
from airflow_dq.engine.csv_text import CsvFormat
from airflow_dq.engine.data_file import DataFile, StoredFile, opened, unpacked
from airflow_dq.exceptions import ConfigurationError, SourceUnreadableError
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import TableState

FORMATS: Mapping[str, str] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".arrow": "arrow",
}
"""Ending of a file's name -> its format; a compression's ending may follow."""
_COMPRESSED = (".gz", ".bz2", ".zst", ".lz4")
_CSV_OPTIONS = ("sep", "delimiter", "header", "escape", "quote", "encoding", "charset")
_PLACE = re.compile(
    r"(?:In CSV column #\d+: |CSV parse error: |JSON parse error: )(?:Row #\d+: )?(?:Expected \d+ columns, got \d+)?"
)
"""How pyarrow's messages begin, before they quote the data."""
_ADVICE = "Write it again, or name the format that it has (source_format=..., --format)."
_ADVICE_STORED = f"See whether its store answers; if so: {_ADVICE[0].lower()}{_ADVICE[1:]}"
_JSON_BLOCK = 1 << 26
"""Bytes of JSON that pyarrow looks at to settle types: enough for a row of any size."""


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads files of one format."""

    format: str
    """parquet, csv, json or arrow."""
    csv: CsvFormat = field(default_factory=CsvFormat)
    types: Types = field(default_factory=dict)
    """Types of CSV columns, where these are typed."""

    def profile(self, partition: str, files: Iterable[DataFile], options: ProfileOptions, where: str) -> Profile:
        """The profile of the rows of all files.

        :param where: the partition, as an error names it
        :raises SourceUnreadableError: naming the file that cannot be read
        :raises ProfileError: when the values cannot be profiled
        :raises UnknownColumnError: when ``options.columns`` names one that is in no file
        """
        # Text files of 0 bytes have no columns, and come in no batch.
        batches = (batch for path in files for batch in self.batches(path, where))
        return TableState.of_all(batches, options).profile(partition, options)

    def batches(self, path: DataFile, where: str) -> Iterator[pa.RecordBatch]:
        """The rows of one file: at least one batch, even when it has none, unless it has no columns either.

        :raises SourceUnreadableError: naming the file
        """
        try:
            yield from self._read(path)
        except FileNotFoundError as error:
            raise SourceUnreadableError(
                f"{where}: the file {path} was there when its folder was listed, and is gone: something writes the "
                "partition while it is read. Profile it again when that is done."
            ) from error
        except (pa.ArrowException, OSError, EOFError, ValueError) as error:
            advice = _ADVICE_STORED if isinstance(path, StoredFile) else _ADVICE
            said, kind = (
                f"{where}: the file {path} cannot be read as {self.format} ({reason}). {advice}"
                for reason in (" ".join(str(error).split()), _kind(error))
            )
            raise SourceUnreadableError(said, discreet=kind) from error

    def _read(self, path: DataFile) -> Iterator[pa.RecordBatch]:
        match self.format:
            case "parquet":
                return _parquet(path)
            case "arrow":
                return _arrow(path)
            case "json":
                return _json(path)
            case _:
                return read_csv(path, self.csv, self.types)


def reader_of(files: Sequence[DataFile], format: str | None, options: Mapping[str, str]) -> FileReader:
    """The reader of files of which nobody but their names may have said what they are.

    :param files: one of each partition; with the read option ``inferSchema`` they settle the types of columns
    :param format: None: as the names of the files end
    :param options: read options for CSV, under the names that Spark's reader has for them
    :raises ConfigurationError: when a file's format is not known, when they have several, or when an option is not
        known
    """
    named = {format_of(path) if format is None else format: path for path in files}
    if len(named) > 1:
        found = " and ".join(f"{form} ({path.name})" for form, path in named.items())
        raise ConfigurationError(f"The partitions are files of several formats: {found}. Narrow the pattern.")
    (found_format,) = named
    if found_format != "csv":
        require_no_options(found_format, options)
        return FileReader(found_format)
    csv = csv_format(options, more=("inferSchema",), sep=None)
    return FileReader(found_format, csv, settled_types(files, csv) if csv.infer else {})


def format_of(path: DataFile) -> str:
    """The format that a file's name says.

    :raises ConfigurationError: when it says none
    """
    endings = [ending.lower() for ending in path.suffixes if ending.lower() not in _COMPRESSED]
    found = FORMATS.get(endings[-1]) if endings else None
    if found is None:
        raise ConfigurationError(
            f"The format of {path} cannot be told from its name. Say with --format which it is: parquet, csv or json."
        )
    return found


def csv_format(options: Mapping[str, str], more: Sequence[str] = (), sep: str | None = ",") -> CsvFormat:
    """The format of CSV files that read options give.

    :param more: options that are known here in addition
    :param sep: the separator where none is given, see :class:`~airflow_dq.engine.csv_text.CsvFormat`
    :raises ConfigurationError: when one is given that only Spark's reader has
    """
    known = (*_CSV_OPTIONS, *more)
    csv = CsvFormat.of(options, sep)
    for name, value in options.items():
        if name.lower() not in map(str.lower, known) or not csv.header:
            raise ConfigurationError(
                f"CSV with {name}={value!r} can be read by Spark only (engine='spark'); known without it are "
                f"{', '.join(known)} (header is true)."
            )
    try:
        "".encode(csv.encoding or "utf-8")
    except LookupError:
        raise ConfigurationError(
            f"Python knows no encoding {csv.encoding!r}: correct it, or let Spark read the files (engine='spark')."
        ) from None
    return csv


def require_no_options(format: str, options: Mapping[str, str]) -> None:
    """Refuse read options where there is nothing to choose.

    :raises ConfigurationError: naming the format
    """
    if options:
        raise ConfigurationError(
            f"There are no read options for {format} ({', '.join(options)}) but Spark's: leave them out, or use "
            "engine='spark'."
        )


def _kind(error: Exception) -> str:
    """What kind of error it is, and where: without a word of what was read."""
    place = _PLACE.match(str(error))
    return type(error).__name__ + (f", {place[0].rstrip(': ')}" if place else "")


def _parquet(path: DataFile) -> Iterator[pa.RecordBatch]:
    with opened(path) as source, pyarrow.parquet.ParquetFile(source) as file:
        require_flat_names(file.schema_arrow, str(path))
        yield as_spark_reads(no_rows(file.schema_arrow))
        yield from map(as_spark_reads, file.iter_batches())


def _arrow(path: DataFile) -> Iterator[pa.RecordBatch]:
    with opened(path) as source, pyarrow.ipc.open_file(source) as file:
        require_flat_names(file.schema, str(path))
        yield as_spark_reads(no_rows(file.schema))
        for index in range(file.num_record_batches):
            yield as_spark_reads(file.get_batch(index))


def _json(path: DataFile) -> Iterator[pa.RecordBatch]:
    """The rows of a file of JSON lines, or of one list of rows, as which many programs write them."""
    with unpacked(path) as stream:
        content: bytes = stream.read()
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        content = "\n".join(json.dumps(row) for row in json.loads(content)).encode()
    options = pyarrow.json.ReadOptions(block_size=_JSON_BLOCK)
    table = pyarrow.json.read_json(pa.BufferReader(content), read_options=options)
    yield no_rows(table.schema)
    yield from table.to_batches()
