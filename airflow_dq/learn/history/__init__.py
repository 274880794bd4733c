"""Past partitions: where they lie in time, the series of their metrics, and what a partition is compared with."""
