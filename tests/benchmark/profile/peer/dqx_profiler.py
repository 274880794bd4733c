"""Databricks dqx: its profiler, on all rows instead of its default sample."""
# dependencies = ["databricks-labs-dqx", "pyspark==3.5.*", "pandas<3", "pyarrow"]

from unittest.mock import MagicMock

from databricks.labs.dqx.profiler.profiler import DQProfiler
from databricks.sdk import WorkspaceClient
from pyspark.sql import DataFrame, SparkSession
from timing import run


def work(spark: SparkSession, frame: DataFrame) -> int:
    # It asks for a workspace, and talks to it only when it reads tables from there.
    profiler = DQProfiler(MagicMock(spec=WorkspaceClient), spark)
    statistics, rules = profiler.profile(frame, options={"sample_fraction": None, "limit": None})
    found = sum(value is not None for column in statistics.values() for value in column.values())
    return found + len(rules)


run(work)
