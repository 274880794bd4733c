"""Detection curves: the share of errors that is caught, by their size, and where a larger one is easier to miss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tests.benchmark.sweep.trial import Curve, Shot

MOST = 0.9
"""An error is said to be caught from the size on from which this share is."""


@dataclass
class Detection:
    """What is known of one curve."""

    caught: dict[float, int] = field(default_factory=dict)
    """How many were caught, by size."""
    tried: dict[float, int] = field(default_factory=dict)
    holes: dict[int, tuple[float, float]] = field(default_factory=dict)
    """By repetition: a size that was caught and a larger one that was not."""

    def share(self, size: float) -> float:
        """Share of the errors of a size that is caught."""
        return self.caught[size] / self.tried[size]

    @property
    def sizes(self) -> list[float]:
        """From the smallest on."""
        return sorted(self.tried)

    @property
    def caught_from(self) -> float | None:
        """The smallest size from which on nearly all are caught, whatever their size; None when there is none."""
        found = None
        for size in reversed(self.sizes):
            if self.share(size) < MOST:
                break
            found = size
        return found


def curves(shots: Iterable[Shot]) -> Mapping[Curve, Detection]:
    """The curves in order of first appearance."""
    found: dict[Curve, Detection] = {}
    largest: dict[tuple[Curve, int], float] = {}
    for shot in sorted(shots, key=lambda one: one.size):
        curve = found.setdefault(shot.curve, Detection())
        curve.tried[shot.size] = curve.tried.get(shot.size, 0) + 1
        curve.caught[shot.size] = curve.caught.get(shot.size, 0) + shot.caught
        before = largest.get((shot.curve, shot.repetition))
        if shot.caught:
            largest[shot.curve, shot.repetition] = shot.size
        elif before is not None:
            curve.holes.setdefault(shot.repetition, (before, shot.size))
    return found
