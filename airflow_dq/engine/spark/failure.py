"""Spark's failures in words: what could not be read, which file, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeVar
from urllib.parse import unquote

from pyspark.errors import PySparkException

from airflow_dq.engine.spark.gateway import Py4JJavaError
from airflow_dq.engine.spark.loss import MARK
from airflow_dq.exceptions import (
    ConfigurationError,
    EnvironmentMismatchError,
    ProfileError,
    SourceMissingError,
    SourceUnreadableError,
    SparkLostError,
)

_Error = TypeVar("_Error", ProfileError, SourceMissingError, SourceUnreadableError, ConfigurationError)

SPARK_ERRORS = (Py4JJavaError, PySparkException)
"""What Spark's Python API raises when the JVM or a Python worker fails."""

_FILE = re.compile(r"(?:while reading file|footer for file:?|Failed merging schema of file)\s+(\S.*?)(?:\.?\s*$|\.\s)")
_DENIED = re.compile(r"Access(?:Denied|Control)Exception$")
"""The exceptions by which Hadoop's file systems, S3A and ABFS among them, say that something may not be looked at."""
_FORBIDDEN = "403 Forbidden"
"""How Google's, which has no such class, says it."""
_COLON = "Relative path in absolute URI"
"""How Hadoop takes a name such as `hour=10:00`: for an address with a scheme."""
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")
_NOT_FOUND = ("PATH_NOT_FOUND", "TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "TABLE_NOT_FOUND")
_BAD_FILE = ("FAILED_READ_FILE", "CANNOT_READ_FILE_FOOTER", "MALFORMED_RECORD_IN_PARSING", "MALFORMED_CSV_RECORD")
_BAD_ORDER = ("PARSE_SYNTAX_ERROR", "DATA_SOURCE_NOT_FOUND", "UNRESOLVED_COLUMN", "UNSUPPORTED_FEATURE.TIME_TRAVEL")
_HADOOP = "of the version of Hadoop that Spark has"
_JARS = {
    "No suitable driver": "packages='<the JDBC driver of the database>' (org.postgresql:postgresql:...)",
    r"data source: `?delta\b|sql\.delta\.catalog\.DeltaCatalog": (
        "packages='io.delta:delta-spark_<Scala>:<version>' and conf= as Delta's manual says"
    ),
    r"data source: `?iceberg\b|iceberg\.spark\.Spark(?:Session)?Catalog": (
        "packages='org.apache.iceberg:iceberg-spark-runtime-<Spark>_<Scala>:<version>'"
    ),
    r"data source: `?hudi\b": "packages='org.apache.hudi:hudi-spark<Spark>-bundle_<Scala>:<version>'",
    r"data source: `?(?:spark-)?avro\b": "packages='org.apache.spark:spark-avro_<Scala>:<Spark>'",
    r"s3a?\.S3AFileSystem|scheme \"s3": f"packages='org.apache.hadoop:hadoop-aws:<version>' {_HADOOP}, paths s3a://",
    r"azurebfs|fs\.azure\.|scheme \"(?:abfs|wasb)": f"packages='org.apache.hadoop:hadoop-azure:<version>' {_HADOOP}",
    r"GoogleHadoopFileSystem|scheme \"gs\"": "packages='com.google.cloud.bigdataoss:gcs-connector:<version>'",
    "No FileSystem for scheme": "packages='<the connector for Hadoop of this kind of store>'",
}
"""How Spark and Hadoop say that a jar is missing, and what brings it; the first that fits counts."""
_NO_CLASS = ("java.lang.ClassNotFoundException", "java.lang.NoClassDefFoundError")
"""Errors of Java's whose message is the name of a class that no jar has, such as a JDBC driver's."""
_NO_CLASS_BEHIND_SERVER = re.compile(rf"\((?:{'|'.join(map(re.escape, _NO_CLASS))})\) (\S+)")
"""How a Spark Connect server hands on such an error."""
_OTHER_PYTHON = re.compile(
    r"Python in worker has different version:? \(?(\d+)[., ]+(\d+)\)? than that in driver:? (\d+\.\d+)"
)
_GONE = re.compile(
    r"SparkContext was shut ?down|stopped SparkContext|RETRIES_EXCEEDED|StatusCode\.UNAVAILABLE|INVALID_HANDLE\.\w+"
)
"""How a driver says that its application was ended, and a client of Spark Connect that its server or session was."""
_GIVEN_UP = re.compile(re.escape(MARK) + r"(.*)")
_RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception): .*", re.MULTILINE)
"""The last line of a trace of Python's."""
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '(\w+)")


def explain(error: Exception, where: str, location: str) -> ProfileError | ConfigurationError:
    """The error for a person.

    :param error: one of :data:`SPARK_ERRORS`
    :param where: dataset and partition, in words
    :param location: the path, table or query that was read
    """
    if isinstance(lost := cluster_fault(error), SparkLostError):
        return lost
    messages = list(_messages(error))
    conditions = [condition for message in messages for condition in _CONDITION.findall(message)]
    file = named_file(error)
    if any(_COLON in message for message in messages):
        before = f"{where}: something at {location} has a colon in its name, which Hadoop cannot list"
        after = ": rename it (%3A for a colon keeps the key as it is), or use engine='arrow'."
        return _worded(ConfigurationError, before, after, error)
    if (lacking := _without_jar(error, where, location)) is not None:
        return lacking
    if _any(conditions, _NOT_FOUND):
        return _worded(SourceMissingError, f"{where}: {location} does not exist", ".", error)
    if _any(conditions, _BAD_ORDER):
        return _worded(ConfigurationError, f"{where}: {location} cannot be read as it was asked for", ".", error)
    if file is not None or _any(conditions, _BAD_FILE):
        return unreadable(error, where, file or location)
    after = ". Spark's own trace: --conf spark.log.level=ERROR."
    return _worded(ProfileError, f"{where}: Spark could not read {location}", after, error)


def cluster_fault(error: Exception) -> EnvironmentMismatchError | SparkLostError | None:
    """What is wrong with the cluster, when that is why a job failed: no partition can be read there."""
    said = "\n".join([str(error), *_messages(error)])
    if found := _GONE.search(said):
        return SparkLostError(
            f"Spark has gone away in the middle of the job ({found[0]}): nothing more can be read. What was stored "
            "before stays; profile the rest when it is back."
        )
    if found := _GIVEN_UP.search(said):
        return SparkLostError(f"Spark's job was given up: {found[1].strip()}.")
    if found := _OTHER_PYTHON.search(said):
        return EnvironmentMismatchError(
            f"Spark's executors run Python {found[1]}.{found[2]} and its driver {found[3]}: they need the same minor "
            "version, so point spark.pyspark.python (or PYSPARK_PYTHON) at such a Python on the executors, or run "
            f"this task on Python {found[1]}.{found[2]}."
        )
    if found := _NO_MODULE.search(said):
        return EnvironmentMismatchError(
            f"The Python of Spark's executors lacks the module {found[1]!r}: install numpy and pyarrow there, or point "
            "PYSPARK_PYTHON at a Python that has them."
        )
    return None


def _without_jar(error: Exception, where: str, location: str) -> ConfigurationError | None:
    """The error that names a jar, when one is missing."""
    messages = list(_messages(error))
    lacking = next((jar for sign, jar in _JARS.items() for message in messages if re.search(sign, message)), None)
    if lacking is None:
        names = [str(java.getMessage()) for java in _causes(error) if str(java.getClass().getName()) in _NO_CLASS]
        names += [found[1] for message in messages if (found := _NO_CLASS_BEHIND_SERVER.search(message))]
        if not names:
            return None
        lacking = f"packages='<the one that has {names[0]}>', or correct the name"
    return _worded(ConfigurationError, f"{where}: Spark has no jar to read {location}", f": give {lacking}.", error)


def unreadable(error: Exception, where: str, file: str) -> SourceUnreadableError | ConfigurationError:
    """The error for a person when it is known to be about one file."""
    if (lacking := _without_jar(error, where, file)) is not None:
        return lacking
    after = ". Write it again, or give the format and read options that suit it."
    return _worded(SourceUnreadableError, f"{where}: the file {file} cannot be read", after, error)


def _worded(kind: type[_Error], before: str, after: str, error: Exception) -> _Error:
    """The error with Spark's reason, and discreetly with the kind of that alone."""
    said = _reason(list(_messages(error)))
    return kind(f"{before} ({said}){after}", discreet=f"{before} ({', '.join(_kinds(error))}){after}")


def _kinds(error: Exception) -> list[str]:
    """The names of an exception and its causes, outermost first, with Spark's own names of what went wrong."""
    found = []
    for java in _causes(error):
        name = str(java.getClass().getName())
        # Other libraries' messages may begin with what was read.
        spark = re.match(_CONDITION, str(java.getMessage())) if name.startswith("org.apache.spark.") else None
        found.append(name.rpartition(".")[2] + (f" {spark[1]}" if spark else ""))
    return list(dict.fromkeys(found)) or [type(error).__name__]


def is_denied(error: Exception) -> bool:
    """Whether a file system failed because who asked may not look."""
    names = [str(java.getClass().getName()) for java in _causes(error)]
    return any(map(_DENIED.search, names)) or any(_FORBIDDEN in message for message in _messages(error))


def named_file(error: Exception) -> str | None:
    """The data file that a failure is about, when Spark names one."""
    for message in _messages(error):
        for line in message.splitlines():
            if found := _FILE.search(line):
                return unquote(found[1])
    return None


def _messages(error: Exception) -> Iterator[str]:
    """The messages of an exception and its causes, outermost first, without stack traces."""
    causes = list(_causes(error))
    if not causes:
        yield str(error)
    yield from (str(java.getMessage() or java.getClass().getSimpleName()) for java in causes)


def _causes(error: Exception) -> Iterator[Any]:
    """The exception of the JVM that this one stands for, and its causes."""
    java = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
    depth = 0
    while java is not None and depth < 20:
        yield java
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
    """The lines before a stack trace or a query plan begins; of a trace of Python's what was raised."""
    if "Traceback (most recent call last)" in message and (raised := _RAISED.findall(message)):
        return [raised[-1]]
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
