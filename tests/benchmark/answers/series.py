"""How far an accepted alarm should widen a range, on series of independent heavy-tailed values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.expect.band import Band
from airflow_dq.learn.expect.sampling import SamplingError
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.states.base import Kind

GROWTHS = ((1.0, 1.0), (1.25, 4.0), (1.5, 2.0), (1.5, 4.0), (2.0, 4.0), (1.5, 8.0), (2.0, 8.0))
"""Factor of each accepted alarm, and the largest one."""
SHIFTS = (5.0, 10.0, 20.0, 50.0)
"""In scales of the distribution."""
HISTORY, DAYS, EVERY = 30, 365, 15
BUDGET = 6e-5
"""What the default target leaves to a column of sixteen."""
DRAWS: dict[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "t3": lambda rng, count: 100.0 + rng.standard_t(3, count),
    "t2": lambda rng, count: 100.0 + rng.standard_t(2, count),
}


@dataclass
class Outcome:
    """What came of one factor."""

    alarms: int = 0
    repeated: int = 0
    caught: int = 0
    tried: int = 0


def lines(series: int) -> Iterator[str]:
    """A line for each distribution and factor.

    :param series: years of days that are drawn of each distribution
    """
    for name, draw in DRAWS.items():
        rng = np.random.default_rng([0, 1])
        found = {one: {shift: Outcome() for shift in SHIFTS} for one in GROWTHS}
        for _ in range(series):
            _walk(draw(rng, DAYS), found)
        for (growth, most), by_shift in found.items():
            one = by_shift[SHIFTS[0]]
            caught = ", ".join(f"{shift:g} scales {one.caught / one.tried:.3f}" for shift, one in by_shift.items())
            yield f"{name}, x {growth:g} up to {most:g}: {one.alarms} alarms, {one.repeated} repeated; caught {caught}"


def _walk(values: FloatArray, found: dict[tuple[float, float], dict[float, Outcome]]) -> None:
    """One year; whatever alarms is accepted, and joins the history."""
    metric = next(one for one in metrics_for(Kind.NUMERIC, pair=False) if one.name == "mean")
    accepted = dict.fromkeys(found, 0)
    for place in range(HISTORY, len(values)):
        past = values[place - HISTORY : place]
        band = Band.of(metric, past, SamplingError(1000.0, 1.0), moving=False)
        assert isinstance(band, Band)
        narrow = band.candidates(BUDGET)
        centre, widest = float(past.mean()), int(np.argmax(narrow.fpr))
        for (growth, most), by_shift in found.items():
            times = accepted[growth, most]
            low, high = (side[widest] for side in narrow.reaching(min(most, growth**times)).bounds(centre))
            alarmed = not low <= values[place] <= high
            accepted[growth, most] += alarmed
            for shift, one in by_shift.items():
                one.alarms += alarmed
                one.repeated += alarmed and times > 0
                if place % EVERY == 0:
                    one.tried += 1
                    one.caught += not low <= centre + shift <= high
