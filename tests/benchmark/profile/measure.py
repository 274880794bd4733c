"""Rounds of no-op scan and profile, one after the other, so that whatever else the machine does hits both alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.benchmark.profile.process import Cost, measured
from tests.benchmark.profile.stage import Stage
from tests.benchmark.profile.table import Shape, write


@dataclass(frozen=True, slots=True)
class Measurement:
    """All rounds of one table."""

    shape: Shape
    scans: tuple[Cost, ...]
    profiles: tuple[Cost, ...]
    stored: dict[str, int]
    """Bytes by database table."""

    def ratio(self, what: str) -> float:
        """Profile to no-op scan, of ``wall`` or ``cpu``: the median of the rounds' own ratios."""
        return median(_ratios(what, self.profiles, self.scans))

    def to(self, other: Measurement, what: str) -> float:
        """This table's profile to another's of the same rounds."""
        return median(_ratios(what, self.profiles, other.profiles))

    def seconds(self, what: str) -> tuple[float, float]:
        """Median of the scans and of the profiles."""
        return median(getattr(cost, what) for cost in self.scans), median(getattr(cost, what) for cost in self.profiles)

    @property
    def worker_mb(self) -> float:
        """The largest Python worker of any round."""
        return max(cost.worker_mb for cost in self.profiles)


def measure(
    stage: Stage, shapes: Sequence[Shape], rounds: int, folder: Path, say: Callable[[str], None]
) -> list[Measurement]:
    """Measure tables that are compared with one another; a first round, in which the JVM warms up, does not count."""
    paths = [write(shape, folder) for shape in shapes]
    scans: list[list[Cost]] = [[] for _ in shapes]
    profiles: list[list[Cost]] = [[] for _ in shapes]
    stored: list[dict[str, int]] = [{} for _ in shapes]
    for number in range(rounds + 1):
        for index, (shape, path) in enumerate(zip(shapes, paths, strict=True)):
            with measured(stage.roots) as scan:
                stage.scan(shape, path)
            stage.clear()
            with measured(stage.roots) as profile:
                stage.profile(shape, path)
            stored[index] = stage.stored()
            say(f"{shape.name} round {number or 'warm-up'}: scan {_line(scan)}, profile {_line(profile)}")
            if number:
                scans[index].append(scan)
                profiles[index].append(profile)
    return [
        Measurement(shape, tuple(scan), tuple(profile), sizes)
        for shape, scan, profile, sizes in zip(shapes, scans, profiles, stored, strict=True)
    ]


def _ratios(what: str, over: Sequence[Cost], under: Sequence[Cost]) -> list[float]:
    return [getattr(a, what) / max(getattr(b, what), 1e-3) for a, b in zip(over, under, strict=True)]


def _line(cost: Cost) -> str:
    return f"{cost.wall:.2f} s ({cost.cpu:.2f} CPU s)"
