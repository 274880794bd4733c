"""CSV files that end inside quotes, which Spark reads as if the end of the file closed them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import unquote

from pyspark.sql import SparkSession
from pyspark.sql.functions import col

from airflow_dq.engine.csv_text import HEAD, CsvFormat, line_not_closed, never_closed
from airflow_dq.engine.spark.failure import SPARK_ERRORS, explain, spelled_alike
from airflow_dq.engine.spark.listing import Listing, load_paths
from airflow_dq.engine.spark.text_head import read_texts
from airflow_dq.engine.worker.quote import OPEN_DDL, Quoting, ends_inside, open_blocks
from airflow_dq.exceptions import SourceUnreadableError

_TOLD = 2**28
"""Bytes of a file up to which the driver reads it by itself: to tell the line, or in an encoding of its own."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the files are read, as far as it matters here."""

    quoting: Quoting
    encoding: str
    comment: str
    lines: bool
    """Whether each line is a record."""

    @classmethod
    def of(cls, options: Mapping[str, str]) -> _Reading | None:
        """By the options in effect; None when nothing is quoted."""
        csv = CsvFormat.of(options)
        if not csv.quote:
            return None
        given = {name.lower(): value for name, value in options.items()}
        return cls(
            Quoting(csv.sep or ",", csv.quote, csv.escape or csv.quote),
            csv.encoding or "utf-8",
            given.get("comment", ""),
            given.get("multiline", "false").lower() != "true",
        )

    @property
    def follows_ascii(self) -> bool:
        """Whether line breaks and quotes are the same bytes as in ASCII; Java knows more encodings than Python."""
        try:
            return '",\n'.encode(self.encoding) == b'",\n'
        except LookupError:
            return True

    def opened_line(self, text: bytes) -> int | None:
        """In which line of a file the value begins that nothing closes."""
        if not self.follows_ascii:
            text = text.decode(self.encoding, "replace").encode()
        if self.comment:
            text = re.sub(rb"(?m)^%b[^\r\n]*" % re.escape(self.comment.encode()), b"", text)
        if not self.lines:
            return self.quoting.opened_line(text)
        found = (place for place, line in enumerate(text.splitlines(), 1) if self.quoting.opened(line) is not None)
        return next(found, None)


def require_closed_quotes(
    spark: SparkSession, listing: Listing, heads: Mapping[str, bytes], options: Mapping[str, str], where: str
) -> None:
    """Refuse files that end inside quotes, and where each line is a record, lines that do.

    :param heads: the first bytes of some of the files: all of those that are shorter than :data:`HEAD`
    :param options: in effect
    :raises SourceUnreadableError: naming the file and the line
    """
    reading = _Reading.of(options)
    if reading is None:
        return
    texts = {file: text for file, text in heads.items() if len(text) < HEAD}
    others = {file.path: file.size for file in listing.files if file.size and file.path not in texts}
    if not reading.follows_ascii:
        texts |= read_texts(spark, [file for file, size in others.items() if size < _TOLD], _TOLD)
        others = {}
    for file, text in texts.items():
        if (line := reading.opened_line(text)) is not None:
            raise _open(file, line, reading, where)
    for file in _open_files(spark, list(others), reading, where) if others else ():
        small = others.get(file, _TOLD) < _TOLD
        told = reading.opened_line(read_texts(spark, [file], _TOLD)[file]) if small else None
        raise _open(file, told, reading, where)


def _open(file: str, line: int | None, reading: _Reading, where: str) -> SourceUnreadableError:
    error = line_not_closed(file, line) if reading.lines else never_closed(file, line)
    return SourceUnreadableError(f"{where}: {error}")


def _open_files(spark: SparkSession, files: Sequence[str], reading: _Reading, where: str) -> list[str]:
    """Those of the files that end inside quotes: their lines with a quote are looked at, in one job."""
    blocks: dict[str, list[tuple[int, bool, bool]]] = defaultdict(list)
    try:
        lines = spark.read.format("text").load(list(load_paths(files)))
        told = lines.where(col("value").contains(reading.quoting.quote))
        if reading.comment:
            told = told.where(~col("value").startswith(reading.comment))
        told = told.select(
            col("value").cast("binary"),
            col("_metadata.file_path").alias("path"),
            col("_metadata.file_block_start").alias("start"),
        )
        task = partial(open_blocks, quoting=reading.quoting, lines=reading.lines)
        for row in told.mapInArrow(task, OPEN_DDL).collect():
            blocks[row["path"]].append((row["start"], row["from_outside"], row["from_inside"]))
    except SPARK_ERRORS as error:
        raise explain(error, where, files[0]) from error
    found = {spelled_alike(unquote(path)) for path, known in blocks.items() if ends_inside(known)}
    return [file for file in files if spelled_alike(file) in found]
