"""The package's module of constants, as a sample says it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from airflow_dq.learn.expect import pooled
from tests.benchmark.surprise.collect import HISTORIES
from tests.benchmark.surprise.fit import SLACK, TYPICAL, Constants, Spread, budget_chance, together
from tests.benchmark.surprise.sample import Sample

BEYOND = 3.0
"""How much the metrics of a column come together is told of surprises above this: most ranges are wider."""
RATE = 0.01
"""The rate of a column at which its chance is told: of smaller ones a sample has too few alarms."""

_TEXT = '''"""Pooled surprises of metrics: constants that ``python -m tests.benchmark.surprise`` measures.

Of {series} series of {tables} tables, {simulated} simulated ones and {real} public ones that recur, judged one step
ahead of the {histories} partitions that their expectation and largest error come from.  A constant
stays as it was where leaving out one of the tables could about have given it.
"""

from __future__ import annotations

from collections.abc import Mapping

CHANCE = {chance}
"""Chance that the next error is the largest so far, times the number of past errors plus one, for a column's budget.

A single series has {single} (1 if the next error were as likely the largest as any other, and always material).
The series of a column alarm together: one that has a surprise above {beyond} has {together} of them.  Nor does
every series have that chance: with equal shares of a budget of {rate} for all metrics of a column, as many
columns alarm as it says at a chance of {budget}, by length of history.
The value was chosen for a month of errors, by false alarms and recall of real tables: with all metrics of 564 columns
at one width 5 columns alarmed at 5.6 times the largest error, 5 at 4.2, 7 at 3.2, 9 at 2.3 and 14 at 1.7; recall was
.863, .875, .887, .899 and .911.  After a week of errors they are given what they were with 0.055 and the root, see
:data:`airflow_dq.learn.expect.surprise.SHORT`."""
TAIL = {tail}
"""Exponent of the tail after one error.

Fitted to the surprises above the least that a range allows: {fitted_tail}, {spread_tail} with one table left out."""
TAIL_GROWTH = {growth}
"""What the exponent gains when the number of past errors grows by a factor of e: it is {seven} after 7 errors and
{thirty} after 30.

Fitted: {fitted_growth}, {spread_growth} with one table left out.  By the fit the exponent is {fitted_seven} after
7 errors and {fitted_thirty} after 30."""
HEAVINESS: Mapping[str, float] = {{
{heaviness}
}}
"""By metric: how many times the chance of a surprise above 2 that of all metrics is, drawn half way (by its root) to 1;
metrics near 1 are left out."""
'''


def source(sample: Sample, fitted: Constants, others: Sequence[Constants]) -> str:
    """The text of ``airflow_dq/learn/expect/pooled.py``, with present values that the sample does not speak against."""

    def spread(view: Callable[[Constants], float]) -> Spread:
        return Spread.of([view(one) for one in others])

    tails, growths = spread(lambda one: one.tail), spread(lambda one: one.growth)
    tail, growth = _line(fitted, others)
    settled = Constants(fitted.chance, tail, growth, fitted.heaviness)
    simulated = sum(name.startswith("simulated ") for name in sample.tables)
    factors = [one.factor for one in together(sample, (BEYOND,))]
    chances = list(budget_chance(sample, RATE).values())
    return _TEXT.format(
        series=f"{len(sample):,}",
        tables=len(sample.tables),
        simulated=simulated,
        real=len(sample.tables) - simulated,
        histories=_listed([str(n) for n in np.unique(sample["history"]).tolist()]),
        chance=pooled.CHANCE,
        single=f"{fitted.chance:.2f}",
        beyond=f"{BEYOND:g}",
        together=_range(factors, 1),
        rate=RATE,
        budget=_range(chances, 3),
        tail=round(tail, 2),
        growth=round(growth, 2),
        fitted_tail=f"{fitted.tail:.2f}",
        spread_tail=tails,
        fitted_growth=f"{fitted.growth:.2f}",
        spread_growth=growths,
        seven=f"{settled.exponent(7):.1f}",
        thirty=f"{settled.exponent(30):.1f}",
        fitted_seven=f"{fitted.exponent(7):.1f}",
        fitted_thirty=f"{fitted.exponent(30):.1f}",
        heaviness="\n".join(f'    "{name}": {value},' for name, value in heaviness(fitted, others)),
    )


def heaviness(fitted: Constants, others: Sequence[Constants]) -> list[tuple[str, float]]:
    """The metrics whose tails are heavier or lighter than typical, heaviest first."""
    found = {}
    for name, value in fitted.heaviness.items():
        spread = Spread.of([one.heaviness.get(name, 1.0) for one in others])
        settled = round(spread.settle(pooled.HEAVINESS.get(name, 1.0), value), 2)
        if name in pooled.HEAVINESS or abs(settled - 1.0) >= TYPICAL:
            found[name] = settled
    # What the sample has no series of stays as it is.
    found |= {name: value for name, value in pooled.HEAVINESS.items() if name not in fitted.heaviness}
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))


def _line(fitted: Constants, others: Sequence[Constants]) -> tuple[float, float]:
    """Tail and growth, both the present ones or both the fitted ones: they are the two ends of one line.

    The present line stays unless its exponent is larger than leaving out a table gives: a smaller one is only more
    cautious, and CHANCE was chosen with it.
    """
    now = Constants(0.0, pooled.TAIL, pooled.TAIL_GROWTH, {})
    most = {errors: max(one.exponent(errors) for one in (fitted, *others)) for errors in HISTORIES}
    kept = all(now.exponent(errors) <= most[errors] + SLACK for errors in HISTORIES)
    return (now.tail, now.growth) if kept else (fitted.tail, fitted.growth)


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _range(values: Sequence[float], digits: int) -> str:
    """As ``1.6 to 3.0``."""
    if not values:
        return "an unknown number"
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"
