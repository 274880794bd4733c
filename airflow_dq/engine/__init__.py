"""Partitions of a source, and one scan of each: in this process (arrow) or on a cluster (spark)."""
