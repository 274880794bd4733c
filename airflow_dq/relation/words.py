"""How relations name columns and write numbers."""

from __future__ import annotations

from airflow_dq.visible import visible

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")


def quoted(column: str) -> str:
    """A column's name; in quotes where it could be taken for something else than one word."""
    return column if column and set(column) <= _PLAIN and not column[0].isdigit() else f"'{visible(column)}'"


def number_words(number: float) -> str:
    """A number without what its float has beyond ten digits."""
    return f"{number:.10g}"


def within(tolerance: float) -> str:
    """``, within 0.005``; nothing where a value is exact."""
    return f", within {number_words(tolerance)}" if tolerance else ""
