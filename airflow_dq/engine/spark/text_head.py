"""The first bytes of text files, from which the read options follow that nobody has given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import SparkSession

from airflow_dq.engine.csv_text import HEAD, CsvFormat, require_text
from airflow_dq.engine.json_text import require_one_value, require_whole_lines
from airflow_dq.engine.spark.connect_files import ConnectFiles
from airflow_dq.engine.spark.failure import SPARK_ERRORS
from airflow_dq.engine.spark.listing import Listing, files_of
from airflow_dq.exceptions import SourceUnreadableError
from airflow_dq.options.job import JobSpec

_LOOKED_AT = 8
"""Files of a partition that are looked at."""
_TRUSTED = (".lz4", ".snappy", ".bz2")
"""Endings by which Hadoop unpacks a file without asking whether it is packed so."""
_BLOCK = 8
"""Bytes before a block of Hadoop's lz4 and snappy: the length of its text and of its first packed piece, four each."""
_LZ4_FRAME = b"\x04\x22\x4d\x18"
"""How a file begins that the command ``lz4`` packs."""


def read_heads(spark: SparkSession, spec: JobSpec, listing: Listing, where: str) -> dict[str, bytes]:
    """The first bytes of some files, unpacked, by path: all of those that are shorter than :data:`HEAD`.

    :raises SourceUnreadableError: naming a file that is no text
    """
    csv = CsvFormat.of(spec.options)
    files = [file.path for file in listing.files if file.size][:_LOOKED_AT]
    heads = read_texts(spark, files, HEAD)
    for file, head in heads.items():
        try:
            require_text(head, file, csv.encoding is not None)
        except SourceUnreadableError as error:
            raise SourceUnreadableError(f"{where}: {error}") from None
    return heads


def csv_escape(spec: JobSpec, heads: Mapping[str, bytes]) -> dict[str, str]:
    """The option ``escape`` that files are written with; nothing when the order says it, or has no quotes.

    :param heads: their first bytes
    """
    csv = CsvFormat.of(spec.options)
    if csv.escape is not None or not csv.quote:
        return {}
    # Latin-1 has a character for each byte, and those that matter here are the same in whatever follows ASCII.
    texts = [_decoded(head, csv.encoding or "latin-1") for head in heads.values()]
    # A line between the files, so that no quote meets that of another.
    text = "\n".join(texts)
    return {"escape": csv.escape_in(text, csv.separator("", text))}


def require_json_lines(spark: SparkSession, spec: JobSpec, listing: Listing, where: str) -> None:
    """Refuse JSON files whose records are not where Spark looks for them: one in each line, or one value in each file.

    :raises SourceUnreadableError: naming the file, and the option that reads it
    """
    given = {name.lower(): value.lower() for name, value in spec.options.items()}
    if {"linesep", "encoding", "charset"} & set(given):
        return
    require = require_one_value if given.get("multiline") == "true" else require_whole_lines
    files = [file.path for file in listing.files if file.size][:_LOOKED_AT]
    for file, head in read_texts(spark, files, HEAD).items():
        try:
            require(head, file)
        except SourceUnreadableError as error:
            raise SourceUnreadableError(f"{where}: {error}") from None


def _decoded(head: bytes, encoding: str) -> str:
    try:
        return head.decode(encoding, "replace")
    except LookupError:
        # Java knows more encodings than Python.
        return head.decode("latin-1")


def require_packed(spark: SparkSession, listing: Listing, where: str) -> None:
    """Refuse packed files that do not begin as Spark's unpacking expects and would not complain of.

    It makes room for what the first bytes of a block say, without asking whether there can be so much: those of
    anything else end its Java.  And of a file that is no bzip2 it makes no rows.

    :raises SourceUnreadableError: naming the file, and what may be done
    """
    sizes = {one.path: one.size for one in listing.files if one.size and one.path.lower().endswith(_TRUSTED)}
    for file, head in read_texts(spark, list(sizes), _BLOCK, packed=True).items():
        if head and (wrong := _not_packed(file, head, sizes[file])):
            raise SourceUnreadableError(f"{where}: the file {file} cannot be unpacked: {wrong}.")


def _not_packed(file: str, head: bytes, size: int) -> str | None:
    """What is wrong with a packed file, by its first bytes and its size."""
    ending = file.lower().rpartition(".")[2]
    if ending == "bz2":
        return None if head.startswith(b"BZh") else "it does not begin as bzip2 does. Write it again, or rename it"
    if head.startswith(_LZ4_FRAME):
        return "it is lz4 of its own kind, and Spark unpacks Hadoop's: pack it as .gz or .zst, or use engine='arrow'"
    # Of a block without text there are four bytes.
    if len(head) == _BLOCK and int.from_bytes(head[4:], "big") > size - _BLOCK:
        return f"it does not begin as Hadoop's {ending} does. Write it again, packed by Spark or as .gz or .zst"
    return None


def read_texts(spark: SparkSession, files: Sequence[str], size: int, *, packed: bool = False) -> dict[str, bytes]:
    """The first bytes of each file's text, as Spark takes them: compressed or not by the file's name.

    :param packed: as they are stored instead
    """
    system = files_of(spark, next(iter(files), ""))
    if isinstance(system, ConnectFiles):
        return system.heads(files, size, packed=packed) if files else {}
    return {file: _read_text(spark, file, size, packed) for file in files}


def _read_text(spark: SparkSession, file: str, size: int, packed: bool) -> bytes:
    jvm: Any = spark.sparkContext._jvm
    conf = spark._jsparkSession.sessionState().newHadoopConf()
    path = jvm.org.apache.hadoop.fs.Path(file)
    try:
        codec = jvm.org.apache.hadoop.io.compress.CompressionCodecFactory(conf).getCodec(path)
        raw = path.getFileSystem(conf).open(path)
        try:
            stream = raw if packed or codec is None else codec.createInputStream(raw)
            return bytes(stream.readNBytes(size))
        finally:
            raw.close()
    except SPARK_ERRORS:
        # Spark comes to the same error when it reads the file, and says more.
        return b""
