"""ydata-profiling: the description behind its report, on a Spark data frame."""
# dependencies = ["ydata-profiling[pyspark]", "pyspark==3.5.*", "pandas<3", "setuptools<81"]

from pyspark.sql import DataFrame, SparkSession
from timing import run
from ydata_profiling import ProfileReport


def work(spark: SparkSession, frame: DataFrame) -> int:
    report = ProfileReport(frame, progress_bar=False, correlations=None, interactions=None)
    variables = report.get_description().variables
    return sum(isinstance(value, int | float) for column in variables.values() for value in column.values())


run(work)
