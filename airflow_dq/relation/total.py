"""A row that adds up the others: the country among its regions, "all ages" among the ages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_dq.relation.base import Flags, Relation
from airflow_dq.relation.dependency import Floats, all_quoted, differ
from airflow_dq.relation.words import quoted
from airflow_dq.visible import visible


@dataclass(frozen=True, slots=True)
class Total(Relation):
    """In the row with one value of a column a number is the sum of the other rows, of each group by itself."""

    kind: ClassVar[str] = "total"

    column: str
    value: str
    """Of the row with the total; empty where the column is missing in it, as ``GROUP BY ROLLUP`` leaves it."""
    number: str
    by: tuple[str, ...] = ()
    """Rows that agree in these are added up; without any, all of the partition."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the groups, the one that marks the total, then the number."""
        return (*self.by, self.column, self.number)

    def __str__(self) -> str:
        """``cases where region is 'All' is the sum of the other rows of the same day``."""
        marked = f"'{visible(self.value)}'" if self.value else "missing"
        of = f" of the same {all_quoted(self.by)}" if self.by else ""
        return f"{quoted(self.number)} where {quoted(self.column)} is {marked} is the sum of the other rows{of}"

    def is_broken(self, total: Floats, added: Floats) -> Flags:
        """Whether what stands in the row of a total is not what the others come to."""
        return differ(total, added)
