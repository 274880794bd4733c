"""Values of a sort that a column has never held: constraints are chosen by injected errors, and no error is like these.

An infinity is a value that is present, and no mean or distance looks at it; a control character is one among others; a
few numbers with a wrong sign move no metric far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from airflow_dq.explain.wording import share_words
from airflow_dq.learn.history.series import ABSENT
from airflow_dq.learn.model import Alert, ColumnProgram
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.profile.model import Profile

SHARE = 0.01
"""Smallest share of the values that is worth an alert; a single value never is."""
NEAR = 0.25
"""A partition whose smallest number lies within so many of its standard deviations above zero came near it."""
OFTEN = 0.5
"""Share of the past partitions that came near zero: then there is a wall, and not a season that has yet to come."""


@dataclass(frozen=True, slots=True)
class _Sort:
    """A sort of values."""

    words: str
    is_barred: Callable[[Sequence[Mapping[str, MetricValue]]], bool] = lambda past: True
    """Whether it is for a reason that the past partitions, given by their metrics, had none."""


def _keeps_off(past: Sequence[Mapping[str, MetricValue]]) -> bool:
    """Whether numbers that were never negative often came near zero: amounts do, temperatures before winter do not."""
    known = [
        (low, std)
        for one in past
        if isinstance(low := one.get("min"), float) and isinstance(std := one.get("std"), float)
    ]
    return bool(known) and sum(low <= NEAR * std for low, std in known) >= OFTEN * len(known)


SORTS = {
    "infinite_ratio": _Sort("are infinite; in the past partitions none was."),
    "control_ratio": _Sort("hold a control character (NUL, a tab, a line feed ...); in the past partitions none did."),
    "negative_ratio": _Sort(
        "are negative; in the past partitions none was, though many came near zero.", is_barred=_keeps_off
    ),
}
"""By the metric that says how many values are of the sort."""


def unheard_alerts(
    programs: Mapping[str, ColumnProgram], profile: Profile, history: Sequence[Profile]
) -> Iterator[Alert]:
    """One alert for each column with values of a sort that none of the past partitions has."""
    for name, program in programs.items():
        column = profile.columns.get(name)
        if column is None or column.kind is not program.kind:
            continue
        watched = {clause.metric for clause in program.clauses}
        for metric, sort in SORTS.items():
            if metric in watched:
                continue
            share, complete = column.metrics.get(metric), column.metrics.get("complete_ratio")
            if not isinstance(share, float) or not isinstance(complete, float):
                continue
            if share < SHARE or round(share * complete * profile.row_count) < 2:
                continue
            past = [earlier.columns[name].metrics for earlier in history if name in earlier.columns]
            shares = [metrics.get(metric) for metrics in past]
            # A partition without values says nothing; one that was profiled before there was the metric might have had.
            none = all(value == 0.0 or value in ABSENT for value in shares) and 0.0 in shares
            if none and sort.is_barred(past):
                message = f"{name}: {share_words(share)} of the values {sort.words}"
                yield Alert("values_unheard", name, message, kind=column.kind)
