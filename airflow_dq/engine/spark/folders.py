"""Folders on the file systems that Spark writes to: moved, removed, and looked into."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from airflow_dq.engine.spark.hadoop import Hadoop


class HadoopFolders:
    """The file systems that Spark writes to."""

    def __init__(self, spark: SparkSession) -> None:
        """Take the session, by whose configuration they are reached."""
        self._spark: Any = spark

    def exists(self, path: str) -> bool:
        """Whether something is there."""
        return bool(self._system(path).exists(self._path(path)))

    def move(self, path: str, target: str) -> None:
        """Give a folder another name."""
        system, place = self._system(path), self._path(target)
        system.mkdirs(place.getParent())
        if not system.rename(self._path(path), place):
            raise OSError(f"{path} cannot be renamed to {target}")

    def remove(self, path: str) -> None:
        """Remove a folder and all below it."""
        self._system(path).delete(self._path(path), True)

    def names(self, path: str) -> list[str]:
        """The files and folders in a folder; none where it is not there."""
        return [entry.name for entry in Hadoop(self._spark).inside(path)] if self.exists(path) else []

    def _path(self, path: str) -> Any:
        return self._spark._jvm.org.apache.hadoop.fs.Path(path)

    def _system(self, path: str) -> Any:
        return self._path(path).getFileSystem(self._spark._jsc.hadoopConfiguration())
