"""One column in two partitions that are compared: what several distances read of both states is computed once."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar, Generic, Protocol, Self, TypeVar

from airflow_dq.states.base import State


class Counted(Protocol):
    """A state that knows how many values it summarises."""

    @property
    def total(self) -> int:
        """Number of values."""


S = TypeVar("S", bound=Counted)


class Pair(ABC, Generic[S]):
    """A state now and before, with what their distances share; made for one comparison and forgotten with it.

    A two-distribution metric names the pair that it takes instead of the state when it reads more than the two states.
    """

    state: ClassVar[type[State]]
    """The state that both sides are."""

    def __init__(self, now: S, before: S) -> None:
        """Take both sides."""
        self.now, self.before = now, before

    @classmethod
    def each(cls, nows: Sequence[S], before: S) -> Iterator[Self]:
        """A pair of each of several states with the same one before; overridden where they share more than that."""
        # One after the other: what one has computed is gone before the next one's is.
        return (cls(now, before) for now in nows)

    @cached_property
    def empty(self) -> bool:
        """Whether one of the sides has no value, so that there is no distance."""
        return not self.now.total or not self.before.total
