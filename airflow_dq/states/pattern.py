"""How often each pattern of characters occurs (AVH, Algorithm 2 and Appendix C)."""

from __future__ import annotations

from typing import ClassVar

from airflow_dq.states.array import DistinctStrings
from airflow_dq.states.base import Kind, State
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.category_pair import CategoryPair
from airflow_dq.states.prepared import PreparedColumn


class PatternDistribution(CategoryDistribution):
    r"""Counts of the patterns of the non-null, non-empty strings.

    A pattern has one symbol for each character: ``d`` a digit, ``l`` a letter, ``.`` punctuation; every other
    character stands for itself.  (The paper writes the symbols as ``\d``, ``\l``, ``\.``; kept characters are never
    digits, letters or punctuation, so the backslash adds nothing but length: :func:`readable` puts it back.)
    """

    __slots__ = ()

    key: ClassVar[str] = "patterns/2"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.STRING})

    @classmethod
    def _counted(cls, column: PreparedColumn) -> DistinctStrings:
        return column.text.distinct_patterns


class PatternPair(CategoryPair):
    """The patterns of one column in two partitions that are compared."""

    state: ClassVar[type[State]] = PatternDistribution


def readable(pattern: str) -> str:
    r"""A stored pattern as the paper writes it: ``dd:dd`` is ``\d\d\.\d\d``."""
    return "".join(f"\\{symbol}" if symbol in "dl." else symbol for symbol in pattern)
