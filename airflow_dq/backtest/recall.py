"""What a program would catch: the injected errors of the partition that it judges, not of those it learned from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from airflow_dq.backtest.model import Recall
from airflow_dq.learn.array import BoolArray
from airflow_dq.learn.choose.error import InjectedErrors
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.expect.violation import violations
from airflow_dq.learn.history.history import History
from airflow_dq.learn.program import Program
from airflow_dq.metrics.registry import get_metric
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind


class TriedPartition:
    """A partition whose injected errors programs are tried on, measured as the gate would measure them."""

    def __init__(self, profile: Profile, history: History) -> None:
        """Hold the partition and what it follows; nothing is measured before it is asked for.

        :param profile: the partition; without variants and a row sample there is nothing to try
        :param history: the partitions it follows
        """
        self._profile = profile
        self.history = history
        self._errors: dict[tuple[str, Kind], InjectedErrors] = {}

    @property
    def partition(self) -> str | None:
        """Key of the partition."""
        return self._profile.partition

    def recall(self, program: Program) -> list[Recall]:
        """How many errors of each type at least one range of the column, or of the table, catches."""
        caught: Counter[str] = Counter()
        injected: Counter[str] = Counter()
        view = PartitionView(self._profile, History.of(self.history, dated=program.options.mode != "paper"))
        for name, column in program.columns.items():
            errors = self._of(name, column.kind)
            if not len(errors):
                continue
            found = np.zeros(len(errors), dtype=bool)
            for one in (*program.table.clauses, *column.clauses):
                found |= _violated(one, errors, view)
            injected.update(errors.types)
            caught.update(kind for kind, hit in zip(errors.types, found, strict=True) if hit)
        return [Recall(kind, caught[kind], count) for kind, count in injected.items()]

    def _of(self, name: str, kind: Kind) -> InjectedErrors:
        if (name, kind) not in self._errors:
            past = self.history.column(name, kind)
            self._errors[name, kind] = InjectedErrors(self._profile, past, kind, past.columns)
        return self._errors[name, kind]


def _violated(constraint: Range, errors: InjectedErrors, view: PartitionView) -> BoolArray:
    """By error: whether it violates a range; what cannot be measured violates nothing."""
    metric, bounds = get_metric(constraint.metric, constraint.kind), constraint.bounds(view)
    if metric is None:
        return np.zeros(len(errors), dtype=bool)
    lower, upper = (None, None) if bounds is None else bounds
    limits = np.array([-np.inf if lower is None else lower]), np.array([np.inf if upper is None else upper])
    found: BoolArray = violations(errors.values(metric), *limits, may_be_absent=constraint.may_be_absent)[0]
    return found


def add_up(parts: Sequence[Sequence[Recall]]) -> tuple[Recall, ...]:
    """The recall over several partitions, in the order in which the types first appear."""
    caught: Counter[str] = Counter()
    injected: Counter[str] = Counter()
    for part in parts:
        for one in part:
            caught[one.type] += one.caught
            injected[one.type] += one.injected
    return tuple(Recall(kind, caught[kind], count) for kind, count in injected.items())
