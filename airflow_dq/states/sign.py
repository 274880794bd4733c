"""How many numbers of a column are zero, negative or whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from airflow_dq.states.base import Kind
from airflow_dq.states.counter import CounterState
from airflow_dq.states.prepared import PreparedColumn


@dataclass(frozen=True, slots=True)
class SignShape(CounterState):
    """Counts over the finite values of numbers; all 0 when there are none.  -0.0 is a zero and not negative."""

    key: ClassVar[str] = "signs/1"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.NUMERIC})

    count: int = 0
    zeros: int = 0
    negatives: int = 0
    whole: int = 0
    """Values without a fractional part."""

    @classmethod
    def of_column(cls, column: PreparedColumn) -> Self:
        """Summarise numbers."""
        numbers = column.finite
        return cls(
            count=len(numbers),
            zeros=int(np.count_nonzero(numbers == 0.0)),
            negatives=int(np.count_nonzero(numbers < 0.0)),
            whole=int(np.count_nonzero(numbers == np.trunc(numbers))),
        )
