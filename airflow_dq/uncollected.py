"""Injecting errors, learning and judging without the search for reference cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Let Python not look for reference cycles until this is left: what is done within makes none.

    A long history is hundreds of thousands of objects that all stay: to look through them again and again took a
    fifth of the CPU of a gate that learns from a year of 60 columns, and a twelfth of that of making injected errors.
    Where the search is off already it stays off.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
