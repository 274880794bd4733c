"""Plain values for the database: no NumPy scalar, NaN, infinity or NUL character gets past here."""

from __future__ import annotations

import math
from typing import Any

from airflow_dq.exceptions import StoreError
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.encoding import builtin_metrics, decode_metrics, encode_metrics, strict_json
from airflow_dq.options.key import require_trimmed

__all__ = [
    "builtin_metrics",
    "decode_metrics",
    "encode_metrics",
    "finite",
    "storable_key",
    "storable_text",
    "strict_json",
]


LONGEST = 1000
"""Bytes of a dataset's name or a partition's key: PostgreSQL's indexes hold 2,704, and what a key is sorted by may be
two and a half times as long."""


def finite(value: Any) -> float | None:
    """A Python float, or None for None, NaN and the infinities (a bound that does not bind)."""
    if value is None or isinstance(value, Reason):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def storable_key(value: str | None, what: str) -> str:
    """A name that rows are found by.

    :param what: what it names, for the message (``dataset``, ``partition``, ``column``)
    :raises ConfigurationError: when a dataset or a partition has blanks at its ends
    :raises StoreError: when it is empty, too long, or holds what PostgreSQL's text cannot (NUL, half a surrogate pair).
    """
    if not value and what != "column":  # a CSV file's header may name a column ""
        raise StoreError(f"The {what} has no name: a templated argument may have rendered to nothing. Give it a name.")
    name = value or ""
    if storable_text(name) != name:
        raise StoreError(
            f"The {what} is named {name!r}, with a character that PostgreSQL cannot store: rename it, or exclude it."
        )
    if what != "column":
        require_trimmed(name, what)
    size = len(name.encode())
    if what != "column" and size > LONGEST:
        raise StoreError(
            f"The {what} has a name of {size:,} bytes ({name[:60]!r}...), of which {LONGEST:,} may be stored: is it "
            "the right column, or template?"
        )
    return name


def storable_text(value: str) -> str:
    """Text for people: a NUL becomes the visible symbol for it, half a surrogate pair a question mark."""
    return value.replace("\x00", "\u2400").encode("utf-8", "replace").decode("utf-8")
