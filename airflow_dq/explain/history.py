"""What there is to know of a metric's past: its values on a chart, the last ones, what the newest is compared with."""

from __future__ import annotations

from collections.abc import Iterator

from airflow_dq.explain.alert import Change
from airflow_dq.explain.wording import metric_words, number_words
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.expect.expectation import Expectation, Forecast
from airflow_dq.learn.expect.forecaster import CYCLES
from airflow_dq.learn.history.column import ColumnHistory
from airflow_dq.metrics.registry import get_metric

LAST_VALUES = 3
"""Values of the newest partitions that an alert quotes: as many as tell a constant from a moving metric in one line."""

Points = tuple[tuple[str | None, float | None], ...]


def past_values(constraint: Range, partition: PartitionView) -> Points:
    """(partition, value) for a chart; a pair metric's first partition has no value, and is on it all the same."""
    profiles = partition.history.profiles
    if constraint.column is None:
        return tuple((profile.partition, float(profile.row_count)) for profile in profiles)
    # Not only as far back as the column has been of this kind: a chart shows that there was nothing before.
    past = ColumnHistory(profiles, constraint.column, distances=partition.history.distances)
    series = past.series(constraint.metric, constraint.pair)
    absent = tuple((profile.partition, None) for profile in profiles[: len(profiles) - len(series.values)])
    return absent + series.points()


def history_changes(constraint: Range, partition: PartitionView, past: Points) -> Iterator[Change]:
    """What the metric was before, and what a moving one is compared with.

    :param past: the metric's values as :func:`past_values` gives them
    """
    values = [value for _, value in past if value is not None][-LAST_VALUES:]
    if values:
        texts = number_words(constraint.metric, constraint.kind, values)
        said = f"was {', '.join(texts)}" if len(set(texts)) > 1 else f"has always been {texts[0]} lately"
        name = metric_words(constraint.metric, constraint.pair)
        yield Change("history", f"before, {name} {said}", constraint.metric, values[-1])
    centre = None if constraint.expectation.is_fixed else constraint.centre(partition)
    if centre is None:
        return
    value = constraint.expectation.from_scale(centre)
    text = number_words(constraint.metric, constraint.kind, [value])[0]
    yield Change("history", f"expected around {text}: {_from_what(constraint, partition)}", constraint.metric, value)


def _from_what(constraint: Range, partition: PartitionView) -> str:
    """Which past values the expectation follows from."""
    expectation = constraint.expectation
    metric = get_metric(constraint.metric, constraint.kind)
    if constraint.pair and constraint.column is not None and metric is not None:
        steps = partition.steps_from_baseline(partition.past(constraint.column, constraint.kind), metric)
        if steps > 1:
            return f"the largest one so far, for the {steps} steps to what it is compared with"
    return reference_words(expectation) or f"the value of {_newest(partition)}"


def reference_words(expectation: Expectation) -> str | None:
    """What a moving expectation follows from; None where that is the newest value."""
    cycle = expectation.cycle
    words = {
        Forecast.SEASON: f"the median of up to {CYCLES} values, {cycle} partitions apart",
        Forecast.TREND: "the newest value, moved on by the average step of the history",
        Forecast.LINE: "the straight line through the history",
        Forecast.SEASON_OF_LEVEL: f"the mean of the last {cycle} partitions, and how the one {cycle} before differed",
        Forecast.DIFFERENCE: f"the value of {cycle} partitions before, moved on by the usual difference",
    }
    if expectation.forecast is Forecast.DIFFERENCE and cycle == 1:
        return "the value of the partition before, moved on by the usual difference"
    return words.get(expectation.forecast)


def _newest(partition: PartitionView) -> str:
    newest = partition.history.newest
    key = None if newest is None else newest.partition
    return "the partition before" if key is None else f"{key}, the partition before"
