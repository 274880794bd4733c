"""The vertical axis of a chart: linear, or logarithmic when one value is far away from all the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

FAR = 20.0
"""An observed value more than this many times outside the others is shown on a logarithmic axis."""


class AxisKind(StrEnum):
    """How values are laid out along an axis."""

    LINEAR = "linear"
    LOG = "log"
    SYMLOG = "symlog"
    """Logarithmic on both sides of a linear stretch around zero, for series that touch or cross zero."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A mapping of values to [0, 1], bottom to top."""

    kind: AxisKind
    low: float
    high: float
    unit: float = 1.0
    """Half width of the linear stretch of a symlog axis."""

    def position(self, value: float) -> float:
        """Where the value is on the axis: 0 at the bottom, 1 at the top; values outside are clipped."""
        low, high, here = self._warp(self.low), self._warp(self.high), self._warp(value)
        return min(1.0, max(0.0, (here - low) / (high - low)))

    def _warp(self, value: float) -> float:
        match self.kind:
            case AxisKind.LINEAR:
                return value
            case AxisKind.LOG:
                return math.log10(max(value, self.low))
            case AxisKind.SYMLOG:
                return math.copysign(math.log10(1 + abs(value) / self.unit), value)

    def ticks(self, count: int = 4) -> list[float]:
        """Round values along the axis, about this many, in order."""
        if self.kind is AxisKind.LINEAR:
            return _linear_ticks(self.low, self.high, count)
        if self.kind is AxisKind.LOG:
            return _thin(_decades(self.low, self.high), count)
        negative = [-tick for tick in reversed(_decades(self.unit, -self.low))]
        return [*_thin(negative, count // 2), 0.0, *_thin(_decades(self.unit, self.high), count)]


def fit(values: Sequence[float], observed: float | None, limits: tuple[float, float] = (-math.inf, math.inf)) -> Axis:
    """The axis that shows all values, the observed one included.

    :param values: the past values and the finite bounds: what is usual
    :param observed: the value that broke the bounds (None: there was none)
    :param limits: what the values can be at all: a linear axis does not go beyond, for a share has no 105%
    """
    usual = [_tame(value) for value in values] or [0.0 if observed is None else _tame(observed)]
    observed = None if observed is None else _tame(observed)
    every = usual if observed is None else [*usual, observed]
    low, high = min(every), max(every)
    if observed is not None:
        if low > 0 and (observed > FAR * max(usual) or observed < min(usual) / FAR):
            return Axis(AxisKind.LOG, low / 1.6, high * 1.6)
        unit = max(map(abs, usual))
        if low <= 0 and unit > 0 and abs(observed) > FAR * unit:
            return Axis(
                AxisKind.SYMLOG, low * 1.6 if low < 0 else -unit / 4, high * 1.6 if high > 0 else unit / 4, unit
            )
    # A range narrower than what floats can tell apart has no ticks of its own: a constant gets room around it.
    pad = (high - low) * 0.12 if high - low > 1e-9 * max(abs(low), abs(high)) else abs(high) * 0.1 or 1.0
    # A count or a distance is never negative: an axis that goes below zero would suggest it can be.
    bottom = 0.0 if 0 <= low < pad else low - pad
    bottom, top = max(bottom, min(limits[0], low)), min(high + pad, max(limits[1], high))
    return Axis(AxisKind.LINEAR, bottom, top if top > bottom else bottom + pad)


def _tame(value: float) -> float:
    """The value, kept away from the ends of the floats' range, where the axis' own arithmetic would break."""
    if abs(value) < 1e-290:
        return 0.0
    return math.copysign(min(abs(value), 1e290), value)


def _linear_ticks(low: float, high: float, count: int) -> list[float]:
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((power * factor for factor in (1, 2, 2.5, 5) if power * factor >= rough), power * 10)
    first = math.ceil(low / step)
    return [n * step for n in range(first, math.floor(high / step) + 1)]


def _decades(low: float, high: float) -> list[float]:
    if high < low or low <= 0:
        return []
    return [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]


def _thin(ticks: list[float], count: int) -> list[float]:
    stride = max(1, math.ceil(len(ticks) / max(1, count)))
    return ticks[::stride]
