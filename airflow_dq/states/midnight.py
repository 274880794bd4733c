"""How many moments of a column are midnights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from airflow_dq.states.base import Kind
from airflow_dq.states.counter import CounterState
from airflow_dq.states.prepared import PreparedColumn

_DAY = 86_400.0
"""Seconds in a day."""


@dataclass(frozen=True, slots=True)
class ClockShape(CounterState):
    """Counts over the dates and timestamps, given in seconds since 1970-01-01 UTC; both 0 when there are none."""

    key: ClassVar[str] = "clock/1"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.TIMESTAMP})

    count: int = 0
    midnights: int = 0

    @classmethod
    def of_column(cls, column: PreparedColumn) -> Self:
        """Summarise moments."""
        seconds = column.finite
        days = seconds / _DAY
        whole = seconds[days == np.floor(days)]
        # Of very large numbers the quotient is always whole; fmod is exact, whatever the size of its first argument.
        return cls(len(seconds), int(np.count_nonzero(np.fmod(whole, _DAY) == 0.0)))
