"""What a drill finds: slices of rows, how much of the change is in them, and what they looked like before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from airflow_dq.explain.wording import quoted, share_words


@dataclass(frozen=True, slots=True)
class Condition:
    """Rows in which a column has one value."""

    column: str
    value: Any
    """As Python has it; None for null."""

    @property
    def words(self) -> str:
        """``channel = 'marketplace'``."""
        if self.value is None:
            return f"{self.column} is null"
        return f"{self.column} = {quoted(self.value) if isinstance(self.value, str) else self.value}"

    @property
    def sql(self) -> str:
        """The same in Spark SQL."""
        name = "`" + self.column.replace("`", "``") + "`"
        return f"{name} IS NULL" if self.value is None else f"{name} = {_literal(self.value)}"


@dataclass(frozen=True, slots=True)
class Contrast:
    """One fact about the rows of a slice, before and now."""

    column: str | None
    """None: about the rows themselves."""
    what: str
    """``median``, ``missing``, ``'us'``."""
    before: str
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What is known of a slice, in words or not."""

    columns: tuple[str, ...]
    """The columns whose values have changed in it, the one that has most first; none when its number of rows has."""
    rows: int
    """Rows of the slice now; where a part of the rows was read, as many as that part stands for."""
    rows_before: int
    share: float
    """Of all rows now."""
    changed: float
    """How much of the slice has changed beyond the rest: 1 where none of its rows is as its rows were before."""
    carried: float
    """How much of the whole change is in it, from 0 to 1."""
    contrasts: tuple[Contrast, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice(Measured):
    """Rows with something in common that have changed, while the others have not, or much less."""

    conditions: tuple[Condition, ...]

    @property
    def score(self) -> float:
        """The harmonic mean of :attr:`changed` and :attr:`carried`: high only for the rows concerned and no others."""
        return 2.0 * self.changed * self.carried / (self.changed + self.carried)

    @property
    def words(self) -> str:
        """``channel = 'marketplace' and country = 'DE'``."""
        return " and ".join(one.words for one in self.conditions)

    @property
    def filter(self) -> str:
        """The rows of the slice in Spark SQL."""
        return " AND ".join(one.sql for one in self.conditions)

    @property
    def headline(self) -> str:
        """What there is to say in one line."""
        if not self.columns:
            return f"only {self.words}: {self.rows_before:,} rows before, {self.rows:,} now"
        of = ", ".join(self.columns)
        return f"only {self.words}: {of} changed there ({share_words(self.share)} of the rows, {self.rows:,})"


@dataclass(frozen=True, slots=True)
class Drilled:
    """What a comparison of two partitions has come to."""

    slices: tuple[Slice, ...]
    """The most telling first; none where no slice carries the change."""
    attributes: tuple[str, ...]
    """The columns whose values were tried as slices."""
    tried: int
    """Slices that were looked at, each for every column."""
    everywhere: tuple[str, ...]
    """Columns that have changed in all rows alike."""


def _literal(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case datetime():
            return f"TIMESTAMP'{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE'{value.isoformat()}'"
        case float():
            return f"{value!r}D"
        case int() | Decimal():
            return str(value)
        case _:
            return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"
