"""The benchmark's findings as one table for people, and as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.benchmark.profile.measure import Measurement


@dataclass(frozen=True, slots=True)
class Check:
    """One promise, and whether it was kept."""

    what: str
    seen: float
    allowed: float

    @property
    def kept(self) -> bool:
        """Whether it is within what is allowed."""
        return self.seen <= self.allowed

    def line(self) -> str:
        """For people."""
        return f"{'ok  ' if self.kept else 'MISS'} {self.what}: {self.seen:.2f} (allowed {self.allowed:g})"


def checks(found: Mapping[str, Measurement]) -> list[Check]:
    """What the measured tables say about the promises."""
    made: list[Check] = []
    if a := found.get("A"):
        made += [Check("A: wall time to the no-op scan's", a.ratio("wall"), 5.0)]
        made += [Check("A: MB of the largest Python worker", a.worker_mb, 1024)]
    if (w := found.get("W")) and (half := found.get("W100")):
        made += [Check("W: wall time to the no-op scan's", w.ratio("wall"), 8.0)]
        made += [Check("W: CPU time of 200 to 100 columns", w.to(half, "cpu"), 2.2)]
        made += [Check("W: wall time of 200 to 100 columns", w.to(half, "wall"), 2.2)]
    if s := found.get("S"):
        made += [Check("S: wall time to the no-op job's, session warm", s.ratio("wall"), 3.0)]
    if (b := found.get("B")) and (day := found.get("B1")):
        made += [Check("B: CPU time of 60 partitions in one job to one partition's", b.to(day, "cpu"), 10.0)]
    for less, more in (("R1", "R2"), ("R2", "R4")):
        if less in found and more in found:
            made += [
                Check(f"{more} to {less}: {what} time of twice the rows", found[more].to(found[less], what), 2.1)
                for what in ("cpu", "wall")
            ]
    return made


def text(found: Mapping[str, Measurement]) -> str:
    """One line per table, then one per promise."""
    head = ("table", "rows", "cols", "scan s", "profile s", "wall x", "scan CPU", "profile CPU", "CPU x", "worker MB")
    lines = [(*head, "stored KB", "of it states", "variants")]
    for name, one in found.items():
        (scan, profile), (scan_cpu, profile_cpu) = one.seconds("wall"), one.seconds("cpu")
        rows = f"{one.shape.rows:,}" + (f" x {one.shape.days}" if one.shape.days > 1 else "")
        numbers = (scan, profile, one.ratio("wall"), scan_cpu, profile_cpu, one.ratio("cpu"))
        sizes = (sum(one.stored.values()), one.stored["column_state"], one.stored["column_variant"])
        cells = [f"{number:.2f}" for number in numbers] + [f"{one.worker_mb:.0f}"]
        lines.append((name, rows, str(one.shape.columns), *cells, *(f"{size / 1024:,.0f}" for size in sizes)))
    return "\n".join([*grid(lines), "", *(check.line() for check in checks(found))])


def grid(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines, aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def save(path: Path, found: Mapping[str, Measurement], peers: Sequence[Mapping[str, Any]], scale: float) -> None:
    """Write everything that was measured."""
    document = {
        "machine": {"cpus": os.cpu_count(), "platform": platform.platform(), "python": platform.python_version()},
        "scale": scale,
        "tables": {name: asdict(one) for name, one in found.items()},
        "checks": [{**asdict(check), "kept": check.kept} for check in checks(found)],
        "peers": list(peers),
    }
    path.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n")
