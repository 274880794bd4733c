"""What can only be seen of several rows together: functional dependencies, keys, and numbers of a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from airflow_dq.relation.base import Flags, Relation
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.words import quoted

FALL = 0.01
"""A step down by a smaller share is a correction: of the falls of cumulative counts in public tables nearly all are."""
EXACT = 1e-9
"""What sums of floats are off by, as a share of the number."""
ANY_RISE = 1e9
"""So large a step is none that anybody asks about: only a fall breaks such a counter."""
Floats = NDArray[np.float64]


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
        return f"{all_quoted(self.determinant)} determines {quoted(self.dependent)}{said}"


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
        return f"each {all_quoted(self.key)} occurs once"


@dataclass(frozen=True, slots=True)
class Counter(Relation):
    """Of each key, a number that goes up from one partition to the next, in steps: cumulative counts in snapshots."""

    kind: ClassVar[str] = "counter"

    key: tuple[str, ...]
    number: str
    rise: float
    """Largest step up, as a share of what it was and the floor together."""
    floor: float
    """What is added to a number before a step is compared with it, so that small ones may take large steps."""
    fall: float = FALL
    """Largest step down, as a share of the same."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The key's columns, then the number."""
        return (*self.key, self.number)

    def __str__(self) -> str:
        """``cases of each region does not fall, nor rise by more than 20 %``."""
        fall = "" if self.fall <= FALL else f" by more than {self.fall:.0%}"
        rise = f", nor rise by more than {self.rise:.0%}" if self.rise < ANY_RISE else ""
        return f"{quoted(self.number)} of each {all_quoted(self.key)} does not fall{fall}{rise}"

    def is_broken(self, now: Floats, past: Floats) -> Flags:
        """Whether each number may not follow the other one."""
        step, size = now - past, np.abs(past) + self.floor
        return np.asarray((step < -self.fall * size) | (step > self.rise * size) & (self.rise < ANY_RISE), np.bool_)


@dataclass(frozen=True, slots=True)
class Step(Relation):
    """Of each key, a number is what it was in the partition right before, and the change that stands beside it."""

    kind: ClassVar[str] = "step"

    key: tuple[str, ...]
    number: str
    change: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The key's columns, then the number and its change."""
        return (*self.key, self.number, self.change)

    def __str__(self) -> str:
        """``cases - new_cases of each region is cases in the partition right before``."""
        number = quoted(self.number)
        return (
            f"{number} - {quoted(self.change)} of each {all_quoted(self.key)} is {number} in the partition right before"
        )

    def is_broken(self, supposed: Floats, past: Floats) -> Flags:
        """Whether what each number was is not what it is supposed to have been."""
        return differ(supposed, past)


def differ(one: Floats, other: Floats) -> Flags:
    """Whether numbers are farther apart than sums of floats may be."""
    size = np.maximum(np.maximum(np.abs(one), np.abs(other)), 1.0)
    return np.asarray(np.abs(one - other) > EXACT * size, np.bool_)


def is_lasting(relation: Relation) -> bool:
    """Whether the partitions before say what a row may be."""
    return isinstance(relation, Counter | Step) or (isinstance(relation, Dependency | Inclusion) and relation.lasting)


def all_quoted(columns: tuple[str, ...]) -> str:
    """Columns as they are named one after the other."""
    return ", ".join(map(quoted, columns))
