"""What a program would catch: the injected errors of the partition that it judges, not of those it learned from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from airflow_dq.backtest.model import Recall
from airflow_dq.corruption.variant import variants_of
from airflow_dq.learn.array import BoolArray
from airflow_dq.learn.expect.transform import apply
from airflow_dq.learn.history.baseline import Baseline, pool_of
from airflow_dq.learn.history.series import Before, representation_of
from airflow_dq.learn.mode import before_partition
from airflow_dq.learn.model import Clause, Program
from airflow_dq.metrics.descriptor import MetricValue, Reason
from airflow_dq.metrics.evaluate import compare
from airflow_dq.profile.model import Profile, Variant


class InjectedErrors:
    """The injected errors of one partition, measured as the gate would measure them."""

    def __init__(self, profile: Profile, history: Sequence[Profile]) -> None:
        """Hold the partition and what it follows; nothing is measured before it is asked for.

        :param profile: the partition; without variants and a row sample there is nothing to try
        :param history: the profiles it follows, oldest first
        """
        self._profile = profile
        self.history = history
        self._measured: dict[tuple[str, str, bool], list[MetricValue | None]] = {}

    @property
    def partition(self) -> str | None:
        """Key of the partition."""
        return self._profile.partition

    def recall(self, program: Program) -> list[Recall]:
        """How many errors of each type at least one clause of the column, or of the table, catches."""
        caught: Counter[str] = Counter()
        injected: Counter[str] = Counter()
        before = before_partition(program.options, self.history, self.partition)
        for name in program.columns:
            variants = self._variants(program, name)
            if not variants:
                continue
            found = np.zeros(len(variants), dtype=bool)
            for clause in (*program.table.clauses, *program.columns[name].clauses):
                found |= self._violated(clause, name, variants, before)
            injected.update(variant.type for variant in variants)
            caught.update(variant.type for variant, hit in zip(variants, found, strict=True) if hit)
        return [Recall(kind, caught[kind], count) for kind, count in injected.items()]

    def _variants(self, program: Program, name: str) -> tuple[Variant, ...]:
        column = self._profile.columns.get(name)
        kept = name in self._profile.variants or self._profile.sample is not None
        if column is None or not kept or column.kind is not program.columns[name].kind:
            return ()
        return variants_of(self._profile, name)

    def _violated(self, clause: Clause, name: str, variants: Sequence[Variant], before: Before) -> BoolArray:
        """By variant: whether it violates the clause; what cannot be measured violates nothing."""
        values = self._values(clause, name, variants)
        absent = np.array([isinstance(value, Reason) and value is not Reason.ENGINE_ERROR for value in values])
        numbers = np.array([value if isinstance(value, float | int) else np.nan for value in values], dtype=np.float64)
        base, (lower, upper) = before.base(clause), before.bounds(clause)
        if base is None:
            return absent
        moved = apply(clause.transform, numbers, base)
        with np.errstate(invalid="ignore"):
            outside = np.zeros(len(values), dtype=bool)
            if lower is not None:
                outside |= moved < lower
            if upper is not None:
                outside |= moved > upper
        found: BoolArray = absent | (outside & ~np.isnan(numbers))
        return found

    def _values(self, clause: Clause, name: str, variants: Sequence[Variant]) -> list[MetricValue | None]:
        key = (name, clause.metric, clause.pair)
        if key not in self._measured:
            self._measured[key] = self._measure(clause, name, variants)
        return self._measured[key]

    def _measure(self, clause: Clause, name: str, variants: Sequence[Variant]) -> list[MetricValue | None]:
        metric = clause.metric
        if not clause.pair:
            return [variant.metrics.get(metric) for variant in variants]
        kind = self._profile.columns[name].kind
        earlier = [profile.columns.get(name) for profile in self.history]
        before = Baseline.of(earlier, kind, pool_of(metric, kind))
        if before is None or not before.known:
            return [None] * len(variants)
        read, states = representation_of(self.history, name, metric), before.states()
        found = (compare(kind, variant.states, states, [metric], read, before.pool) for variant in variants)
        return [values.get(metric) for values in found]


def add_up(parts: Sequence[Sequence[Recall]]) -> tuple[Recall, ...]:
    """The recall over several partitions, in the order in which the types first appear."""
    caught: Counter[str] = Counter()
    injected: Counter[str] = Counter()
    for part in parts:
        for one in part:
            caught[one.type] += one.caught
            injected[one.type] += one.injected
    return tuple(Recall(kind, caught[kind], count) for kind, count in injected.items())
