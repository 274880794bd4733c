"""Remember what was last computed: a column's states and a pair's distances all start from the same preparation."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def remember_last(function: Callable[P, T]) -> Callable[P, T]:
    """Reuse the result while the function is called with the very same (immutable) objects, by position."""
    last: tuple[tuple[object, ...], T] | None = None

    @wraps(function)
    def remembering(*args: P.args, **kwargs: P.kwargs) -> T:
        nonlocal last
        # One read and one write of one name: threads may compute twice, never mix results.
        known = last
        if known is not None and not kwargs and all(map(_same, known[0], args)):
            return known[1]
        result = function(*args, **kwargs)
        if not kwargs:
            last = (args, result)
        return result

    return remembering


def _same(first: object, second: object) -> bool:
    return first is second
