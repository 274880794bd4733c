"""What the strings of a column look like: their lengths and kinds of characters, summed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from airflow_dq.states import character
from airflow_dq.states.base import Kind
from airflow_dq.states.counter import CounterState
from airflow_dq.states.prepared import PreparedColumn

_FLAGS = (
    character.LETTER,
    character.DIGIT,
    character.PUNCTUATION,
    character.SPACE,
    character.UPPER,
    character.LOWER,
    character.CONTROL,
)
_HAS_FLAG = np.array([[(flags & flag) != 0 for flag in _FLAGS] for flags in range(256)], np.int64)
"""By the flags of a character: the classes that it is of."""


@dataclass(frozen=True, slots=True)
class TextShape(CounterState):
    """Sums over the non-null, non-empty strings; lengths in code points; all 0 when there are none.

    Digits, letters and punctuation are the ASCII ones and Unicode's categories Nd, L* and P*.
    """

    key: ClassVar[str] = "text/2"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.STRING})

    count: int = 0
    length: int = 0
    letters: int = 0
    digits: int = 0
    punctuation: int = 0
    whitespace: int = 0
    upper: int = 0
    lower: int = 0
    control: int = 0
    leading_blank: int = 0
    """Strings that begin with white space."""
    trailing_blank: int = 0
    """Strings that end with white space."""
    non_ascii: int = 0
    """Strings with at least one code point above 127."""
    with_control: int = 0
    """Strings with at least one control character (NUL, tab, line feed, ...)."""
    numeric: int = 0
    """Strings that read as a number."""

    @classmethod
    def of_column(cls, column: PreparedColumn) -> Self:
        """Summarise strings."""
        text = column.text
        starts, ends = text.offsets[:-1], text.offsets[1:]
        if len(starts) == 0:
            return cls()
        histogram = text.histogram

        def strings(chosen: NDArray[np.bool_]) -> int:
            return int(text.counts[chosen].sum())

        letters, digits, punctuation, whitespace, upper, lower, control = (histogram @ _HAS_FLAG).tolist()
        return cls(
            count=int(text.counts.sum()),
            length=int(histogram.sum()),
            letters=letters,
            digits=digits,
            punctuation=punctuation,
            whitespace=whitespace,
            upper=upper,
            lower=lower,
            control=control,
            leading_blank=strings((text.classes_at(starts) & character.SPACE) != 0),
            trailing_blank=strings((text.classes_at(ends - 1) & character.SPACE) != 0),
            with_control=strings(_with_control(text.classes, starts)) if control else 0,
            numeric=int(text.counts[text.numeric].sum()),
            non_ascii=strings(np.logical_or.reduceat(text.codes >= 0x80, starts)) if text.codes.itemsize > 1 else 0,
        )


def _with_control(classes: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.bitwise_or.reduceat(classes & character.CONTROL, starts) != 0
    return found
