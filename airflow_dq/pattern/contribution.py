"""What one column, and one table, say of patterns: the parts that an index is added up of."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airflow_dq.pattern.generalise import LONGEST, TAU, Token, align, grow, runs_of, skeleton, tokens_of
from airflow_dq.pattern.text import readable

SAMPLE = 100
"""Values of a column that are looked at, evenly spaced: twice as many take twice as long."""
PURE, PURE_COLUMNS = 0.25, 2
"""A pattern is kept when it matches this share of at least this many columns, see :func:`least_columns`.

With c = (1 + r) / 2, a pattern of FPR <= r has an impurity of at most c in at least (1 - r) / (1 + r) of its columns
(Markov): none that is feasible is lost while r <= .5 and m >= 4.
"""
PARTS = 200
"""Impurities are kept in parts of a column: finer than the sample's one in a hundred."""
Hashes = NDArray[np.uint64]
Counts = NDArray[np.int32]


def hashed(pattern: str) -> int:
    """48 bits of a written pattern: of 20 million patterns one in ten million look-ups finds another's."""
    return int.from_bytes(hashlib.blake2b(pattern.encode(errors="surrogatepass"), digest_size=6).digest(), "little")


def least_columns(columns: int) -> int:
    """In how many columns a pattern is a good part of the values, to be kept of so many that are counted together.

    2 up to 20,000 columns, 3 up to 65,000, 12 of seven million.  The coverage that a rule asks for grows with the lake
    (the paper's 100 are for seven million), and what is rarer only makes the index grow as fast as the lake: of 23,000
    columns, no pattern of FPR <= .5 and m >= 5 is in fewer than 3.
    """
    return max(PURE_COLUMNS, int(columns**0.25 / 4))


def sampled(values: Iterable[str | None]) -> list[str]:
    """The values of a column that are looked at: neither null nor blank, evenly spaced.

    :raises ConfigurationError: when one is no text
    """
    # A value of a megabyte has no pattern, and a hundred of them are not held.
    found = [readable(value)[: LONGEST + 1] for value in values if value is not None]
    found = [value for value in found if value.strip()]
    if len(found) <= SAMPLE:
        return found
    return [found[i] for i in np.linspace(0, len(found) - 1, SAMPLE).astype(int)]


Rows = list[tuple[Token, ...]]


def _groups(values: Sequence[str]) -> list[Rows]:
    """The values that are short enough, by skeleton."""
    groups: dict[tuple[str, ...], Rows] = {}
    for tokens in map(tokens_of, values):
        if tokens and runs_of(tokens) < TAU:
            groups.setdefault(skeleton(tokens), []).append(tokens)
    return list(groups.values())


def strong_patterns(values: Sequence[str]) -> set[str]:
    """Patterns, and beginnings of patterns, of a good part of a column's sampled values."""
    floor = max(1, math.ceil(PURE * len(values)))
    found: set[str] = set()
    for rows in _groups(values):
        if len(rows) >= floor:
            for level in grow(align(rows), len(rows), floor, None):
                found.update(pattern for pattern, _ in level)
    return found


def contribution(values: Sequence[str], known: Container[str]) -> dict[str, float]:
    """Imp_D(p) of every known pattern that matches a value of the column (Equation 1)."""
    matched: Counter[str] = Counter()
    for rows in _groups(values):
        level: list[tuple[str, int]] = []
        for level in grow(align(rows), len(rows), 1, known):  # noqa: B007
            pass
        for pattern, mask in level:
            matched[pattern] += mask.bit_count()
    return {pattern: 1 - count / len(values) for pattern, count in matched.items()}


class HashedPatterns(Container[str]):
    """Patterns of which nothing is known but their hashes: what a search follows on a cluster."""

    def __init__(self, hashes: Hashes) -> None:
        """Take the hashes, ascending."""
        self.hashes = hashes
        self._numbers = frozenset(hashes.tolist())

    def __contains__(self, pattern: object) -> bool:
        """Whether a written pattern is among them."""
        return hashed(str(pattern)) in self._numbers

    def __reduce__(self) -> tuple[type[HashedPatterns], tuple[Hashes]]:
        return HashedPatterns, (self.hashes,)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What the columns of one table say of patterns."""

    hashes: Hashes
    """Of the patterns that they match, ascending."""
    coverage: Counts
    """Of each, the columns that match."""
    impurity: Counts
    """Of each, the sum of their impurities, in parts of :data:`PARTS`."""
    columns: int

    @classmethod
    def of(cls, impurities: Iterable[dict[str, float]]) -> Contribution:
        """Add up what columns say.

        :param impurities: of each column, its impurity by pattern (:func:`contribution`)
        """
        entries: dict[int, list[int]] = {}
        columns = 0
        for column in impurities:
            columns += 1
            for pattern, impurity in column.items():
                entry = entries.setdefault(hashed(pattern), [0, 0])
                entry[0] += 1
                entry[1] += round(impurity * PARTS)
        hashes = np.array(sorted(entries), np.uint64)
        counts = np.array([entries[number] for number in hashes.tolist()], np.int32).reshape(-1, 2)
        return cls(hashes, counts[:, 0].copy(), counts[:, 1].copy(), columns)
