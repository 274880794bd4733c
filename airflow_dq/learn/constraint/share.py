"""What the history lets expect of numbers that profiles keep beside the metrics, above all shares of broken rules."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.expect.band import Band
from airflow_dq.learn.expect.sampling import SamplingError
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.descriptor import Metric
from airflow_dq.metrics.registry import get_metric
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.check.between import answer_of, needs_neighbour
from airflow_dq.profile.check.measured import Measured
from airflow_dq.states.base import Kind

Past = tuple[str | None, Measured]
"""A past partition's key, and what was counted of it."""


def answers(rule: LearnedRule, history: History) -> list[Measured | None]:
    """What is known of each past partition, oldest first; None where nothing is.

    Where only the partition right before says what a row may be, nothing is of those behind a gap.
    """
    profiles = history.profiles
    found = [answer_of(rule, one, profiles[:place]) for place, one in enumerate(profiles)]
    if not profiles or not needs_neighbour(rule):
        return found
    gaps = history.timeline.across_gap(len(profiles)).tolist()
    return [None if gap else one for one, gap in zip(found, gaps, strict=True)]


def past_answers(rule: LearnedRule, history: History) -> list[Past]:
    """The past partitions of which something is known, oldest first, by their keys."""
    found = zip(history.partitions, answers(rule, history), strict=True)
    return [(key, one) for key, one in found if one is not None and one.value is not None]


def highest_usual(shares: Sequence[float | None], values: float, fpr: float, partition: PartitionView) -> float | None:
    """The upper end of the range that is learned of past shares; None where there is none.

    :param shares: of each partition of the history, oldest first
    :param values: how many there usually are
    :param fpr: the false-positive rate that the range may take
    """
    metric = get_metric("empty_ratio", Kind.STRING)
    assert metric is not None  # a share that usually is 0: what is learned of it is learned of this one
    known = np.array([math.nan if value is None else value for value in shares])
    bounds = usual_bounds(metric, known, values, fpr, partition)
    return min(1.0, bounds[1]) if bounds is not None and math.isfinite(bounds[1]) else None


def usual_bounds(
    metric: Metric, past: FloatArray, values: float, fpr: float, partition: PartitionView
) -> tuple[float, float] | None:
    """The range that is learned of a number that profiles keep beside the metrics; None where there is none.

    :param metric: what kind of number it is
    :param past: its value in each partition of the history, oldest first; NaN where it is not known
    :param values: how many values it usually is measured on
    :param fpr: the false-positive rate that the range may take
    """
    timeline = partition.history.timeline
    slots = np.concatenate([timeline.spread(past), np.full(partition.steps() - 1, np.nan)])
    band = Band.of(metric, slots, SamplingError(max(1.0, values)), week=timeline.week)
    if isinstance(band, str):
        return None
    candidates = band.candidates(fpr)
    centre = candidates.expectation.centre(slots)
    if centre is None:
        return None
    lower, upper = candidates.bounds(centre)
    tightest = int(np.argmax(candidates.fpr))
    return float(lower[tightest]), float(upper[tightest])
