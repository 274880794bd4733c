"""What runs inside a Spark task: needs numpy and pyarrow only."""
