"""Of which type values are, or are written: texts that nobody has given a type may be of several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from airflow_dq.check.expression import Column, Match
from airflow_dq.check.metric import FORMATS
from airflow_dq.check.model import Check
from airflow_dq.profile.check.evaluate import Batch, RuleError
from airflow_dq.profile.check.measured import NO_ROWS, NO_VALUES, Measured
from airflow_dq.profile.check.number import is_number
from airflow_dq.profile.check.tally import Tally

_WRITTEN = ("number", "boolean", "date", "datetime")
"""Formats that a text may have, of which none is another as well; what has none of them is a text."""


@dataclass(frozen=True, slots=True)
class Types(Tally):
    """How many values are of each type; what is missing is of none."""

    tag: ClassVar[str] = "types"

    rows: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    def _with(self, other: Any) -> Tally:
        names = sorted({*self.counts, *other.counts})
        return Types(self.rows + other.rows, {one: self.counts.get(one, 0) + other.counts.get(one, 0) for one in names})

    def encode(self) -> tuple[Any, bytes]:
        """The counts."""
        return [self.rows, dict(self.counts)], b""

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        return cls(*head)

    def measured(self, check: Check) -> Measured:
        """The share of the most frequent type, and which it is."""
        most = max(self.counts, key=lambda one: (self.counts[one], one), default="")
        found = Measured.share(self.counts.get(most, 0), sum(self.counts.values()), NO_VALUES if self.rows else NO_ROWS)
        return replace(found, seen=f"most are of type {most}") if most else found


def count_types(batch: Batch, name: str, scope: pa.BooleanArray | None) -> Types:
    """Of which type the values of a column are.

    :param scope: which rows are looked at; None: all
    :raises RuleError: when they are lists, bytes or such
    """
    values = batch.column(name)
    rows = batch.rows if scope is None else int(scope.true_count)
    if pt.is_null(values.type):
        return Types(rows)
    if not pt.is_large_string(values.type):
        typed = values if scope is None else values.filter(scope)
        there = len(typed) - int(typed.null_count)
        return Types(rows, {_type(values.type, name): there} if there else {})
    there = pc.fill_null(pc.greater(pc.binary_length(values), 0), False)
    if scope is not None:
        there = pc.and_(there, scope)
    counts = {
        one: int(pc.and_(there, batch.truth(Match(Column(name), FORMATS[one], regex=True))).true_count)
        for one in _WRITTEN
    }
    counts["text"] = int(there.true_count) - sum(counts.values())
    return Types(rows, {one: number for one, number in sorted(counts.items()) if number})


def _type(data_type: pa.DataType, name: str) -> str:
    if is_number(data_type):
        return "number"
    for test, found in ((pt.is_boolean, "boolean"), (pt.is_date, "date"), (pt.is_timestamp, "datetime")):
        if test(data_type):
            return found
    raise RuleError(f"column {name!r} is {data_type}, whose values are of no type that a text may have")
