"""What the first bytes of a CSV file say of its spelling, so that every reader reads the same text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from airflow_dq.exceptions import SourceUnreadableError

HEAD = 1 << 18
"""Bytes of a file that are looked at."""

_COMPRESSED = {
    b"\x1f\x8b": ("gzip", (".gz", ".gzip")),
    b"BZh": ("bzip2", (".bz2",)),
    b"\x28\xb5\x2f\xfd": ("zstd", (".zst", ".zstd")),
    b"\x04\x22\x4d\x18": ("lz4", (".lz4",)),
    b"PK\x03\x04": ("zip", ()),
    b"PAR1": ("Parquet", ()),
}
_WIDE = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def csv_content(path: Path, encoding: str = "utf-8") -> bytes:
    """The characters of a file in UTF-8, unpacked; bytes that spell none are U+FFFD each, as for Spark.

    :raises SourceUnreadableError: as :func:`require_text` does
    """
    with path.open("rb") as file:
        require_text(file.read(4), str(path), encoding != "utf-8")
    with pa.input_stream(str(path), compression="detect") as stream:
        content: bytes = stream.read()
    return content.decode(encoding, "replace").encode()


def require_text(head: bytes, path: str, encoded: bool = False) -> None:
    """Refuse a file whose bytes are no text, which readers would take for strange columns.

    :param head: its first bytes, as they lie on the disk
    :param encoded: whether the reader has been told an encoding
    :raises SourceUnreadableError: naming the file, what it is, and what to do
    """
    for magic, (name, endings) in _COMPRESSED.items():
        if head.startswith(magic) and not path.lower().endswith(endings):
            ending = f" and its name does not end in {endings[0]}: rename it" if endings else ", not CSV: write CSV"
            raise SourceUnreadableError(f"The file {path} cannot be read as CSV: it is {name}{ending}.")
    wide = next((name for mark, name in _WIDE.items() if head.startswith(mark)), None)
    if wide and not encoded:
        raise SourceUnreadableError(
            f"The file {path} cannot be read as CSV: it is {wide} text. Set the read option encoding={wide!r}."
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
