"""What a command reads rows with: this process, or Spark on this machine or a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.argument import pairs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from airflow_dq.engine.base import Engine
    from airflow_dq.options.job import JobSpec


@contextmanager
def engine_of(order: JobSpec, engine: str, arguments: Any) -> Iterator[Engine]:
    """The engine that read a partition before.

    :param engine: its name and version, as stored with the profile
    :param arguments: with those of :data:`airflow_dq.cli.definition_look.AGAIN`
    """
    if engine.startswith("arrow"):
        from airflow_dq.engine.arrow.engine import ArrowEngine

        yield ArrowEngine(order)
        return
    with spark_session(arguments) as spark:
        from airflow_dq.engine.spark.engine import SparkEngine

        yield SparkEngine(spark, order, lambda line: None)


@contextmanager
def spark_session(arguments: Any) -> Iterator[SparkSession]:
    """A Spark session on ``--master`` with the properties of ``--conf``.

    :raises EnvironmentMismatchError: when this machine lacks what it needs
    """
    from airflow_dq.engine.spark.environment import check_environment, spark_environment

    os.environ.update(spark_environment(arguments.master))
    check_environment()
    from pyspark.sql import SparkSession

    from airflow_dq.engine.spark.session import open_session

    builder = SparkSession.builder.appName(f"airflow-dq-{arguments.func.__name__}")
    if not arguments.master.startswith("sc://"):
        builder = builder.master(arguments.master)
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    for name, value in {**quiet, **pairs("--conf", arguments.conf)}.items():
        builder = builder.config(name, value)
    builder.getOrCreate()
    with open_session() as spark:
        yield spark
