"""A local Spark for the tests of the profile job, and the job run on it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from airflow_dq.engine.spark.engine import SparkEngine
from airflow_dq.engine.spark.environment import spark_environment
from airflow_dq.engine.spark.session import open_session
from airflow_dq.job.outcome import Outcome
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.profile import JobSpec
from airflow_dq.settings import HASH_KEY_VARIABLE
from airflow_dq.store import Repository

SECRET = "a secret of ours"
"""What the session's workers hash hidden values with."""
Run = Callable[..., dict[str, Outcome]]
"""Runs a job given by the fields of its order; what became of each partition, by key."""


@contextmanager
def local_session(home: Path) -> Iterator[SparkSession]:
    """A session with two cores that keeps its files in ``home``; its Java ends with it."""
    os.environ.update(spark_environment("local[2]"))
    # Where Airflow has set up logging, each connection's end would be written, at the process's end to a closed file.
    logging.getLogger("py4j").setLevel(logging.WARNING)
    with pytest.MonkeyPatch.context() as patch:
        # Java, and the workers that it starts for the first job that needs any, keep the environment of this moment.
        patch.setenv(HASH_KEY_VARIABLE, SECRET)
        (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.warehouse.dir", str(home / "warehouse"))
            .config("spark.driver.extraJavaOptions", f"-XX:TieredStopAtLevel=1 -Dderby.system.home={home}")
            .getOrCreate()
        )
    try:
        with open_session() as session:
            yield session
    finally:
        gateway, SparkContext._gateway, SparkContext._jvm = SparkContext._gateway, None, None
        if gateway is not None:
            gateway.shutdown()
            gateway.proc.communicate(timeout=60)


def run_job(
    spark: SparkSession, store: Repository, say: Callable[[str], None] = lambda line: None, **order: Any
) -> dict[str, Outcome]:
    """Carry out an order, as it reads after its way through the command line."""
    spec = JobSpec.from_json(JobSpec(**{"dataset": "t", **order}).to_json())
    return {outcome.partition: outcome for outcome in ProfileJob(SparkEngine(spark, spec, say), store, say).run()}
