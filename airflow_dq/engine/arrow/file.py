"""Data files of partitions, read with pyarrow alone: the quickest way to profile what lies in a folder."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from glob import escape, glob
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from airflow_dq.engine.csv_text import HEAD, csv_content, escape_of, safe_header
from airflow_dq.engine.naming import HIVE_NULL, is_hidden, is_side_file, keys_of
from airflow_dq.exceptions import (
    ConfigurationError,
    DQError,
    SourceEmptyError,
    SourceMissingError,
    SourceUnreadableError,
)
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.column import kind_of
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import TableState
from airflow_dq.states.base import Kind

FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}
"""Ending of a file's name -> its format; a compression's ending may follow."""
_COMPRESSED = (".gz", ".bz2", ".zst", ".lz4")
_LOOKED_AT = 12
"""Number of files, spread over all of them, that settle the types of text columns."""
_BLOCK = 1 << 26
"""Bytes that pyarrow looks at to settle types within a file: enough for a row of any size."""


@dataclass(frozen=True, slots=True)
class PartitionFiles:
    """The data files of one partition."""

    key: str
    files: tuple[Path, ...]


def find_partitions(patterns: Sequence[str]) -> list[PartitionFiles]:
    """The partitions that a pattern with one ``*`` matches, whose match is the key, in the natural order of the keys.

    A match may be a file or a folder of files.  Numbers within keys are ordered as numbers (``day9`` before ``day10``).

    :param patterns: one pattern; or the paths that a shell has made of one, which differ in the key alone
    :raises ConfigurationError: when a pattern has no ``*``, or several
    :raises SourceMissingError: when nothing matches
    :raises SourceEmptyError: when what matches holds no data file
    """
    found = _matched(patterns[0]) if len(patterns) == 1 else _expanded(patterns)
    partitions = [PartitionFiles(key, tuple(_files(path))) for key, path in found.items()]
    filled = sorted((one for one in partitions if one.files), key=lambda one: natural(one.key))
    if not filled:
        raise SourceEmptyError(f"What matches {patterns[0]} holds no data file (hidden and side files left aside).")
    return filled


def natural(key: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key in which numbers are numbers."""
    parts = re.split(r"(\d+)", key)
    return tuple((0, int(part), "") if index % 2 else (1, 0, part) for index, part in enumerate(parts))


def _matched(pattern: str) -> dict[str, Path]:
    if pattern.count("*") != 1:
        raise ConfigurationError(
            f"{pattern!r} has {pattern.count('*') or 'no'} *: give a path with exactly one, which stands for the "
            "partition's key, such as 'folder/*.parquet' or 'folder/day=*', quoted for the shell."
        )
    start, _, end = pattern.partition("*")
    text = re.compile(f"{re.escape(start)}([^/]*){re.escape(end)}")
    paths = glob(f"{escape(start)}*{escape(end)}")
    matched = {match[1]: Path(path) for path in paths if (match := text.fullmatch(path))}
    # Rows without a key are of no time.
    matched = {name: path for name, path in matched.items() if not is_hidden(path.name) and name != HIVE_NULL}
    if not matched:
        raise SourceMissingError(f"Nothing matches {pattern}. Check the path, and quote it for the shell.")
    return {key: matched[name] for name, key in keys_of(matched).items()}


def _expanded(paths: Sequence[str]) -> dict[str, Path]:
    """The same for paths that a shell has made of a pattern: the key is what differs."""
    missing = next((path for path in paths if not Path(path).exists()), None)
    if missing:
        raise SourceMissingError(f"{missing} does not exist. Check the path.")
    start = re.sub(r"[^/=]*$", "", _alike(paths))
    end = re.sub(r"^[^./]*", "", _alike([path[::-1] for path in paths])[::-1])
    named = {path[len(start) : len(path) - len(end)]: Path(path) for path in paths}
    return {key: named[name] for name, key in keys_of(named).items()}


def _alike(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    first, last = min(texts), max(texts)
    length = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:length]


def _files(path: Path) -> Iterator[Path]:
    """The data files at or below a path, hidden and side files left out, in the order of their names."""
    if path.is_file():
        yield path
        return
    for child in sorted(path.iterdir()):
        if not is_hidden(child.name) and not is_side_file(child.name):
            yield from _files(child)


class FileReader:
    """Reads and profiles partitions; columns of text formats get one type over all of them."""

    def __init__(
        self, partitions: Sequence[PartitionFiles], options: ProfileOptions | None = None, format: str | None = None
    ) -> None:
        """Look at some of the files to settle the types of CSV columns, which each file alone may suggest differently.

        :param partitions: all that will be read
        :param options: what to profile and how
        :param format: ``parquet``, ``csv`` or ``json`` (None: as the names of the files end)
        :raises ConfigurationError: when a file's format is not known, or they have several
        """
        self._options = options or ProfileOptions()
        self._format = format
        named = {self._format_of(one.files[0]): one.files[0] for one in partitions}
        if len(named) > 1:
            found = " and ".join(f"{form} ({path.name})" for form, path in named.items())
            raise ConfigurationError(f"The partitions are files of several formats: {found}. Narrow the pattern.")
        self._types = self._settled(partitions)

    def profile(self, partition: PartitionFiles) -> Profile:
        """The profile of one partition.

        :raises SourceUnreadableError: naming the file that cannot be read
        :raises ProfileError: when the values cannot be profiled
        """
        tables = (table for path in partition.files for table in self._tables(path))
        return TableState.of_all(tables, self._options).profile(partition.key, self._options)

    def _tables(self, path: Path) -> Iterator[pa.Table | pa.RecordBatch]:
        """The file's rows, at least one table even when it has none."""
        try:
            match self._format_of(path):
                case "parquet":
                    yield from _parquet(path)
                case "json":
                    yield _json(path)
                case _:
                    yield _csv(path, self._types)
        except (pa.ArrowException, OSError, EOFError, ValueError) as error:
            raise SourceUnreadableError(f"The file {path} cannot be read: {error}") from error

    def _format_of(self, path: Path) -> str:
        if self._format is not None:
            return self._format
        endings = [ending.lower() for ending in path.suffixes if ending.lower() not in _COMPRESSED]
        found = FORMATS.get(endings[-1]) if endings else None
        if found is None:
            raise ConfigurationError(
                f"The format of {path} cannot be told from its name. Say which it is: parquet, csv or json."
            )
        return found

    def _settled(self, partitions: Sequence[PartitionFiles]) -> dict[str, pa.DataType]:
        """Type by CSV column, from some of the files; what could not be read or had no value says nothing."""
        files = [one.files[0] for one in partitions if self._format_of(one.files[0]) == "csv"]
        places = {round(n * (len(files) - 1) / (_LOOKED_AT - 1)) for n in range(_LOOKED_AT)} if files else set()
        seen: dict[str, list[pa.DataType]] = defaultdict(list)
        for place in sorted(places):
            try:
                schema = _csv(files[place], {}).schema
            except (DQError, pa.ArrowException, OSError, EOFError):
                continue
            for field in schema:
                if not pa.types.is_null(field.type):
                    seen[field.name].append(field.type)
        return {name: _common(types) for name, types in seen.items()}


def _common(types: Sequence[pa.DataType]) -> pa.DataType:
    """The type of a column that several files have: text unless only one of them says so, which is then an error."""
    kinds = Counter(kind_of(data_type) for data_type in types)
    if len(kinds) > 1 and (kinds[Kind.STRING] > 1 or Kind.STRING not in kinds):
        return pa.string()
    kind = kinds.most_common(1)[0][0]
    alike = [data_type for data_type in types if kind_of(data_type) is kind]
    return alike[0] if len(set(alike)) == 1 or kind is not Kind.NUMERIC else pa.float64()


def _parquet(path: Path) -> Iterator[pa.Table | pa.RecordBatch]:
    with pyarrow.parquet.ParquetFile(path) as file:
        yield file.schema_arrow.empty_table()
        yield from file.iter_batches()


def _json(path: Path) -> pa.Table:
    """The rows of a file of JSON lines, or of one list of rows, as which many programs write them."""
    with pa.input_stream(str(path), compression="detect") as stream:
        content: bytes = stream.read()
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        content = "\n".join(json.dumps(row) for row in json.loads(content)).encode()
    options = pyarrow.json.ReadOptions(block_size=_BLOCK)
    return pyarrow.json.read_json(pa.BufferReader(content), read_options=options)


def _csv(path: Path, types: Mapping[str, pa.DataType]) -> pa.Table:
    """The rows of a CSV file; columns that do not have the type that they should are left to speak for themselves."""
    content = csv_content(path)
    head = content[:HEAD].decode("utf-8", "ignore")
    sep = "\t" if ".tsv" in path.name else _separator(head)
    escape = escape_of(head, sep, '"')
    parse = pyarrow.csv.ParseOptions(
        delimiter=sep,
        double_quote=escape == '"',
        escape_char=False if escape == '"' else escape,
        newlines_in_values=True,
    )
    with pyarrow.csv.open_csv(pa.BufferReader(content), parse_options=parse) as reader:
        names = reader.schema.names
    wrong: set[str] = set()
    while True:
        given = {name: data_type for name, data_type in types.items() if name not in wrong}
        try:
            table = pyarrow.csv.read_csv(
                pa.BufferReader(content),
                read_options=pyarrow.csv.ReadOptions(block_size=_BLOCK),
                parse_options=parse,
                convert_options=pyarrow.csv.ConvertOptions(column_types=given),
            )
        except pa.ArrowInvalid as error:
            # "In CSV column #3: CSV conversion error to double: invalid value 'x'"
            column = re.match(r"In CSV column #(\d+): ", str(error))
            name = names[int(column[1])] if column else None
            if name is None or name not in given:
                raise
            wrong.add(name)
        else:
            return table.rename_columns(safe_header(names))


def _separator(head: str) -> str:
    """The most frequent of the usual separators in the first line."""
    line = re.split(r"[\r\n]", head, maxsplit=1)[0]
    return max(",;\t|", key=line.count) if line else ","
