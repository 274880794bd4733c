"""What a series is expected to do next: one object, which chooses the bounds and later applies them."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.expect import forecaster
from airflow_dq.learn.expect.forecaster import Forecaster

_LARGEST = math.log(sys.float_info.max)
"""Logarithm of the largest float: that of a larger number is infinite."""


class Forecast(StrEnum):
    """How the next value follows from those before it."""

    LEVEL = "level"
    """A fixed value, the mean of the history."""
    LAST = "last"
    """The newest value."""
    TREND = "trend"
    """The newest value, moved on by the average step of the history."""
    SEASON = "season"
    """The median of the values one, two, ... cycles before; where there is none, the newest value."""
    LINE = "line"
    """The straight line through the history: steady growth that the single values scatter around."""
    SEASON_OF_LEVEL = "season_of_level"
    """The mean of the last cycle, and how far the same weekday usually lies from the cycle before it."""
    DIFFERENCE = "difference"
    """The value exactly ``cycle`` slots before, moved on by the mean difference (AVH, Algorithms 4 and 5)."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The centre of what comes next.

    Values are given on their slots: an array, oldest first and NaN where a slot has no value, that ends right before
    the slot that is asked about.
    """

    forecast: Forecast = Forecast.LEVEL
    logarithmic: bool = False
    """Whether it speaks of the values' logarithms: what moves by factors."""
    center: float = 0.0
    """LEVEL: the level; DIFFERENCE: the mean difference; both on the scale it speaks of."""
    cycle: int = 1
    """SEASON: slots until the same weekday (or hour) comes again; DIFFERENCE: the lag."""

    @property
    def is_fixed(self) -> bool:
        """Whether it is the same whatever the newest values are."""
        return self.forecast is Forecast.LEVEL

    def around(self, center: float) -> Expectation:
        """The same with this level, or mean difference."""
        return replace(self, center=center)

    def to_scale(self, values: FloatArray) -> FloatArray:
        """Values of the metric on the scale that the expectation speaks of.

        :return: minus infinity where a logarithm does not exist, so that it lies below any lower bound
        """
        if not self.logarithmic:
            return values
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = np.where(values > 0.0, np.log(np.where(values > 0.0, values, 1.0)), -np.inf)
        return np.where(np.isnan(values), np.nan, scaled)

    def from_scale(self, value: float) -> float:
        """The metric's value at a place on that scale; infinite where it overflows."""
        if not self.logarithmic:
            return value
        return math.exp(value) if value <= _LARGEST else math.inf

    def centre(self, values: FloatArray) -> float | None:
        """The expected value at the slot behind ``values``, on the scale; None when it follows from none of them.

        :param values: the metric's values on their slots (not looked at by LEVEL)
        """
        if self.is_fixed:
            return self.center
        found = float(self._forecasts(self.to_scale(values))[-1])
        return found if math.isfinite(found) else None

    def centres(self, values: FloatArray) -> FloatArray:
        """What is expected at each slot of the values before it, and last behind all, on the scale; NaN: nothing.

        :param values: the metric's values on their slots
        """
        return np.full(len(values) + 1, self.center) if self.is_fixed else self._forecasts(self.to_scale(values))

    def errors(self, values: FloatArray, start: int) -> FloatArray:
        """By how much each value from ``start`` on differs from what was expected of it, on the scale.

        :param values: the metric's values on their slots, the first one known
        :param start: place of the first value to look at
        :return: NaN where there is no value, or nothing was expected
        """
        return self.errors_on_scale(self.to_scale(values), start)

    def errors_on_scale(self, scaled: FloatArray, start: int) -> FloatArray:
        """The same of values on the scale, of one series or of several in rows."""
        expected = self.center if self.is_fixed else self._forecasts(scaled)[..., start:-1]
        return np.asarray(scaled[..., start:] - expected)

    def _forecasts(self, scaled: FloatArray) -> FloatArray:
        """What is expected at each slot of the values before it, and last of what comes behind all."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = _FORECASTERS[self.forecast](scaled, self.cycle)
            return found + self.center if self.forecast is Forecast.DIFFERENCE else found


_FORECASTERS: Mapping[Forecast, Forecaster] = {
    Forecast.LAST: forecaster.last,
    Forecast.TREND: forecaster.trend,
    Forecast.SEASON: forecaster.season,
    Forecast.LINE: forecaster.line,
    Forecast.SEASON_OF_LEVEL: forecaster.season_of_level,
    Forecast.DIFFERENCE: forecaster.difference,
}
