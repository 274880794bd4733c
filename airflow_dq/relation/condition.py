"""Order between columns, and what a missing or a certain value says of another column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.relation.base import Columns, Flags, RowRelation, Tested
from airflow_dq.relation.words import quoted
from airflow_dq.states.prepared import PreparedColumn
from airflow_dq.visible import visible


@dataclass(frozen=True, slots=True)
class Order(RowRelation):
    """``lower <= upper``: numbers, or moments."""

    kind: ClassVar[str] = "order"

    lower: str
    upper: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The lower one first."""
        return self.lower, self.upper

    def __str__(self) -> str:
        """``start <= end``."""
        return f"{quoted(self.lower)} <= {quoted(self.upper)}"

    def test(self, rows: Columns) -> Tested:
        """Rows with two finite numbers."""
        lower, upper = rows[self.lower], rows[self.upper]
        return Tested.where(lower.has_number & upper.has_number, lower.numbers <= upper.numbers)


@dataclass(frozen=True, slots=True)
class PresentTogether(RowRelation):
    """One column has a value exactly where another one has."""

    kind: ClassVar[str] = "present_together"

    left: str
    right: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Both."""
        return self.left, self.right

    def __str__(self) -> str:
        """``left is missing if and only if right is``."""
        return f"{quoted(self.left)} is missing if and only if {quoted(self.right)} is"

    def test(self, rows: Columns) -> Tested:
        """Every row."""
        left, right = rows[self.left].present, rows[self.right].present
        return Tested.where(np.ones_like(left), left == right)


@dataclass(frozen=True, slots=True)
class MissingImplies(RowRelation):
    """Where one column is missing, another one is."""

    kind: ClassVar[str] = "missing_implies"

    column: str
    other: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The one that the other follows first."""
        return self.column, self.other

    def __str__(self) -> str:
        """``where column is missing, other is missing``."""
        return f"where {quoted(self.column)} is missing, {quoted(self.other)} is missing"

    def test(self, rows: Columns) -> Tested:
        """Rows without the first one."""
        return Tested.where(~rows[self.column].present, ~rows[self.other].present)


@dataclass(frozen=True, slots=True)
class ValueImplies(RowRelation):
    """Where a column has one of its values, another one has a value, or has none."""

    kind: ClassVar[str] = "value_implies"

    column: str
    value: str
    """A text; of booleans ``true`` or ``false``."""
    other: str
    present: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """The one with the value first."""
        return self.column, self.other

    def __str__(self) -> str:
        """``where status is 'shipped', shipped_at is present``."""
        state = "present" if self.present else "missing"
        return f"where {quoted(self.column)} is '{visible(self.value)}', {quoted(self.other)} is {state}"

    def test(self, rows: Columns) -> Tested:
        """Rows with the value."""
        return Tested.where(has_value(rows[self.column], self.value), rows[self.other].present == self.present)


def has_value(column: PreparedColumn, value: str) -> Flags:
    """The rows with a value of a column of texts or booleans; of others, none."""
    values = column.values
    if pa.types.is_boolean(values.type) and value in ("true", "false"):
        return _flags(pc.equal(values, pa.scalar(value == "true")))
    place = -1
    if pa.types.is_large_string(values.type):
        # Each different text is looked at once, however many conditions there are on the column.
        distinct, places = column.dictionary
        place = pc.index(distinct.values, pa.scalar(value, pa.large_string())).as_py()
    if place < 0:
        return np.zeros(len(values), np.bool_)
    return _flags(pc.equal(places, pa.scalar(place, pa.int32())))


def _flags(truth: pa.BooleanArray) -> Flags:
    return pc.fill_null(truth, False).to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]
