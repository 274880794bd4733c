"""The number of rows beside what those before foretell: a table grows, or has fewer rows on Sundays.

Of 31 tables a third have sizes that the two newest partitions, or the same places of the weeks before, foretell far
better than the mean does.  Held against these, of the copies that lost half of their rows 70 in place of 63 % are found
on twenty of the tables, and of those that lost 30 % three in a hundred more on all, at the same false alarms.  Of other
features forecasts were no gain, see ``docs/novelty.md``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from airflow_dq.novelty.row import Floats

NEAR = ((1, 2), (7, 14, 21))
"""Which partitions before foretell the next one by their mean: the two newest, or the same places of three weeks."""
LEAST_PAST = 14
"""With fewer partitions no forecast is believed; of those that need a longer past three weeks are."""
FIRST = 4
"""The mean of fewer partitions is no rival to a forecast."""
BETTER = 0.6
"""A forecast is believed whose typical error is at most so much of the mean's; with .5 and .7 as much is found."""
NARROWEST = 0.25
"""What is left of the spread of the numbers at least, however well they are foretold: a table that hardly ever grows
does so at once, and a holiday is no other weekday.  A third finds as many, a fifth costs .003 more false alarms on the
twenty tables, and without a limit it is .005."""


def foretold(rows: Floats) -> tuple[Floats, float]:
    """How far from their mean numbers of rows were foretold, and the least spread of what then is left.

    :param rows: of each past partition, on a logarithmic scale, oldest first
    :return: one for each of them, NaN where none was, and one for the partition that follows; zeros where no forecast
        is much better than the mean
    """
    count, known = len(rows), np.isfinite(rows)
    nothing = np.zeros(count + 1)
    if count < LEAST_PAST or not known.all():
        return nothing, 0.0
    mean = np.concatenate(([np.nan], np.cumsum(rows) / np.arange(1, count + 1)))
    best, share = nothing, BETTER
    for steps in (one for one in NEAR if count >= one[-1]):
        forecast = _mean_before(rows, steps)
        compared = np.flatnonzero(np.isfinite(forecast[:-1]) & (np.arange(count) >= FIRST))
        errors, rivals = (float(np.sum((rows - one[:-1])[compared] ** 2)) for one in (forecast, mean))
        if errors < share**2 * rivals:
            best, share = forecast - mean[-1], float(np.sqrt(errors / rivals))
    return best, 0.0 if best is nothing else NARROWEST * float(rows.std())


def _mean_before(rows: Floats, steps: Sequence[int]) -> Floats:
    """Of each partition, and of the one that follows, the mean of those so many steps before it that there are."""
    count = len(rows)
    before = np.full((len(steps), count + 1), np.nan)
    for line, step in zip(before, steps, strict=True):
        line[step:] = rows[: count + 1 - step]
    there = np.isfinite(before)
    total = np.where(there, before, 0.0).sum(axis=0)
    return np.where(there.any(axis=0), total / np.maximum(1, there.sum(axis=0)), np.nan)
