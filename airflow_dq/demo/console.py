"""What the demo shows: a line per step with its seconds, nothing of the tools' own chatter."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO


@dataclass
class Console:
    """Numbered progress lines.

    :param total: number of steps
    :param stream: where the lines go
    """

    total: int
    stream: TextIO = sys.stdout
    done: int = 0

    @contextmanager
    def step(self, words: str) -> Iterator[Step]:
        """One step: its words at once, its outcome and seconds when it ends, well or not."""
        self.done += 1
        self._write(f"[{self.done}/{self.total}] {words} ... ")
        step, start = Step(), time.monotonic()
        try:
            yield step
        except BaseException:
            self._write(f"failed after {time.monotonic() - start:.1f} s\n")
            raise
        self._write(f"{step.outcome}, {time.monotonic() - start:.1f} s\n")

    def say(self, text: str) -> None:
        """A line, or several, between the steps."""
        self._write(f"{text}\n")

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


@dataclass
class Step:
    """A step that runs; set ``outcome`` to say more than that it is done."""

    outcome: str = "done"
