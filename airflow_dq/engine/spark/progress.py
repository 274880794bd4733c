"""Watching a long Spark job: lines that say how far it has come, and its end where it would have none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from pyspark.sql import SparkSession

from airflow_dq.engine.spark.files import is_connect
from airflow_dq.engine.spark.gateway import Py4JError
from airflow_dq.engine.spark.loss import MARK, Losses


@contextmanager
def progress(spark: SparkSession, say: Callable[[str], None], seconds: float = 10.0) -> Iterator[None]:
    """Say every few seconds how many of the running stage's tasks are done, when that has changed.

    Jobs whose executors are all lost are cancelled.

    :param seconds: time between two looks
    """
    if is_connect(spark):
        # Its server tells who has asked for a job, and no one else, how far that has come.
        yield
        return
    done, losses = Event(), Losses(spark)

    def watch() -> None:
        last = None
        while not done.wait(seconds):
            try:
                line = _tasks(spark)
                losses.look()
                if losses.reason is not None:
                    _cancel(spark, losses.reason)
            except Py4JError:
                # Spark has gone; the job itself will say so.
                return
            if line is not None and line != last:
                say(line)
                last = line

    thread = Thread(target=watch, name="airflow_dq progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _cancel(spark: SparkSession, reason: str) -> None:
    context: Any = spark.sparkContext
    for job in context.statusTracker().getActiveJobsIds():
        context._jsc.sc().cancelJob(int(job), f"{MARK}{reason}")


def _tasks(spark: SparkSession) -> str | None:
    tracker = spark.sparkContext.statusTracker()
    stages = [info for stage in tracker.getActiveStageIds() if (info := tracker.getStageInfo(stage)) is not None]
    if not stages:
        return None
    stage = max(stages, key=lambda info: info.numTasks)
    return f"Spark: {stage.numCompletedTasks}/{stage.numTasks} tasks done"
