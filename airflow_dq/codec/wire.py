"""msgspec as the codec uses it, and what is left of that where it is not installed.

Whoever reads a document has it: it comes with Airflow.  The driver of a profile job on a cluster only writes, which
takes no more than the standard library.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any

try:
    import msgspec
except ImportError:
    msgspec = None  # type: ignore[assignment]  # asked for by what reads only

__all__ = ["Finite", "msgspec", "struct", "text_of"]

_LARGEST = 1.7976931348623157e308
"""The largest finite float64."""
Finite = float if msgspec is None else Annotated[float, msgspec.Meta(ge=-_LARGEST, le=_LARGEST)]
"""A float that JSON has.  The bound is the largest one there is: an infinity is beyond it, NaN fails any comparison."""


def struct(name: str, fields: Iterable[tuple[str, Any]]) -> Any:
    """The type that msgspec is asked for where an object with these fields is read, and no others."""
    return dict if msgspec is None else msgspec.defstruct(name, fields, forbid_unknown_fields=True)


def text_of(data: Any) -> str:
    """JSON values as one line.

    :raises UnicodeError: when a text is none, half a surrogate pair
    """
    if msgspec is not None:
        return msgspec.json.encode(data).decode()
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text.encode()
    return text
