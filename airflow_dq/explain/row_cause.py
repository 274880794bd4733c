"""Why a table has other rows than it should: what every column must agree to, or one of them tells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from airflow_dq.explain.cause.hypothesis import Cause
from airflow_dq.explain.cause.presence import copied_words, copies_of
from airflow_dq.explain.cause.rows import began_late, came_late, cut_by_size, ended_early, limited, values_gone
from airflow_dq.explain.comparison import Comparison
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.metrics.descriptor import MetricValue, Reason
from airflow_dq.states.base import Kind

_TELLING = (
    (Kind.TIMESTAMP, came_late),
    (Kind.TIMESTAMP, ended_early),
    (Kind.TIMESTAMP, began_late),
    (Kind.STRING, values_gone),
    (Kind.NUMERIC, cut_by_size),
)
"""What tells why rows are too many or missing, the most certain first, and the columns that it can look at."""
_CONVINCING = 0.7
"""Least score of a cause that is named."""
_AGREES = 0.03
"""Of a column's distinct values so much more or less than the copies explain is chance."""
COPIES = "copies"
"""The parameter of the cause that rows came twice."""
_UNIQUE = 0.9995
"""A column has no value twice: an estimate of a large one may be off by as much."""
_FEW = 0.002
"""A column must have lost at least this share of its distinct values to be hit."""


def row_cause(comparisons: Iterable[Comparison]) -> Cause | None:
    """Why there are too few or too many rows, as far as the columns tell.

    :param comparisons: all columns of the table
    """
    known = list(comparisons)
    found = [copies_of(comparison) for comparison in known]
    copies = math.gcd(*(number for number in found if number is not None))
    if copies > 1:
        return Cause("volume_change", f"every row {copies} times", copied_words(copies), 1.0)
    # A time tells better than a value what was cut off.
    for kind, examine in _TELLING:
        causes = [(one.name, examine(one)) for one in known if one.kind is kind]
        told = [(name, cause) for name, cause in causes if cause is not None and cause.score >= _CONVINCING]
        if told:
            name, cause = max(told, key=lambda one: one[1].score)
            return replace(cause, column=name)
    rows, before = known[0].rows if known else (0, 0)
    return limited(rows) if rows < before else None


def without_disproved(partition: PartitionView, causes: Mapping[str, Cause]) -> dict[str, Cause]:
    """The causes without copied rows, where a column of unique values has no value twice: then only others repeat."""
    newest = partition.history.newest
    if newest is None or all(cause.parameter != COPIES for cause in causes.values()):
        return dict(causes)
    sides = (
        (now.metrics, newest.columns[name].metrics)
        for name, now in partition.profile.columns.items()
        if name in newest.columns
    )
    if any(_is_unique(now) and _is_unique(before) for now, before in sides):
        return {name: cause for name, cause in causes.items() if cause.parameter != COPIES}
    return dict(causes)


def _is_unique(metrics: Mapping[str, MetricValue]) -> bool:
    found = metrics.get("unique_ratio")
    return not isinstance(found, Reason | None) and found >= _UNIQUE


def hit_by_copies(compared: Mapping[str, Comparison], causes: Mapping[str, Cause]) -> dict[str, Cause]:
    """The columns that have fewer distinct values because some rows came twice, as a column of unique values proves.

    :param compared: the columns that something was found of
    :param causes: the causes that are known
    """
    copied = next((cause for cause in causes.values() if cause.parameter == COPIES), None)
    if copied is None or copied.rows is None:
        return {}
    found = {}
    for name, comparison in compared.items():
        before, now = comparison.value_before("unique_ratio"), comparison.value("unique_ratio")
        rows = comparison.rows[0]
        if name in causes or before is None or now is None or not rows:
            continue
        if before - now > _FEW and abs(now - before * (1.0 - copied.rows / rows)) <= _AGREES + _AGREES * before:
            found[name] = copied
    return found
