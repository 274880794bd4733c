"""Plain values for the database: no NumPy scalar, NaN, infinity or NUL character gets past here."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from airflow_dq.exceptions import CodecError, StoreError
from airflow_dq.metrics.registry import MetricValue, Reason


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


def finite(value: Any) -> float | None:
    """A Python float, or None for None, NaN and the infinities (a bound that does not bind)."""
    if value is None or isinstance(value, Reason):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def key(value: str | None, what: str) -> str:
    """A name that rows are found by.

    :param what: what it names, for the message (``dataset``, ``partition``, ``column``)
    :raises StoreError: when it is empty or holds what PostgreSQL's text cannot (NUL, half a surrogate pair).
    """
    if not value and what != "column":  # a CSV file's header may name a column ""
        raise StoreError(f"The {what} has no name: a templated argument may have rendered to nothing. Give it a name.")
    name = value or ""
    if prose(name) != name:
        raise StoreError(
            f"The {what} is named {name!r}, with a character that PostgreSQL cannot store: rename it, or exclude it."
        )
    return name


def prose(value: str) -> str:
    """Text for people: a NUL becomes the visible symbol for it, half a surrogate pair a question mark."""
    return value.replace("\x00", "\u2400").encode("utf-8", "replace").decode("utf-8")
