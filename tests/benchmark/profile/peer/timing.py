"""How a peer is timed: in a Spark session of its own, in turns with that session's no-op scan of the same table."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from os import getpid
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

# A script of this folder runs alone, in an environment that knows nothing of ours; `process` needs nothing at all.
sys.path.append(str(Path(__file__).parents[1]))

from process import measured

NUMBERS = ("id", "quantity", "price", "score", "store")
TEXTS = ("country", "customer", "comment", "coupon", "token")
OTHERS = ("created", "paid")
COLUMNS = NUMBERS + TEXTS + OTHERS


def run(work: Callable[[SparkSession, DataFrame], int]) -> None:
    """Time ``work`` on the table that the command line names, and print what was seen as one line of JSON.

    :param work: does everything, returns the number of values it found; a first call does not count
    """
    path, rounds = sys.argv[1], int(sys.argv[2])
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("FATAL")
    frame = spark.read.parquet(path)
    seen = {"scan_wall": [], "scan_cpu": [], "wall": [], "cpu": []}
    for number in range(rounds + 1):
        with measured([getpid()]) as scan:
            frame.write.format("noop").mode("overwrite").save()
        with measured([getpid()]) as cost:
            metrics = work(spark, frame)
        if number:
            for name, value in zip(seen, (scan.wall, scan.cpu, cost.wall, cost.cpu), strict=True):
                seen[name].append(value)
    print(json.dumps({"metrics": metrics, **seen}))
