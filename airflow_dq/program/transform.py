"""Applying a transform to a metric's value, and undoing it for a bound that a person reads."""

from __future__ import annotations

import math

import numpy as np

from airflow_dq.program.array import FloatArray
from airflow_dq.program.model import Transform, TransformKind


def apply(transform: Transform, values: FloatArray, base: float | FloatArray) -> FloatArray:
    """The transformed values.

    :param values: the metric itself
    :param base: its value ``transform.lag`` partitions before (ignored by the identity)
    :return: as ``values``; minus infinity where a logarithm does not exist, so that it violates any lower bound
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        match transform.kind:
            case TransformKind.IDENTITY:
                return values
            case TransformKind.DIFF:
                return values - base
            case TransformKind.LOG_DIFF:
                log = np.where(values > 0, np.log(np.where(values > 0, values, 1.0)), -np.inf)
                return np.asarray(log - np.log(base), dtype=np.float64)


def differenced(transform: Transform, values: FloatArray) -> FloatArray:
    """The transformed history: each value against the one ``lag`` before; shorter by ``lag``."""
    if transform.kind is TransformKind.IDENTITY:
        return values
    return apply(transform, values[transform.lag :], values[: -transform.lag])


def undo(transform: Transform, bound: float | None, base: float | None) -> float | None:
    """The bound on the metric itself that equals a bound on its transform; None when there is none or it overflows."""
    if bound is None or transform.kind is TransformKind.IDENTITY:
        return bound
    if base is None:
        return None
    if transform.kind is TransformKind.DIFF:
        value = base + bound
    else:
        value = base * math.exp(bound) if bound < 700.0 else math.inf
    return value if math.isfinite(value) else None
