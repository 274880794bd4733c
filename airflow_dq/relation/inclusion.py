"""Values of a column that are all among those of another one, in the same partition or in those before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_dq.relation.base import Relation
from airflow_dq.relation.words import quoted


@dataclass(frozen=True, slots=True)
class Inclusion(Relation):
    """Each value of a column is one of another column: a parent is an id."""

    kind: ClassVar[str] = "inclusion"

    column: str
    other: str
    """The same one where its values are those of the partitions before."""
    lasting: bool
    """Whether the other one's values are those of the partitions before."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The column, then the other one."""
        return (self.column,) if self.column == self.other else (self.column, self.other)

    def __str__(self) -> str:
        """``each parent is one of id in the same partition``."""
        where = "the partitions before" if self.lasting else "the same partition"
        return f"each {quoted(self.column)} is one of {quoted(self.other)} in {where}"
