"""Where a partition has changed: the slices of its rows that carry the change from another partition."""
