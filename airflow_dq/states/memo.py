"""Remember what was last computed from a pair of states: a column's distances all start from the same alignment."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def remember_last(function: Callable[[S, S], T]) -> Callable[[S, S], T]:
    """Reuse the result while the function is called with the very same two (immutable) objects."""
    last: tuple[S, S, T] | None = None

    @wraps(function)
    def remembering(first: S, second: S) -> T:
        nonlocal last
        # One read and one write of one name: threads may compute twice, never mix results.
        known = last
        if known is not None and known[0] is first and known[1] is second:
            return known[2]
        result = function(first, second)
        last = (first, second, result)
        return result

    return remembering
