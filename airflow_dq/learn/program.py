"""A validation program: constraints on the partition that follows a history, and what they were learned from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeGuard

from airflow_dq.learn.constraint.base import ColumnReport, Constraint
from airflow_dq.learn.history.answer import NO_ANSWERS, Answers
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.states.base import Kind

if TYPE_CHECKING:
    from airflow_dq.learn.constraint.range import Range
    from airflow_dq.learn.constraint.schema import ExpectedColumn


@dataclass(frozen=True, slots=True)
class TableProgram:
    """What a program says of the table as a whole."""

    clauses: tuple[Range, ...]
    """Ranges of the number of rows."""
    schema: Mapping[str, Kind]
    """Expected columns and their kinds, in order."""


@dataclass(frozen=True, slots=True)
class ColumnProgram:
    """What a program says of one column."""

    name: str
    kind: Kind
    clauses: tuple[Range, ...]
    """Ranges of the column's metrics."""
    constraints: tuple[Constraint, ...]
    """All constraints on the column alone, its ranges among them; without that of the schema."""
    variants: int
    """Number of injected errors that the ranges were chosen by."""
    coverage: int
    """How many of them violate at least one range."""
    ignored: Mapping[str, str]
    """Metrics that could not be bounded, and why."""
    reason: str | None
    """Why there are no ranges, when there are none."""

    @property
    def fpr(self) -> float:
        """Sum of the ranges' bounds: an upper bound on their false-positive rate (AVH, section 4.3)."""
        return sum(clause.fpr for clause in self.clauses)


@dataclass(frozen=True)
class Program:
    """A conjunction of constraints."""

    format: ClassVar[str] = "program/1"
    """Name and version of its JSON form."""

    options: SynthesisOptions
    partitions: tuple[str | None, ...]
    """Keys of the partitions it was learned from, oldest first."""
    constraints: tuple[Constraint, ...] = ()
    reports: Mapping[str, ColumnReport] = field(default_factory=dict)
    """What became of each column, in the table's order."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Families of constraints of which there are none, and why."""
    missing: int = 0
    """How many more partitions are needed before it judges; 0 when it does."""
    ahead: str | None = None
    """The partition whose like days its constraints have been asked for; None: nobody asked."""
    answers: Answers = NO_ANSWERS
    """What people had said of the dataset's alarms, which its ranges are widened by."""

    @cached_property
    def table(self) -> TableProgram:
        """What it says of the table as a whole."""
        clauses = tuple(one for one in self.constraints if _is_range(one) and one.column is None)
        schema = {
            name: one.kind for one in self.constraints if _is_expected(one) and (name := one.scope.column) is not None
        }
        return TableProgram(clauses, schema)

    @cached_property
    def columns(self) -> Mapping[str, ColumnProgram]:
        """What it says of each column, in the table's order."""
        own: dict[str, list[Constraint]] = {name: [] for name in self.reports}
        for one in self.constraints:
            if one.scope.column in own and not _is_expected(one):
                own[one.scope.column].append(one)
        return {name: _column(name, report, tuple(own[name])) for name, report in self.reports.items()}

    def ranges(self) -> Iterator[Range]:
        """All ranges: the table's, then those of the columns."""
        return (one for one in self.constraints if _is_range(one))

    def without(self, constraints: frozenset[Constraint]) -> Program:
        """The program without some of its constraints."""
        return replace(self, constraints=tuple(one for one in self.constraints if one not in constraints))


def _column(name: str, report: ColumnReport, constraints: tuple[Constraint, ...]) -> ColumnProgram:
    clauses = tuple(one for one in constraints if _is_range(one))
    return ColumnProgram(
        name=name,
        kind=report.kind,
        clauses=clauses,
        constraints=constraints,
        variants=report.variants,
        coverage=report.coverage,
        ignored=report.ignored,
        reason=report.reason,
    )


# The families are loaded by whoever has constraints: naming a program's type must not pull in numpy.


def _is_range(constraint: Constraint) -> TypeGuard[Range]:
    from airflow_dq.learn.constraint.range import Range

    return isinstance(constraint, Range)


def _is_expected(constraint: Constraint) -> TypeGuard[ExpectedColumn]:
    from airflow_dq.learn.constraint.schema import ExpectedColumn

    return isinstance(constraint, ExpectedColumn)
