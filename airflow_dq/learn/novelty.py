"""New values in a short history: that none has come so far does not say that none will.

A metric that never changed in n partitions changes in the next one about once in n + 2 (Laplace's rule of succession):
after a week far more often than any target allows, and a wide table has many such metrics.  Most of them are watched
all the same, for little else catches the errors that move them.  Shares of new values are not, as long as the
partitions are few for so many columns: where new values are many, the distances of the whole distribution show them.
"""

from __future__ import annotations

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.expect.calibration import FEW
from airflow_dq.metrics.descriptor import Metric

SHARES = frozenset({"new_ratio", "unseen_ratio"})
"""Metrics that say how many values are new; a new pattern is an error more often, and little else shows it."""
PER_COLUMN = 0.5
"""Values without anything new that are needed for each column judged: the columns' chances of a false alarm add up."""


def unproven(metric: Metric, values: FloatArray, columns: int) -> str | None:
    """Why a column that got no new values so far cannot be expected to get none; None where it can, or got some.

    :param metric: any metric; only the shares of new values are held back
    :param values: its history; NaN in slots that have none
    :param columns: how many columns share one false-alarm rate
    """
    if metric.name not in SHARES:
        return None
    known, needed = values[~np.isnan(values)], min(FEW, int(PER_COLUMN * columns))
    if len(known) >= needed or known.any():
        return None
    return f"no new values in {len(known)} partitions; with {columns} columns {needed} are needed to expect none"
