"""What Spark says when something is missing becomes one sentence that names it and what brings it."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException

from airflow_dq.engine.spark.failure import cluster_fault, explain
from airflow_dq.exceptions import ConfigurationError, SparkLostError


@pytest.mark.parametrize(
    ("said", "version", "driver"),
    [
        (
            "[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.12 than that in driver: 3.11, PySpark",
            "3.12",
            "3.11",
        ),
        ("Python in worker has different version (3, 10) than that in driver 3.11, PySpark cannot run", "3.10", "3.11"),
    ],
)
def test_another_python_on_the_executors_is_named_with_both_versions(said: str, version: str, driver: str) -> None:
    fault = cluster_fault(PySparkException(said))
    assert f"executors run Python {version} and its driver {driver}" in str(fault)
    assert "spark.pyspark.python" in str(fault)


def test_a_module_that_the_executors_lack_is_named() -> None:
    assert "lacks the module 'numpy'" in str(
        cluster_fault(PySparkException("ModuleNotFoundError: No module named 'numpy'"))
    )
    assert cluster_fault(PySparkException("a bug")) is None


@pytest.mark.parametrize(
    "said",
    [
        "Job 3 cancelled because SparkContext was shut down",
        "Cannot call methods on a stopped SparkContext.",
        "[RETRIES_EXCEEDED] The maximum number of retries has been exceeded.",
        '<_MultiThreadedRendezvous of RPC that terminated with: status = StatusCode.UNAVAILABLE details = "refused">',
        "[INVALID_HANDLE.SESSION_NOT_FOUND] The handle 00 is invalid. Session not found.",
    ],
)
def test_a_spark_that_has_gone_away_concerns_all_partitions_and_may_come_back(said: str) -> None:
    fault = cluster_fault(PySparkException(said))
    assert isinstance(fault, SparkLostError)
    assert "has gone away in the middle of the job" in str(fault)
    assert fault.retryable
    assert str(explain(PySparkException(said), "Dataset 'd'", "the source")) == str(fault)


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("java.sql.SQLException: No suitable driver", "JDBC driver"),
        ("[DATA_SOURCE_NOT_FOUND] Failed to find the data source: delta. Make sure", "io.delta:delta-spark"),
        ("[DATA_SOURCE_NOT_FOUND] Failed to find the data source: iceberg. Make sure", "iceberg-spark-runtime"),
        ("Cannot find catalog plugin class for catalog 'lake': org.apache.iceberg.spark.SparkCatalog", "iceberg-spark"),
        ("Cannot find catalog plugin class: org.apache.spark.sql.delta.catalog.DeltaCatalog", "io.delta:delta-spark"),
        ("[DATA_SOURCE_NOT_FOUND] Failed to find the data source: hudi. Make sure", "hudi-spark"),
        ("Class org.apache.hadoop.fs.s3a.S3AFileSystem not found", "hadoop-aws"),
        ('No FileSystem for scheme "s3"', "hadoop-aws"),
        ('No FileSystem for scheme "gs"', "gcs-connector"),
        ('No FileSystem for scheme "abfss"', "hadoop-azure"),
        ("Class org.apache.hadoop.fs.azure.NativeAzureFileSystem$Secure not found", "hadoop-azure"),
        ('No FileSystem for scheme "oss"', "connector for Hadoop"),
    ],
)
def test_a_missing_jar_is_named_with_what_brings_it(said: str, named: str) -> None:
    found = explain(PySparkException(said), "Dataset 'd'", "the source")
    assert isinstance(found, ConfigurationError)
    assert "Dataset 'd': Spark has no jar to read the source" in str(found)
    assert "give packages=" in str(found)
    assert named in str(found)


class JavaError:
    """As much of an exception of Java's as is looked at."""

    def __init__(self, name: str, message: str) -> None:
        self._name = name
        self._message = message

    def getClass(self) -> JavaError:  # noqa: N802 - Java's
        return self

    def getName(self) -> str:  # noqa: N802
        return self._name

    def getMessage(self) -> str:  # noqa: N802
        return self._message

    def getCause(self) -> None:  # noqa: N802
        return None


def test_a_class_that_no_jar_has_is_named() -> None:
    error = PySparkException("org.postgresql.Driver")
    error._origin = JavaError("java.lang.ClassNotFoundException", "org.postgresql.Driver")  # type: ignore[attr-defined]
    behind_a_server = PySparkException("(java.lang.ClassNotFoundException) org.postgresql.Driver")
    for one in (error, behind_a_server):
        said = str(explain(one, "Dataset 'd'", "jdbc source orders"))
        assert said.startswith("Dataset 'd': Spark has no jar to read jdbc source orders (")
        assert "packages='<the one that has org.postgresql.Driver>'" in said


def test_of_a_task_that_failed_its_last_words_are_told() -> None:
    said = (
        "An exception was thrown from the Python worker. Please see the stack trace below.\n"
        'Traceback (most recent call last):\n  File "worker.py", line 2, in main\n    process()\n'
        "OSError: When getting information for bucket 'lake': Could not connect\n"
    )
    found = explain(PySparkException(said), "Dataset 'd'", "s3a://lake/x")
    assert (
        "could not read s3a://lake/x (OSError: When getting information for bucket 'lake': Could not connect)"
        in str(found)
    )
