"""What the strings of a column look like: their lengths and kinds of characters, summed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa

from airflow_dq.states import character
from airflow_dq.states.base import Kind
from airflow_dq.states.tally import Tally


@dataclass(frozen=True, slots=True)
class TextShape(Tally):
    """Sums over the non-null, non-empty strings; lengths in code points.

    Digits, letters and punctuation are the ASCII ones and Unicode's categories Nd, L* and P*.
    """

    key: ClassVar[str] = "text/1"
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

    @classmethod
    def of(cls, values: pa.Array) -> Self:
        """Summarise a string array."""
        text = character.Text.of(values)
        starts, ends = text.offsets[:-1], text.offsets[1:]
        if len(starts) == 0:
            return cls()
        classes = text.classes
        histogram = np.bincount(classes, minlength=256)
        blank = (classes & character.SPACE) != 0
        wide = text.codes >= 0x80

        def total(flag: int) -> int:
            return int(histogram[(np.arange(256) & flag) != 0].sum())

        return cls(
            count=len(starts),
            length=len(text.codes),
            letters=total(character.LETTER),
            digits=total(character.DIGIT),
            punctuation=total(character.PUNCTUATION),
            whitespace=total(character.SPACE),
            upper=total(character.UPPER),
            lower=total(character.LOWER),
            control=total(character.CONTROL),
            leading_blank=int(np.count_nonzero(blank[starts])),
            trailing_blank=int(np.count_nonzero(blank[ends - 1])),
            non_ascii=int(np.logical_or.reduceat(wide, starts).sum()) if text.codes.itemsize > 1 else 0,
        )
