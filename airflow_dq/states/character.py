"""Strings as arrays of code points with a class each, and their generalisation to patterns."""

from __future__ import annotations

import string
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.states.array import DistinctStrings, added_up, string_bytes, strings_from_bytes

DIGIT, LETTER, PUNCTUATION, SPACE, UPPER, LOWER, CONTROL = (1 << bit for bit in range(7))
"""One bit for each class: a character may be of several."""
_KNOWN = 0x80
"""The bit that says that a character has been classified."""
_classes = np.zeros(0x110000, np.uint8)
_symbol = np.zeros(256, np.uint8)
for _flags in range(256):
    # In this order: no character is two of the three.
    _symbol[_flags] = next((ord(s) for f, s in ((DIGIT, "d"), (LETTER, "l"), (PUNCTUATION, ".")) if _flags & f), 0)


_NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"
_FIRST = np.isin(np.arange(256), [ord(symbol) for symbol in "0123456789+-. \t\n\r\f\v"])
_WITHIN = np.isin(np.arange(256), [ord(symbol) for symbol in "0123456789+-.eE \t\n\r\f\v"])
_LAST = np.isin(np.arange(256), [ord(symbol) for symbol in "0123456789. \t\n\r\f\v"])

_MANY = 1 << 17
"""Characters from which on it is faster to count pairs: on one core 250 us either way, and less for more of them."""
_FEW = 8
"""Different bytes, of a thousand that are looked at, up to which each is counted by itself: as fast as pairs are."""


@dataclass(frozen=True)
class Text:
    """The distinct non-null, non-empty strings of a column: code points end to end, and n + 1 offsets into them."""

    codes: NDArray[np.uint8] | NDArray[np.uint32]
    offsets: NDArray[np.int64]
    strings: pa.LargeStringArray
    counts: NDArray[np.int64]
    """How often each string occurs."""

    @classmethod
    def of(cls, strings: DistinctStrings) -> Text:
        """Read non-empty strings of valid UTF-8."""
        data, offsets = string_bytes(strings.values)
        if not len(data) or data.max() < 0x80:
            # An all-ASCII array is its own UTF-8 buffer.
            return cls(data, offsets, strings.values, strings.counts)
        codes = np.frombuffer(str(data.data, "utf-8").encode("utf-32-le"), "<u4").astype(np.uint32, copy=False)
        # A code point begins at every byte that is not a continuation byte.
        begins = np.concatenate([np.zeros(1, np.int64), np.cumsum((data & 0xC0) != 0x80)])
        return cls(codes, begins[offsets], strings.values, strings.counts)

    @cached_property
    def classes(self) -> NDArray[np.uint8]:
        """The class flags of each code point."""
        if self.codes.dtype == np.uint8:
            return _translated(self.codes, _ASCII_CLASSES)
        found = _classes[self.codes]
        unknown = found == 0
        if unknown.any():
            for code in np.unique(self.codes[unknown]).tolist():
                _classes[code] = classify(chr(code))
            found = _classes[self.codes]
        return found

    @cached_property
    def histogram(self) -> NDArray[np.int64]:
        """Number of characters by their class flags, in all occurrences of all strings."""
        if self.codes.dtype != np.uint8:
            return _weighted(self.classes, self.offsets, self.counts)
        # Patterns are fewer than strings, and all that they do not tell of ASCII is which letters are upper case.
        patterns = self.distinct_patterns
        symbols = _weighted(*string_bytes(patterns.values), patterns.counts)[:0x80]
        histogram = np.zeros(256, np.int64)
        np.add.at(histogram, _SYMBOL_CLASSES, symbols)
        upper = self._upper()
        histogram[_CLASS_OF_A] += upper
        histogram[_SYMBOL_CLASSES[ord("l")]] -= upper
        return histogram

    def _upper(self) -> int:
        """Number of the letters A to Z in all occurrences."""
        upper = self.codes - np.uint8(ord("A")) < np.uint8(26)
        if self.counts.max(initial=0) <= 1:
            return int(np.count_nonzero(upper))
        places, weights = _repetitions(self.offsets, self.counts)
        return int(np.count_nonzero(upper) + weights[upper[places]].sum())

    def classes_at(self, places: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The class flags of some code points; of ASCII those of the others are not looked up for it."""
        return self.classes[places] if self.codes.dtype != np.uint8 else _ASCII_CLASSES[self.codes[places]]

    @cached_property
    def numeric(self) -> NDArray[np.int64]:
        """The places of the strings that read as a number; five characters of each rule most of the others out."""
        possible = np.flatnonzero(_FIRST[self._bytes(self.offsets[:-1])])
        for table, quarters in ((_LAST, 4), (_WITHIN, 2), (_WITHIN, 1), (_WITHIN, 3)):
            first, last = self.offsets[possible], self.offsets[possible + 1] - 1
            possible = possible[table[self._bytes(first + ((last - first) * quarters >> 2))]]
        if not len(possible):
            # Arrow compiles the expression for every call.
            return possible
        candidates = self.strings if len(possible) == len(self.strings) else self.strings.take(pa.array(possible))
        found: NDArray[np.int64] = possible[
            pc.match_substring_regex(candidates, _NUMBER).to_numpy(zero_copy_only=False)
        ]
        return found

    def _bytes(self, places: NDArray[np.int64]) -> NDArray[np.unsignedinteger[Any]]:
        """Some code points; those beyond a byte as the last one."""
        codes = self.codes[places]
        return codes if codes.dtype == np.uint8 else np.minimum(codes, 255)

    @cached_property
    def distinct_patterns(self) -> DistinctStrings:
        """The distinct :meth:`patterns`, and how often each occurs."""
        return added_up(self.patterns(), self.counts)

    def patterns(self) -> pa.LargeStringArray:
        """Each string with its digits as ``d``, letters as ``l`` and punctuation as ``.``, the rest as it is."""
        if self.codes.dtype == np.uint8:
            return strings_from_bytes(_translated(self.codes, _ASCII_SYMBOLS), self.offsets)
        symbols = _symbol[self.classes]
        codes = np.where(symbols != 0, symbols, self.codes)
        data = codes.astype("<u4").tobytes().decode("utf-32-le").encode()
        width = 1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000)
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(width)])
        return strings_from_bytes(data, ends[self.offsets])


def _translated(codes: NDArray[np.unsignedinteger[Any]], table: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.frombuffer(codes.tobytes().translate(table.tobytes()), np.uint8)


def _weighted(codes: NDArray[np.uint8], offsets: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each byte occurs in strings that occur ``counts`` times."""
    if counts.max(initial=0) <= 1:
        return _occurrences(codes)
    if len(codes) < _MANY:
        return np.bincount(codes, np.repeat(counts, np.diff(offsets)), minlength=256).astype(np.int64)
    places, weights = _repetitions(offsets, counts)
    return _occurrences(codes) + np.bincount(codes[places], weights, minlength=256).astype(np.int64)


def _repetitions(offsets: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places in the strings that occur more than once, and how many more times: few, where there are many."""
    again = np.flatnonzero(counts > 1)
    lengths = np.diff(offsets)[again]
    begins = np.cumsum(lengths) - lengths
    places = np.repeat(offsets[:-1][again] - begins, lengths) + np.arange(lengths.sum())
    return places, np.repeat(counts[again] - 1, lengths)


def _occurrences(codes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """How often each byte occurs: of many bytes each of the few that there are by itself, or two at a time."""
    if len(codes) < _MANY:
        return np.bincount(codes, minlength=256)
    found = np.zeros(256, np.int64)
    if len(some := np.unique(codes[: _MANY : _MANY >> 10])) <= _FEW:
        found[some] = [np.count_nonzero(codes == one) for one in some]
    if found.sum() == len(codes):
        return found
    even = len(codes) // 2 * 2
    pairs = np.bincount(codes[:even].view(np.uint16), minlength=0x10000).reshape(256, 256)
    total: NDArray[np.int64] = pairs.sum(0) + pairs.sum(1) + np.bincount(codes[even:], minlength=256)
    return total


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


_ASCII_CLASSES = np.array([classify(chr(code)) for code in range(0x80)] + [0] * 0x80, np.uint8)
_ASCII_SYMBOLS = np.where(_symbol[_ASCII_CLASSES] != 0, _symbol[_ASCII_CLASSES], np.arange(256)).astype(np.uint8)
_CLASS_OF_A = classify("A")
_SYMBOL_CLASSES = _ASCII_CLASSES[:0x80].copy()
"""By the symbol of a pattern: the flags of the characters that it stands for, of letters as if they were lower case."""
_SYMBOL_CLASSES[ord("d")] = classify("0")
