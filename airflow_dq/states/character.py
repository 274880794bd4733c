"""Strings as arrays of code points with a class each, and their generalisation to patterns."""

from __future__ import annotations

import string
import unicodedata
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.states.array import present_strings, string_bytes, strings_from_bytes

DIGIT, LETTER, PUNCTUATION, SPACE, UPPER, LOWER, CONTROL = (1 << bit for bit in range(7))
_KNOWN = 0x80
_classes = np.zeros(0x110000, np.uint8)
_symbol = np.zeros(256, np.uint8)
for _flags in range(256):
    # In this order: no character is two of the three.
    _symbol[_flags] = next((ord(s) for f, s in ((DIGIT, "d"), (LETTER, "l"), (PUNCTUATION, ".")) if _flags & f), 0)


@dataclass(frozen=True)
class Text:
    """The non-null, non-empty strings of a column: code points end to end, and n + 1 offsets into them."""

    codes: NDArray[np.uint8] | NDArray[np.uint32]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, values: pa.Array) -> Text:
        """Read a string array; an all-ASCII one is its own UTF-8 buffer."""
        data, offsets = string_bytes(present_strings(values))
        if not len(data) or data.max() < 0x80:
            return cls(data, offsets)
        codes = np.frombuffer(str(data.data, "utf-8").encode("utf-32-le"), "<u4").astype(np.uint32, copy=False)
        # A code point begins at every byte that is not a continuation byte.
        begins = np.concatenate([np.zeros(1, np.int64), np.cumsum((data & 0xC0) != 0x80)])
        return cls(codes, begins[offsets])

    @cached_property
    def classes(self) -> NDArray[np.uint8]:
        """The class flags of each code point."""
        found = _classes[self.codes]
        unknown = found == 0
        if unknown.any():
            for code in np.unique(self.codes[unknown]).tolist():
                _classes[code] = classify(chr(code))
            found = _classes[self.codes]
        return found

    def patterns(self) -> pa.LargeStringArray:
        """Each string with its digits as ``d``, letters as ``l`` and punctuation as ``.``, the rest as it is."""
        symbols = _symbol[self.classes]
        codes = np.where(symbols != 0, symbols, self.codes)
        if codes.dtype == np.uint8:
            return strings_from_bytes(codes, self.offsets)
        data = codes.astype("<u4").tobytes().decode("utf-32-le").encode()
        width = 1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000)
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(width)])
        return strings_from_bytes(data, ends[self.offsets])


def classify(character: str) -> int:
    """Class flags of one character: ASCII and Unicode alike, by its general category."""
    category = unicodedata.category(character)
    flags = _KNOWN
    flags |= DIGIT if category == "Nd" else 0
    flags |= LETTER if category[0] == "L" else 0
    # string.punctuation has the ASCII symbols ($ + < = > ^ ` | ~) that Unicode files under S.
    flags |= PUNCTUATION if category[0] == "P" or character in string.punctuation else 0
    flags |= SPACE if character.isspace() else 0
    flags |= UPPER if category == "Lu" else 0
    flags |= LOWER if category == "Ll" else 0
    return flags | (CONTROL if category == "Cc" else 0)
