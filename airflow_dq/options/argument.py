"""An order as one argument of a command line, however many checks it has, and what must be on none."""

from __future__ import annotations

import base64
import json
import os
import zlib

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.settings import SOURCE_VARIABLE

_MOST = 64_000
"""Characters of an order that are handed on as they are; Linux takes 131,071 bytes in one argument, and a thousand
checks are more."""
_PACKED = "zlib:"
_LARGEST = 64 * 2**20
"""Bytes of an order: 300,000 checks."""


def packed(order: str) -> str:
    """The argument: the order itself while it is short, for a person to read; else compressed."""
    return order if len(order.encode()) <= _MOST else compressed(order)


def compressed(order: str) -> str:
    """The argument, of no character that a shell or a template takes for its own."""
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


def source_options_from_environment() -> dict[str, str]:
    """The read options in ``AIRFLOW_DQ_SOURCE_SECRET``; none when it is unset or blank.

    :raises ConfigurationError: when it holds no JSON object of texts; what it holds is not shown
    """
    text = os.environ.get(SOURCE_VARIABLE, "").strip()
    try:
        found = json.loads(text) if text else {}
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise ConfigurationError(f'{SOURCE_VARIABLE} is no JSON object of texts, such as {{"password": "..."}}.')
    return found
