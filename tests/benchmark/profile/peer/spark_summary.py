"""Spark's own ``summary()``: what ``describe()`` has, and quartiles."""
# dependencies = []

from timing import run

run(lambda spark, frame: sum(value is not None for row in frame.summary().collect() for value in row[1:]))
