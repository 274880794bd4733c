"""Surprises of a table's metrics, one step ahead of the history that their expectation comes from.

An error is that of the range that the product would make of the metric, so what the product allows for does not count
as one: what is material, what other rows of the same distribution do, that a partition has more or fewer rows.  What it
does not judge by the law is left out: a distance across a gap, for which the centre moves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from airflow_dq.learn.array import FloatArray, median
from airflow_dq.learn.choose.column import ColumnChoice
from airflow_dq.learn.choose.prepare import prepare_column
from airflow_dq.learn.constraint.amount import Amount
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.expect.band import Band
from airflow_dq.learn.expect.sampling import SamplingError
from airflow_dq.learn.expect.surprise import too_few
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.descriptor import MetricValue, Scale
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import Profile
from airflow_dq.states.base import Kind
from tests.benchmark.surprise.sample import Surprise

HISTORIES = (7, 14, 30)
"""Partitions before the one that is judged."""
RATE = 1e-5
"""What is material in a share depends on the rate: a range takes about a hundredth of the thousandth of its column."""
OPTIONS = SynthesisOptions(min_history=5)


def surprises(name: str, profiles: Sequence[Profile], points: int) -> Iterator[Surprise]:
    """The surprises of one table at evenly spread places.

    :param profiles: its partitions, oldest first
    :param points: partitions to judge with each length of history
    """
    for length in HISTORIES:
        if len(profiles) <= length + 1:
            continue
        for place in np.unique(np.linspace(length, len(profiles) - 1, points).astype(int)).tolist():
            view = PartitionView(profiles[place], History.of(profiles[place - length : place]))
            for column, metric, band, times, level in _judged(view):
                moving = band.expected.worst > 0.0 and math.isfinite(times)
                yield Surprise(name, place, length, column, metric, band.expected.samples, moving, times, *level)


def _judged(view: PartitionView) -> Iterator[tuple[str, str, Band, float, tuple[float, ...]]]:
    """Column, metric, band, surprise and move of each series that the partition goes on with."""
    rows = _rows(view)
    if isinstance(rows, Band):
        times = surprise(rows, view.past_rows(), float(view.profile.row_count), None)
        if times is not None:
            yield "", rows.metric.name, rows, times, level_move(rows, view.past_rows(), float(view.profile.row_count))
    names = list(view.history.columns)
    for name in names:
        kind = view.history.kind(name)
        past, now = view.past(name, kind), view.column(name)
        if now is None:
            continue
        found = prepare_column(view.history, name, kind, OPTIONS, None, len(names))
        for watched in found.watched if isinstance(found, ColumnChoice) else ():
            metric, band = watched.metric, watched.learned
            values = view.past_values(name, kind, metric)
            across_gap = metric.pair and view.steps_from_baseline(past, metric) > 1
            if isinstance(values, str) or not isinstance(band, Band) or across_gap:
                continue
            observed = past.observe(metric.name, metric.pair, now)
            times = surprise(band, values, observed, view.amount(past, metric))
            if times is not None:
                odds = in_standard_errors(band, values, observed, view.amount(past, metric))
                moves = (*level_move(band, values, observed), *leap(band, values, observed), *odds)
                yield name, metric.name, band, times, moves


def _rows(view: PartitionView) -> Band | str:
    metric = next(metric for metric in metrics_for(Kind.NUMERIC, pair=False) if metric.of_table)
    rows = view.history.rows()
    sampling = SamplingError(max(1.0, median(rows[~np.isnan(rows)])))
    return Band.of(metric, rows, sampling, week=view.history.timeline.week)


def surprise(band: Band, past: FloatArray, observed: MetricValue | None, amount: Amount | None) -> float | None:
    """How many times the largest past error of its side a value's error is, less what is allowed anyway.

    :param past: the metric's values on their slots, up to the partition's own
    :param amount: how much data the value is measured on; None: of the whole table
    :return: infinite when nothing was ever off before, None when there is nothing to compare
    """
    metric, expected = band.metric, band.expected
    expectation = expected.expectation
    centre = expectation.centre(past)
    if centre is None or not isinstance(observed, float):
        return None
    value = observed if amount is None else as_usual(band, amount, expectation.from_scale(centre), observed)
    deviation = float(expectation.to_scale(np.array([value]))[0]) - centre
    above = deviation > 0.0
    if metric.pair and not above:
        return 0.0
    noise, least = (1.0, (0.0, 0.0)) if amount is None else (amount.noise(metric), amount.least(metric, centre))
    if abs(deviation) <= least[above]:
        return 0.0
    allowed = max(
        float(np.max(band._material(np.array([RATE])))), band.sampling.above if above else band.sampling.below
    )
    excess = abs(deviation) / noise - allowed
    if not excess > 0.0:
        return 0.0
    worst = expected.seen(above=above) * (1.0 if metric.of_table else too_few(band.sampling.values))
    return excess / worst if worst > 0.0 else math.inf


def level_move(band: Band, past: FloatArray, observed: MetricValue | None) -> tuple[float, float]:
    """By which part of itself a level had erred at most, and by which part it moved now (see :class:`Surprise`)."""
    expectation = band.expected.expectation
    centre = expectation.centre(past)
    is_level = band.logarithmic or band.metric.scale in (Scale.AMOUNT, Scale.LENGTH)
    if centre is None or not isinstance(observed, float) or band.metric.pair or not (is_level and band.positive):
        return math.inf, 0.0
    deviation = float(expectation.to_scale(np.array([observed]))[0]) - centre
    worst = band.expected.seen(above=deviation > 0.0)
    if band.logarithmic:
        return math.expm1(worst), math.expm1(deviation)
    return worst / band.level, deviation / band.level


def leap(band: Band, past: FloatArray, observed: MetricValue | None) -> tuple[float, float]:
    """How far a place had erred at most, or how far a distance was, and what it did now (see :class:`Surprise`)."""
    expected, metric = band.expected, band.metric
    centre = expected.expectation.centre(past)
    if centre is None or not isinstance(observed, float):
        return math.inf, 0.0
    deviation = observed - centre
    worst = expected.seen(above=deviation > 0.0)
    if band.is_place and not metric.is_extreme:
        return worst / band.sampling.std, abs(deviation) / band.sampling.std
    if metric.pair and metric.scale is Scale.DISTANCE and expected.is_fixed and math.isfinite(metric.natural_range[1]):
        return (centre + worst) / metric.natural_range[1], observed / metric.natural_range[1]
    return math.inf, 0.0


def in_standard_errors(
    band: Band, past: FloatArray, observed: MetricValue | None, amount: Amount
) -> tuple[float, float]:
    """How far a quantile had erred at most, and errs now, in standard errors (see :class:`Surprise`)."""
    error, centre = band.sampling.error, band.expected.expectation.centre(past)
    if not 0.0 < error < math.inf or centre is None or not isinstance(observed, float):
        return math.inf, 0.0
    return band.expected.worst / error, abs(observed - centre) / error / amount.noise(band.metric)


def as_usual(band: Band, amount: Amount, centre: float, observed: float) -> float:
    """What the value would be with as much data as usual, where that moves it (see ``Amount.moved``)."""
    smaller, larger = amount.moved(band.metric, centre, 1.0, 1.0)
    if smaller is None or larger is None or not math.isfinite(centre):
        return observed
    above = observed > centre
    # The bound is moved away from the centre: by the larger factor up if it is positive, by the smaller one if not.
    moved = observed / (larger if (observed > 0.0) is above else smaller)
    return centre if (moved > centre) is not above else moved
