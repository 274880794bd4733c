"""What there is to know of a metric's past: its values on a chart, the last ones, what the newest is compared with."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from airflow_dq.explain.alert import Change
from airflow_dq.explain.wording import number_words
from airflow_dq.learn.history.series import Before, series_of
from airflow_dq.learn.model import Clause, Transform, TransformKind
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind

LAST_VALUES = 3
"""Values of the newest partitions that an alert quotes: as many as tell a constant from a moving metric in one line."""


def past_values(clause: Clause, recent: Sequence[Profile]) -> tuple[tuple[str | None, float | None], ...]:
    """(partition, value) for a chart; a pair metric's first partition has no value, and is on it all the same."""
    if clause.column is None:
        return tuple((profile.partition, float(profile.row_count)) for profile in recent)
    series = series_of(recent, clause.column, clause.metric, clause.pair)
    absent = tuple((profile.partition, None) for profile in recent[: len(recent) - len(series.values)])
    return absent + series.points()


def history_changes(
    clause: Clause, kind: Kind, before: Before, past: Sequence[tuple[str | None, float | None]]
) -> Iterator[Change]:
    """What the metric was before, and what a differenced one is compared with.

    :param past: the metric's values as :func:`past_values` gives them
    """
    values = [value for _, value in past if value is not None][-LAST_VALUES:]
    if values:
        texts = number_words(clause.metric, kind, values)
        said = ", ".join(texts) if len(set(texts)) > 1 else f"always {texts[0]}"
        yield Change("history", f"last values: {said}", clause.metric, values[-1])
    base = before.base(clause)
    if clause.transform.kind is TransformKind.IDENTITY or base is None or not math.isfinite(base):
        return
    text = number_words(clause.metric, kind, [base])[0]
    usual = "ratio" if clause.transform.kind is TransformKind.LOG_DIFF else "difference"
    yield Change("history", f"expected by its usual {usual} to {_base_words(clause, before, text)}", clause.metric)


def _base_words(clause: Clause, before: Before, value: str) -> str:
    """Which partitions a differenced metric is compared with, and what it was there.

    :param value: the base as text
    """
    known = dict(zip(before.steps[clause.pair :], before.profiles[clause.pair :], strict=True))
    found = [place for place in _places(clause.transform) if place in known]
    if len(found) > 1:
        lags = [str(place) for place in found]
        return f"{value}, the median of {', '.join(lags[:-1])} and {lags[-1]} partitions before"
    if not found:
        gone = before.steps[-1] - 1
        absent = "missing partition" if gone == 1 else f"last of the {gone} missing partitions"
        return f"{value}, what the {absent} before it would have had"
    place = "the partition before" if found == [1] else f"{found[0]} partitions before"
    partition = known[found[0]].partition
    return f"the {value} of {place if partition is None else f'{partition}, {place}'}"


def _places(transform: Transform) -> list[int]:
    """How many partitions before lie the values that a differenced one is compared with."""
    return [transform.lag * cycle for cycle in range(1, transform.cycles + 1)]
