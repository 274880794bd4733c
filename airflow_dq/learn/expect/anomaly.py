"""Within which bounds the next value of a series lies, by a declared strategy and the values before it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping

import numpy as np

from airflow_dq.check.anomaly import Anomaly
from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.expect.band import Band
from airflow_dq.learn.expect.sampling import SamplingError
from airflow_dq.metrics.descriptor import Metric
from airflow_dq.options.learning import MIN_HISTORY

LEAST_SPREAD = 0.001
"""A standard deviation is at least this share of the level: a metric that never moved may move by a rounding."""
DEEQU_SIGMA = 1.96
"""What Deequ multiplies the spread of Holt-Winters' residuals with."""
DEEQU_START = 0.1
"""The share of a history in which Deequ's online strategy takes nothing for an anomaly."""

Range = tuple[float | None, float | None]


def expected_range(anomaly: Anomaly, past: FloatArray, value: float, metric: Metric, week: int) -> Range | str:
    """The bounds of the next value, or why there are none.

    :param past: the values on their slots, oldest first, NaN where a partition is missing; without the judged one
    :param value: the judged value, which only Deequ's online strategy looks at
    :param metric: what kind of number it is, for ``learned``
    :param week: slots in a week
    """
    known = past[~np.isnan(past)]
    if len(known) < anomaly.least:
        return f"{len(known)} past values are known, and {anomaly.strategy} needs {anomaly.least}"
    return _STRATEGIES[anomaly.strategy](anomaly, past, value, metric, week)


def _learned(anomaly: Anomaly, past: FloatArray, value: float, metric: Metric, week: int) -> Range | str:
    if np.count_nonzero(~np.isnan(past)) < MIN_HISTORY:
        return f"a range is learned of {MIN_HISTORY} values or more"
    band = Band.of(metric, past, SamplingError(1e9), week=week)
    if isinstance(band, str):
        return band
    candidates = band.candidates(anomaly.target_fpr)
    widest = int(np.argmax(candidates.fpr))
    centre = candidates.expectation.centre(past)
    if centre is None:
        return "none of the values that it is compared with is known"
    low, high = (float(side[widest]) for side in candidates.bounds(centre))
    return (low if math.isfinite(low) else None), (high if math.isfinite(high) else None)


def _absolute_change(anomaly: Anomaly, past: FloatArray, value: float, metric: Metric, week: int) -> Range | str:
    order = anomaly.order
    before = past[::-1][:order]
    if len(before) < order or np.isnan(before).any():
        return f"one of the {order} partitions before is missing"
    # The difference of that order is the value and what the values before add to it.
    rest = sum((-1) ** k * math.comb(order, k) * float(before[k - 1]) for k in range(1, order + 1))
    return (None if anomaly.lower is None else anomaly.lower - rest), (
        None if anomaly.upper is None else anomaly.upper - rest
    )


def _relative_change(anomaly: Anomaly, past: FloatArray, value: float, metric: Metric, week: int) -> Range | str:
    if len(past) < anomaly.order or math.isnan(past[-anomaly.order]):
        return f"the partition that lies {anomaly.order} before is missing"
    base = float(past[-anomaly.order])
    if base == 0.0:
        return 0.0, 0.0  # whatever comes after nothing has grown beyond any factor
    sides = [None if side is None else side * base for side in (anomaly.lower, anomaly.upper)]
    low, high = sides if base > 0 else sides[::-1]
    return low, high


def _around(centre: float, spread: float, anomaly: Anomaly) -> Range:
    if not anomaly.deequ_compatible:
        spread = max(spread, LEAST_SPREAD * abs(centre), np.finfo(float).tiny)
    return centre - anomaly.sigma * spread, centre + anomaly.sigma * spread


def _normal(anomaly: Anomaly, past: FloatArray, value: float, metric: Metric, week: int) -> Range | str:
    known = past[~np.isnan(past)]
    if len(known) < 2:
        return "a spread needs two values"
    return _around(float(known.mean()), float(known.std(ddof=1)), anomaly)


def _online_normal(anomaly: Anomaly, past: FloatArray, value: float, metric: Metric, week: int) -> Range | str:
    known = past[~np.isnan(past)]
    if anomaly.deequ_compatible:
        every = np.append(known, value)
        return _around(float(every.mean()), float(every.std()), anomaly)
    kept: list[float] = []
    start = max(2, math.ceil(DEEQU_START * len(known)))
    for one in known.tolist():
        if len(kept) >= max(start, anomaly.least // 2):
            low, high = _around(float(np.mean(kept)), float(np.std(kept, ddof=1)), anomaly)
            if not low <= one <= high:
                continue  # what was odd itself makes nothing else look usual
        kept.append(one)
    if len(kept) < 2:
        return "a spread needs two values"
    return _around(float(np.mean(kept)), float(np.std(kept, ddof=1)), anomaly)


def _holt_winters(anomaly: Anomaly, past: FloatArray, value: float, metric: Metric, week: int) -> Range | str:
    # Only here: most programs have no such check, and it takes a second to load.
    from statsmodels.tsa.holtwinters import ExponentialSmoothing

    places = np.flatnonzero(~np.isnan(past))
    series = past[places[0] :]
    if len(series) < 2 * anomaly.season:
        return f"two seasons of {anomaly.season} are needed"
    # A missing run takes the place of one: the values around it say what it may have been.
    filled = np.interp(np.arange(len(series)), places - places[0], past[places])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a flat series was fitted in few steps is no news
        model = ExponentialSmoothing(
            filled, trend="add", seasonal="add", seasonal_periods=anomaly.season, initialization_method="estimated"
        ).fit()
        forecast = float(model.forecast(1)[0])
    spread = float(np.std(model.resid, ddof=1))
    if not (math.isfinite(forecast) and math.isfinite(spread)):
        return "no model fits the history"
    if anomaly.deequ_compatible:
        return forecast - DEEQU_SIGMA * spread, forecast + DEEQU_SIGMA * spread
    return _around(forecast, max(spread, LEAST_SPREAD * float(np.abs(filled).mean())), anomaly)


_STRATEGIES: Mapping[str, Callable[[Anomaly, FloatArray, float, Metric, int], Range | str]] = {
    "learned": _learned,
    "absolute_change": _absolute_change,
    "relative_change": _relative_change,
    "normal": _normal,
    "online_normal": _online_normal,
    "holt_winters": _holt_winters,
}
