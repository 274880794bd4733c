"""What a detector says of a partition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_NAMED = 20
"""Attributes that a result names: who is told more reads none of them."""


class Attribute(NamedTuple):
    """A metric of a column that a partition is novel by."""

    column: str | None
    """None: the table."""
    metric: str
    share: float
    """Its share of what makes the partition novel, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class NoveltyResult:
    """Whether a partition is novel, and by what."""

    novel: bool
    score: float | None
    """How far off it is, on the detector's own scale; None where nothing can be said."""
    threshold: float | None
    """The largest score that is not novel."""
    attributes: tuple[Attribute, ...] = ()
    """(column, metric, share), the most responsible first; at most :data:`MOST_NAMED`."""
    partitions: int = 0
    """Number of past partitions that it is compared with."""
    past: tuple[float, ...] = ()
    """The score that each of them would have had with the others as its history, oldest first."""
    reason: str | None = None
    """Why nothing can be said; None where something is."""


def attributes(keys: tuple[tuple[str | None, str], ...], parts: NDArray[np.float64]) -> tuple[Attribute, ...]:
    """The features that a score is made of, the largest part first.

    :param parts: what each feature adds, 0 or more
    """
    total = float(parts.sum())
    order = np.argsort(-parts, kind="stable")[:MOST_NAMED].tolist()
    named = ((*keys[place], float(parts[place]) / total) for place in order if parts[place] > 0.0)
    return tuple(Attribute(column, metric, share) for column, metric, share in named)
