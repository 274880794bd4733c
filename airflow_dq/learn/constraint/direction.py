"""Metrics of which a user has said that only a fall, or only a rise, is an alarm: their ranges have one bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from airflow_dq.learn.choose.column import WatchedMetric
from airflow_dq.learn.expect.candidate import Candidates, Learned
from airflow_dq.options.learning import Direction


@dataclass(frozen=True, slots=True)
class OneSided(Learned):
    """What the history says about one metric, with ranges that are open on the other side."""

    learned: Learned
    direction: Direction

    def candidates(self, budget: float) -> Candidates:
        """The ranges when this false-positive rate may be spent on the column."""
        return opened(self.learned.candidates(budget), self.direction)

    def at_each(self, budgets: Sequence[float]) -> list[Candidates]:
        """The same for each of several rates."""
        return [opened(found, self.direction) for found in self.learned.at_each(budgets)]


def opened(found: Candidates, direction: Direction | None) -> Candidates:
    """The ranges without the bound on the side to which the metric may move as it likes (None: as they are)."""
    if direction is None:
        return found
    nowhere = np.full(len(found.fpr), np.inf)
    return replace(found, above=nowhere) if direction == "falls" else replace(found, below=nowhere)


def one_sided(watched: Sequence[WatchedMetric], directions: Mapping[str, Direction]) -> list[WatchedMetric]:
    """The metrics, those that a direction is given for with ranges of one bound."""
    given = ((one, directions.get(one.metric.name)) for one in watched)
    return [one if to is None else replace(one, learned=OneSided(one.learned, to)) for one, to in given]
