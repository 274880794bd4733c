"""How many rows have values that a column has never had: those concerned, where nobody knows what happened to them."""

from __future__ import annotations

import numpy as np

from airflow_dq.explain.comparison import Comparison

_USUAL = 0.02
"""Where more of the values before were beyond all before them, the column grows, and a new extreme is no accident."""
_LEAST = 0.01
"""A pattern that appears in fewer of the values is one of many rare ones."""
_FEWEST = 3
"""Partitions of the past below which nobody knows what a column has had."""
_UNIQUE = 0.9
"""A column in which values recur more often says nothing by how often they do."""


def rows_told(comparison: Comparison, strange: int | None) -> int | None:
    """In how many rows something has happened that the column by itself has no name for; None where it tells none.

    Rows with strange values, or with such as are there again in a column that tells rows apart.

    :param strange: its :func:`strange_rows`
    """
    distinct, past = comparison.value("unique_ratio"), comparison.series("unique_ratio")
    if distinct is not None and len(past) and (usual := float(np.median(past))) >= _UNIQUE:
        # Of a column that is filled in few rows, its share of all of them.
        return max(0, round((1.0 - distinct / usual) * comparison.rows[0])) or None
    return strange


def strange_rows(comparison: Comparison) -> int | None:
    """Numbers beyond all of the past, or texts of a pattern that the partition before had not; None without any."""
    share = _beyond(comparison) if comparison.points is not None else _of_new_patterns(comparison)
    return round(share * comparison.present[0]) or None


def _beyond(comparison: Comparison) -> float:
    points, lows, highs = comparison.points, comparison.series("min"), comparison.series("max")
    if points is None or min(len(lows), len(highs)) < _FEWEST:
        return 0.0
    now, before = (side.values for side in points)
    found = 0.0
    if (before < lows[:-1].min()).mean() <= _USUAL:
        found += float((now < lows.min()).mean())
    if (before > highs[:-1].max()).mean() <= _USUAL:
        found += float((now > highs.max()).mean())
    return found


def _of_new_patterns(comparison: Comparison) -> float:
    if comparison.patterns is None or not comparison.patterns[1].exact:
        return 0.0
    now, before = comparison.patterns
    return sum(share for one, share in now.all_shares.items() if one not in before.all_shares and share >= _LEAST)
