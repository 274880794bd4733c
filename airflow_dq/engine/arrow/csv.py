"""The rows of CSV files, read with pyarrow by the rules of :mod:`airflow_dq.engine.csv_text`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.csv

from airflow_dq.engine.arrow.schema import no_rows
from airflow_dq.engine.csv_text import HEAD, CsvFormat, csv_content, doubles_quotes, never_closed, safe_header
from airflow_dq.engine.data_file import DataFile
from airflow_dq.engine.worker.quote import Quoting
from airflow_dq.exceptions import ConfigurationError, DQError
from airflow_dq.profile.column import kind_of
from airflow_dq.states.base import Kind

Types = Mapping[str, pa.DataType]
"""Type by column, as the header names it."""

_LOOKED_AT = 12
"""Number of files, spread over all of them, that settle the types of columns."""
_BLOCK = 1 << 26
"""Bytes that pyarrow looks at to settle types within a file: enough for a row of any size."""


def read_csv(path: DataFile, csv: CsvFormat, types: Types) -> Iterator[pa.RecordBatch]:
    """The rows of a file: a batch without rows first, unless the file has no columns either.

    :param types: with ``csv.infer``: types of columns, where they are settled; the others' values suggest theirs
    :raises SourceUnreadableError: when it is no text, or ends inside quotes
    :raises ConfigurationError: when its quotes are not as the format says
    :raises pyarrow.ArrowException: when its rows do not fit together
    """
    content = csv_content(path, csv.encoding)
    if not content:
        return
    parse = _spelling(path, content, csv)
    _require_closed(path, content, parse)
    with pyarrow.csv.open_csv(pa.BufferReader(content), parse_options=parse) as reader:
        names = reader.schema.names
    batches = _typed(content, names, parse, types) if csv.infer else _texts(content, names, parse)
    for batch in batches:
        yield batch.rename_columns(safe_header(names))


def settled_types(files: Sequence[DataFile], csv: CsvFormat) -> dict[str, pa.DataType]:
    """The types that some of the files suggest, each file alone maybe differently.

    What cannot be read, or has no value, says nothing.
    """
    places = {round(n * (len(files) - 1) / (_LOOKED_AT - 1)) for n in range(_LOOKED_AT)} if files else set()
    seen: dict[str, list[pa.DataType]] = defaultdict(list)
    for place in sorted(places):
        try:
            content = csv_content(files[place], csv.encoding)
            parse = _spelling(files[place], content, csv)
            schema = _table(content, parse, {}).schema
        except (DQError, pa.ArrowException, OSError, EOFError):
            continue
        for field in schema:
            if not pa.types.is_null(field.type):
                seen[field.name].append(field.type)
    return {name: _common(types) for name, types in seen.items()}


def _spelling(path: DataFile, content: bytes, csv: CsvFormat) -> pyarrow.csv.ParseOptions:
    head = content[:HEAD].decode("utf-8", "ignore")
    sep = csv.separator(path.name, head)
    if not csv.quote:
        return pyarrow.csv.ParseOptions(delimiter=sep, quote_char=False)
    escape = csv.escape_in(head, sep)
    _require_spelling(path, content.decode(), sep, csv.quote, escape)
    return pyarrow.csv.ParseOptions(
        delimiter=sep,
        quote_char=csv.quote,
        double_quote=escape == csv.quote,
        escape_char=False if escape == csv.quote else escape,
        newlines_in_values=True,
    )


def _require_closed(path: DataFile, content: bytes, parse: pyarrow.csv.ParseOptions) -> None:
    """Refuse a file that ends inside quotes."""
    if parse.quote_char:
        quoting = Quoting(parse.delimiter, parse.quote_char, parse.escape_char or parse.quote_char)
        line = quoting.opened_line(content)
        if line is not None:
            raise never_closed(str(path), line)


def _require_spelling(path: DataFile, text: str, sep: str, quote: str, escape: str) -> None:
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
        place = f"at {text[max(0, found.start() - 10) : found.end() + 10]!r}"
        said, where = (
            f"The file {path} has {escape!r} before quotes, which it escapes, and before other characters as well "
            f"({there}): use engine='spark', which tells them apart."
            for there in (place, f"in line {text.count(chr(10), 0, found.start()) + 1}")
        )
        raise ConfigurationError(said, discreet=where)


def _texts(content: bytes, names: Sequence[str], parse: pyarrow.csv.ParseOptions) -> Iterator[pa.RecordBatch]:
    """Every column as text: a number's spelling is for the reader's schema to settle."""
    texts = dict.fromkeys(names, pa.string())
    yield no_rows(pa.schema([(name, pa.string()) for name in names]))
    options = _conversion(texts)
    with pyarrow.csv.open_csv(pa.BufferReader(content), parse_options=parse, convert_options=options) as reader:
        yield from reader


def _typed(
    content: bytes, names: Sequence[str], parse: pyarrow.csv.ParseOptions, types: Types
) -> Iterator[pa.RecordBatch]:
    """Every column in its type; one that does not have the type that it should is left to speak for itself."""
    wrong: set[str] = set()
    while True:
        given = {name: data_type for name, data_type in types.items() if name not in wrong}
        try:
            table = _table(content, parse, given)
        except pa.ArrowInvalid as error:
            # "In CSV column #3: CSV conversion error to double: invalid value 'x'"
            column = re.match(r"In CSV column #(\d+): ", str(error))
            name = names[int(column[1])] if column else None
            if name is None or name not in given:
                raise
            wrong.add(name)
        else:
            yield no_rows(table.schema)
            yield from table.to_batches()
            return


def _table(content: bytes, parse: pyarrow.csv.ParseOptions, types: Types) -> pa.Table:
    return pyarrow.csv.read_csv(
        pa.BufferReader(content),
        read_options=pyarrow.csv.ReadOptions(block_size=_BLOCK),
        parse_options=parse,
        convert_options=_conversion(types),
    )


def _conversion(types: Types) -> pyarrow.csv.ConvertOptions:
    """As Spark's reader: an empty value is null, quoted or not, and nothing else is."""
    return pyarrow.csv.ConvertOptions(
        column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=True
    )


def _common(types: Sequence[pa.DataType]) -> pa.DataType:
    """The type of a column that several files have: text unless only one of them says so, which is then an error."""
    kinds = Counter(kind_of(data_type) for data_type in types)
    if len(kinds) > 1 and (kinds[Kind.STRING] > 1 or Kind.STRING not in kinds):
        return pa.string()
    kind = kinds.most_common(1)[0][0]
    alike = [data_type for data_type in types if kind_of(data_type) is kind]
    return alike[0] if len(set(alike)) == 1 or kind is not Kind.NUMERIC else pa.float64()
