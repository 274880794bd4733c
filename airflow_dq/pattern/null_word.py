"""Words that people and programs write where a value is missing."""

from __future__ import annotations

NULL_WORDS = frozenset(
    {"na", "n/a", "n.a.", "n.a", "#n/a", "#null!", "null", "(null)", "none", "nil", "nan", "unknown", "missing"}
    | {"n.d.", "nd", "tbd", "tba", "-", "--", "---", "—", "–", ".", "..", "...", "?", "??"}
)
"""In lower case.  A word counts as one when it is the whole value, in any case."""
ACCEPTED = ("NA", "N/A", "n/a", "NULL", "null", "None", "NaN", "nan", "-", "..")
"""Accepted by every learned rule beside its patterns: they say that a value is missing, which completeness judges.

A set of values that is mostly such words is not usual (:attr:`PatternRule.usual`) unless training had them.
"""


def is_null_word(value: str) -> bool:
    """Whether a value stands for a missing one."""
    return len(value) < 20 and value.strip().lower() in NULL_WORDS
