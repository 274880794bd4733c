"""Small partitions, read with pyarrow in this very process."""
