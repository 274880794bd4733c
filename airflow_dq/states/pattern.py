"""How often each pattern of characters occurs (AVH, Algorithm 2 and Appendix C)."""

from __future__ import annotations

from typing import ClassVar

import pyarrow as pa

from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution, Counted
from airflow_dq.states.character import Text


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
    def _counted(cls, values: pa.Array) -> tuple[pa.LargeStringArray, Counted]:
        return Text.of(values).pattern_counts


def readable(pattern: str) -> str:
    r"""A stored pattern as the paper writes it: ``dd:dd`` is ``\d\d\.\d\d``."""
    return "".join(f"\\{symbol}" if symbol in "dl." else symbol for symbol in pattern)
