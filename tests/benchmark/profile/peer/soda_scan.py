"""soda-core: one check for each statistic that it knows and ours has too."""
# dependencies = ["soda-core-spark-df", "pyspark==3.5.*", "setuptools"]

from pyspark.sql import DataFrame, SparkSession
from soda.scan import Scan
from timing import COLUMNS, NUMBERS, TEXTS, run


def work(spark: SparkSession, frame: DataFrame) -> int:
    frame.createOrReplaceTempView("t")
    checks = ["row_count >= 0"]
    checks += [f"{check}({name}) >= 0" for name in COLUMNS for check in ("missing_count", "duplicate_count")]
    checks += [f"{check}({name}) > -1e99" for name in NUMBERS for check in ("min", "max", "avg", "sum", "stddev")]
    checks += [f"{check}({name}) >= 0" for name in TEXTS for check in ("min_length", "max_length", "avg_length")]
    scan = Scan()
    scan.set_data_source_name("spark_df")
    scan.add_spark_session(spark)
    scan.add_sodacl_yaml_str("checks for t:\n" + "".join(f"  - {check}\n" for check in checks))
    scan.execute()
    return len(scan.get_scan_results()["checks"])


run(work)
