"""How far from its expectation the next value of a metric may lie, so that real tables meet the false-positive rate.

The paper's bounds hold for a known mean and variance.  With both estimated from some 30 partitions of a real table
they are exceeded far more often than promised: by what the estimates miss, by series that move, by counts that were
constant and changed by one, by tails heavier than any inequality's.  So a range here is centred on an expectation, as
many times as wide as the history's largest error as errors of real tables exceed it at the rate (see
:mod:`airflow_dq.learn.expect.surprise`), and widened by the smallest change that is material.  What a statistic's own
definition lets it do by chance is material too: a quantile moves as far as other rows of the same distribution would
move it, a minimum or maximum may fall short.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airflow_dq.learn.array import FloatArray, median
from airflow_dq.learn.expect.candidate import Candidates
from airflow_dq.learn.expect.forecast import Expected, expect_each
from airflow_dq.learn.expect.sampling import SamplingError
from airflow_dq.learn.expect.surprise import MONTH, MOST, largest_surprise, too_few
from airflow_dq.learn.expect.violation import excludes_nothing
from airflow_dq.learn.history.timeline import WEEK
from airflow_dq.metrics.descriptor import Bound, Metric, Scale, Unit
from airflow_dq.metrics.extrapolation import TOTAL
from airflow_dq.options.learning import MIN_HISTORY

SPENDING = np.array([0.99, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01])
"""Shares of the budget that one constraint may take, the largest first: small ones, so that several fit, up to nearly
all of it."""
NEWCOMER = 0.4
"""A value that comes into use has a share of up to this divided by the number of partitions without one: of 2,000
simulated series that had had none in 4 to 14 partitions, those that got one got it in 1 to 6 % of the values."""

OFFSET_EFFECT = 0.25
"""A shift of a column by this many standard deviations is material, however far from zero the column lies."""
FEWEST_APART = 2.0
"""Values that lie apart."""
FAR_OFF = 3.0
"""A value so many standard deviations off is no news: of normal ones one in 370 is, of heavy-tailed ones far more."""
SHORTEST = 0.25
"""Average lengths below this many characters are treated as this long."""
ONE_TEXT = 4.0
"""A single text may have so many characters of a sort (a year's digits) that no other has: among 27 texts without a
digit that made an average of 0.1."""
VANISHING = math.log(50.0)
"""A logarithm: a fall by this factor is a finding, unless the quantity has varied by such factors."""
VARIED = 3.0
"""A quantity whose largest error is at least this part of VANISHING (3.7-fold) has varied by such factors."""
STEADY = 0.1
"""A level (an average, a quantile, a length, a spread) that never moved by more than this part of itself is steady."""
RISE = 0.8
"""A steady level that rises by this part of itself is a finding.  Of 10,861 such series of 31 public and simulated
tables 4 did so after 7 partitions, in 2 of 372 places, and none of 9,607 after 14 or of 8,976 after 30.  Of 235 steady
numbers of rows none did."""
FALL = 0.5
"""One that falls by this part of itself is a finding: 1 of the same did after 7 partitions and 1 after 14, and 1 of the
numbers of rows.  A number of rows that is not steady ends where one with a month of errors does, at MOST times the
largest: of 2,131, 1,928 and 1,549 such series of 12 public and 100 simulated tables 4, 2 and 1 were further off after
7, 14 and 30 partitions, on holidays, promotion days, and a thin Sunday that was the first.  Without it a table of some
200 rows may lose 90 % of them after a week."""
SETTLED = 0.3
"""A level in the column's own unit that never moved by more than this part of the column's standard deviation has
settled, also around zero, where it is no part of itself."""
LEAP = 10.0
"""A settled level that moves by a standard deviation, and by so many times its largest error, is a finding.  Of 4,415,
4,150 and 3,935 such series of 29 public and simulated tables 3 did so after 7 partitions (all stations of a city out of
service, delays of a day of storms, weeks of 28 posts), none after 14 or after 30."""
CLOSE = 0.1
"""A distance that never was more than this part of its range is one of distributions that are alike."""
FAR = 0.5
"""One that is more than this part of its range then is a finding.  Of 5,053, 4,865 and 4,552 such series of the same
tables, those left out that had never been anything but 0, 3 were after 7 partitions (the same stations), none after 14
and 2 after 30 (a football week with half of its matches)."""
LIKELY = 3.5
"""Standard errors: a quantile that was never further off has moved by chance alone, as far as is known.  One of 70
series of 30 normal errors is."""
UNLIKELY = 8.0
"""So many say that it is no chance any more; after fewer partitions than a month more do, by the root.  Of 3,596, 3,506
and 3,198 such series of 12 public and 8 simulated tables 1, 0 and 0 were further off after 7, 14 and 30 partitions.
Means are left out, for the heavy tails of some (3 of 3,763, and a false alarm of 840 columns), and shares of values,
for 4 of 3,354 after 30 partitions."""
_LEVELS = (Scale.AMOUNT, Scale.INFORMATION, Scale.LENGTH)
"""What a metric is that has a level, and no factors."""


@dataclass(frozen=True, slots=True)
class Band:
    """What is expected of one metric, and everything but the budget that its ranges depend on."""

    metric: Metric
    sampling: SamplingError
    expected: Expected
    count: int
    """Number of partitions learned from."""
    level: float
    """Typical size of the metric: the absolute value of its median."""
    positive: bool = False
    """Whether every value was above zero."""

    @classmethod
    def of(
        cls, metric: Metric, values: FloatArray, sampling: SamplingError, *, moving: bool = True, week: int = WEEK
    ) -> Band | str:
        """Learn from a metric's history, see :meth:`of_each`."""
        return cls.of_each([(metric, values, sampling)], moving=moving, week=week)[0]

    @classmethod
    def of_each(
        cls, several: Sequence[tuple[Metric, FloatArray, SamplingError]], *, moving: bool = True, week: int = WEEK
    ) -> list[Band | str]:
        """Learn from the histories of several metrics.

        :param several: of each its finite values, oldest first, NaN in slots that have none; and how much data it is
            measured from
        :param moving: follow trends and weekly cycles where that has been better inside the history
        :param week: slots in a week
        :return: what was learned of each, or the reason why the metric cannot be bounded
        """
        known = [values[~np.isnan(values)] for _, values, _ in several]
        able = [place for place, own in enumerate(known) if len(own) >= MIN_HISTORY]
        positive = {place: bool((known[place] > 0).all()) for place in able}
        logarithmic = [several[place][0].scale in (Scale.RATIO, Scale.COUNT) and positive[place] for place in able]
        with np.errstate(over="ignore", invalid="ignore"):
            expected = expect_each([several[place][1] for place in able], logarithmic, moving=moving, week=week)
        found: list[Band | str] = [f"only {len(own)} values in the history, {MIN_HISTORY} are needed" for own in known]
        for place, one in zip(able, expected, strict=True):
            metric, _, sampling = several[place]
            if math.isfinite(one.expectation.center) and math.isfinite(one.spread):
                level = abs(median(known[place]))
                found[place] = cls(metric, sampling, one, len(known[place]), level, positive[place])
            else:
                found[place] = "values too large to be averaged"
        return found

    def candidates(self, budget: float) -> Candidates:
        """The ranges when this false-positive rate may be spent on the column, tightest first."""
        return self.at_each((budget,))[0]

    def at_each(self, budgets: Sequence[float]) -> list[Candidates]:
        """The same for each of several rates."""
        rates = np.array(budgets)[:, None] * SPENDING
        with np.errstate(over="ignore", invalid="ignore"):
            surprises, material = self._surprises(rates), self._material(rates)
            below = self._below(surprises, material)
            # Three values that vary by factors leave the upper bound open: it is infinite.
            above = self._reach(surprises, above=True) + np.maximum(material, self.sampling.above)
        # The more is spent on a range the tighter it is: what is spent falls along SPENDING.
        return [self._candidates(*rows) for rows in zip(below, above, rates, strict=True)]

    def _candidates(self, below: FloatArray, above: FloatArray, rates: FloatArray) -> Candidates:
        expected = self.expected
        return Candidates(
            metric=self.metric,
            bound=Bound.POOLED,
            expectation=expected.expectation,
            spread=expected.spread,
            worst=expected.worst,
            samples=expected.samples,
            below=below,
            above=above,
            fpr=rates,
        )

    @property
    def logarithmic(self) -> bool:
        """Whether the ranges lie on the scale of logarithms."""
        return self.expected.expectation.logarithmic

    def _below(self, surprises: FloatArray, material: FloatArray | float) -> FloatArray:
        """How far below the expectation the next value may lie at each rate; infinite where nothing bounds it.

        :param surprises: those of each budget in a row, as in what is returned
        """
        if self.metric.pair:
            return np.full(surprises.shape, np.inf)
        below = self._bounded_below(surprises, material)
        open_ = [self._excludes_nothing(float(least)) for least in below.min(axis=1)]
        if any(open_):
            # One odd day must not leave the side open on which it lies.
            below[open_] = self._bounded_below(surprises, material, forgiving=True)[open_]
        return below

    def _bounded_below(
        self, surprises: FloatArray, material: FloatArray | float, *, forgiving: bool = False
    ) -> FloatArray:
        below = self._reach(surprises, above=False, forgiving=forgiving) + np.maximum(material, self.sampling.below)
        if self.logarithmic and (self.expected.is_fixed or not self.metric.of_table):
            # What has varied by such factors may as well be nothing, and so may what is measured on hardly any value,
            # and the spread of values that are nearly all alike: the rain of a week without any.
            alike = self.sampling.alike and self.metric.scale is Scale.RATIO
            varies = VARIED * self.expected.worst > VANISHING or too_few(self.sampling.values) > 1.0 or alike
            most: FloatArray | float = VANISHING if self.expected.is_fixed else below
            below = np.where(below > VANISHING, np.inf if varies else most, below)
        return below

    def _excludes_nothing(self, least: float) -> bool:
        """Whether some lower bounds, of which this is the tightest, allow everything that the metric can be."""
        expectation = self.expected.expectation
        if not expectation.is_fixed:
            return math.isinf(least)
        return excludes_nothing(expectation.from_scale(expectation.center - least), None, self.metric.natural_range)

    def _material(self, rates: FloatArray) -> FloatArray | float:
        """The smallest change that may be an alarm, at each rate where it hangs on that."""
        return _EFFECTS[self.metric.scale](self, rates)

    def _surprises(self, rates: FloatArray) -> FloatArray:
        """How many times the largest past error the next one may be at each false-positive rate."""
        return largest_surprise(self.metric.name, self.expected.samples, rates)

    def _reach(self, surprises: FloatArray, *, above: bool, forgiving: bool = False) -> FloatArray:
        """How far from the expectation the next value may lie at each false-positive rate; never less than 0."""
        # What comes behind an odd partition is compared with it: a distance that was odd once is so twice.
        pair, expected = self.metric.pair, self.expected
        worst = expected.worst if pair else expected.seen(above=above, forgiving=forgiving)
        reach = np.minimum(surprises * worst, self._most(worst, above=above))
        if forgiving and self.expected.follows_odd_day:
            # What was accepted the last time may stay, whatever is made of it once more is known.
            reach = np.maximum(reach, self.expected.worst)
        return reach if self.metric.of_table else reach * too_few(self.sampling.values)

    def _most(self, worst: float, *, above: bool) -> float:
        """How far the metric may reach, whatever the rate; infinite where nothing but the rate says.

        :param worst: the largest past error at that side
        """
        if self.metric.pair:
            return self._until_far(worst)
        by_chance = self._until_no_chance(above=above)
        return min(self._until_moved(worst, above=above), self._until_leapt(worst), by_chance)

    def _until_moved(self, worst: float, *, above: bool) -> float:
        """Up to where a steady level, measured by itself, is none any more, and numbers of rows that are not steady."""
        if not self.positive:
            return math.inf
        if self.logarithmic and (self.metric.of_table or worst <= math.log1p(STEADY)):
            return max(math.log1p(RISE) if above else -math.log1p(-FALL), MOST * worst if self.metric.of_table else 0.0)
        if self.metric.scale not in _LEVELS or worst > STEADY * self.level:
            return math.inf
        return (RISE if above else FALL) * self.level

    def _until_leapt(self, worst: float) -> float:
        """The same of a settled one, measured by the column's standard deviation."""
        std = self.sampling.std
        if self.is_extreme or not self.is_place or worst > SETTLED * std:
            return math.inf
        return max(std, LEAP * worst)

    def _until_no_chance(self, *, above: bool) -> float:
        """Up to where other rows of one distribution take it, where nothing else has ever moved it."""
        if not self.moves_by_chance:
            return math.inf
        furthest = UNLIKELY * self.sampling.error * max(1.0, math.sqrt(MONTH / self.expected.samples))
        return max(0.0, furthest - (self.sampling.above if above else self.sampling.below))

    @property
    def moves_by_chance(self) -> bool:
        """Whether it has moved, and never by more than other rows of one distribution move it."""
        return 0.0 < self.expected.worst <= LIKELY * self.sampling.error < math.inf

    @property
    def is_place(self) -> bool:
        """Whether it lies on the axis of the column's values: a sum has their unit, but is no place among them."""
        return self.metric.unit is Unit.COLUMN and self.metric.extrapolation is not TOTAL and self.sampling.std > 0.0

    @property
    def is_extreme(self) -> bool:
        """Whether it is a minimum or a maximum, as a quantile is of so few values that none lies behind it."""
        level = self.metric.level
        return level is not None and min(level, 1.0 - level) * self.sampling.values < 1.0

    def _until_far(self, worst: float) -> float:
        """Up to where a distance of distributions that were alike says that they still are."""
        highest, centre = self.metric.natural_range[1], self.expected.expectation.center
        if self.metric.scale is not Scale.DISTANCE or not self.expected.is_fixed or centre + worst > CLOSE * highest:
            return math.inf
        return FAR * highest - centre


def _one(band: Band) -> float:
    """The share that one value is."""
    return 1.01 / band.sampling.values


def _of_share(band: Band, rates: FloatArray) -> FloatArray:
    metric = band.metric
    if metric.presence and metric.first_occurrence is None and not band.positive and band.expected.worst == 0.0:
        # A column that never held a value may come into use as a value does: by one or two is no news.
        return np.full(rates.shape, max(NEWCOMER / band.count, _one(band)))
    # Never seen in n partitions of N values is compatible with a rate of -ln(chance) / (n N).
    return np.maximum(-np.log(rates) * _one(band) / band.count, max(band.metric.min_effect, _one(band)))


def _of_distance(band: Band, rates: FloatArray) -> float:
    effect = max(band.metric.min_effect, _one(band) * band.metric.of_one_value)
    return max(effect, NEWCOMER / band.count) if band.metric.counts_new else effect


def _of_transport(band: Band, rates: FloatArray) -> float:
    if band.sampling.values < FEWEST_APART and band.expected.worst == 0.0:
        # A single value that never moved has no spread that would say how far is far.
        return math.inf
    # Single values have no spread: what moves by as much each day is compared with that, or rounding alone breaks it.
    return max(band.metric.min_effect, FAR_OFF * _one(band)) * max(band.sampling.std, band.level)


def _of_count(band: Band, rates: FloatArray) -> float:
    level = band.level
    step = max(1.01, band.metric.min_effect * level)
    if not band.logarithmic:
        return step
    # One less is further on a logarithmic scale than one more; from 1 there is no one less.
    return math.log(level / (level - step)) if level > step else math.log1p(step / level)


def _of_ratio(band: Band, rates: FloatArray) -> float:
    effect = band.metric.min_effect
    if band.metric.of_differences:
        # One more value that lies FAR_OFF standard deviations from the others adds this much to their variance.
        effect = max(effect, 0.5 * math.log1p(FAR_OFF**2 / band.sampling.values))
    return effect if band.logarithmic else math.expm1(effect) * band.level


def entropy_of_one(share: float) -> float:
    """The entropy, in nats, where all values but one of such a share are alike."""
    share = min(share, 0.5)
    return -share * math.log(share) - (1.0 - share) * math.log1p(-share)


def _of_information(band: Band, rates: FloatArray) -> float:
    one = _one(band)
    of_one = entropy_of_one(one)
    # Where all values but one are alike that one may go, and with it all of the entropy; or it comes.
    alike = of_one if band.level <= of_one else 0.0
    return max(max(band.metric.min_effect, one) * band.level, alike)


def _of_length(band: Band, rates: FloatArray) -> float:
    return max(band.metric.min_effect * max(band.level, SHORTEST), _one(band) * max(band.level, ONE_TEXT))


def _of_amount(band: Band, rates: FloatArray) -> float:
    effect = max(band.metric.min_effect, _one(band))
    material, std = effect * max(band.level, 1e-9), band.sampling.std
    if band.is_place:
        shift = max(OFFSET_EFFECT, effect) * std
        # Far from zero a shift is measured by the column's spread: its level says nothing of what is usual.  The level
        # of an extreme never does: an earliest time of 4 after 5 is nothing where times reach up to 2,359.  In 7,721
        # places of twelve public tables where a minimum had not moved for 7 partitions it fell 13 times, once further.
        return shift if band.is_extreme else min(material, shift)
    return material


_EFFECTS: Mapping[Scale, Callable[[Band, FloatArray], float | FloatArray]] = {
    Scale.SHARE: _of_share,
    Scale.DISTANCE: _of_distance,
    Scale.TRANSPORT: _of_transport,
    Scale.COUNT: _of_count,
    Scale.RATIO: _of_ratio,
    Scale.INFORMATION: _of_information,
    Scale.LENGTH: _of_length,
    Scale.AMOUNT: _of_amount,
}
"""The smallest change that may be an alarm, on the band's scale, for each kind of number; that of a share hangs on the
rate."""
