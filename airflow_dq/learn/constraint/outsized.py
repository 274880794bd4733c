"""A value many times as large as any before: a quote never closed that swallows lines, a file in place of a field.

One such value among thousands moves no average far, and no range of a largest size would do: maxima vary.
Which metrics are such sizes, and what multiple is news, stands in the metrics' own descriptors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from airflow_dq.learn.constraint.base import Constraint, Detector, Finding, Learned, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.states.base import Kind

LEAST = 64
"""Characters, bytes or elements: of short codes a longer one is no accident, however many times as long it is."""


@dataclass(frozen=True, slots=True)
class NoneOutsized(Constraint):
    """No value of a column is many times as large as the largest of the past partitions."""

    family: ClassVar[str] = "outsized_value"
    suffices: ClassVar[bool] = False

    metric: str
    """Size of the largest value."""
    kind: Kind
    largest: float
    """The largest size in the history."""
    most: float
    """The largest that passes."""
    partitions: int
    """Number of past partitions whose largest values are known."""

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """A larger value than :attr:`most`."""
        (name,) = self.scope.columns
        observed = partition.value(name, self.kind, self.metric)
        if not isinstance(observed, float):
            return NotEvaluated("outsized_value", self.scope, observed.reason, self.metric, observed.applies)
        if observed <= self.most:
            return None
        return Finding(
            "outsized_value",
            self.scope,
            self.metric,
            observed=observed,
            upper=self.most,
            partitions=self.partitions,
        )


class OutsizedDetector(Detector):
    """Bounds the sizes of single values by a multiple of the largest ever."""

    name: ClassVar[str] = "outsized value"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One constraint for each column whose values have sizes."""
        names = [name for name in history.columns if options.judges(name)]
        found = tuple(one for name in names for one in _bounded(history, name, options.of_column(name)))
        return Learned(found) if found else Skipped("no column has values of known sizes in enough partitions")


def _bounded(history: History, name: str, options: SynthesisOptions) -> Iterator[NoneOutsized]:
    kind = history.kind(name)
    past = history.column(name, kind)
    for metric in metrics_for(kind, pair=False):
        if metric.multiple is None or options.direction.get(metric.name) == "falls":
            continue
        sizes = past.series(metric.name, False).floats()
        known = sizes[~np.isnan(sizes)]
        if len(known) >= options.min_history:
            largest = float(known.max())
            most = max(float(LEAST), metric.multiple * largest)
            yield NoneOutsized(Scope((name,)), metric.name, kind, largest, most, len(known))
