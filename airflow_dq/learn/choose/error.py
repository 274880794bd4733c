"""Injected errors measured as the gate would measure them: what ranges are chosen by, and what a recall is told of.

They are AVH's synthetic "training data" (section 4.3): errors injected into a partition of the history, as the
partition's successor would have seen them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass

from airflow_dq.corruption.variant import variants_of
from airflow_dq.learn.array import BoolArray, FloatArray
from airflow_dq.learn.expect.violation import Observed
from airflow_dq.learn.history.baseline import Baseline, Columns
from airflow_dq.learn.history.column import ColumnHistory
from airflow_dq.metrics.descriptor import Metric, MetricValue
from airflow_dq.metrics.evaluate import ComparisonSide, compare_each
from airflow_dq.options.retention import RETENTION
from airflow_dq.profile.model import Profile, Variant
from airflow_dq.states.base import Kind, Representation


class InjectedErrors:
    """The injected errors of one column of one partition."""

    __slots__ = ("_asked", "_before", "_kept", "_kind", "_measured", "_observed", "_past", "_variants")

    def __init__(
        self, profile: Profile, past: ColumnHistory, kind: Kind, before: Columns, asked: Collection[Metric] = ()
    ) -> None:
        """Take the errors of a column; nothing is measured before it is asked for.

        :param past: the column's history, which says in which representation distances are read
        :param kind: the column's kind; errors cannot be injected into a partition in which it had no type
        :param before: the column in the partitions that distances are measured from, oldest first
        :param asked: metrics that will be asked for: of those with the same baseline all are measured when the first
            one is
        """
        column = profile.columns.get(past.name)
        able = past.name in profile.variants or profile.sample is not None
        alike = column is not None and column.kind is kind
        self._variants: Sequence[Variant] = variants_of(profile, past.name) if able and alike else ()
        self._past, self._kind, self._before = past, kind, before
        self._kept = tuple(range(len(self._variants)))
        self._asked = asked
        # By metric and by the place of the error; shared with what is left when some are left out.
        self._measured: dict[str, dict[int, MetricValue | None]] = {}
        self._observed: dict[str, Observed] = {}

    def __len__(self) -> int:
        """Number of errors."""
        return len(self._kept)

    @property
    def labels(self) -> tuple[str, ...]:
        """What each error is called."""
        return tuple(self._variants[i].label for i in self._kept)

    @property
    def types(self) -> tuple[str, ...]:
        """The type of each error."""
        return tuple(self._variants[i].type for i in self._kept)

    def without(self, known: BoolArray) -> InjectedErrors:
        """The errors that nothing else catches already (a mask); what is measured of them is measured for both."""
        left = copy(self)
        left._kept = tuple(i for i, caught in zip(self._kept, known.tolist(), strict=True) if not caught)
        left._observed = {}
        return left

    def values(self, metric: Metric) -> list[MetricValue | None]:
        """The metric on each error; None where it cannot be measured."""
        if not metric.pair:
            return [self._variants[i].metrics.get(metric.name) for i in self._kept]
        known = self._measured.get(metric.name, {})
        if missing := [i for i in self._kept if i not in known]:
            names = {metric.name, *(one.name for one in self._asked if one.pair and one.pool == metric.pool)}
            compared = self._compare(metric.pool, names, missing)
            for name in names:
                self._measured.setdefault(name, {}).update((i, found.get(name)) for i, found in compared.items())
        return [self._measured[metric.name][i] for i in self._kept]

    def observed(self, metric: Metric) -> Observed:
        """The same, ready to be held against bounds."""
        if metric.name not in self._observed:
            self._observed[metric.name] = Observed.of(self.values(metric))
        return self._observed[metric.name]

    def _compare(
        self, pool: int, names: Collection[str], places: Sequence[int]
    ) -> Mapping[int, Mapping[str, MetricValue]]:
        """By the place of some errors their distances from a baseline, each as its history is read."""
        found: dict[int, dict[str, MetricValue]] = {i: {} for i in places}
        before = Baseline.of(self._before, self._kind, pool)
        if before is None or not before.known:
            return found
        read: dict[Representation, list[str]] = {}
        for name in names:
            read.setdefault(self._past.representation(name), []).append(name)
        for key, state in before.states().items():
            # Most errors leave some states as they were, and then share them: a change of casing leaves the initials.
            # They are compared once.
            sharing: dict[int, list[int]] = {}
            for i in places:
                if key in self._variants[i].states:
                    sharing.setdefault(id(self._variants[i].states[key]), []).append(i)
            nows = [self._variants[alike[0]].states[key] for alike in sharing.values()]
            # Its sketch is made once for all errors.
            earlier = ComparisonSide({key: state})
            for representation, wanted in read.items():
                compared = compare_each(self._kind, key, nows, earlier, wanted, representation, pool)
                for alike, values in zip(sharing.values(), compared, strict=True):
                    for i in alike:
                        found[i] |= values
        return found


@dataclass(frozen=True, slots=True)
class Training:
    """The errors of the newest partition that has any, which stands for the one to come."""

    errors: InjectedErrors
    behind: int
    """Number of slots from that partition's to the end of the history, both included."""

    @classmethod
    def of(cls, history: ColumnHistory, kind: Kind, asked: Collection[Metric] = ()) -> Training | None:
        """The training of a column; None when no errors are kept, or it admits none.

        :param asked: metrics that will be asked for
        """
        newest = len(history.profiles) - 1
        for index in range(newest, max(0, newest - RETENTION.with_injected_errors), -1):
            errors = InjectedErrors(history.profiles[index], history, kind, history.columns[:index], asked)
            if len(errors):
                slots = history.timeline.slots
                return cls(errors, slots[-1] + 1 - slots[index])
        return None

    def before(self, values: FloatArray) -> FloatArray:
        """Those of a series' values, on their slots, that came before that partition."""
        # Counted from its end: a series may begin later than the history does.
        return values[: max(0, len(values) - self.behind)]
