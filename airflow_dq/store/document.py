"""A column type for whole programs and verdicts: strict JSON, compressed.

They repeat every field's name in every clause: compressed they take an eighth of their text, and half of what
PostgreSQL's own compression of JSON leaves.  What people query is in columns of its own.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

from sqlalchemy import Dialect, LargeBinary
from sqlalchemy.types import TypeDecorator

from airflow_dq.exceptions import CodecError
from airflow_dq.store.value import to_json

_PLAIN = b"{"
"""First byte of a document that an earlier revision stored without compression."""


class Document(TypeDecorator[dict[str, Any]]):
    """A dict of plain JSON values."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: dict[str, Any] | None, dialect: Dialect) -> bytes | None:
        """What is stored."""
        return None if value is None else zlib.compress(to_json(value).encode())

    def process_result_value(self, value: Any, dialect: Dialect) -> dict[str, Any] | None:
        """What was stored.

        :raises CodecError: when the bytes are damaged
        """
        return None if value is None else decode(bytes(value))


def decode(stored: bytes) -> dict[str, Any]:
    """The document in these bytes.

    :raises CodecError: when they are damaged
    """
    try:
        found: dict[str, Any] = json.loads(stored if stored.startswith(_PLAIN) else zlib.decompress(stored))
    except (zlib.error, ValueError) as error:
        raise CodecError(f"A stored program or verdict is damaged: {error}.") from error
    return found
