"""Small partitions of many datasets in one Spark job: a job of its own would take each longer than its rows do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from pyspark.sql import SparkSession

from airflow_dq.engine.base import Engine
from airflow_dq.engine.spark.engine import SparkEngine
from airflow_dq.engine.spark.files import is_connect
from airflow_dq.engine.spark.progress import progress
from airflow_dq.engine.worker.parquet import Small, profile_small
from airflow_dq.engine.worker.partial import partial_of

_A_CORE = 4
"""Tasks for each core: datasets differ in what they take."""


def scan_together(spark: SparkSession, say: Callable[[str], None], engines: Sequence[Engine]) -> None:
    """Read what the tasks can read by themselves, and hand it to the engines; what fails each of them reads alone.

    :param engines: of this session, each with its partitions known
    """
    if is_connect(spark):
        return
    ours = [one for one in engines if isinstance(one, SparkEngine)]
    work = [small for number, engine in enumerate(ours) if (small := _small(number, engine)) is not None]
    if not work:
        return
    # With the function and not with the data, which Spark's Python writes to a file.
    places = {one.number: store for one in work if (store := ours[one.number].store) is not None}
    context = spark.sparkContext
    say(f"{len(work)} datasets are read together")
    tasks = min(len(work), _A_CORE * context.defaultParallelism)
    try:
        with progress(spark, say):
            found = context.parallelize(work, tasks).flatMap(partial(profile_small, places=places)).collect()
    except Exception as error:
        # If it is for good, it comes up again where each is read by itself, and is explained there.
        say(f"that has failed ({type(error).__name__}), and each of them is read by itself")
        return
    for number, key, row in found:
        ours[number].take(key, partial_of(row))


def _small(number: int, engine: SparkEngine) -> Small | None:
    try:
        slices = tuple(engine.small())
        # Which columns are profiled is settled: the others are not read.
        return Small(number, slices, replace(engine.options, columns=None, exclude=())) if slices else None
    except Exception:
        # Whatever it is, it comes up again, and concerns no other dataset.
        return None
