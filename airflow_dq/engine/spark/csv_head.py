"""The first bytes of CSV files, from which the read options follow that nobody has given."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from airflow_dq.engine.csv_text import HEAD, CsvFormat, require_text
from airflow_dq.engine.spark.failure import SPARK_ERRORS
from airflow_dq.engine.spark.listing import Listing
from airflow_dq.exceptions import SourceUnreadableError
from airflow_dq.options.job import JobSpec

_LOOKED_AT = 8
"""Files of a partition that are looked at."""


def csv_escape(spark: SparkSession, spec: JobSpec, listing: Listing, where: str) -> dict[str, str]:
    """The option ``escape`` that the files are written with; nothing when the order says it, or has no quotes.

    :raises SourceUnreadableError: naming a file that is no text
    """
    csv = CsvFormat.of(spec.options)
    files = [file.path for file in listing.files if file.size][:_LOOKED_AT]
    heads = {file: _head(spark, file) for file in files}
    for file, head in heads.items():
        try:
            require_text(head, file, csv.encoding is not None)
        except SourceUnreadableError as error:
            raise SourceUnreadableError(f"{where}: {error}") from None
    if csv.escape is not None or not csv.quote:
        return {}
    # Latin-1 has a character for each byte, and those that matter here are the same in whatever follows ASCII.
    texts = [_decoded(head, csv.encoding or "latin-1") for head in heads.values()]
    # A line between the files, so that no quote meets that of another.
    text = "\n".join(texts)
    return {"escape": csv.escape_in(text, csv.separator("", text))}


def _decoded(head: bytes, encoding: str) -> str:
    try:
        return head.decode(encoding, "replace")
    except LookupError:
        # Java knows more encodings than Python.
        return head.decode("latin-1")


def _head(spark: SparkSession, file: str) -> bytes:
    """The first bytes of a file's text, as Spark takes them: compressed or not by the file's name."""
    jvm: Any = spark.sparkContext._jvm
    conf = spark._jsparkSession.sessionState().newHadoopConf()
    path = jvm.org.apache.hadoop.fs.Path(file)
    try:
        codec = jvm.org.apache.hadoop.io.compress.CompressionCodecFactory(conf).getCodec(path)
        raw = path.getFileSystem(conf).open(path)
        try:
            stream = raw if codec is None else codec.createInputStream(raw)
            return bytes(stream.readNBytes(HEAD))
        finally:
            raw.close()
    except SPARK_ERRORS:
        # Spark comes to the same error when it reads the file, and says more.
        return b""
