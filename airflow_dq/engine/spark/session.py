"""The Spark session of a profile job, set up so that data arrives as it is."""

from __future__ import annotations

import re
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import Column, SparkSession
from pyspark.sql.functions import col

from airflow_dq.engine.spark.bundle import executor_bundle
from airflow_dq.engine.spark.files import is_connect
from airflow_dq.engine.spark.user_metric import user_metrics_module
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.settings import REDACTED, SPARK_REDACTION

_SETTINGS = {
    # Column names are data: `b` and `B` are two columns.
    "spark.sql.caseSensitive": "true",
    # Partition keys are text: `00011` is not 11, `-0` is not 0.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    # Dates before 1582 are taken as they are written; every Spark version then reads the same.
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.avro.datetimeRebaseModeInRead": "CORRECTED",
    # Timestamps in nanoseconds arrive as integers, and are made timestamps again; otherwise Spark refuses the file.
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    # Times of day: off by default in a Spark that can read them.
    "spark.sql.timeType.enabled": "true",
    # Whether a CSV record counts as malformed must not depend on the columns that are profiled.
    "spark.sql.csv.parser.columnPruning.enabled": "false",
    # A file that cannot be read is an error, never left out.
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    # Single partitions that are read together are tasks of their own.
    "spark.sql.unionOutputPartitioning": "false",
    # Larger batches than the default amortise numpy's overhead; bytes per batch stay bounded by Spark's own limit.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "32768",
}


_CONNECT = {
    # Nobody looks into footers there: a column of nanoseconds is an error of Spark's, and not a column of integers.
    "spark.sql.legacy.parquet.nanosAsLong": "false",
}
"""What is set otherwise behind a Spark Connect server."""


def require_redaction(conf: Mapping[str, str]) -> None:
    """Refuse properties by which Spark shows a secret of ours in its event log and on its environment page.

    :raises ConfigurationError: naming the properties, and what to set
    """
    pattern = conf.get("spark.redaction.regex", SPARK_REDACTION)
    shown = [name for name in conf if re.search(REDACTED, name) and not re.search(pattern, name)]
    if shown:
        raise ConfigurationError(
            f"Spark shows {', '.join(sorted(shown))} in clear, in its event log and on its environment page: set "
            f"spark.redaction.regex={pattern}|{REDACTED}, and replace the secret, which has been logged by now."
        )


@contextmanager
def open_session(store_options: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """A session under the name, master and configuration that ``spark-submit`` was given, stopped at the end.

    Executors get the package's pure part from here, and the metrics that users have registered so far: nothing of ours
    has to be installed on a cluster.

    :param store_options: properties of Hadoop for this session, secrets among them, which Spark's own properties and
        so its event log and its pages do not show
    :raises ConfigurationError: when Spark would show a secret, or when the properties belong to a server
    """
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
    spark = SparkSession.builder.getOrCreate()
    try:
        if not is_connect(spark):
            _prepare(spark, store_options or {})
        elif store_options:
            raise ConfigurationError(
                "Behind a Spark Connect server the credentials of an object store belong to the server: leave out "
                "source_conn_id, and set them there."
            )
        for key, value in (_SETTINGS | (_CONNECT if is_connect(spark) else {})).items():
            spark.conf.set(key, value)
        with tempfile.TemporaryDirectory(prefix="airflow_dq-") as folder:
            bundle = str(executor_bundle(Path(folder), user_metrics_module()))
            if is_connect(spark):
                spark.addArtifacts(bundle, pyfile=True)
            else:
                spark.sparkContext.addPyFile(bundle)
            yield spark
    finally:
        spark.stop()


def _prepare(spark: SparkSession, store_options: Mapping[str, str]) -> None:
    """What can be set on the context of an application of one's own only."""
    context = spark.sparkContext
    require_redaction(dict(context.getConf().getAll()))
    hadoop: Any = context._jsc.hadoopConfiguration() if store_options else None
    for name, value in store_options.items():
        hadoop.set(name, value)
    if not context.getConf().contains("spark.log.level"):
        # A failed task is reported by this job in a sentence; Spark would print its stack first, several times.
        context.setLogLevel("FATAL")


def column(name: str) -> Column:
    """The column of exactly this name, whatever characters it has."""
    return col(quoted(name))


def quoted(name: str) -> str:
    """A column's name as Spark SQL reads it, whatever characters it has."""
    return "`" + name.replace("`", "``") + "`"
