"""One column in two partitions that are compared: what several distances read of both states is computed once."""

from __future__ import annotations

from abc import ABC
from functools import cached_property
from typing import ClassVar, Generic, Protocol, TypeVar

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

    @cached_property
    def empty(self) -> bool:
        """Whether one of the sides has no value, so that there is no distance."""
        return not self.now.total or not self.before.total
