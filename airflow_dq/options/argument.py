"""An order as one argument of a command line, however many checks it has."""

from __future__ import annotations

import base64
import zlib

from airflow_dq.exceptions import ConfigurationError

_MOST = 64_000
"""Characters of an order that are handed on as they are; Linux takes 131,071 bytes in one argument, and a thousand
checks are more."""
_PACKED = "zlib:"
_LARGEST = 64 * 2**20
"""Bytes of an order: 300,000 checks."""


def packed(order: str) -> str:
    """The argument: the order itself while it is short, for a person to read; else compressed."""
    if len(order.encode()) <= _MOST:
        return order
    return _PACKED + base64.b64encode(zlib.compress(order.encode(), 9)).decode()


def unpacked(argument: str) -> str:
    """The order that :func:`packed` made an argument of.

    :raises ConfigurationError: when it is damaged
    """
    if not argument.startswith(_PACKED):
        return argument
    try:
        reader = zlib.decompressobj()
        found = reader.decompress(base64.b64decode(argument.removeprefix(_PACKED), validate=True), _LARGEST)
        if not reader.eof:
            raise ValueError("it is cut off, or too large")
        return found.decode()
    except (ValueError, zlib.error) as error:
        raise ConfigurationError(f"The job's specification cannot be read: {error}") from error
