"""What a column can be, and what a state is: a mergeable summary of one column of one partition."""

from __future__ import annotations

import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Container, Sequence
from enum import StrEnum
from functools import cache, reduce
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Self

from airflow_dq.exceptions import CodecError

if TYPE_CHECKING:
    import pyarrow as pa

    from airflow_dq.states.prepared import PreparedColumn


class Kind(StrEnum):
    """How a column is profiled; resolved from its schema type, stored, and never guessed from single values."""

    NUMERIC = "numeric"
    STRING = "string"
    BOOLEAN = "boolean"
    TIMESTAMP = "timestamp"
    BINARY = "binary"
    NESTED = "nested"
    NULL = "null"
    """A column without a type: every value was null and the source names no type.  Compatible with any kind."""


class Representation(StrEnum):
    """How the values behind a distance were counted: distances of different ones do not compare."""

    EXACT = "exact"
    """Each distinct value's own count on both sides."""
    SKETCH = "sketch"
    """Both sides sketched, because one of them has too many distinct values to count each."""


NEAR = 0.25
"""From this share of the limit on distinct values on, distances are kept in both representations: the next partition
may lie beyond it."""


class State(ABC):
    """A mergeable summary of one column: a commutative semigroup with a versioned binary codec.

    Without arguments a state is that of no rows, which merges with any other unchanged.
    Merging the states of any split of a column equals the state of the whole column, so the same code
    runs on one Arrow batch of a Spark task and on a table in memory.
    """

    __slots__ = ()

    key: ClassVar[str]
    """``name/version``: the stored name of the state and of its codec; never reused for another layout."""
    kinds: ClassVar[frozenset[Kind]]
    """The kinds of column that carry this state."""

    _types: ClassVar[dict[str, type[State]]] = {}

    def __init_subclass__(cls) -> None:
        if "key" in cls.__dict__:
            State._types[cls.key] = cls

    @classmethod
    def of(cls, values: pa.Array) -> Self:
        """Summarise one Arrow array; who makes several states of it prepares it once (:func:`states_of`)."""
        from airflow_dq.states.prepared import PreparedColumn

        return cls.of_column(PreparedColumn.of(values))

    @classmethod
    @abstractmethod
    def of_column(cls, column: PreparedColumn) -> Self:
        """Summarise a column, whose values are already cast to the canonical type of its kind."""

    @classmethod
    def of_hidden(cls, column: PreparedColumn, key: bytes) -> Self:
        """As :meth:`of_column`, but the state holds no value in clear: only hashes with this key, or rounded bounds.

        The default suits states that hold nothing but counts.
        """
        return cls.of_column(column)

    def reader(self) -> Self:
        """An equal state for a few readers: what several of them need is computed once, and goes when it goes.

        A state may be kept for long, and must not grow by being read.
        """
        return self

    @property
    def fullness(self) -> float:
        """How much of what may be counted one by one is used: above 1 the state is a sketch (0 for what never is)."""
        return 0.0

    @property
    def representations(self) -> frozenset[Representation]:
        """The representations in which distances from this state are worth keeping."""
        reached = {Representation.EXACT} if self.fullness <= 1.0 else set()
        return frozenset(reached | ({Representation.SKETCH} if self.fullness > NEAR else set()))

    def as_sketch(self) -> Self:
        """The state in the form that it takes when there are too many distinct values."""
        return self

    def as_stored(self) -> Self:
        """The state as it is stored: without what only a scan needs."""
        return self

    def compared(self) -> Self:
        """The state of an injected variant, or of one of several that are taken together: what distances read."""
        return self

    def compared_sketch(self) -> Self:
        """As ``as_sketch().compared()``; overridden where that first makes much that it then leaves out."""
        return self.as_sketch().compared()

    @abstractmethod
    def merge(self, other: Self) -> Self:
        """The state of the concatenation of both inputs."""

    @classmethod
    def merged(cls, states: Sequence[Self]) -> Self:
        """The state of the concatenation of at least one input."""
        return reduce(cls.merge, states)

    def repeated(self, times: int) -> Self:
        """The state of a column whose every row occurs so many times; overridden where that is a multiplication."""
        if times == 1:
            return self
        half = self.repeated(times // 2)
        both = half.merge(half)
        return both.merge(self) if times % 2 else both

    @abstractmethod
    def encode(self) -> bytes:
        """Bytes from which :meth:`decode` restores an equal state."""

    @classmethod
    @abstractmethod
    def decode(cls, data: bytes) -> Self:
        """The state that :meth:`encode` wrote.

        :raises CodecError: when the bytes are not of this state and version.
        """


@cache
def _discover() -> None:
    # On the first look-up, not on import: whoever imports Kind while a DAG is parsed must not pull in numpy.
    package = import_module("airflow_dq.states")
    for module in pkgutil.iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")


def state_types() -> tuple[type[State], ...]:
    """Every registered state, ordered by key."""
    _discover()
    return tuple(State._types[key] for key in sorted(State._types))


def states_for(kind: Kind) -> tuple[type[State], ...]:
    """The states that a column of this kind carries, ordered by key."""
    _discover()
    return _states_for(kind, len(State._types))


@cache
def _states_for(kind: Kind, registered: int) -> tuple[type[State], ...]:
    # Asked for every column of every injected error.
    return tuple(state for state in state_types() if kind in state.kinds)


def states_of(
    kind: Kind, values: pa.Array | PreparedColumn, key: bytes | None = None, wanted: Container[str] | None = None
) -> dict[str, State]:
    """All states of a column, by key.

    :param values: canonical values, prepared already when others read them too
    :param key: secret with which values are hashed that must not be kept in clear (None: they are kept)
    :param wanted: keys of the only states to make; None: of all
    """
    from airflow_dq.states.prepared import PreparedColumn

    column = values if isinstance(values, PreparedColumn) else PreparedColumn.of(values)
    made = [state for state in states_for(kind) if wanted is None or state.key in wanted]
    if key is None:
        return {state.key: state.of_column(column) for state in made}
    return {state.key: state.of_hidden(column, key) for state in made}


def decode_state(key: str, data: bytes) -> State:
    """Restore a state from its stored key and bytes.

    :raises CodecError: when no such state exists in this version, or the bytes are damaged.
    """
    _discover()
    try:
        state_type = State._types[key]
    except KeyError:
        known = ", ".join(sorted(State._types))
        raise CodecError(f"No state is stored as {key!r} in this version (known: {known}).") from None
    return state_type.decode(data)
