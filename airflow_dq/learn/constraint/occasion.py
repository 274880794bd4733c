"""What a metric usually is at a place of the calendar: the first of a month, the last day of a quarter.

Each like day is compared with what the days around it foretold, and the partition itself is expected to lie as far
from what the days around it foretell.  Two like days that strayed alike move the bound on their side, and only that;
three in a row at the beginning or the end of a month, quarter or year are what is expected there, in place of what is
usual on other days: on a day that always has three times the rows an ordinary number of them is a loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from airflow_dq.learn.array import BoolArray, FloatArray
from airflow_dq.learn.history.calendar import Place
from airflow_dq.learn.history.like_days import LikeDays, Stray

ALIKE = 2
"""So many like days that strayed in one direction are a habit: one was an accident."""
OWN = 3
"""So many in a row are what is expected at the place, from both sides: two say little of how far they scatter."""
HALF = 0.5
"""If not the newest two, this share of the like days must have strayed."""
SCATTER = 3.0
"""A further one may lie so many times their whole width beyond three like days; with more of them by less."""
LEAST_SCATTER, MOST_SCATTER = 0.1, 0.25
"""That is at least and at most this share of how far they strayed: two may be alike by chance, and a range that allows
anything is none.  Of days with three times the rows a loss of a quarter lies within the most that this allows."""
WIDEST = 2.0
"""Around like days a range is at most so many times as wide as ordinary days stray, as it is around these."""
MATERIAL = 0.5
"""A like day strayed only if by more than this share of the range's width: what lies well within it needs no word."""
EXACT = 0.5
"""A rarer place is taken when its like days lie within this share of the width of the more common one's."""
ODD = 3.0
"""A like day that strayed this many times as far as any other was an accident of its own."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """The like days of one partition, on the scale of the range's expectation."""

    place: Place
    partition: str
    """The partition that this is about."""
    partitions: tuple[str, ...]
    """The like days that strayed alike, the newest first."""
    days: int
    """Number of like days of which the metric is known."""
    above: bool
    """On which side of what was expected they lay."""
    low: float
    """Where the partition lies, if it is to stray as the least of them did."""
    high: float
    """The same of the farthest."""
    width: float
    """The most that the range's own width counts for: one odd day in the window has blown it up."""
    scatter: float
    """How much farther than all of them it may lie, for they are few, beside what ordinary days stray by."""
    settled: bool
    """Whether bounds are moved: one like day is only told of."""
    own: bool
    """Whether the partition is expected there, and not where ordinary days are."""

    @property
    def centre(self) -> float:
        """The middle of where the like days lay."""
        return 0.5 * (self.low + self.high)

    def reach(self, below: float, above: float) -> tuple[float, float]:
        """The least and the most that is expected at the place.

        :param below: the width of the range on this side, which the like days get around them as well
        :param above: the same
        """
        return self.low - min(below, self.width) - self.scatter, self.high + min(above, self.width) + self.scatter

    def moved(
        self, lower: float | None, upper: float | None, below: float, above: float
    ) -> tuple[float | None, float | None]:
        """Bounds on the scale with the like days within them; a side without a bound stays without one."""
        if not self.settled:
            return lower, upper
        low, high = self.reach(below, above)
        if self.own:
            return None if lower is None else low, None if upper is None else high
        if self.above:
            return lower, None if upper is None else max(upper, high)
        return None if lower is None else min(lower, low), upper


def occasion_of(
    like: LikeDays, values: FloatArray, partition: str, *, every: bool, below: float, above: float
) -> Occasion | None:
    """The place of the calendar at which like days of a partition strayed; None where none of them did.

    :param values: of all profiles of ``like``, on the scale of the range; NaN where there is none
    :param every: also at places that are neither a beginning nor an end
    :param below: the width of the range on this side: what strayed by far less is within it in any case
    :param above: the same
    """
    places = [place for place in like.places(partition) if place.is_edge or every]
    strays = like.strays(values, [like.plain_occurrences(place, partition, OWN) for place in places], partition)
    found = []
    for place, stray in zip(places, strays, strict=True):
        if stray is not None and stray.far.any():
            for sign, width in ((1.0, above), (-1.0, below)):
                far = stray.far & (sign * stray.deviations > MATERIAL * width)
                found.append(_on_side(place, partition, stray, far, sign))
    return _that_says_most(found)


def distant_days(like: LikeDays, values: FloatArray, partition: str, upper: float) -> Occasion | None:
    """The same of a distance, which is 0 where nothing changes: like days strayed when theirs was beyond the range.

    :param values: of all profiles of ``like``, NaN where it is not known
    :param upper: the range's upper bound
    """
    found = []
    for place in like.places(partition):
        days = [day for day in like.occurrences(place, partition) if np.isfinite(values[day])]
        keys = tuple(str(like.profiles[day].partition) for day in days)
        far = values[days] > upper
        found.append(_on_side(place, partition, Stray(keys, values[days], far, 0.0, 0.0), far, 1.0, whole=False))
    return _that_says_most(found)


def _that_says_most(found: Sequence[Occasion | None]) -> Occasion | None:
    """Of several places, the more common ones first, a rarer one only where it says more."""
    best: Occasion | None = None
    for one in found:
        if one is not None and (best is None or _says_more(one, best)):
            best = one
    return best


def _says_more(rarer: Occasion, best: Occasion) -> bool:
    """Whether it decides more, or tells far more exactly what is expected (a quarter's end among those of months)."""
    if rarer.own and best.own:
        return rarer.high - rarer.low < EXACT * (best.high - best.low)
    rank = [(one.settled, one.own, len(one.partitions)) for one in (rarer, best)]
    return rank[0] > rank[1]


def _on_side(
    place: Place, partition: str, stray: Stray, strayed: BoolArray, sign: float, *, whole: bool = True
) -> Occasion | None:
    """The like days that strayed to one side.

    :param strayed: which of them did
    :param whole: whether they may say what is expected there from both sides
    """
    count = int(np.count_nonzero(strayed))
    if not count:
        return None
    row = len(list(takewhile(bool, strayed.tolist())))
    settled = count >= ALIKE and (row >= ALIKE or count >= HALF * len(strayed))
    own = whole and place.is_edge and row >= OWN
    sizes = sign * stray.deviations
    chosen = _without_odd(sizes[:row] if own else sizes[strayed])
    farthest = float(chosen.max())
    scatter = SCATTER * OWN / max(OWN, len(chosen)) * float(chosen.max() - chosen.min())
    scatter = min(max(scatter, LEAST_SCATTER * farthest), MOST_SCATTER * farthest)
    width = max(WIDEST * stray.usual, MOST_SCATTER * farthest)
    low, high = sorted((stray.expected + sign * float(chosen.min()), stray.expected + sign * farthest))
    alike = tuple(key for key, one in zip(stray.keys, strayed.tolist(), strict=True) if one)
    return Occasion(place, partition, alike, len(stray.keys), sign > 0.0, low, high, width, scatter, settled, own)


def _without_odd(deviations: FloatArray) -> FloatArray:
    """Deviations to one side without one that is far larger than all others."""
    if len(deviations) <= ALIKE:
        return deviations
    order = np.sort(deviations)
    return order[:-1] if order[-1] > ODD * order[-2] else order
