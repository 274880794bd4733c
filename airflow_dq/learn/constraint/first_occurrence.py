"""Values of a sort that a column has never held.

Ranges are chosen by injected errors, and no error is like these: an infinity is a value that is present, and no mean
or distance looks at it; a control character is one among others; a few numbers with a wrong sign move no metric far.
Which metrics tell of such values stands in the metrics' own descriptors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from airflow_dq.learn.constraint.base import Constraint, Detector, Finding, Learned, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.occasion import Occasion, distant_days
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.expect.violation import is_unknown
from airflow_dq.learn.history.column import number_of
from airflow_dq.learn.history.history import History
from airflow_dq.learn.history.like_days import known_values
from airflow_dq.learn.history.series import ABSENT
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.registry import metrics_for
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
        values = known_values(like.profiles, partial(number_of, name, self.kind, self.metric))
        return replace(self, occasion=distant_days(like, values, str(partition.profile.partition), 0.0))

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """At least two values and :data:`SHARE` of all of them."""
        (name,) = self.scope.columns
        column = partition.column(name)
        if partition.is_excused(name):
            return self._not_evaluated("the column is missing, as in some past partitions", applies=False)
        if column is not None and column.kind is Kind.NULL:
            return self._not_evaluated(Reason.NO_VALUES.value, applies=False)
        if column is None or column.kind is not self.kind:
            return self._not_evaluated(f"it is no {self.kind} column in the partition")
        share, complete = column.metrics.get(self.metric), column.metrics.get("complete_ratio")
        if isinstance(share, Reason) or isinstance(complete, Reason):
            reason = share if isinstance(share, Reason) else complete
            return self._not_evaluated(str(reason), applies=is_unknown(reason))
        if share is None or complete is None:
            return self._not_evaluated("it is not measured; profile the partition again")
        rows = round(share * complete * partition.profile.row_count)
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

    def _not_evaluated(self, reason: str, *, applies: bool = True) -> NotEvaluated:
        return NotEvaluated("first_occurrence", self.scope, reason, self.metric, applies)


class FirstOccurrenceDetector(Detector):
    """Bars what no past partition held, where that is for a reason."""

    name: ClassVar[str] = "first occurrence"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One constraint for each column and sort of values that none of the past partitions has."""
        names = [name for name in history.columns if options.judges(name)]
        found = tuple(constraint for name in names for constraint in _barred(history, name))
        return Learned(found) if found else Skipped("no column is known to be free of unusual values")


def _barred(history: History, name: str) -> Iterator[NeverSeen]:
    kind = history.kind(name)
    past = [profile.columns[name].metrics for profile in history.profiles if name in profile.columns]
    for metric in metrics_for(kind, pair=False):
        sort = metric.first_occurrence
        if sort is None or history.answers.is_dismissed(name, metric.name):
            # People know that such values come: they would be news again once the window has moved on.
            continue
        shares = [metrics.get(metric.name) for metrics in past]
        # A partition without values says nothing; one that was profiled before there was the metric might have had.
        if all(share == 0.0 or share in ABSENT for share in shares) and 0.0 in shares and sort.is_barred(past):
            yield NeverSeen(Scope((name,)), metric.name, kind, len(past))
