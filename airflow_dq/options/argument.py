"""An order as one argument of a command line, however many checks it has, and what must be on none."""

from __future__ import annotations

import base64
import json
import os
import re
import zlib
from collections.abc import Mapping

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.settings import SOURCE_VARIABLE

_MOST = 64_000
"""Characters of an order that are handed on as they are; Linux takes 131,071 bytes in one argument, and a thousand
checks are more."""
SECRET_NAME = re.compile(r"passw|secret|token|credential$|access.?key$|account.?key", re.IGNORECASE)
"""Names of options whose values nobody else may see; an access key's id is none."""
SECRET_IN_ADDRESS = re.compile(r"(?:password|pwd)=|//[^/@?]*:[^/@?]+@|:thin:[^/@]+/[^@]+@", re.IGNORECASE)
"""How the address of a database holds a password: as a parameter, or before the host."""
_PACKED = "zlib:"
_HADOOP = "fs."
"""How the names of Hadoop's properties of file systems begin."""
_LARGEST = 64 * 2**20
"""Bytes of an order: 300,000 checks."""


def require_no_secret(options: Mapping[str, str], dataset: str) -> None:
    """Refuse a secret among the options of a reader, which everybody sees who may list this machine's processes.

    :raises ConfigurationError: naming the option, and what to give instead
    """
    for name, value in options.items():
        if SECRET_NAME.search(name) or (name.lower() in ("url", "uri") and SECRET_IN_ADDRESS.search(value)):
            raise ConfigurationError(
                f"Dataset {dataset!r}: the read option {name!r} holds a password or another secret, which would stand "
                "on the command line of spark-submit: put it into an Airflow connection and give source_conn_id=<its "
                "id> (--source-conn-id)."
            )


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
    return {name: value for name, value in _secret().items() if not name.startswith(_HADOOP)}


def store_options_from_environment() -> dict[str, str]:
    """The properties of Hadoop there, by which an object store is reached.

    :raises ConfigurationError: as :func:`source_options_from_environment` does
    """
    return {name: value for name, value in _secret().items() if name.startswith(_HADOOP)}


def _secret() -> dict[str, str]:
    text = os.environ.get(SOURCE_VARIABLE, "").strip()
    try:
        found = json.loads(text) if text else {}
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise ConfigurationError(f'{SOURCE_VARIABLE} is no JSON object of texts, such as {{"password": "..."}}.')
    return found
