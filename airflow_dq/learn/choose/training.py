"""The injected errors a column's constraints are chosen by: AVH's synthetic "training data" (section 4.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airflow_dq.corruption.variant import variants_of
from airflow_dq.learn.array import BoolArray, FloatArray
from airflow_dq.learn.choose.candidate import Candidates
from airflow_dq.learn.expect.transform import base_of
from airflow_dq.learn.history.baseline import Baseline, pool_of
from airflow_dq.learn.history.series import ColumnHistory
from airflow_dq.metrics.registry import Metric, MetricValue, compare
from airflow_dq.options.retention import RETENTION
from airflow_dq.profile.model import Variant
from airflow_dq.states.base import Kind, Representation


@dataclass(frozen=True, slots=True)
class Training:
    """Variants of one partition of the history, as its successor would have seen them."""

    index: int
    """Position of that partition in the history."""
    behind: int
    """Number of slots from that partition's to the end of the history, both included."""
    variants: tuple[Variant, ...]
    pairs: tuple[Mapping[str, MetricValue], ...]
    """The two-distribution metrics of each variant against the partition before."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What each variant is called."""
        return tuple(variant.label for variant in self.variants)

    def without(self, caught: BoolArray) -> Training:
        """The training without the errors that something else catches already (a mask)."""
        left = [i for i, known in enumerate(caught.tolist()) if not known]
        return Training(
            self.index, self.behind, tuple(self.variants[i] for i in left), tuple(self.pairs[i] for i in left)
        )

    def tested(self, metric: Metric, history: FloatArray) -> Tested | None:
        """The metric on each variant; None when it was not measured.

        :param history: the metric's values that its constraints are learned from, on their slots
        """
        found = [
            (pairs if metric.pair else variant.metrics).get(metric.name)
            for variant, pairs in zip(self.variants, self.pairs, strict=True)
        ]
        if any(value is None for value in found):
            return None
        values = [value if isinstance(value, float | int) else np.nan for value in found]
        # Counted from its end: a series may begin later than the history does.
        earlier = history[: max(0, len(history) - self.behind)].tolist()
        past = {len(earlier) - place: value for place, value in enumerate(earlier) if not math.isnan(value)}
        return Tested(np.array(values, dtype=np.float64), past)


@dataclass(frozen=True, slots=True)
class Tested:
    """One metric on the injected errors."""

    values: FloatArray
    """NaN where there is a reason in place of a value."""
    past: Mapping[int, float]
    """The history: steps before the partition that the errors were injected into -> value of the metric."""

    def caught(self, constraints: Candidates) -> BoolArray:
        """Which constraints (rows) catch which variants (columns)."""
        base = base_of(constraints.transform, self.past, constraints.center)
        return constraints.violations(self.values, np.nan if base is None else base)


def training_of(history: ColumnHistory, kind: Kind, names: Sequence[str]) -> Training | None:
    """The variants of the newest partition that has any, compared with the partition before it.

    :param names: the two-distribution metrics that are needed
    :return: None when no variants are kept, or the column admits none
    """
    profiles, column = history.profiles, history.name
    for index in range(len(profiles) - 1, max(0, len(profiles) - 1 - RETENTION.with_injected_errors), -1):
        profile = profiles[index]
        kept = column in profile.variants or profile.sample is not None
        # Errors cannot be injected into a partition in which the column had no type.
        variants = variants_of(profile, column) if kept and profile.columns[column].kind is kind else ()
        if variants:
            earlier = history.columns[:index]
            read = {name: history.representation(name) for name in names}
            pairs: list[dict[str, MetricValue]] = [{} for _ in variants]
            for pool in sorted({pool_of(name, kind) for name in names}):
                before = Baseline.of(earlier, kind, pool)
                if before is not None:
                    wanted = {name: how for name, how in read.items() if pool_of(name, kind) == pool}
                    _compare(kind, variants, before, wanted, pairs)
            behind = history.timeline.slots[-1] + 1 - history.timeline.slots[index]
            return Training(index, behind, variants, tuple(pairs))
    return None


def _compare(
    kind: Kind,
    variants: Sequence[Variant],
    before: Baseline,
    read: Mapping[str, Representation],
    found: Sequence[dict[str, MetricValue]],
) -> None:
    """Add the distances of each variant from a baseline, each in the representation that its history is read in."""
    for key, state in before.states().items():
        # Most errors leave some states as they were, and then share them: a change of casing leaves the initials.
        for representation in set(read.values()):
            names = [name for name, wanted in read.items() if wanted is representation]
            measured: dict[int, dict[str, MetricValue]] = {}
            for variant, values in zip(variants, found, strict=True):
                now = variant.states.get(key)
                if now is None:
                    continue
                if id(now) not in measured:
                    measured[id(now)] = compare(kind, {key: now}, {key: state}, names, representation, before.pool)
                values |= measured[id(now)]
