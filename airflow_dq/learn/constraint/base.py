"""What a constraint is, what it says of a partition, and what learns it: one protocol for every family.

A family is one module of this package: a :class:`Constraint` that is frozen data, and a :class:`Detector` that learns
such constraints from a history.  To add one, write the module, and put its detector in its place among
:data:`airflow_dq.learn.pipeline.DETECTORS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from airflow_dq.learn.history.answer import Widening
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.states.base import Kind

if TYPE_CHECKING:
    from airflow_dq.learn.constraint.view import PartitionView
    from airflow_dq.learn.history.history import History
    from airflow_dq.options.learning import SynthesisOptions

Severity = Literal["fail", "warn"]
"""What a finding does to the gate: stop it, or be recorded only."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a constraint or a finding is about: the whole table, one column, or several columns together."""

    columns: tuple[str, ...] = ()
    """None of them: the table."""

    @property
    def column(self) -> str | None:
        """The column, when it is exactly one."""
        return self.columns[0] if len(self.columns) == 1 else None

    def lies_within(self, columns: frozenset[str]) -> bool:
        """Whether nothing but these columns, or the table itself, is concerned."""
        return columns.issuperset(self.columns)


TABLE = Scope()


@dataclass(frozen=True, slots=True)
class Evidence:
    """How unusual an observation is, by what the history has seen; no odds, for nobody has measured any."""

    deviation: float
    """How far the observation lies from what was expected, on the scale it is judged on."""
    worst: float
    """The largest such deviation in the history; 0.0 where nothing ever deviated."""
    rank: int
    """1: further off than ever before; 2: once before it was further off ..."""
    partitions: int
    """Number of past partitions that this is compared with."""
    since: str | None = None
    """The oldest of them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a constraint has found wrong with a partition; sentences are made of findings at the very end."""

    rule: str
    """What was violated: ``range``, ``column_missing``, ``partition_repeated`` ..."""
    scope: Scope
    metric: str | None = None
    observed: MetricValue | None = None
    """The metric's value."""
    seen: str | None = None
    """What was seen, where that is no metric (a type, a date, an earlier partition)."""
    expected: str | None = None
    """What was expected, where that is no range (a type, a date, another column)."""
    lower: float | None = None
    """Lowest value that would have passed, in the metric's unit; None: no bound."""
    upper: float | None = None
    partitions: int = 0
    """Number of past partitions that the expectation rests on."""
    evidence: Evidence | None = None
    widening: Widening | None = None
    """By how much people's answers had widened the range that was left; None where they had not."""
    rows: int | None = None
    """Rows concerned, where they are known."""
    examples: tuple[str, ...] = ()
    """A few of the values or names concerned."""
    attributes: tuple[tuple[str | None, str, float], ...] = ()
    """Columns (None: the table), their metrics and the share of each in what makes the partition novel, the most
    responsible first."""
    cause: str | None = None
    """What it looks like, where the constraint itself knows it."""
    blamed: str | None = None
    """Of columns together, the one whose values are likely wrong, where something tells: it is the one that fails."""
    severity: Severity = "fail"
    """What it does to the gate, unless the gate's own rules say otherwise."""


@dataclass(frozen=True, slots=True)
class NotEvaluated:
    """A constraint that was not judged, which is never the same as one that holds."""

    rule: str
    scope: Scope
    reason: str
    metric: str | None = None
    applies: bool = True
    """False: the data leaves it nothing to compare, or no value could have broken it; it counts for nothing, and the
    partition may pass by others.  True: what it needs is not known, so that the partition was not checked."""


@dataclass(frozen=True, slots=True)
class Constraint(ABC):
    """Something that must hold in the partition that follows a history: frozen data with a JSON form."""

    family: ClassVar[str]
    """Name of the family in the JSON form; never used for another one."""
    suffices: ClassVar[bool] = True
    """Whether a column that only constraints of this family hold for has been judged."""
    settles: ClassVar[bool] = True
    """Whether it counts for the verdict on its scope; one that speaks of everything at once counts for the partition
    only, and is silent where others have said the same (:meth:`is_told`)."""
    _families: ClassVar[dict[str, type[Constraint]]] = {}

    scope: Scope

    def __init_subclass__(cls) -> None:
        # A dataclass with slots is made twice; the second one is the class that counts.
        if "family" in cls.__dict__:
            Constraint._families[cls.family] = cls

    @classmethod
    def registered(cls) -> Mapping[str, type[Constraint]]:
        """The families whose modules are loaded; see :func:`airflow_dq.learn.constraint.registry.families`."""
        return cls._families

    @abstractmethod
    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """What is wrong with the partition, or why that cannot be told.  Never raises.

        :return: None when the constraint holds: what it is about was compared, and could have broken it
        """

    def on_occasion(self, partition: PartitionView, *, broken: bool) -> Constraint:
        """The same with what like days say of the partition's place in the calendar.

        :param broken: whether the partition breaks it: the search is then wider, for there is something to explain
        """
        return self

    def is_told(self, finding: Finding, others: Sequence[Finding]) -> bool:
        """Whether what it has found is said by what others have found.

        :param others: the findings of the constraints that settle
        """
        return False

    def vouches_for(self, partition: PartitionView) -> frozenset[str]:
        """Columns whose values this constraint explains, so that ranges they leave are no finding."""
        return frozenset()


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """What became of one column when ranges were learned."""

    kind: Kind
    variants: int = 0
    """Number of injected errors that its ranges were chosen by."""
    coverage: int = 0
    """How many of them violate at least one of its ranges."""
    ignored: Mapping[str, str] = field(default_factory=dict)
    """Metrics that could not be bounded, and why."""
    reason: str | None = None
    """Why the column has no ranges, when it has none."""


@dataclass(frozen=True, slots=True)
class Learned:
    """The constraints of one family."""

    constraints: tuple[Constraint, ...]
    """At least one."""
    columns: Mapping[str, ColumnReport] = field(default_factory=dict)
    """What became of each column, of a family that speaks of all of them."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Why a family has no constraints."""

    reason: str
    columns: Mapping[str, ColumnReport] = field(default_factory=dict)
    """What became of each column, of a family that speaks of all of them."""


class Detector(ABC):
    """What learns the constraints of one family."""

    name: ClassVar[str]
    """The family in a word, for a person."""

    @abstractmethod
    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """The family's constraints on the partition that follows a history.

        :param history: at least ``options.min_history`` partitions
        :raises SynthesisError: when the options do not fit the history
        """
