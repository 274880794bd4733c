"""The space of ranges on one metric, from which a column's are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from airflow_dq.learn.array import BoolArray, FloatArray
from airflow_dq.learn.expect.expectation import Expectation
from airflow_dq.learn.expect.violation import Observed, violations
from airflow_dq.metrics.descriptor import Bound, Metric, MetricValue


@dataclass(frozen=True, slots=True)
class Candidates:
    """All ranges on one metric, tightest first: the three arrays have one entry for each.

    The bounds lie ``below`` and ``above`` the expectation's centre, on its scale.
    """

    metric: Metric
    bound: Bound
    """The inequality that ``fpr`` comes from."""
    expectation: Expectation
    spread: float
    """Standard deviation of the past errors, on the expectation's scale."""
    worst: float
    """Largest past error, on the expectation's scale."""
    samples: int
    """Number of past values behind them."""
    below: FloatArray
    """Infinite where there is no lower bound."""
    above: FloatArray
    fpr: FloatArray
    """Bound on the false-positive rate of each."""

    def bounds(self, centre: float) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bounds on the metric itself around a centre on the expectation's scale."""
        with np.errstate(over="ignore"):
            # A bound beyond the largest float is none.
            low, high = centre - self.below, centre + self.above
            if self.expectation.logarithmic:
                # Nothing lies below the logarithm of zero but what has none.
                low, high = np.where(np.isinf(low), -np.inf, np.exp(low)), np.exp(high)
        lowest, highest = self.metric.natural_range
        return np.minimum(np.maximum(low, lowest), highest), np.minimum(np.maximum(high, lowest), highest)

    def violations(
        self, values: Sequence[MetricValue | None] | Observed, past: FloatArray, *, may_be_absent: bool = False
    ) -> BoolArray:
        """Which ranges (rows) which values (columns) of the metric violate.

        :param past: the metric's values on their slots before the one that the values are of; where nothing can be
            expected from them, nothing is violated
        """
        centre = self.expectation.centre(past)
        if centre is None:
            return np.zeros((len(self.fpr), len(values)), dtype=bool)
        return violations(values, *self.bounds(centre), may_be_absent=may_be_absent)

    def widened(self, share: float) -> Candidates:
        """The same ranges, each bound further from the centre by a share of its distance from it."""
        return replace(self, below=(1.0 + share) * self.below, above=(1.0 + share) * self.above)

    def reaching(self, factor: float) -> Candidates:
        """The same ranges, reaching a factor further in the metric's own unit; no side that excludes something opens.

        Of what lies outside of a range, no more than half is let in: a bound moves at most half of the way to the end
        of what the metric can be at all.

        :param factor: 1 or more
        """
        if factor <= 1.0:
            return self
        if self.expectation.logarithmic:
            # As shares of the centre: half and double reach 0.5 below it and 1 above it.
            with np.errstate(over="ignore", divide="ignore"):
                below = -np.log1p(-_reaching(-np.expm1(-self.below), factor, 1.0))
                above = np.log1p(factor * np.expm1(self.above))
            return replace(self, below=below, above=above)
        lowest, highest = self.metric.natural_range
        if self.expectation.is_fixed:
            room_below, room_above = self.expectation.center - lowest, highest - self.expectation.center
        else:
            # Wherever the centre comes to lie.
            room_below = room_above = highest - lowest
        return replace(
            self, below=_reaching(self.below, factor, room_below), above=_reaching(self.above, factor, room_above)
        )


def joined(several: Sequence[Candidates]) -> Candidates:
    """All ranges of several on one metric, with one expectation, in their order."""
    return replace(
        several[0],
        below=np.concatenate([one.below for one in several]),
        above=np.concatenate([one.above for one in several]),
        fpr=np.concatenate([one.fpr for one in several]),
    )


def _reaching(widths: FloatArray, factor: float, room: float) -> FloatArray:
    """Widths times a factor, as far as half of the room behind them."""
    return np.asarray(np.minimum(factor * widths, np.where(widths < room, (widths + room) / 2.0, np.inf)))


class Learned(Protocol):
    """What the history says about one metric, from which ranges are made for any budget."""

    def candidates(self, budget: float) -> Candidates:
        """The ranges when this false-positive rate may be spent on the column."""

    def at_each(self, budgets: Sequence[float]) -> Sequence[Candidates]:
        """The same for each of several rates."""
        return [self.candidates(budget) for budget in budgets]
