"""What can only be seen of several rows together: functional dependencies, keys, and counters of a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_dq.relation.base import Relation
from airflow_dq.relation.words import quoted


@dataclass(frozen=True, slots=True)
class Dependency(Relation):
    """Rows that agree in the determinant agree in the dependent: one code, one name."""

    kind: ClassVar[str] = "dependency"

    determinant: tuple[str, ...]
    dependent: str
    lasting: bool
    """Whether it holds across partitions: the code has the name that it had in the partitions before."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The determinant, then the dependent."""
        return (*self.determinant, self.dependent)

    def __str__(self) -> str:
        """``code determines name, as in the partitions before``."""
        said = ", as in the partitions before" if self.lasting else ""
        return f"{_all(self.determinant)} determines {quoted(self.dependent)}{said}"


@dataclass(frozen=True, slots=True)
class Key(Relation):
    """No two rows of a partition agree in all of its columns."""

    kind: ClassVar[str] = "key"

    key: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the key."""
        return self.key

    def __str__(self) -> str:
        """``each order_id, line occurs once``."""
        return f"each {_all(self.key)} occurs once"


@dataclass(frozen=True, slots=True)
class Counter(Relation):
    """Of each key, a number that never falls from one partition to the next: cumulative counts in snapshots."""

    kind: ClassVar[str] = "counter"

    key: tuple[str, ...]
    number: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The key's columns, then the number."""
        return (*self.key, self.number)

    def __str__(self) -> str:
        """``cases of each region never falls``."""
        return f"{quoted(self.number)} of each {_all(self.key)} never falls"


RowsRelation = Dependency | Key | Counter
"""A relation of which one row shows nothing."""


def _all(columns: tuple[str, ...]) -> str:
    return ", ".join(map(quoted, columns))
