"""Plain values for JSON: no NumPy scalar, NaN or infinity gets past here."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import Any

from airflow_dq.exceptions import CodecError
from airflow_dq.metrics.descriptor import MetricValue, Reason
from airflow_dq.metrics.outcome import as_value


def strict_json(value: Any) -> str:
    """JSON values as text: a NaN or an infinity is an error, not a word that PostgreSQL refuses."""
    return json.dumps(value, allow_nan=False)


def builtin_metrics(metrics: Mapping[str, Any]) -> dict[str, MetricValue]:
    """All of a column's metrics as Python floats or reasons, of whatever numeric type they came in."""
    return {name: as_value(value) for name, value in metrics.items()}


def encode_metric(value: MetricValue) -> float | dict[str, str]:
    """The one JSON form of a metric: a number, or ``{"reason": "..."}`` where there is none.

    :raises CodecError: when it is NaN or an infinity
    """
    if type(value) is float and abs(value) <= sys.float_info.max:
        # What nearly all are.
        return value
    if isinstance(value, Reason):
        return {"reason": value.value}
    number = float(value)
    if not math.isfinite(number):
        raise CodecError(f"A metric's value is {number}, which is not a JSON number.")
    return number


def decode_metric(stored: object) -> MetricValue:
    """What :func:`encode_metric` made.

    :raises CodecError: when it is neither a number nor one of this version's reasons
    """
    if type(stored) is float and abs(stored) <= sys.float_info.max:
        # What nearly all are: a long history has millions of them.
        return stored
    if isinstance(stored, float | int) and not isinstance(stored, bool) and abs(stored) <= sys.float_info.max:
        return float(stored)  # JSON gives 1e22 back as an integer
    word = stored.get("reason") if isinstance(stored, Mapping) and len(stored) == 1 else None
    if isinstance(word, str) and word in _REASONS:
        return _REASONS[word]
    raise CodecError(f"A metric's value is stored as {stored!r}, which this version cannot read.")


_REASONS = {reason.value: reason for reason in Reason}


def encode_metrics(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """A column's metrics as they are stored: of whatever numeric type."""
    return {name: encode_metric(as_value(value)) for name, value in metrics.items()}


def decode_metrics(stored: Mapping[str, Any]) -> dict[str, MetricValue]:
    """What :func:`encode_metrics` made.

    :raises CodecError: when a value is not one of this version's, naming the metric
    """
    try:
        return {(metric := name): decode_metric(value) for name, value in stored.items()}
    except CodecError as error:
        raise CodecError(f"Metric {metric!r}: {error}") from None
