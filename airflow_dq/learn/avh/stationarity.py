"""Making a metric's history stationary by (log) differencing (AVH, Algorithms 4 and 5, Appendix E)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.avh.adf import adf_pvalue
from airflow_dq.learn.expect.transform import differenced
from airflow_dq.learn.model import Transform, TransformKind

SIGNIFICANCE = 0.05
"""Level at which the ADF test rejects a unit root."""


def stationary_transform(values: FloatArray) -> Transform | None:
    """The first transform whose result passes the ADF test: none, then lags 1, 2, ..., then the lags of the logarithm.

    A lag stays below half of the history: beyond, fewer values are left than were given up.

    :param values: finite values, oldest first
    :return: the transform (the identity when the history is too short to decide), None when none helps
    """
    pvalue = adf_pvalue(values)
    if pvalue is None or pvalue < SIGNIFICANCE:
        return Transform()
    for transform in _transforms(values):
        series = differenced(transform, values)
        if np.isfinite(series).all():
            pvalue = adf_pvalue(series)
            if pvalue is not None and pvalue < SIGNIFICANCE:
                return transform
    return None


def _transforms(values: FloatArray) -> Iterator[Transform]:
    lags = range(1, max(2, len(values) // 2))
    yield from (Transform(TransformKind.DIFF, lag) for lag in lags)
    if (values > 0).all():
        yield from (Transform(TransformKind.LOG_DIFF, lag) for lag in lags)
