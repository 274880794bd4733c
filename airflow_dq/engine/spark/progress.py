"""Lines that say how far a long Spark job has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from pyspark.sql import SparkSession

from airflow_dq.engine.spark.files import is_connect
from airflow_dq.engine.spark.gateway import Py4JError


@contextmanager
def progress(spark: SparkSession, say: Callable[[str], None], seconds: float = 10.0) -> Iterator[None]:
    """Say every few seconds how many of the running stage's tasks are done, when that has changed.

    :param seconds: time between two looks
    """
    if is_connect(spark):
        # Its server tells who has asked for a job, and no one else, how far that has come.
        yield
        return
    done = Event()

    def watch() -> None:
        last = None
        while not done.wait(seconds):
            try:
                line = _tasks(spark)
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


def _tasks(spark: SparkSession) -> str | None:
    tracker = spark.sparkContext.statusTracker()
    stages = [info for stage in tracker.getActiveStageIds() if (info := tracker.getStageInfo(stage)) is not None]
    if not stages:
        return None
    stage = max(stages, key=lambda info: info.numTasks)
    return f"Spark: {stage.numCompletedTasks}/{stage.numTasks} tasks done"
