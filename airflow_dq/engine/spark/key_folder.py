"""A folder for keys on a cluster: grouped by their hashes there, whatever their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, reduce

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql.functions import array, col, explode, lit, struct, when
from pyspark.sql.functions import max as greatest
from pyspark.sql.functions import sum as total

from airflow_dq.check.model import Check
from airflow_dq.engine.spark.failure import SPARK_ERRORS, explain
from airflow_dq.engine.spark.files import is_connect
from airflow_dq.engine.spark.folders import HadoopFolders
from airflow_dq.engine.spark.source import PartitionRows
from airflow_dq.engine.worker.keys import KEY_DDL, key_batches, key_table, packed_chunks, unpacked_chunks
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.profile.check.key_tally import Occurring
from airflow_dq.profile.check.many_keys import BUCKETS, Changes, partition_piece, total_piece
from airflow_dq.profile.check.tally import Tally

_KEY = ("bucket", "view", "hash")


class SparkKeyFolder:
    """One dataset's pieces, on any file system that Spark writes to."""

    def __init__(
        self, spark: SparkSession, root: str, where: str, rows: Callable[[str], Sequence[PartitionRows]]
    ) -> None:
        """Take the session and the folder, which need not be there yet.

        :param where: begins an error
        :param rows: opens a partition
        :raises ConfigurationError: when no file system can be reached from here
        """
        if is_connect(spark):
            raise ConfigurationError(
                f"{where}: key_folder is looked after by a driver that reaches its file system, which a Connect client "
                "does not: give a master of its own (spark://..., yarn, local[*]), or leave key_folder out."
            )
        self._spark = spark
        self._root = root
        self._where = where
        self._rows = rows
        self._folders = HadoopFolders(spark)

    def count(self, partition: str, check: Check) -> str:
        """Count the keys of a partition; see :meth:`airflow_dq.engine.key_folder.EngineKeys.count`."""
        frames = [_counted(part, check) for part in self._rows(partition)]
        return self._write(partition_piece(partition), reduce(DataFrame.unionAll, frames))

    def write(self, tally: Tally) -> str:
        """Keep keys that are in memory; the name of the piece."""
        # As bytes: not every Spark takes a table of Arrow, or without pandas.
        chunks = [(bytearray(chunk),) for chunk in packed_chunks(key_table(tally))]
        rows = self._spark.createDataFrame(chunks, "data binary").mapInArrow(unpacked_chunks, KEY_DDL)
        return self._write(total_piece(), rows)

    def merge(self, pieces: Sequence[str]) -> str:
        """Keep several pieces as one; its name."""
        return self._write(total_piece(), self._read(pieces))

    def occurring(self, steps: Sequence[Sequence[str]]) -> list[dict[int, Occurring]]:
        """See :meth:`airflow_dq.profile.check.many_keys.KeyFolder.occurring`; one shuffle for all steps.

        Each key says how often it has occurred after each step that has it, and how often before.
        """
        frames = [self._read(pieces).withColumn("step", lit(step)) for step, pieces in enumerate(steps) if pieces]
        each = _grouped(reduce(DataFrame.unionAll, frames), *_KEY, "step")
        so_far = total("n").over(Window.partitionBy(*_KEY).orderBy("step"))
        changed = each.withColumn("so_far", so_far).select(
            *("view", "step", "complete"),
            explode(array(_change(col("so_far"), 1), _change(col("so_far") - col("n"), -1))).alias("change"),
        )
        single = when(col("complete") & (col("change.times") == 1), col("change.one")).otherwise(0)
        found = (
            changed.where(col("change.times") > 0)
            .groupBy("view", "step", col("change.times").alias("times"))
            .agg(total("change.one").alias("number"), total(single).alias("singles"))
        )
        changes = Changes(len(steps))
        with self._explained():
            for row in found.collect():
                changes.add(row["view"], row["step"], row["times"], row["number"], row["singles"])
        return changes.running()

    def names(self) -> list[str]:
        """The pieces that there are."""
        with self._explained():
            return self._folders.names(self._root)

    def drop(self, pieces: Sequence[str]) -> None:
        """Remove pieces."""
        with self._explained():
            for piece in pieces:
                self._folders.remove(f"{self._root}/{piece}")

    def _read(self, pieces: Sequence[str]) -> DataFrame:
        # The buckets' folders are no column of pieces that are read together: the bucket is told anew by the hash.
        reader = self._spark.read.schema(KEY_DDL.rpartition(",")[0]).option("recursiveFileLookup", "true")
        with self._explained():
            rows = reader.parquet(*(f"{self._root}/{piece}" for piece in pieces))
        return rows.withColumn("bucket", col("hash").bitwiseAND(BUCKETS - 1).cast("int"))

    def _write(self, name: str, rows: DataFrame) -> str:
        """Each key once.  Keys of a bucket come together, which is where they are grouped as well.

        Into how many tasks is left to Spark: those of few keys are not worth one each.
        """
        grouped = _grouped(rows.repartition("bucket"), *_KEY)
        with self._explained():
            grouped.write.partitionBy("bucket").parquet(f"{self._root}/{name}")
        return name

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except SPARK_ERRORS as error:
            raise explain(error, self._where, self._root) from error


def _counted(part: PartitionRows, check: Check) -> DataFrame:
    read = [(f"c{place}", name) for place, name in enumerate(part.names) if name in check.reads]
    task = partial(key_batches, names=[name for _, name in read], check=check)
    return part.frame.select(*(column for column, _ in read)).mapInArrow(task, KEY_DDL)


def _change(times: Column, one: int) -> Column:
    return struct(times.alias("times"), lit(one).alias("one"))


def _grouped(rows: DataFrame, *by: str) -> DataFrame:
    """Each key once."""
    found = rows.groupBy(*by).agg(total("n").alias("n"), greatest("complete").alias("complete"))
    return found.select("view", "hash", "n", "complete", "bucket", *(name for name in by if name not in _KEY))
