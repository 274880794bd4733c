"""How large a surprise may be at a false-positive rate: from surprises of real and simulated tables, not a formula.

A surprise is by how many times an error exceeds the largest error of its series so far.  Whatever the metric, the next
one exceeds ``x`` times the largest of ``n`` with a chance near ``c / (n + 1) * x ** -tail``: exchangeable
errors have ``1 / (n + 1)``; the tail is the pooled one, which is heavier the shorter the history.
:mod:`airflow_dq.learn.expect.pooled` has the constants, and ``tests/benchmark/surprise`` measures them again.
"""

from __future__ import annotations

import math

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.expect.pooled import CHANCE, HEAVINESS, TAIL, TAIL_GROWTH

LEAST = 1.5
"""No range is narrower than so many times the largest past error: closer to it the pooled tail is no power law."""
MOST = 6.0
"""No range is wider than so many times the largest of a month's errors, however small its chance is to be.

The pooled surprises say nothing of chances below one in some ten thousand: there the law only carries a line on.  With
a month of history and a rate of 0.001 shared by a whole table, as many of 96 public partitions alarmed with this limit
as without (2), recall of injected errors was 0.837 in place of 0.831, and a doubled price is found in a column whose
mean never moved by more than a twentieth.  After fewer errors the limit is wider by the square: with 7 or 14 partitions
limits of 4 to 12 made many more partitions alarm."""
MONTH = 30
"""Number of past errors that CHANCE is given for.  After fewer it is larger, by the root: the chance with which columns
alarm at a rate of 0.3 % was 2.1 times as large after 7 partitions as after 30, and 1.5 times after 14."""
_FEWEST = 3
"""Fewest past errors that the pooled surprises were sorted by."""

FEW_VALUES = 10.0
"""What is measured on fewer values than this varies more than the past partitions show, in proportion: with six values,
means of heavy-tailed columns were found 34 times as far off as ever before."""


def tail(samples: int) -> float:
    """Exponent with which the chance of a surprise falls, after so many past errors."""
    return TAIL + TAIL_GROWTH * math.log(max(samples, _FEWEST))


def largest_surprise(metric: str, samples: int, rates: FloatArray) -> FloatArray:
    """How many times the largest past error the next one exceeds with each chance, from LEAST to about MOST.

    :param metric: the metric's name: some have heavier tails than others; one that was not measured is taken as typical
    :param samples: number of past errors
    :param rates: chances, above 0
    """
    samples = max(samples, _FEWEST)
    chance = CHANCE * HEAVINESS.get(metric, 1.0) * math.sqrt(MONTH / samples) / (samples + 1)
    most = MOST * max(1.0, MONTH / samples) ** 2
    return np.asarray(np.minimum(np.maximum((chance / rates) ** (1.0 / tail(samples)), LEAST), most))


def too_few(values: float) -> float:
    """How many times wider a range is because its metric is measured on so few values; 1 from FEW_VALUES on."""
    return max(1.0, FEW_VALUES / max(1.0, values))
