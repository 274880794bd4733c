"""What a rule says, as a tree: what it is evaluated from, in this process and on a cluster alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

Scalar = str | int | float | bool
"""A value of a rule; null is one of its own."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a rule."""

    def parts(self) -> Iterator[Node]:
        """The nodes right below this one."""
        for one in fields(self):
            value = getattr(self, one.name)
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, Node):
                    yield part

    def walk(self) -> Iterator[Node]:
        """This node, and all below it."""
        yield self
        for part in self.parts():
            yield from part.walk()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads, each once, in the order in which they are named."""
        return tuple(dict.fromkeys(node.name for node in self.walk() if isinstance(node, Column)))

    @property
    def is_boolean(self) -> bool | None:
        """Whether its values are true and false; None where only the data tells."""
        return False

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """The aggregates in it, each once."""
        return tuple(dict.fromkeys(node for node in self.walk() if isinstance(node, Aggregate)))


@dataclass(frozen=True, slots=True)
class Value(Node):
    """A literal; None for null."""

    value: Scalar | None

    @property
    def is_boolean(self) -> bool | None:
        """As the literal is."""
        return isinstance(self.value, bool) or self.value is None


@dataclass(frozen=True, slots=True)
class Column(Node):
    """A column's value."""

    name: str

    @property
    def is_boolean(self) -> bool | None:
        """As the column is."""
        return None


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """``left sign right``: ``+``, ``-``, ``*``, ``/``, ``%``, and ``||`` of texts."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Predicate(Node):
    """Whatever it is made of, it is true, false or null."""

    @property
    def is_boolean(self) -> bool | None:
        """Always."""
        return True


@dataclass(frozen=True, slots=True)
class Comparison(Predicate):
    """``left sign right``: ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, and ``<=>``, which takes null for a value."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Logic(Predicate):
    """``left and right``, ``left or right``; null is neither true nor false."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Negation(Predicate):
    """``not of``."""

    of: Node


@dataclass(frozen=True, slots=True)
class NullTest(Predicate):
    """``of is null``; of a number that is NaN, too."""

    of: Node


@dataclass(frozen=True, slots=True)
class Presence(Predicate):
    """Whether ``of`` holds a value: it is neither null nor NaN nor the empty text; never null itself."""

    of: Node


@dataclass(frozen=True, slots=True)
class Membership(Predicate):
    """``of in (values)``."""

    of: Node
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Match(Predicate):
    """``of like pattern`` (``%`` any characters, ``_`` one), or ``of rlike pattern``: RE2, anywhere in the text."""

    of: Node
    pattern: str
    regex: bool


@dataclass(frozen=True, slots=True)
class Proof(Predicate):
    """Whether ``of`` is a text of a format of which a pattern is only the outline."""

    of: Node
    format: str


@dataclass(frozen=True, slots=True)
class Placeholder(Predicate):
    """Whether ``of`` is a value that often stands for a missing one."""

    of: Node


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function of :data:`FUNCTIONS`."""

    name: str
    arguments: tuple[Node, ...]

    @property
    def is_boolean(self) -> bool | None:
        """Only of functions that hand on one of their arguments may it be."""
        return None if self.name == "coalesce" else False


@dataclass(frozen=True, slots=True)
class Foreign(Node):
    """SQL beyond this package's own, which DuckDB computes."""

    sql: str
    """As Spark says it."""
    duck: str
    """As DuckDB does; the columns are called ``c0``, ``c1`` ..."""
    reads: tuple[Column, ...]

    @property
    def is_boolean(self) -> bool | None:
        """As what DuckDB computes is."""
        return None


@dataclass(frozen=True, slots=True)
class Aggregate(Node):
    """One number of all rows in scope: ``count(*)``, ``sum(price * quantity)``; ``of`` is None for ``count(*)``."""

    name: str
    of: Node | None


FUNCTIONS: dict[str, tuple[int, int]] = {
    "abs": (1, 1),
    "ceil": (1, 1),
    "coalesce": (1, 20),
    "day": (1, 1),
    "floor": (1, 1),
    "hour": (1, 1),
    "length": (1, 1),
    "lower": (1, 1),
    "month": (1, 1),
    "round": (1, 2),
    "trim": (1, 1),
    "upper": (1, 1),
    "year": (1, 1),
}
"""Name -> fewest and most arguments."""
AGGREGATES = ("avg", "count", "max", "min", "sum")
"""What a metric of one's own may be made of."""
