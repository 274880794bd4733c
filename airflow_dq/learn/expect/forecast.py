"""Choosing how the next value of a series is expected, by one-step-ahead errors inside the history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.expect.expectation import Expectation, Forecast
from airflow_dq.learn.history.timeline import WEEK
from airflow_dq.options.learning import MIN_HISTORY

GAIN = 0.8
"""A forecast replaces the plain mean only if its one-step-ahead error is below this share of the mean's: a wrong cycle
costs more than a missed one."""
FORECASTS = (Forecast.LAST, Forecast.SEASON, Forecast.TREND)
"""What is tried in place of the mean, in this order: a later one must be clearly better again."""
OF_GROWTH = (*FORECASTS, Forecast.LINE, Forecast.SEASON_OF_LEVEL)
"""What is tried for quantities that vary by factors: they grow, and a mean or a median of weekdays lags behind."""
WARM_UP = 7
"""Errors before this many values are not looked at when forecasts are compared: they know too little."""
TESTED = 5
"""Fewest one-step-ahead errors that a choice may rest on."""
VARIED = 1 / 3
"""What a cycle is tested on, where that is less than one of them, varies by at least this part of what all of it does:
a quarter of a day's rise and fall has half of its standard deviation."""
ODD = 3.0
"""An error this many times as large as any other is an odd day: a promotion, an accident.  With 30 partitions of real
tables it cost one more alarm among 840 judged columns; after a promotion with 2.4 times the rows, a loss of 70 % is
found, where before it took 80 %."""
NO_SPREAD = 1e-9
"""A spread below this share of the largest value is rounding: the series is constant."""


@dataclass(frozen=True)
class Expected:
    """An expectation and how far the history has strayed from it, on the expectation's scale."""

    expectation: Expectation
    errors: FloatArray
    """Each past value less what was expected of it, oldest first; zeros where the series is constant."""

    @cached_property
    def spread(self) -> float:
        """Standard deviation of the errors; 0.0 when there were none."""
        return float(_spread(self.errors))

    @cached_property
    def worst(self) -> float:
        """Largest error so far."""
        return _worst(self.errors)

    @property
    def samples(self) -> int:
        """Number of errors."""
        return len(self.errors)

    @property
    def is_fixed(self) -> bool:
        """Whether the same is expected whatever the newest values are."""
        return self.expectation.is_fixed

    def seen(self, *, above: bool, forgiving: bool = False) -> float:
        """Largest error, as a bound on one side learns from it.

        An odd day (:data:`ODD`) is no scale for the other side: that a promotion more than doubled the rows does not
        say that half of them may be missing.

        :param above: for the upper bound, or else for the lower one
        :param forgiving: leave an odd day out on its own side too
        """
        odd = self._odd_day
        if odd is None or (not forgiving and bool(self.errors[odd] > 0.0) is above):
            return self.worst
        return self._worst_of_the_rest

    @property
    def follows_odd_day(self) -> bool:
        """Whether the newest value is the odd one: an accident of a day or a new level, nobody can tell yet."""
        return self._odd_day == len(self.errors) - 1

    @cached_property
    def _worst_of_the_rest(self) -> float:
        return _worst(self.errors[np.arange(len(self.errors)) != self._odd_day])

    @cached_property
    def _odd_day(self) -> int | None:
        """Place of the one error that is far larger than all others; None where there is none."""
        if len(self.errors) < MIN_HISTORY or self.expectation.forecast in (Forecast.LAST, Forecast.TREND):
            # What follows its newest value has jumped, and may jump back.
            return None
        sizes = np.abs(self.errors)
        first = int(np.argmax(sizes))
        largest, sizes[first] = float(sizes[first]), 0.0
        return first if largest > ODD * float(sizes.max()) else None


def expect(values: FloatArray, *, logarithmic: bool = False, moving: bool = True, week: int = WEEK) -> Expected:
    """The expectation of the value behind a history, see :func:`expect_each`."""
    return expect_each([values], [logarithmic], moving=moving, week=week)[0]


def expect_each(
    several: Sequence[FloatArray], logarithmic: Sequence[bool], *, moving: bool = True, week: int = WEEK
) -> list[Expected]:
    """The expectation of the value behind each of several histories.

    The mean stays unless the newest value, the values whole cycles before, or the newest value plus the average step
    would have been clearly better.

    :param several: the histories, oldest first, of each at least 3 finite values and NaN in slots without one (see
        :mod:`airflow_dq.learn.history.timeline`)
    :param logarithmic: of which to expect the logarithms (of values that are all positive)
    :param moving: False keeps the mean
    :param week: slots in a cycle
    """
    # Lags are counted from the end, so that what is missing at the beginning is nothing to look over.
    begun = [values[np.argmin(np.isnan(values)) :] for values in several]
    # Those of one length lie on the same slots: what would have been expected is computed for all of them at once.
    alike: dict[tuple[int, bool], list[int]] = {}
    for place, (values, is_logarithmic) in enumerate(zip(begun, logarithmic, strict=True)):
        alike.setdefault((len(values), is_logarithmic), []).append(place)
    found: dict[int, Expected] = {}
    for (_, is_logarithmic), places in alike.items():
        rows = np.stack([begun[place] for place in places])
        found |= zip(places, _expect_alike(rows, is_logarithmic, moving, week), strict=True)
    return [found[place] for place in range(len(begun))]


def _expect_alike(values: FloatArray, logarithmic: bool, moving: bool, week: int) -> list[Expected]:
    """The expectation behind each of several histories in rows, the first slot of which has a value."""
    scaled = Expectation(logarithmic=logarithmic).to_scale(values)
    best = _levels(scaled, logarithmic)
    movable = np.array([moving and one.spread != 0.0 for one in best])
    if not movable.any():
        return best
    least = GAIN * _of_known(_mean_error, scaled)
    needs = {
        Forecast.LAST: 1,
        Forecast.SEASON: week,
        Forecast.TREND: 4,
        Forecast.LINE: 4,
        Forecast.SEASON_OF_LEVEL: 2 * week,
    }
    for forecast in OF_GROWTH if logarithmic else FORECASTS:
        needed, cycle = needs[forecast], week if forecast in (Forecast.SEASON, Forecast.SEASON_OF_LEVEL) else 1
        expectation = Expectation(forecast, logarithmic, cycle=cycle)
        errors = expectation.errors_on_scale(scaled, needed)
        # Those behind the warm-up are what the forecasts are compared by.
        tested = errors[:, max(0, _start(values) - needed) :]
        # Nothing could be expected where too much of the cycle before is missing.
        enough = np.count_nonzero(~np.isnan(tested), axis=1) >= TESTED
        if cycle > 1 and tested.shape[1] < cycle:
            # Five hours of a night, all alike, say nothing of the next noon.
            enough &= _of_known(_deviation, scaled[:, -tested.shape[1] :]) >= VARIED * _of_known(_deviation, scaled)
        sizes = _of_known(_root_mean_square, tested)
        better = movable & enough & ~(sizes >= least)
        for row in np.flatnonzero(better).tolist():
            best[row] = Expected(expectation, _known(errors[row]))
        least = np.where(better, GAIN * sizes, least)
    return best


def _levels(scaled: FloatArray, logarithmic: bool) -> list[Expected]:
    """The mean of each history, as what is expected."""
    centers = _of_known(lambda known: known.mean(axis=-1), scaled)
    errors = scaled - centers[:, None]
    constant = _of_known(_spread, errors) <= NO_SPREAD * np.fmax.reduce(np.abs(scaled), axis=1)
    return [
        Expected(Expectation(logarithmic=logarithmic, center=center), np.zeros(len(known)) if is_constant else known)
        for center, known, is_constant in zip(centers.tolist(), map(_known, errors), constant.tolist(), strict=True)
    ]


def _of_known(function: Callable[[FloatArray], FloatArray], rows: FloatArray) -> FloatArray:
    """A number of the known ones of each row; of all rows at once where nothing is missing.

    :param function: takes numbers along the last axis
    """
    known = ~np.isnan(rows)
    if known.all():
        return function(rows)
    return np.array([function(row[there]) for row, there in zip(rows, known, strict=True)])


def _known(row: FloatArray) -> FloatArray:
    return np.asarray(row[~np.isnan(row)])


def _spread(errors: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.asarray(np.sqrt((errors**2).sum(axis=-1) / max(1, errors.shape[-1] - 1)))


def _deviation(known: FloatArray) -> FloatArray:
    return known.std(axis=-1) if known.shape[-1] else np.zeros(known.shape[:-1])


def _worst(errors: FloatArray) -> float:
    return float(np.abs(errors).max()) if len(errors) else 0.0


def _start(values: FloatArray) -> int:
    return max(int(values.shape[-1]) // 3, WARM_UP)


def _mean_error(known: FloatArray) -> FloatArray:
    """The root of the mean square of errors of the mean of all values before."""
    count = known.shape[-1]
    start = min(_start(known), count - 1)
    means = np.cumsum(known, axis=-1)[..., :-1] / np.arange(1, count)
    return _root_mean_square(known[..., start:] - means[..., start - 1 :])


def _root_mean_square(errors: FloatArray) -> FloatArray:
    return np.sqrt((errors**2).mean(axis=-1)) if errors.shape[-1] else np.zeros(errors.shape[:-1])
