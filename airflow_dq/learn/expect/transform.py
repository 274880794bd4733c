"""Applying a transform to a metric's value, and undoing it for a bound that a person reads."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.model import Transform, TransformKind


def apply(transform: Transform, values: FloatArray, base: float | FloatArray) -> FloatArray:
    """The transformed values.

    :param values: the metric itself
    :param base: what they are compared with, see :func:`base_of` (ignored by the identity)
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


def base_of(transform: Transform, past: Mapping[int, float], drift: float = 0.0) -> float | None:
    """What a value is compared with; 0.0 for the identity.

    Behind a gap the newest value stands in for the one before, moved on by the usual drift of each step.

    :param past: the metric's history: how many steps before, and its value there
    :param drift: what the transformed value is expected to be after one step
    :return: None when there is no value to compare with
    """
    if transform.kind is TransformKind.IDENTITY:
        return 0.0
    places = range(transform.lag, transform.lag * transform.cycles + 1, transform.lag)
    found = [past[place] for place in places if place in past]
    if found or transform.lag > 1 or not past:
        return float(np.median(found)) if found else None
    newest = min(past)
    moved = drift * (newest - 1)
    return past[newest] * math.exp(moved) if transform.kind is TransformKind.LOG_DIFF else past[newest] + moved


def differenced(transform: Transform, values: FloatArray) -> FloatArray:
    """The transformed history: each value against the one ``lag`` before; shorter by ``lag``.  Of one cycle only."""
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
