"""What is expected of the next partition, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

from airflow_dq.explain.wording import metric_words
from airflow_dq.learn.history.timeline import timestamp_of
from airflow_dq.learn.program import Program
from airflow_dq.profile.model import Profile
from airflow_dq.report.course import Insight
from airflow_dq.report.number import ANY_VALUE, range_words

_DAY = timedelta(days=1)
_FIRST = ("row_count", "complete_ratio", "mean", "true_ratio", "dist_val_count", "str_len", "max", "min")
"""The metrics that say most to a reader, in this order."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What is expected of a metric: ``mean``, ``640 to 820``."""

    metric: str
    range: str


@dataclass(frozen=True, slots=True)
class Ahead:
    """What is expected of the next partition, by column; None for the table.

    :param when: which partition that is: ``Sunday 2013-02-17``, or ``the next partition``
    """

    when: str
    expected: dict[str | None, list[Expected]]


def ahead_of(program: Program | None, history: Sequence[Profile], newest: str | None) -> Ahead | None:
    """The ranges of the partition that is due next; None where there is no program that judges.

    :param history: what the program judges by, oldest first
    :param newest: key of the newest partition there is, also when it was found bad
    """
    if not history:
        return None
    keys = [profile.partition for profile in history]
    at = next_timestamp(keys if keys[-1] == newest else [*keys, newest])
    key = None if at is None else _key_like(newest or "", at)
    # Of what is not there yet only the moment is known; how much data there will be is taken from the newest one.
    insight = Insight.of(program, replace(history[-1], partition=key), history)
    if insight is None:
        return None
    found: dict[str | None, list[tuple[int, Expected]]] = {}
    for one in insight.program.ranges():
        bounds = one.bounds(insight.view)
        words = ANY_VALUE if bounds is None else range_words(one.metric, one.kind, *bounds)
        if words != ANY_VALUE:
            rank = _FIRST.index(one.metric) if one.metric in _FIRST else len(_FIRST)
            found.setdefault(one.column, []).append((rank, Expected(metric_words(one.metric, one.pair), words)))
    when = "the next partition" if at is None else f"{at:%A} {key}"
    return Ahead(
        when, {column: [one for _, one in sorted(own, key=lambda pair: pair[0])] for column, own in found.items()}
    )


def next_timestamp(keys: Sequence[str | None]) -> datetime | None:
    """When the next partition is due by the rhythm of the keys; None where they are no dates in a rhythm.

    Of days, a weekday that never came is skipped.
    """
    times = [at for key in keys if (at := timestamp_of(key)) is not None]
    steps = [later - earlier for earlier, later in pairwise(times)]
    if len(times) < len(keys) or not steps or min(steps) <= timedelta(0):
        return None
    step = min(steps)
    if step != _DAY:
        return times[-1] + step if step < 28 * _DAY else None
    due = {at.weekday() for at in times}
    return next(day for n in range(1, 8) if (day := times[-1] + n * _DAY).weekday() in due)


def _key_like(key: str, at: datetime) -> str:
    """The next key as the last one is written."""
    before = timestamp_of(key)
    assert before is not None
    for form in ("%Y-%m-%d", "%Y%m%d"):
        if (day := f"{before:{form}}") in key:
            moved = key.replace(day, f"{at:{form}}")
            hour = f"{before:%H}"
            start = moved.find(f"{at:{form}}") + len(f"{at:{form}}")
            return moved[:start] + moved[start:].replace(hour, f"{at:%H}", 1)
    return f"{at:%Y-%m-%d}"
