"""FMDV and its variants as published (Auto-Validate, sections 2 to 4): the pattern of least expected false alarms.

=========  ==============================================================================================
fmdv       one pattern of the whole value, of all values (Equations 5 to 7)
fmdv-v     vertical cuts: segments of a value, each with its own pattern (Equations 8 to 11)
fmdv-h     horizontal cuts: at most ``theta`` of the values may be left out (Equations 12 to 16)
fmdv-vh    both
cmdv       the dual: the least coverage with FPR_T <= r, which describes a named type most tightly (auto-tag)
=========  ==============================================================================================

Where the paper is silent: values align when their symbols are the same; a lone run of symbols between segments costs
nothing, for a small corpus does not hold every separator; ties go to fewer segments, then to the smaller coverage,
then to the more specific pattern.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.pattern.generalise import TAU, Mask, Token, align, grow, skeleton, tokens_of
from airflow_dq.pattern.index import GREATEST_FPR, Known


class Corpus(Protocol):
    """What is asked of an index, whole or without a table."""

    def __contains__(self, pattern: str) -> bool: ...

    def known(self, pattern: str) -> Known | None:
        """Coverage and FPR of a written pattern."""


@dataclass(frozen=True, slots=True)
class FmdvOptions:
    """What the paper leaves to its user."""

    r: float = 0.5
    """Greatest FPR_T.  The paper's .1 starves on a lake of mixed sources, where columns match a pattern by chance: with
    it one column in eight gets a rule, with .5 seven in ten, at a precision of .96."""
    m: int = 5
    """Least coverage in columns; the paper's 100 is for seven million of them."""
    theta: float = 0.1
    """Greatest share of the values that a horizontal cut leaves out."""
    tau: int = TAU
    """Longest segment, in tokens."""

    def __post_init__(self) -> None:
        """Refuse what no rule can meet.

        :raises ConfigurationError: naming the option, what was seen and what is allowed
        """
        if not 0 <= self.r <= GREATEST_FPR:
            raise ConfigurationError(f"r is {self.r}; the index is complete for 0 to {GREATEST_FPR}.")
        if self.m < 1 or not 0 <= self.theta < 1 or self.tau < 1:
            raise ConfigurationError(f"m {self.m} and tau {self.tau} are at least 1, theta {self.theta} is 0 to 1.")


Segment = tuple[float, int, float, str]
"""FPR, number of segments, coverage, written pattern; smaller is better."""
Rows = list[tuple[Token, ...]]


def fmdv(values: Sequence[str], corpus: Corpus, vertical: bool, horizontal: bool, options: FmdvOptions) -> str | None:
    """The best written pattern; None when no pattern is feasible.

    :param values: training values, neither null nor blank
    """
    rows = [tokens_of(value) for value in values]
    if not rows or not all(rows):
        return None
    kept = horizontal_cut(rows, options.theta) if horizontal else rows
    if not kept or len({skeleton(row) for row in kept}) != 1:
        return None
    positions = align(kept)
    if vertical:
        return _vertical_cuts(kept, positions, corpus, options)
    level: list[tuple[str, Mask]] = []
    for level in grow(positions, len(kept), len(kept), corpus):  # type: ignore[arg-type]  # noqa: B007
        pass
    found = [segment for pattern, _ in level if (segment := _feasible(pattern, corpus, options))]
    return min(found)[3] if found else None


def cmdv(values: Sequence[str], corpus: Corpus, options: FmdvOptions) -> str | None:
    """The tightest pattern of a type: least coverage among those of the values with FPR_T <= r (auto-tag)."""
    rows = horizontal_cut([tokens_of(value) for value in values if tokens_of(value)], options.theta)
    if not rows:
        return None
    level: list[tuple[str, Mask]] = []
    for level in grow(align(rows), len(rows), len(rows), corpus):  # type: ignore[arg-type]  # noqa: B007
        pass
    found = [segment for pattern, _ in level if (segment := _feasible(pattern, corpus, options))]
    return min(found, key=lambda segment: (segment[2], segment[0], segment[3]))[3] if found else None


def horizontal_cut(rows: Rows, theta: float) -> Rows:
    """The most frequent kinds of values of the main skeleton, until at most ``theta`` of all are left out; or none."""
    kinds: dict[tuple[str, ...], Rows] = {}
    for row in rows:
        kinds.setdefault(tuple(token.sort for token in row), []).append(row)
    kept: Rows = []
    for group in sorted(kinds.values(), key=len, reverse=True):
        if len(kept) < (1 - theta) * len(rows) and (not kept or skeleton(group[0]) == skeleton(kept[0])):
            kept += group
    return kept if len(kept) >= (1 - theta) * len(rows) else []


def _feasible(pattern: str, corpus: Corpus, options: FmdvOptions) -> Segment | None:
    known = corpus.known(pattern)
    if known is None or known.coverage < options.m or known.fpr > options.r:
        return None
    return known.fpr, 1, known.coverage, pattern


def _vertical_cuts(
    rows: Rows, positions: Sequence[dict[str, Mask]], corpus: Corpus, options: FmdvOptions
) -> str | None:
    """Equation 11, left to right: the best of the first tokens, with each segment that can follow."""
    best: list[Segment | None] = [(0.0, 0, 0.0, ""), *[None] * len(positions)]
    for start in range(len(positions)):
        before = best[start]
        if before is None:
            continue
        levels = grow(positions[start : start + options.tau], len(rows), len(rows), corpus)  # type: ignore[arg-type]
        for end, level in enumerate(levels, start + 1):
            segments = [found for pattern, _ in level if (found := _feasible(pattern, corpus, options))]
            if end == start + 1 and len(positions) > 1 and rows[0][start].aligned:
                segments.append((0.0, 0, 0.0, rows[0][start].forms[0]))
            for fpr, pieces, coverage, pattern in segments:
                candidate = before[0] + fpr, before[1] + pieces, before[2] + coverage, before[3] + pattern
                seen = best[end]
                if candidate[0] <= options.r and (seen is None or candidate[:3] < seen[:3]):
                    best[end] = candidate
    return best[-1][3] if best[-1] else None
