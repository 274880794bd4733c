"""Spark's failures in words: what could not be read, which file, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from airflow_dq.exceptions import ConfigurationError, ProfileError, SourceMissingError, SourceUnreadableError

SPARK_ERRORS = (Py4JJavaError, PySparkException)
"""What Spark's Python API raises when the JVM or a Python worker fails."""

_FILE = re.compile(r"(?:while reading file|footer for file:?|Failed merging schema of file)\s+(\S.*?)(?:\.?\s*$|\.\s)")
_COLON = "Relative path in absolute URI"
"""How Hadoop takes a name such as `hour=10:00`: for an address with a scheme."""
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")
_NOT_FOUND = ("PATH_NOT_FOUND", "TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "TABLE_NOT_FOUND")
_BAD_FILE = ("FAILED_READ_FILE", "CANNOT_READ_FILE_FOOTER", "MALFORMED_RECORD_IN_PARSING", "MALFORMED_CSV_RECORD")
_BAD_ORDER = ("PARSE_SYNTAX_ERROR", "DATA_SOURCE_NOT_FOUND", "UNRESOLVED_COLUMN")


def explain(error: Exception, where: str, location: str) -> ProfileError | ConfigurationError:
    """The error for a person.

    :param error: one of :data:`SPARK_ERRORS`
    :param where: dataset and partition, in words
    :param location: the path, table or query that was read
    """
    messages = list(_messages(error))
    conditions = [condition for message in messages for condition in _CONDITION.findall(message)]
    said = _reason(messages)
    if any(_COLON in message for message in messages):
        return ConfigurationError(
            f"{where}: something at {location} has a colon in its name, which Hadoop cannot list ({said}): rename it "
            "(%3A for a colon keeps the key as it is), or use engine='arrow'."
        )
    if _any(conditions, _NOT_FOUND):
        return SourceMissingError(f"{where}: {location} does not exist ({said}).")
    if _any(conditions, _BAD_ORDER):
        return ConfigurationError(f"{where}: {location} cannot be read as it was asked for ({said}).")
    file = named_file(error)
    if file is not None or _any(conditions, _BAD_FILE):
        return unreadable(error, where, file or location)
    return ProfileError(
        f"{where}: Spark could not read {location} ({said}). Spark's own trace: --conf spark.log.level=ERROR."
    )


def unreadable(error: Exception, where: str, file: str) -> SourceUnreadableError:
    """The error for a person when it is known to be about one file."""
    said = _reason(list(_messages(error)))
    return SourceUnreadableError(
        f"{where}: the file {file} cannot be read ({said}). Write it again, or give the format and read options that "
        "suit it."
    )


def named_file(error: Exception) -> str | None:
    """The data file that a failure is about, when Spark names one."""
    for message in _messages(error):
        for line in message.splitlines():
            if found := _FILE.search(line):
                return unquote(found[1])
    return None


def _messages(error: Exception) -> Iterator[str]:
    """The messages of an exception and its causes, outermost first, without stack traces."""
    java = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
    if java is None:
        yield str(error)
    depth = 0
    while java is not None and depth < 20:
        yield str(java.getMessage() or java.getClass().getSimpleName())
        java = java.getCause()
        depth += 1


def _reason(messages: list[str]) -> str:
    """The innermost message that says something, on one line."""
    for message in reversed(messages):
        line = re.sub(r"\s*SQLSTATE: \w+.*", "", " ".join(_lines(message)))
        line = _CONDITION.sub("", line).strip()
        if len(line) > 3:
            return line.rstrip(".")[:400]
    return "Spark gives no reason"


def _lines(message: str) -> list[str]:
    """The lines before a stack trace or a query plan begins."""
    kept = []
    for line in message.splitlines():
        if line.startswith(("\tat ", "'", "==", "Driver stacktrace", "JVM stacktrace")):
            break
        kept.append(line.strip())
    return kept


def _any(found: list[str], wanted: tuple[str, ...]) -> bool:
    return any(condition.startswith(wanted) for condition in found)


def same_place(file: str, root: str) -> bool:
    """Whether a file lies at or below a root, however the two spell their scheme (``file:/``, ``file:///``)."""
    inner, outer = spelled_alike(file), spelled_alike(root)
    return inner == outer or inner.startswith(f"{outer}/")


def spelled_alike(path: str) -> str:
    """A path without its scheme, which comes in several spellings."""
    return re.sub(r"^[a-z0-9]+:/+", "/", path).rstrip("/")
