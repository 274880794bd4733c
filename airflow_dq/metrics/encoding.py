"""Plain values for JSON: no NumPy scalar, NaN or infinity gets past here."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from airflow_dq.exceptions import CodecError
from airflow_dq.metrics.descriptor import MetricValue, Reason


def to_json(value: Any) -> str:
    """Strict JSON: a NaN or an infinity is an error, not a word that PostgreSQL refuses."""
    return json.dumps(value, allow_nan=False)


def plain_metric(value: Any) -> MetricValue:
    """A Python float or a Reason, of whatever numeric type a metric came in.

    NaN becomes ``engine error`` and an infinity ``overflow``: neither can be judged, and both say so.
    """
    if isinstance(value, Reason):
        return value
    number = float(value)
    if math.isnan(number):
        return Reason.ENGINE_ERROR
    if math.isinf(number):
        return Reason.OVERFLOW
    return number + 0.0  # -0.0 -> 0.0: PostgreSQL's numeric has no negative zero


def plain_metrics(metrics: Mapping[str, Any]) -> dict[str, MetricValue]:
    """All of a column's metrics, as above."""
    return {name: plain_metric(value) for name, value in metrics.items()}


def encode_metrics(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Name -> number or ``{"reason": "..."}``, ready for a JSONB column."""
    plain = plain_metrics(metrics)
    return {name: {"reason": value.value} if isinstance(value, Reason) else value for name, value in plain.items()}


def decode_metrics(stored: Mapping[str, Any]) -> dict[str, MetricValue]:
    """What :func:`encode_metrics` made.

    :raises CodecError: when a reason is not one of this version's.
    """
    return {name: _decode_metric(name, value) for name, value in stored.items()}


def _decode_metric(name: str, value: Any) -> MetricValue:
    if not isinstance(value, Mapping):
        return float(value)  # JSONB gives 1e22 back as an integer
    try:
        return Reason(value["reason"])
    except (KeyError, ValueError):
        raise CodecError(f"Metric {name!r} is stored as {value!r}, which this version cannot read.") from None
