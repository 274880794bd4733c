"""cuallee: one check for each statistic that it knows and ours has too."""
# dependencies = ["cuallee", "pyspark==3.5.*", "setuptools"]

from cuallee import Check, CheckLevel
from pyspark.sql import DataFrame, SparkSession
from timing import COLUMNS, NUMBERS, run


def work(spark: SparkSession, frame: DataFrame) -> int:
    check = Check(CheckLevel.WARNING, "profile")
    for name in COLUMNS:
        check.is_complete(name).is_unique(name)
    for name in NUMBERS:
        check.has_min(name, 0).has_max(name, 0).has_mean(name, 0).has_std(name, 0).has_percentile(name, 0, 0.5)
    for name in ("country", "coupon"):
        check.has_entropy(name, 0.0)
    return len(check.validate(frame).collect())


run(work)
