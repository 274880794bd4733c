"""Whether Spark reads every file that was listed: it leaves some out without a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession

from airflow_dq.engine.spark.failure import spelled_alike
from airflow_dq.engine.spark.files import is_connect
from airflow_dq.engine.spark.gateway import Py4JError
from airflow_dq.exceptions import SourceUnreadableError
from airflow_dq.options.job import JobSpec

_CHOOSING = {"modifiedbefore", "modifiedafter"}
"""Read options by which a user leaves files out."""
_NAMED = 5
"""Files that an error names one by one."""


def require_all_read(spark: SparkSession, spec: JobSpec, frame: DataFrame, files: Sequence[str], where: str) -> None:
    """Refuse a frame that lacks files of its source.

    Beside folders ``name=value`` Spark takes files for no part of the table.

    :param frame: as it was loaded
    :param files: the paths that it is to be made of
    :raises SourceUnreadableError: naming the files that it lacks
    """
    if _CHOOSING & {name.lower() for name in spec.options}:
        return
    if is_connect(spark):
        found = {spelled_alike(unquote(file)) for file in frame.inputFiles()}
        if len(found) < len(files):
            raise lost_files(where, len(files), [file for file in files if spelled_alike(file) not in found])
        return
    folders = _folders_read(spark, frame)
    if folders is None or sum(folder.files().size() for folder in folders) >= len(files):
        return
    read = {
        spelled_alike(folder.files().apply(place).getPath().toString())
        for folder in folders
        for place in range(folder.files().size())
    }
    raise lost_files(where, len(files), [file for file in files if spelled_alike(file) not in read])


def lost_files(where: str, total: int, lost: Sequence[str]) -> SourceUnreadableError:
    """The error of files that Spark would leave out.

    :param total: number of files with them
    """
    named = ", ".join(lost[:_NAMED]) + (f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else "")
    return SourceUnreadableError(
        f"{where}: of {total} files Spark reads {total - len(lost)} and leaves out {named}: beside folders that "
        "are columns (name=value) it takes a file for no part of the table. Move such files into a folder of that "
        "kind, or out of the source."
    )


def _folders_read(spark: SparkSession, frame: DataFrame) -> list[Any] | None:
    """The folders whose files a scan of the frame would read; None for a frame that is made of something else."""
    jvm: Any = spark.sparkContext._jvm
    try:
        nothing = getattr(getattr(jvm, "scala.collection.immutable.Nil$"), "MODULE$")
        found = frame._jdf.queryExecution().analyzed().relation().location().listFiles(nothing, nothing)
        return [found.apply(place) for place in range(found.size())]
    except Py4JError:
        return None
