"""What work cost: seconds, CPU seconds of every process involved, peak memory of a Spark worker (Linux)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_TICK = os.sysconf("SC_CLK_TCK")
_WORKER = b"pyspark.daemon"
_LOOK_EVERY = 0.2


@dataclass(slots=True)
class Cost:
    """Filled in when the work is done."""

    wall: float = 0.0
    cpu: float = 0.0
    """Driver, JVM, Python workers and database server."""
    worker_mb: float = 0.0
    """Largest resident memory that one Python worker had."""


@contextmanager
def measured(roots: Sequence[int]) -> Iterator[Cost]:
    """The cost of the ``with`` block, in the trees of processes below ``roots``."""
    cost, done, looking = Cost(), threading.Event(), 0.0
    before = _cpu_ticks(roots)
    seen = dict(before)

    def look() -> None:
        # A worker that ends takes its peak and its time with it: what was seen last counts.
        nonlocal looking
        while not done.wait(_LOOK_EVERY):
            seen.update(_cpu_ticks(roots))
            cost.worker_mb = max(cost.worker_mb, _worker_peak(roots))
        # To look takes time too, which is not the work's.
        looking = time.thread_time()

    _forget_peaks(roots)
    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    wall = time.perf_counter()
    try:
        yield cost
    finally:
        cost.wall = time.perf_counter() - wall
        done.set()
        watcher.join()
        seen.update(_cpu_ticks(roots))
        spent = sum(ticks - before.get(process, 0) for process, ticks in seen.items()) / _TICK
        cost.cpu = max(0.0, spent - looking)
        cost.worker_mb = max(cost.worker_mb, _worker_peak(roots))


def _tree(roots: Sequence[int]) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in _PROC.iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = list(roots)
    for pid in found:
        found += children.get(pid, [])
    return found


def _stat(pid: int) -> list[str]:
    """The fields of ``/proc/<pid>/stat`` from the third on; none when the process has ended."""
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _cpu_ticks(roots: Sequence[int]) -> dict[tuple[int, str], int]:
    """By process (its id and when it started): the time it has used itself."""
    found = {}
    for pid in _tree(roots):
        if fields := _stat(pid):
            found[pid, fields[19]] = int(fields[11]) + int(fields[12])
    return found


def _workers(roots: Sequence[int]) -> Iterator[Path]:
    for pid in _tree(roots):
        try:
            if _WORKER in (_PROC / str(pid) / "cmdline").read_bytes():
                yield _PROC / str(pid)
        except OSError:
            continue


def _forget_peaks(roots: Sequence[int]) -> None:
    for process in _workers(roots):
        try:
            (process / "clear_refs").write_text("5")
        except OSError:
            continue


def _worker_peak(roots: Sequence[int]) -> float:
    peak = 0.0
    for process in _workers(roots):
        try:
            lines = (process / "status").read_text().splitlines()
        except OSError:
            continue
        peak = max([peak, *(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))])
    return peak
