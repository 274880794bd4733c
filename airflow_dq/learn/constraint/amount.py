"""What a partition's own amount of data does to the ranges of its metrics: a thin one varies more by chance."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_dq.learn.array import FloatArray, median
from airflow_dq.learn.expect.band import entropy_of_one
from airflow_dq.learn.expect.surprise import too_few
from airflow_dq.metrics.descriptor import Metric, Scale
from airflow_dq.metrics.extrapolation import DISTINCT_SHARE, ROWS, TOTAL

_OF_SINGLE_VALUES = (Scale.SHARE, Scale.DISTANCE)
"""What one value moves by its share of all of them."""


@dataclass(frozen=True, slots=True)
class Amount:
    """How many values (of a metric of rows: rows) a partition has, next to the past ones."""

    now: float
    usual: float
    """The median of the past partitions that have any; at least 1."""
    fewest: float
    """The fewest of those."""
    drawn: tuple[float, float] = (0.0, 0.0)
    """How far a quantile moves down and up by chance because it is one of so few values."""

    @classmethod
    def of(cls, now: float, past: FloatArray) -> Amount:
        """The amount in a partition behind such a history."""
        known = past[past > 0.0]
        return cls(now, max(1.0, median(known)), float(known.min())) if len(known) else cls(now, max(1.0, now), now)

    @property
    def share(self) -> float:
        """What the partition has of the usual amount."""
        return max(self.now, 1.0) / self.usual

    @property
    def compared(self) -> float:
        """What the partition is taken to have at least.

        None is excused for having fewer than any before: that is for the number of rows to say, or the share of
        complete values.
        """
        return max(self.now, self.fewest, 1.0)

    def is_mute(self, metric: Metric) -> bool:
        """Whether it is a single value where there are usually more: that has no spread and no entropy, whatever it is.

        That there is only one is for the number of rows to say, or the share of complete values.
        """
        return metric.of_differences and self.now <= 1.0 < self.usual

    def noise(self, metric: Metric) -> float:
        """How many times larger the metric's sampling error is because the partition has fewer values than usual.

        A standard error grows with the square root of that, a divergence between equal distributions in proportion.
        """
        share = min(1.0, self.compared / self.usual)
        return float(share ** (-0.5 * metric.order)) * max(1.0, too_few(self.compared) / too_few(self.usual))

    def least(self, metric: Metric, centre: float) -> tuple[float, float]:
        """The least widths of a range on it, down and up: one value more or less is never material.

        :param centre: the metric's expected value
        """
        one = 1.01 / max(1.0, self.now)
        least = one * metric.of_one_value if metric.scale in _OF_SINGLE_VALUES else 0.0
        if metric.scale is Scale.INFORMATION and centre <= entropy_of_one(one):
            # Among values that are all alike, or all but one; the entropy of many is hardly moved by one.
            least = entropy_of_one(one)
        return max(least, self.drawn[0]), max(least, self.drawn[1])

    def moved(
        self, metric: Metric, centre: float, lower: float | None, upper: float | None
    ) -> tuple[float | None, float | None]:
        """Bounds as they are with more or fewer values of the same distribution; no bound is moved inwards.

        Counts grow with the values at most in proportion.  Distinct values grow with a power of them: every new value
        is one where nearly all have been, hardly any where few have, so that the power is about the share of distinct
        values itself (for as many values as there are possible ones 0.58, and their share is 0.63).

        :param centre: the metric's expected value
        """
        if metric.of_table or metric.pair:
            return lower, upper
        if metric.extrapolation is DISTINCT_SHARE:
            factor = self.share ** (min(max(centre, 0.0), 1.0) - 1.0)
        elif metric.extrapolation in (ROWS, TOTAL):
            factor = self.share
        else:
            return lower, upper
        raised = None if upper is None else max(upper, upper * factor)
        return None if lower is None else min(lower, lower * factor), raised
