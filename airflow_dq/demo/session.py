"""A program in a session of its own, whose every process ends with it: Airflow's parts do not end with their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event

END_SECONDS = 15
"""How long processes may take to end when they are asked to, before they are killed."""


@contextmanager
def session(arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program while the block runs; what it and its children print is added to the log."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            arguments,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End every process of the program's session; a second interrupt meanwhile leaves none of them either."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for member in members(process.pid):
            with suppress(ProcessLookupError):
                os.kill(member, number)
        with suppress(TimeoutError, KeyboardInterrupt):
            wait_until(lambda: process.poll() is not None and not members(process.pid), END_SECONDS)


def members(leader: int) -> list[int]:
    """The processes of a session that still run."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,stat="], capture_output=True, text=True, check=True).stdout
    found = []
    for line in listed.splitlines():
        number, state = line.split()[:2]
        with suppress(ProcessLookupError, PermissionError):
            if not state.startswith("Z") and os.getsid(int(number)) == leader:
                found.append(int(number))
    return found


def wait_until(done: Callable[[], object], seconds: float, pause: float = 0.5) -> None:
    """Return as soon as ``done()`` is true.

    :raises TimeoutError: when it is not in time
    """
    clock, deadline = Event(), time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise TimeoutError
        clock.wait(pause)
