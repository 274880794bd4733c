"""A metric stays within a range around what is expected of it: of a column, or the table's number of rows."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.choose.column import Chosen
from airflow_dq.learn.constraint.amount import Amount
from airflow_dq.learn.constraint.base import (
    Constraint,
    Evidence,
    Finding,
    NotEvaluated,
    Scope,
)
from airflow_dq.learn.constraint.clock_slack import by_the_clock, rows_by_the_clock
from airflow_dq.learn.constraint.occasion import Occasion, distant_days, occasion_of
from airflow_dq.learn.constraint.schema import compatible
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.expect.expectation import Expectation, Forecast
from airflow_dq.learn.expect.violation import excludes_nothing, is_unknown, violates
from airflow_dq.learn.history.answer import Widening
from airflow_dq.learn.history.clock import LocalClock
from airflow_dq.learn.history.column import ColumnHistory
from airflow_dq.metrics.descriptor import ANY_NUMBER, Bound, Metric, MetricValue, Reason
from airflow_dq.metrics.registry import get_metric
from airflow_dq.options.learning import Direction
from airflow_dq.states.base import Kind, Representation


@dataclass(frozen=True, slots=True)
class Range(Constraint):
    """``centre - below <= metric <= centre + above``, on the scale of the expectation that the centre comes from."""

    family: ClassVar[str] = "range"

    metric: str
    kind: Kind
    pair: bool
    """True for a two-distribution metric, measured against the partitions before."""
    expectation: Expectation
    below: float | None
    """None: no lower bound."""
    above: float | None
    """None: no upper bound."""
    fpr: float
    """Bound on the false-positive rate that the range was chosen at."""
    bound: Bound
    """The inequality that ``fpr`` comes from."""
    spread: float
    """Standard deviation of the past errors, on the expectation's scale."""
    worst: float
    """Largest past error, on the expectation's scale."""
    samples: int
    """Number of past values behind them."""
    partitions: int
    """Number of past partitions that the range was learned from."""
    representation: Representation | None = None
    """The one that a pair metric is judged in."""
    may_be_absent: bool = False
    """Whether past partitions had nothing to measure, so that another one is no finding."""
    catches: tuple[str, ...] = ()
    """Labels of the injected errors that violate it: what it is expected to catch."""
    direction: Direction | None = None
    """The only way in which a move is an alarm, where a user has said so."""
    clock: LocalClock | None = None
    """Tells how long a partition is, where its time zone is known."""
    occasion: Occasion | None = None
    """What like days say of one partition; None where they say nothing, or nobody asked them yet."""
    widening: Widening | None = None
    """By how much people's answers have widened it; None where they have not."""

    @classmethod
    def of(
        cls,
        scope: Scope,
        kind: Kind,
        chosen: Chosen,
        past: ColumnHistory | None = None,
        directions: Mapping[str, Direction] | None = None,
    ) -> Range:
        """The range that was chosen among candidates.

        :param past: the column's history, which a pair metric's representation is that of
        :param directions: what a user has said of metrics
        """
        found, index = chosen.candidates, chosen.index
        pair = found.metric.pair and past is not None
        return cls(
            scope=scope,
            metric=found.metric.name,
            kind=kind,
            pair=found.metric.pair,
            expectation=found.expectation,
            below=_finite(found.below[index]),
            above=_finite(found.above[index]),
            fpr=float(found.fpr[index]),
            bound=found.bound,
            spread=found.spread,
            worst=found.worst,
            samples=found.samples,
            partitions=int(np.count_nonzero(~np.isnan(chosen.watched.past))) + found.metric.pair,
            representation=past.representation(found.metric.name) if pair and past is not None else None,
            may_be_absent=chosen.watched.may_be_absent,
            catches=chosen.catches,
            widening=chosen.watched.widening,
            direction=(directions or {}).get(found.metric.name),
        )

    @property
    def column(self) -> str | None:
        """The column; None for a range of the whole table."""
        return self.scope.column

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """A value outside of the range, or none where there always was one."""
        if self.column is not None and partition.is_excused(self.column):
            return self._not_evaluated("the column is missing, as in some past partitions", applies=False)
        observed, why = self.observe(partition)
        if observed is Reason.NOT_COUNTED:
            return self._not_evaluated(observed.value, applies=False)
        if is_unknown(observed):
            if self._follows_nothing(partition, observed):
                return self._not_evaluated(
                    "the partitions right before have too few values to compare with, and the statistics of those "
                    "before them are not kept",
                    applies=False,
                )
            return self._not_evaluated(why)
        amount = self._amount(partition)
        if amount is not None and not isinstance(observed, Reason) and amount[0].is_mute(amount[1]):
            return self._not_evaluated("there is a single value, which does not differ from any other", applies=False)
        bounds = self._bounds(partition, amount)
        if bounds is None and not isinstance(observed, Reason):
            return self._not_evaluated("none of the values that it is compared with is known")
        lower, upper = bounds or (None, None)
        if not violates(observed, lower, upper, may_be_absent=self._may_be_absent(partition)):
            return self._idle(observed, lower, upper)
        if self._is_back(partition, observed, upper):
            return self._not_evaluated("what the partition before lacks, those before it have", applies=False)
        evidence = None if isinstance(observed, Reason | None) else self._evidence(partition, observed)
        return Finding(
            "range",
            self.scope,
            self.metric,
            observed=observed,
            lower=lower,
            upper=upper,
            partitions=self.partitions,
            evidence=evidence,
            widening=self.widening,
        )

    def _is_back(self, partition: PartitionView, observed: MetricValue | None, upper: float | None) -> bool:
        """Whether it is a share of new values, none of which are."""
        metric = get_metric(self.metric, self.kind)
        if self.column is None or metric is None or upper is None or not isinstance(observed, float):
            return False
        return partition.is_back(partition.past(self.column, self.kind), metric, observed, upper)

    def _follows_nothing(self, partition: PartitionView, observed: MetricValue | None) -> bool:
        """Whether it is a distance that is unknown because there is nothing near to compare with."""
        if self.column is None or not self.pair or observed is not None or partition.column(self.column) is None:
            return False
        return partition.follows_nothing(self.column, self.kind, self.metric)

    def observe(self, partition: PartitionView) -> tuple[MetricValue | None, str]:
        """The metric's value on the partition, and why it is unknown where it is."""
        if self.column is None:
            return float(partition.profile.row_count), ""
        now = partition.column(self.column)
        if now is None:
            return None, "the column is missing in the partition"
        if not compatible(self.kind, now.kind):
            return None, f"the column is {now.kind}, its history is {self.kind}"
        past = partition.past(self.column, self.kind)
        observed = past.observe(self.metric, self.pair, now, self.representation)
        if observed is Reason.ENGINE_ERROR:
            return observed, Reason.ENGINE_ERROR.value
        return observed, "the statistics it is measured from are not kept; profile the partition again"

    def on_occasion(self, partition: PartitionView, *, broken: bool) -> Range:
        """The same with what the metric was on like days.

        At a beginning or an end of a month they are always asked, of a distance only when the range is broken: whether
        one was large says nothing of its being too small.
        """
        like = partition.like
        if like is None or not (broken or (partition.is_edge and not self.pair)):
            return self
        found = partition.like_values(like, self.column, self.kind, self.metric, self.pair, self.representation)
        values, key = self.expectation.to_scale(found), str(partition.profile.partition)
        values = np.where(np.isfinite(values), values, np.nan)
        if not self.pair:
            below, above = self.below or 0.0, self.above or 0.0
            return replace(self, occasion=occasion_of(like, values, key, every=broken, below=below, above=above))
        _, upper = self._usual_bounds(partition, self._amount(partition)) or (None, None)
        return self if upper is None else replace(self, occasion=distant_days(like, values, key, upper))

    def was_like(self, partition: PartitionView, observed: MetricValue | None) -> Occasion | None:
        """The like days that were as the partition is, where they are too few to move its bounds."""
        occasion = self._at(partition)
        if occasion is None or occasion.settled or is_unknown(observed):
            return None
        one_more = replace(self, occasion=replace(occasion, settled=True))
        lower, upper = one_more.bounds(partition) or (None, None)
        absent = self._may_be_absent(partition)
        return None if violates(observed, lower, upper, may_be_absent=absent) else occasion

    def _may_be_absent(self, partition: PartitionView) -> bool:
        """Whether it is no finding that there is no value: it was so before, or so few are to be expected."""
        if self.may_be_absent or self.column is None:
            return self.may_be_absent
        past = partition.past(self.column, self.kind)
        # Fewer rows than ever excuse nothing.
        return past.is_rare(max(partition.profile.row_count, int(min(past.row_counts, default=0))))

    def centre(self, partition: PartitionView) -> float | None:
        """What is expected of the metric in the partition, on the expectation's scale; None when nothing can be."""
        occasion = self._at(partition)
        return occasion.centre if occasion is not None and occasion.own else self._usual(partition)

    def _at(self, partition: PartitionView) -> Occasion | None:
        """What like days say of this partition."""
        occasion = self.occasion
        return occasion if occasion is not None and occasion.partition == partition.profile.partition else None

    def _usual(self, partition: PartitionView) -> float | None:
        """What is expected of the metric on an ordinary day."""
        if self.expectation.is_fixed:
            return self.expectation.center
        past = self._past(partition)
        if past is None:
            return None
        if self.pair and self._growth(partition) > 1.0:
            return float(np.nanmax(past)) * self._growth(partition)
        return self.expectation.centre(past)

    def bounds(self, partition: PartitionView) -> tuple[float | None, float | None] | None:
        """Lowest and highest value that the metric may have in the partition, None for a side without a bound.

        They lie in the metric's natural range.

        :return: None when nothing is expected, for the values that it would follow from are not known
        """
        return self._bounds(partition, self._amount(partition))

    def _bounds(
        self, partition: PartitionView, amount: tuple[Amount, Metric] | None
    ) -> tuple[float | None, float | None] | None:
        """The same where it is known how much data there is."""
        found = self._usual_bounds(partition, amount)
        if found is None:
            return None
        occasion, to = self._at(partition), self.expectation.from_scale
        if occasion is not None:
            below, above = self._widths(amount, self._usual(partition))
            found = occasion.moved(*found, below or 0.0, above or 0.0)
        lower, upper = (None if bound is None else to(bound) for bound in found)
        centre = self.centre(partition)
        if amount is not None and centre is not None:
            lower, upper = amount[0].moved(amount[1], to(centre), lower, upper)
        if self.clock is not None:
            lower, upper = self._by_the_clock(self.clock, (lower, upper), partition)
        lowest, highest = self._natural_range
        # More than the largest float is expected of nothing, or nothing could hold it.
        lower = None if lower is None else min(max(lower, lowest), highest, sys.float_info.max)
        upper = None if upper is None or math.isinf(upper) else min(max(upper, lowest), highest)
        return lower, upper

    def _usual_bounds(
        self, partition: PartitionView, amount: tuple[Amount, Metric] | None
    ) -> tuple[float | None, float | None] | None:
        """The bounds of an ordinary day, on the expectation's scale."""
        centre = self._usual(partition)
        if centre is None:
            return None
        below, above = self._widths(amount, centre)
        still = self._had_it_stood_still(partition, centre)
        low = None if below is None else min(centre, still) - below
        high = None if above is None else max(centre, still) + above
        if high is not None and self.pair and self.expectation.is_fixed:
            growth = self._growth(partition)
            high = high + math.log(growth) if self.expectation.logarithmic else high * growth
        return low, high

    def _had_it_stood_still(self, partition: PartitionView, centre: float) -> float:
        """What is expected behind a gap of what counts up, had it not gone on: ids do not while no rows come.

        Whether rows came in a partition that is missing, nobody can tell.  Only time goes on.
        """
        counts = self.expectation.forecast is Forecast.TREND and self.kind is not Kind.TIMESTAMP
        past = self._past(partition) if counts else None
        if past is None or not np.isnan(past[-1]):
            return centre
        still = self.expectation.centre(past[: np.flatnonzero(~np.isnan(past))[-1] + 1])
        return centre if still is None else still

    def _by_the_clock(
        self, clock: LocalClock, bounds: tuple[float | None, float | None], partition: PartitionView
    ) -> tuple[float | None, float | None]:
        """Bounds wider for a partition that is longer or shorter than others."""
        if self.column is None:
            return rows_by_the_clock(clock, bounds, partition)
        metric = get_metric(self.metric, self.kind)
        return by_the_clock(clock, metric, partition.past(self.column, self.kind), bounds, partition)

    def _widths(self, amount: tuple[Amount, Metric] | None, centre: float | None) -> tuple[float | None, float | None]:
        """How far below and above its centre it reaches in a partition with so much data."""
        if amount is None or centre is None:
            return self.below, self.above
        noise, (down, up) = amount[0].noise(amount[1]), amount[0].least(amount[1], centre)
        below = None if self.below is None else max(noise * self.below, down)
        return below, None if self.above is None else max(noise * self.above, up)

    @property
    def is_idle(self) -> bool:
        """Whether no number can ever break it, wherever its centre comes to lie."""
        lowest, highest = self._natural_range
        if self.expectation.is_fixed:
            center, scale = self.expectation.center, self.expectation.from_scale
            lower = None if self.below is None else scale(center - self.below)
            upper = None if self.above is None else scale(center + self.above)
            return excludes_nothing(lower, upper, (lowest, highest))
        widths = [width for width in (self.below, self.above) if width is not None]
        return all(not self.expectation.logarithmic and width >= highest - lowest for width in widths)

    @property
    def _natural_range(self) -> tuple[float, float]:
        metric = get_metric(self.metric, self.kind)
        return ANY_NUMBER if metric is None else metric.natural_range

    def _idle(self, observed: MetricValue | None, lower: float | None, upper: float | None) -> NotEvaluated | None:
        """Why a range that is not violated could not have been; None where it could."""
        if isinstance(observed, Reason):
            return self._not_evaluated(f"{observed.value}, as in some past partitions", applies=False)
        if excludes_nothing(lower, upper, self._natural_range):
            return self._not_evaluated("every value that it can have is within its range", applies=False)
        return None

    def _amount(self, partition: PartitionView) -> tuple[Amount, Metric] | None:
        """How much data the column's metric is measured on; None of the whole table's, and of the paper's ranges."""
        metric = get_metric(self.metric, self.kind)
        if self.column is None or metric is None or self.bound is not Bound.POOLED:
            return None
        return partition.amount(partition.past(self.column, self.kind), metric), metric

    def _growth(self, partition: PartitionView) -> float:
        """How many times larger a distance may be across a gap, where two partitions lie further apart than any before.

        What changes by as much with each step is further off by each of them; a divergence is by the square.
        """
        metric = get_metric(self.metric, self.kind)
        if self.column is None or metric is None:
            return 1.0
        return float(partition.steps_from_baseline(partition.past(self.column, self.kind), metric) ** metric.order)

    def _past(self, partition: PartitionView) -> FloatArray | None:
        """The metric's past values on their slots, up to the partition's own; None when none is known."""
        if self.column is None:
            values: FloatArray | str = partition.past_rows(self.clock)
        else:
            metric = get_metric(self.metric, self.kind)
            values = "unknown" if metric is None else partition.past_values(self.column, self.kind, metric)
        return None if isinstance(values, str) or np.isnan(values).all() else values

    def _evidence(self, partition: PartitionView, observed: float) -> Evidence | None:
        """How far off the value is, by what the history has seen; None where no deviation can be told."""
        centre, past, occasion = self.centre(partition), self._past(partition), self._at(partition)
        if centre is None or past is None:
            return None
        deviation = abs(float(self.expectation.to_scale(np.array([observed]))[0]) - centre)
        if not math.isfinite(deviation):
            return None
        if occasion is not None and occasion.own:
            return Evidence(deviation, 0.5 * (occasion.high - occasion.low), 1, len(occasion.partitions))
        rank = 1 + int(np.count_nonzero(np.abs(self.expectation.errors(past, 1)) > deviation))
        return Evidence(deviation, self.worst, rank, self.partitions)

    def _not_evaluated(self, reason: str, *, applies: bool = True) -> NotEvaluated:
        return NotEvaluated("range", self.scope, reason, self.metric, applies)


def without_idle(ranges: Iterable[Range]) -> list[Range]:
    """The ranges without those that allow whatever the metric can be: they are no constraint.

    One that catches an injected error all the same (a partition without values) is kept.
    """
    return [one for one in ranges if one.catches or not one.is_idle]


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
