"""Values of a sort that a column has never held, or more of them than it usually holds.

Ranges are chosen by injected errors, and no error is like these: an infinity is a value that is present, and no mean
or distance looks at it; a control character is one among others; a few numbers with a wrong sign move no metric far;
empty texts in place of nulls leave the share of complete values as it was.  Which metrics tell of such values stands
in the metrics' own descriptors.

A column that never held any costs nothing: the first few are no news (:data:`SHARE`), and no range is learned.  One
that held some has a range of their share, beside those that the injected errors pay for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from airflow_dq.learn.choose.column import Chosen, WatchedMetric
from airflow_dq.learn.constraint.base import Constraint, Detector, Finding, Learned, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.direction import opened
from airflow_dq.learn.constraint.occasion import Occasion, distant_days
from airflow_dq.learn.constraint.range import Range, without_idle
from airflow_dq.learn.constraint.range_detector import equal_share
from airflow_dq.learn.constraint.view import PartitionView, Unknown
from airflow_dq.learn.expect.band import Band
from airflow_dq.learn.expect.sampling import SamplingError
from airflow_dq.learn.history.history import History
from airflow_dq.learn.history.series import ABSENT
from airflow_dq.metrics.descriptor import Support, Use
from airflow_dq.metrics.registry import get_metric, metrics_for
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.states.base import Kind

SHARE = 0.01
"""Smallest share of the values that is worth a finding; a single value never is."""


@dataclass(frozen=True, slots=True)
class NeverSeen(Constraint):
    """A column holds no values of a sort that none of the past partitions held."""

    family: ClassVar[str] = "never_seen"
    suffices: ClassVar[bool] = False

    metric: str
    """Share of the values that are of the sort."""
    kind: Kind
    partitions: int
    """Number of past partitions that hold none."""
    occasion: Occasion | None = None
    """What like days say of one partition; None where they say nothing, or nobody asked them yet."""

    def on_occasion(self, partition: PartitionView, *, broken: bool) -> NeverSeen:
        """The same with the like days that hold such values: they are not among :attr:`partitions`."""
        (name,), like = self.scope.columns, partition.like
        if like is None or not broken:
            return self
        values = like.values(name, self.kind, self.metric)
        return replace(self, occasion=distant_days(like, values, str(partition.profile.partition), 0.0))

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """At least two values and :data:`SHARE` of all of them."""
        (name,) = self.scope.columns
        metric = get_metric(self.metric, self.kind)
        of_rows = metric is not None and metric.support is Support.ROWS
        measured = partition.values(name, self.kind, self.metric, *(() if of_rows else ("complete_ratio",)))
        if isinstance(measured, Unknown):
            return NotEvaluated("first_occurrence", self.scope, measured.reason, self.metric, measured.applies)
        share = measured[0]
        # Of all rows, or of those that have a value.
        rows = round(math.prod(measured) * partition.profile.row_count)
        if share < SHARE or rows < 2 or share <= self._usual_on(partition):
            return None
        return Finding(
            "first_occurrence",
            self.scope,
            self.metric,
            observed=share,
            upper=0.0,
            partitions=self.partitions,
            rows=rows,
        )

    def _usual_on(self, partition: PartitionView) -> float:
        """The share that is usual at the partition's place in the calendar."""
        occasion = self.occasion
        if occasion is None or not occasion.settled or occasion.partition != partition.profile.partition:
            return 0.0
        return occasion.high + occasion.scatter


class FirstOccurrenceDetector(Detector):
    """Bars what no past partition held, where that is for a reason."""

    name: ClassVar[str] = "first occurrence"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One constraint for each column and sort of values: that there are none, or how many there may be."""
        names = [name for name in history.columns if options.judges(name)]
        share = equal_share(options, names)
        found = (
            *(one for name in names for one in _barred(history, name, options.of_column(name))),
            *(one for name in names for one in _ranges(history, name, options, share)),
        )
        return Learned(found) if found else Skipped("no column is known to be free of unusual values")


def _barred(history: History, name: str, options: SynthesisOptions) -> Iterator[NeverSeen]:
    kind = history.kind(name)
    past = [profile.columns[name].metrics for profile in history.profiles if name in profile.columns]
    for metric in metrics_for(kind, pair=False):
        sort = metric.first_occurrence
        if sort is None or options.direction.get(metric.name) == "falls":
            continue
        if history.answers.is_dismissed(name, metric.name):
            # People know that such values come: they would be news again once the window has moved on.
            continue
        shares = [metrics.get(metric.name) for metrics in past]
        # A partition without values says nothing; one that was profiled before there was the metric might have had.
        if all(share == 0.0 or share in ABSENT for share in shares) and 0.0 in shares and sort.is_barred(past):
            yield NeverSeen(Scope((name,)), metric.name, kind, len(past))


def _ranges(history: History, name: str, options: SynthesisOptions, share: float) -> Iterator[Range]:
    """Ranges of the shares of sorts that past partitions held, of which no range is learned by injected errors."""
    own, kind = options.of_column(name), history.kind(name)
    past = history.column(name, kind)
    for metric in metrics_for(kind, pair=False):
        if metric.first_occurrence is None or metric.use is not Use.NAMED or own.metrics is not None:
            continue
        values = past.slotted(metric, own.min_history)
        if isinstance(values, str) or not np.nansum(values):
            continue
        band = Band.of(metric, values, SamplingError.of(past, metric), moving=own.stationary, week=past.timeline.week)
        if isinstance(band, str):
            continue
        candidates = opened(band.candidates(options.own_rate(name) or share), own.direction.get(metric.name))
        watched = WatchedMetric(metric, band, values, past.series(metric.name, False).has_absent)
        # The widest: nobody has asked for it, and it pays for nothing else.
        chosen = Chosen(watched, candidates, int(np.argmin(candidates.fpr)))
        yield from without_idle([Range.of(Scope((name,)), kind, chosen, directions=own.direction)])
