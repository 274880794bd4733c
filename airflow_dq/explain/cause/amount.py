"""Some of the numbers in another unit, or all of them rounded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from airflow_dq.explain.cause.hypothesis import Cause, fit, hypothesis, percent
from airflow_dq.explain.comparison import Comparison, sampling_noise
from airflow_dq.explain.mixture import lies_as, mixture
from airflow_dq.explain.wording import scaled_words, share_words
from airflow_dq.learn.distribution import QuantilePoints
from airflow_dq.states.base import Kind

_FACTORS = {
    "x10": 10.0,
    "x100": 100.0,
    "x1,000": 1e3,
    "x60": 60.0,
    "/10": 0.1,
    "/100": 0.01,
    "/1,000": 1e-3,
    "/60": 1 / 60,
    "the sign changed": -1.0,
}
"""The changes of unit that are made by mistake every day, and of sign."""
_FEW = 50
"""Fewer numbers have no distribution to be recognized by."""
_PART = (0.02, 0.9)
"""Of a smaller share nothing is told; a larger one leaves too few as they were to be told from any other change."""
_WHOLE = 0.999
"""With so many whole numbers all are."""
_FRACTIONS = 0.5
"""With more whole numbers than this before, whole numbers say nothing."""
_COARSE = (1000.0, 100.0, 10.0)
"""Multiples of what numbers may have been rounded to, beside whole ones."""
_FINE = (0.1, 0.01, 0.001)
"""The same of numbers with decimals."""
_EXACT = 1e-6
"""A number of steps that is off a whole one by less is one: the decimals of floating point are not exact."""


@hypothesis(Kind.NUMERIC, trust=0.93)
def some_in_another_unit(comparison: Comparison) -> Cause | None:
    """The numbers before, a part of them multiplied: one source, shop or country of several."""
    points = comparison.nonzero
    if points is None or points[1].count < _FEW or comparison.new_every_time:
        return None
    others = [(points, name, points[1].scaled(factor, 0.0)) for name, factor in _FACTORS.items()]
    if comparison.points is not None and all(side.exact and side.whole_numbers for side in comparison.points):
        # Divided without what is left over, small ones become zero, which they would in no other unit.
        whole, before = comparison.points, comparison.points[1]
        parts = {name: np.trunc(factor * before.values) for name, factor in _FACTORS.items() if 0.0 < factor < 1.0}
        others += [(whole, name, replace(before, values=values)) for name, values in parts.items()]
    found = ((*mixture(*sides, other), sides, name, other) for sides, name, other in others)
    share, rest, (now, before), name, other = min(found, key=lambda one: one[1])
    noise = max(comparison.usual_distance, sampling_noise(now.count, before.count))
    moved = now.ks_distance(before)
    if moved <= _PART[0] + 1.5 * noise or not _PART[0] <= share <= _PART[1] or not lies_as(now, before, other):
        return None
    is_sign = _FACTORS[name] < 0.0
    words = f"{name if is_sign else f'change of unit, {name},'} in {percent(share)} of the values"
    rows = round(share * now.count)
    fact = "has the opposite sign" if is_sign else f"is {scaled_words(_FACTORS[name])}"
    score = fit(rest, 1.5 * noise, moved)
    return Cause("unit_change", f"{name} {percent(share)}", words, score, fact=fact, rows=rows)


@hypothesis(Kind.NUMERIC)
def rounded(comparison: Comparison) -> Cause | None:
    """Whole numbers in place of numbers with a fraction, or fewer decimals than before; of the same size."""
    now, past, points = comparison.value("integer_ratio"), comparison.series("integer_ratio"), comparison.points
    if now is None or points is None or not len(past) or past.max() > _FRACTIONS:
        return None
    step = _step(*points) if now < _WHOLE else _whole_step(points[0])
    if step is None:
        return None
    rest = min(points[0].ks_distance(_to_steps(points[1], step, shift)) for shift in (0.0, 0.5, 1.0))
    score = fit(rest, max(1.5 * comparison.usual_distance, sampling_noise(*comparison.present)), 1.0)
    to = _steps_words(step)
    words, fact, was = f"numbers were rounded to {to}", f"is rounded to {to}", float(past.max())
    detail = f"{share_words(was)} were whole before" if step >= 1.0 else "most had more before"
    parameter = "" if step == 1.0 else to
    return Cause("rounding", parameter, words, score, fact=fact, detail=detail, rows=comparison.present[0])


def _whole_step(now: QuantilePoints) -> float:
    """The largest step of which all of some whole numbers are multiples."""
    values = now.values
    return next((one for one in _COARSE if (values % one == 0.0).all() and np.abs(values).max() > one), 1.0)


def _step(now: QuantilePoints, before: QuantilePoints) -> float | None:
    """The largest step below 1 of which all numbers are multiples and few of before; None without one."""
    if not (now.exact and before.exact):
        return None
    return next((one for one in _FINE if _on_steps(now, one) >= _WHOLE and _on_steps(before, one) <= _FRACTIONS), None)


def _on_steps(points: QuantilePoints, step: float) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        # A number too large to be counted in steps is on none that can be told.
        steps = points.values / step
        return float((np.abs(steps - np.round(steps)) <= _EXACT).mean())


def _steps_words(step: float) -> str:
    if step > 1.0:
        return f"multiples of {step:,.0f}"
    decimals = round(-np.log10(step))
    return f"{decimals} decimal{'s' if decimals > 1 else ''}" if decimals else "whole numbers"


@hypothesis(Kind.NUMERIC)
def unsigned(comparison: Comparison) -> Cause | None:
    """Numbers without their minus: as large as before, and none below zero, as a part of them was."""
    now, past, points = comparison.value("negative_ratio"), comparison.series("negative_ratio"), comparison.points
    if now != 0.0 or points is None or not len(past) or past.min() < _PART[0]:
        return None
    sizes = [replace(side, values=np.sort(np.abs(side.values))) for side in points]
    noise, moved = max(comparison.usual_distance, sampling_noise(*comparison.present)), points[0].ks_distance(points[1])
    was = float(np.median(past))
    detail, rows = f"{share_words(was)} were negative before", round(was * comparison.present[0])
    words, fact = "numbers lost their sign", "has no minus any more"
    return Cause(
        "unsigned", "", words, fit(sizes[0].ks_distance(sizes[1]), noise, moved), fact=fact, detail=detail, rows=rows
    )


def _to_steps(points: QuantilePoints, step: float, shift: float) -> QuantilePoints:
    """The numbers rounded down (a shift of 0), to the nearest (a half), or up (1), to multiples of a step."""
    return replace(points, values=step * np.floor(points.values / step + shift))
