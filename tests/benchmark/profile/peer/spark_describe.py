"""Spark's own ``describe()``: count, mean, standard deviation, minimum and maximum."""
# dependencies = []

from timing import run

run(lambda spark, frame: sum(value is not None for row in frame.describe().collect() for value in row[1:]))
