"""How far a long command has come: a bar on a terminal, ten lines at most elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
_WIDTH = 30
"""Characters of the bar."""
_LINES = 10
"""Lines where the output is kept: a log is read by somebody, too."""
_SHORT = 5.0
"""Seconds without a word that nobody minds: what takes no longer says nothing where there is no terminal."""
_CLEAR = "\r\x1b[K"
"""To the beginning of the line, and nothing on it."""


class Progress:
    """Says on stderr how many of a number of things are done, when that has changed enough."""

    def __init__(self, counted: str) -> None:
        """Nothing is done.

        :param counted: what is counted, and what is done with it: a command may count twice
        """
        self._counted = counted
        self._terminal = sys.stderr.isatty()
        self._said = 0
        self._since = time.monotonic()
        self._open = False

    def at(self, done: int, total: int) -> None:
        """So many are done."""
        if self._terminal:
            full = _WIDTH * done // max(1, total)
            bar = "#" * full + "." * (_WIDTH - full)
            print(f"{_CLEAR}[{bar}] {done} of {total} {self._counted}", end="", file=sys.stderr, flush=True)
            self._open = True
            return
        part, now = _LINES * done // max(1, total), time.monotonic()
        if part > self._said and now - self._since >= _SHORT:
            self._said, self._since = part, now
            print(f"{done} of {total} {self._counted}", file=sys.stderr, flush=True)

    def line(self, text: str) -> None:
        """Another line, above the bar."""
        self.close()
        print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Take the bar away."""
        if self._open:
            print(_CLEAR, end="", file=sys.stderr, flush=True)
            self._open = False


def followed(things: Iterable[T], total: int, counted: str) -> Iterator[T]:
    """The things as they come, and on stderr how many have been dealt with.

    :param total: how many there will be
    :param counted: see :class:`Progress`
    """
    shown = Progress(counted)
    try:
        for number, thing in enumerate(things):
            yield thing
            shown.at(number + 1, total)
    finally:
        shown.close()
