"""A profile job without Spark: small partitions read with pyarrow in this very process, with the same results."""
