"""How a process that summarises batch after batch gets its memory."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""The parameters' numbers in ``malloc.h``."""
_KEPT = 2**27
"""Bytes that are freed and not given back: what the arrays of one batch take, several times."""
_LARGE = 2**25
"""Bytes of an array from which on it is given back all the same: the most that the C library allows to ask for."""


@cache
def keep_freed_memory() -> None:
    """Let the arrays of the next batch lie where those of the last one lay.

    By default glibc gives arrays of more than some 128 KB back when they are freed, and the system clears the pages
    again, each at its first use, for every array of every batch: a twentieth of the time of a scan, and more on a
    machine with others on it.  Other C libraries are left as they are.
    """
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_TRIM_THRESHOLD, _KEPT)
