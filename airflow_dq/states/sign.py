"""How many numbers of a column are zero, negative or whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa

from airflow_dq.states.array import finite_floats
from airflow_dq.states.base import Kind
from airflow_dq.states.tally import Tally


@dataclass(frozen=True, slots=True)
class SignShape(Tally):
    """Counts over the finite values."""

    key: ClassVar[str] = "signs/1"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.NUMERIC})

    count: int = 0
    zeros: int = 0
    negatives: int = 0
    whole: int = 0
    """Values without a fractional part."""

    @classmethod
    def of(cls, values: pa.Array) -> Self:
        """Summarise numbers."""
        numbers = finite_floats(values)
        return cls(
            count=len(numbers),
            zeros=int(np.count_nonzero(numbers == 0.0)),
            negatives=int(np.count_nonzero(numbers < 0.0)),
            whole=int(np.count_nonzero(numbers == np.trunc(numbers))),
        )
