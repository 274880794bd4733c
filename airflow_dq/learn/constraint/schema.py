"""The table's schema against the one in the history: a changed schema is a finding of its own, not drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from airflow_dq.learn.constraint.base import (
    TABLE,
    Constraint,
    Detector,
    Finding,
    Learned,
    NotEvaluated,
    Scope,
    Skipped,
)
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import ColumnProfile
from airflow_dq.states.base import Kind


def compatible(expected: Kind, seen: Kind) -> bool:
    """Whether a column may have this kind; one without a type (all null) may stand for any."""
    return expected is seen or Kind.NULL in (expected, seen)


@dataclass(frozen=True, slots=True)
class ExpectedColumn(Constraint):
    """A column is there, and of the kind that it has been."""

    family: ClassVar[str] = "expected_column"

    kind: Kind
    data_type: str | None
    """The source's type of a nested column that has never had another; None where the kind alone is looked at."""
    present: int
    """In how many past partitions it was there with this kind."""
    partitions: int
    """Number of past partitions."""

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """Missing, renamed or retyped."""
        (name,) = self.scope.columns
        now, new_name = partition.column(name), partition.renamed.get(name)
        if now is None and new_name is not None:
            return Finding(
                "column_renamed",
                self.scope,
                seen=new_name,
                partitions=self.partitions,
                cause=f"renamed to {new_name!r}",
            )
        if now is None:
            return self._finding("column_missing", None, None)
        if not compatible(self.kind, now.kind):
            return self._finding("column_retyped", f"{now.kind} ({now.data_type})", str(self.kind))
        if now.kind is not Kind.NULL and self.data_type not in (None, now.data_type):
            return self._finding("column_retyped", now.data_type, self.data_type)
        return None

    def _finding(self, rule: str, seen: str | None, expected: str | None) -> Finding:
        return Finding(rule, self.scope, seen=seen, expected=expected, partitions=self.partitions)


@dataclass(frozen=True, slots=True)
class NoOtherColumn(Constraint):
    """There is no column that the newest partition did not have."""

    family: ClassVar[str] = "no_other_column"

    known: tuple[str, ...]
    """The columns that may be there."""
    seen: tuple[tuple[str, int], ...]
    """Columns that are not in the newest partition, and in how many of the past ones they were."""
    partitions: int
    """Number of past partitions."""

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """The columns that are new, but for those that another one was renamed to."""
        if partition.asked is not None:
            # Whoever asks for some columns is not concerned with others.
            return NotEvaluated("column_added", self.scope, "only some columns are asked for", applies=False)
        expected = {*self.known, *partition.renamed.values()}
        added = tuple(name for name in partition.profile.columns if name not in expected)
        return Finding("column_added", Scope(added), partitions=self.partitions) if added else None


class SchemaDetector(Detector):
    """Expects the newest partition's columns, and no others."""

    name: ClassVar[str] = "schema"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One constraint for each column that is to be judged, and one for all others."""
        newest = history.newest
        if newest is None or not newest.columns:
            return Skipped("the newest partition has no columns")
        judged = [name for name in newest.columns if options.judges(name)]
        constraints: list[Constraint] = [_expected(history, name) for name in judged]
        if options.columns is None:
            ever = dict.fromkeys(name for profile in history.profiles for name in profile.columns)
            gone = [name for name in ever if name not in newest.columns]
            seen = tuple((name, sum(name in profile.columns for profile in history.profiles)) for name in gone)
            known = tuple(dict.fromkeys([*judged, *options.exclude]))
            constraints.append(NoOtherColumn(TABLE, known, seen, len(history)))
        return Learned(tuple(constraints)) if constraints else Skipped("there is no column to judge")


def _expected(history: History, name: str) -> ExpectedColumn:
    kind = history.kind(name)
    columns = [profile.columns.get(name) for profile in history.profiles]
    present = sum(one is not None and compatible(kind, one.kind) for one in columns)
    data_type = _only_type(columns) if kind is Kind.NESTED else None
    return ExpectedColumn(Scope((name,)), kind, data_type, present, len(history))


def _only_type(columns: Sequence[ColumnProfile | None]) -> str | None:
    """The source's type of the column in all partitions that show one; None when it has varied."""
    known = [column for column in columns if column is None or column.kind is not Kind.NULL]
    types = {None if column is None else column.data_type for column in known}
    return types.pop() if len(types) == 1 else None
