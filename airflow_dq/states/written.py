"""Sums over the numbers that a text column holds, as files without types and tables of raw data do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.states.base import Kind
from airflow_dq.states.character import Text
from airflow_dq.states.moment import Moments
from airflow_dq.states.prepared import PreparedColumn

_CODE = "^-?0[0-9]"
"""What no number begins with: ``00501`` is a code, of which a mean says nothing."""


@dataclass(frozen=True, slots=True)
class WrittenNumbers(Moments):
    """:class:`Moments` of the strings that read as numbers, without those that begin with a needless zero."""

    key: ClassVar[str] = "written/1"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.STRING})

    @classmethod
    def of_column(cls, column: PreparedColumn) -> Self:
        """Summarise strings."""
        return cls.of_finite(_numbers(column.text))


def _numbers(text: Text) -> NDArray[np.float64]:
    """The finite numbers among the strings, each as often as it occurs."""
    if not len(text.numeric):
        return np.empty(0)
    places = pa.array(text.numeric)
    plain = pc.ascii_ltrim(pc.ascii_trim_whitespace(text.strings.take(places)), "+")
    numbers = np.where(
        pc.match_substring_regex(plain, _CODE).to_numpy(zero_copy_only=False),
        np.nan,
        pc.cast(plain, pa.float64()).to_numpy(zero_copy_only=False),
    )
    found: NDArray[np.float64] = np.repeat(numbers, text.counts[text.numeric])
    return found[np.isfinite(found)]
