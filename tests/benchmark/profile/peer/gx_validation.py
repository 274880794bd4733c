"""great-expectations: one expectation for each statistic that it knows and ours has too."""
# dependencies = ["great_expectations", "pyspark==3.5.*", "pandas<3"]

import great_expectations as gx
from great_expectations import expectations as gxe
from pyspark.sql import DataFrame, SparkSession
from timing import COLUMNS, NUMBERS, TEXTS, run

WIDE = {"min_value": -1e99, "max_value": 1e99}


def work(spark: SparkSession, frame: DataFrame) -> int:
    context = gx.get_context(mode="ephemeral")
    batch = context.data_sources.add_spark("spark").add_dataframe_asset("t").add_batch_definition_whole_dataframe("all")
    suite = gx.ExpectationSuite("profile")
    suite.add_expectation(gxe.ExpectTableRowCountToBeBetween(min_value=0))
    for name in COLUMNS:
        suite.add_expectation(gxe.ExpectColumnValuesToNotBeNull(column=name))
        suite.add_expectation(gxe.ExpectColumnProportionOfUniqueValuesToBeBetween(column=name, min_value=0))
    for name in NUMBERS:
        for kind in (
            gxe.ExpectColumnMinToBeBetween,
            gxe.ExpectColumnMaxToBeBetween,
            gxe.ExpectColumnMeanToBeBetween,
            gxe.ExpectColumnMedianToBeBetween,
            gxe.ExpectColumnStdevToBeBetween,
        ):
            suite.add_expectation(kind(column=name, **WIDE))
    for name in TEXTS:
        suite.add_expectation(gxe.ExpectColumnValueLengthsToBeBetween(column=name, min_value=0, max_value=10_000))
    return len(batch.get_batch({"dataframe": frame}).validate(suite).results)


run(work)
