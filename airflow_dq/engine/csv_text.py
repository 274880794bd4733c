"""How a CSV file is read, whichever engine reads it: separator, quotes, header, encoding, and which columns are typed.

The order's read options say it, under the names that Spark's reader has for them; what they leave open follows from
the rules here and from the first bytes of the files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airflow_dq.engine.data_file import DataFile, unpacked
from airflow_dq.exceptions import SourceUnreadableError

HEAD = 1 << 18
"""Bytes of a file that are looked at."""

_PACKED = {
    b"\x1f\x8b": ("gzip", ".gz"),
    b"BZh": ("bzip2", ".bz2"),
    b"\x28\xb5\x2f\xfd": ("zstd", ".zst"),
    b"\x04\x22\x4d\x18": ("lz4", ".lz4"),
    b"\xfd7zXZ": ("xz", None),
    b"PK\x03\x04": ("zip", None),
    b"PAR1": ("Parquet", None),
}
"""How a file begins that is no text -> what it is, and the ending by which a reader unpacks it, if any does."""
_WIDE = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")
_SEPARATORS = ",;\t|"
"""What is looked for where nobody has said the separator; the first of equally frequent ones counts."""


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """What an order says of its CSV files."""

    sep: str | None = ","
    """None: the most frequent one of the usual characters in a file's first line."""
    quote: str = '"'
    """Empty: values are not quoted."""
    escape: str | None = None
    """None: what the files themselves show, see :func:`escape_of`."""
    header: bool = True
    encoding: str | None = None
    """None: UTF-8."""
    infer: bool = False
    """Whether columns get the types that their values suggest.  Otherwise all are text: 00501 must not become 501."""

    @classmethod
    def of(cls, options: Mapping[str, str], sep: str | None = ",") -> CsvFormat:
        """The format that read options give; names and truth values may be in any case.

        :param sep: the separator where they give none
        """
        given = {name.lower(): value for name, value in options.items()}
        return cls(
            sep=given.get("sep", given.get("delimiter", sep)),
            quote=given.get("quote", '"'),
            escape=given.get("escape"),
            header=given.get("header", "true").lower() == "true",
            encoding=given.get("encoding", given.get("charset")),
            infer=given.get("inferschema", "false").lower() == "true",
        )

    def separator(self, path: str, head: str) -> str:
        """What separates the values of a file.

        :param head: its first characters
        """
        if self.sep is not None:
            return self.sep
        if ".tsv" in path.lower():
            return "\t"
        line = re.split(r"[\r\n]", head, maxsplit=1)[0]
        return max(_SEPARATORS, key=line.count)

    def escape_in(self, text: str, sep: str) -> str:
        """The escape character, as given or as a text shows it."""
        return escape_of(text, sep, self.quote) if self.escape is None else self.escape


def settles_types(options: Mapping[str, str]) -> bool:
    """Whether read options say which columns are typed; without them every column of a CSV file is text."""
    return not {"inferschema", "schema"}.isdisjoint(map(str.lower, options))


def spark_defaults(files: int, options: Mapping[str, str]) -> dict[str, str]:
    """The options of Spark's reader that make it read by the rules of this module, where none are given.

    :param files: number of files
    """
    # With one file the header is the schema; with several, or a given schema, columns must not change places.
    free = files == 1 and "schema" not in map(str.lower, options)
    return {"header": "true", "mode": "FAILFAST", "multiLine": "true", "enforceSchema": str(free).lower()}


def csv_content(path: DataFile, encoding: str | None = None) -> bytes:
    """The characters of a file in UTF-8, unpacked; bytes that spell none are U+FFFD, just as many as for Spark.

    :param encoding: of the file, where the reader has been told one
    :raises SourceUnreadableError: as :func:`require_text` does
    """
    with unpacked(path) as stream:
        content: bytes = stream.read()
    require_text(content[:HEAD], str(path), encoding is not None)
    # Java takes the bytes of half a surrogate pair for one character that is none, Python for up to three.
    content = content if encoding else _SURROGATE.sub("\ufffd".encode(), content)
    return content.decode(encoding or "utf-8", "replace").encode()


def require_text(head: bytes, path: str, encoded: bool = False) -> None:
    """Refuse a file whose bytes are no text, which readers would take for strange columns.

    :param head: its first bytes, as the reader gets them: unpacked, where the file's name told it to
    :param encoded: whether the reader has been told an encoding
    :raises SourceUnreadableError: naming the file, what it is, and what to do
    """
    for magic, (name, ending) in _PACKED.items():
        if head.startswith(magic):
            how = f", and not unpacked by its name: let it end in {ending}" if ending else ", not CSV: write CSV"
            raise SourceUnreadableError(f"The file {path} cannot be read as CSV: it is {name}{how}.")
    wide = next((name for mark, name in _WIDE.items() if head.startswith(mark)), None)
    if wide and not encoded:
        raise SourceUnreadableError(
            f"The file {path} cannot be read as CSV: it is {wide} text. Set the read option encoding={wide!r}."
        )


def never_closed(path: str, line: int | None) -> SourceUnreadableError:
    """The error of a file that ends inside quotes.

    :param line: in which the value begins
    """
    begins = "a value" if line is None else f"the value that begins in line {line}"
    return SourceUnreadableError(
        f"The file {path} cannot be read as CSV: it ends inside quotes, for the quote before {begins} is never closed, "
        "and every row behind it would be part of that value. Write the file with values quoted that begin with a "
        'quote ("""6 inch"), or set the read option quote=\'\' when none is.'
    )


def line_not_closed(path: str, line: int | None) -> SourceUnreadableError:
    """The error of a file whose lines are records, when one ends inside quotes.

    :param line: its number
    """
    which = "a line" if line is None else f"line {line}"
    return SourceUnreadableError(
        f"The file {path} cannot be read as CSV: {which} ends inside quotes, and multiLine is false. Set the read "
        "option multiLine=true when values may hold line breaks; otherwise close the quote."
    )


def escape_of(text: str, sep: str, quote: str) -> str:
    r"""The character that makes a quote inside a quoted value one of its own: the quote itself, or a backslash.

    ``"a ""b"" c"`` is RFC 4180 and what almost everything writes, ``"a \"b\" c"`` is what Spark and Hive write.  Only
    where a text has the second and nowhere the first is a backslash more than a character.

    >>> escape_of('"a ""b"" c"', ",", '"'), escape_of(r'"a \"b\" c"', ",", '"'), escape_of(r'"C:\",1', ",", '"')
    ('"', '\\', '"')
    """
    if not quote:
        return "\\"
    escaped = re.search(rf"\\{re.escape(quote)}(?=[^\r\n{re.escape(sep)}])", text)
    return "\\" if escaped and not doubles_quotes(text, sep, quote) else quote


def doubles_quotes(text: str, sep: str, quote: str) -> bool:
    """Whether a doubled quote is more than an empty value."""
    mark, ends = re.escape(quote), rf"\r\n{re.escape(sep)}"
    return re.search(rf"(?<![\\{ends}])(?<!^){mark * 2}|(?<!\\){mark * 2}(?=[^{ends}])", text) is not None


def safe_header(names: Sequence[str]) -> list[str]:
    """The columns' names as Spark makes them: an empty name, and one that comes again, get their position.

    >>> safe_header(["id", "", "t", "t"])
    ['id', '_c1', 't2', 't3']
    """
    times = Counter(names)
    return [
        f"_c{place}" if not name else f"{name}{place}" if times[name] > 1 else name for place, name in enumerate(names)
    ]
