"""Columns as they are found in daily tables: what a kind of column holds, and how it moves from day to day.

A maker draws the properties of one column; what it returns draws the column's values of one day.  The level of a
column has an effect of each day beside the noise of its rows, small in most columns and heavy-tailed in some: that is
what distinguishes real tables from independent draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime, time, timedelta
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from tests.benchmark.simulated.calendar import Day

Generator = np.random.Generator
Values = Callable[[Generator, Day], Any]
"""Values of one day: an array with one entry per row, or None when the column is absent on that day."""
Maker = Callable[[Generator], Values]

_TEXT = (
    "order paid late parcel ship red blue green large small north south note call customer refund gift card price "
    "wrong right left door key week day month please thanks the a of and with without again never first last"
)
_WORDS = _TEXT.split()


def _effect(rng: Generator) -> Callable[[Generator], float]:
    """A day's effect in standard deviations of the rows: none, small or large; one in four is heavy-tailed."""
    size, heavy = float(rng.choice([0.0, 0.02, 0.05, 0.2])), rng.random() < 0.25
    return lambda day: size * float(day.standard_t(4) if heavy else day.normal())


def _week(rng: Generator) -> list[float]:
    """What a weekday adds to the level, in standard deviations of the rows; for one column in three it does."""
    size = float(rng.choice([0.0, 0.0, 0.3]))
    return [float(value) for value in rng.normal(0.0, 1.0, 7) * size]


def measure(rng: Generator) -> Values:
    """A normal measurement that may drift, with a weekly season in some tables."""
    level, spread = float(rng.choice([0.0, 20.0, 1_000.0])), float(rng.choice([0.5, 5.0, 30.0]))
    drift, effect, week = float(rng.choice([0.0, 0.0, 0.01])), _effect(rng), _week(rng)

    def values(day: Generator, at: Day) -> Any:
        shift = effect(day) + week[at.date.weekday()] + drift * at.number
        return np.round(day.normal(level + spread * shift, spread, at.rows), 3)

    return values


def skewed(rng: Generator, draw: Callable[[Generator, int], Any]) -> Values:
    """A positive amount whose level moves by factors; prices may rise."""
    scale, digits = float(rng.choice([1.0, 25.0, 4_000.0])), int(rng.choice([0, 2, 4]))
    growth, effect, week = float(rng.choice([0.0, 0.0, 0.001, 0.003])), _effect(rng), _week(rng)

    def values(day: Generator, at: Day) -> Any:
        factor = math.exp(0.5 * (effect(day) + week[at.date.weekday()]) + growth * at.number)
        return np.round(scale * factor * draw(day, at.rows), digits)

    return values


def count(rng: Generator) -> Values:
    """A small count, such as items of an order."""
    mean, effect = float(rng.choice([0.3, 2.0, 40.0])), _effect(rng)
    return lambda day, at: day.poisson(mean * math.exp(0.3 * effect(day)), at.rows)


def share(rng: Generator) -> Values:
    """A number between 0 and 1."""
    a, b = (float(value) for value in rng.uniform(0.5, 6.0, 2))
    effect = _effect(rng)
    return lambda day, at: np.round(day.beta(a * math.exp(0.5 * effect(day)), b, at.rows), 4)


def growing_id(rng: Generator) -> Values:
    """A key that goes on where the day before ended; some systems leave gaps."""
    start, step = int(rng.integers(1, 10**7)), int(rng.choice([1, 1, 3]))
    return lambda _, at: start + step * (at.before + np.arange(at.rows))


def running_total(rng: Generator) -> Values:
    """A series per entity that only grows, such as a meter."""
    rate = float(rng.choice([0.5, 5.0]))
    entities = rng.lognormal(5.0, 1.0, 50)

    def values(day: Generator, at: Day) -> Any:
        which = np.arange(at.rows) % len(entities)
        return np.floor(entities[which] * (1.0 + rate * 0.01 * at.number) + day.poisson(rate, at.rows)).astype("int64")

    return values


def code(rng: Generator) -> Values:
    """Codes with a Zipf distribution; in some tables new ones come into use as time goes by."""
    distinct, power = int(rng.choice([8, 60, 600])), float(rng.choice([0.8, 1.1, 1.5]))
    launches, prefix, effect = (
        float(rng.choice([0.0, 0.0, 0.05, 0.5])),
        str(rng.choice(["", "C-", "sku"])),
        _effect(rng),
    )
    order = rng.permutation(distinct * 3)

    def values(day: Generator, at: Day) -> Any:
        used = min(distinct * 3, distinct + int(launches * at.number))
        weight = 1.0 / np.arange(1, used + 1) ** (power * math.exp(0.1 * effect(day)))
        return [f"{prefix}{order[i]:04}" for i in day.choice(used, at.rows, p=weight / weight.sum()).tolist()]

    return values


def category(rng: Generator) -> Values:
    """A few names in shares of their own, which a weekday may change."""
    names = [f"{_WORDS[i]}" for i in rng.choice(len(_WORDS), int(rng.integers(2, 9)), replace=False).tolist()]
    base, effect, week = rng.dirichlet(np.full(len(names), 2.0)) + 0.01, _effect(rng), _week(rng)

    def values(day: Generator, at: Day) -> Any:
        tilt = np.exp((effect(day) + week[at.date.weekday()]) * np.linspace(-1.0, 1.0, len(names)))
        return day.choice(names, at.rows, p=base * tilt / (base * tilt).sum())

    return values


def flag(rng: Generator) -> Values:
    """True in a share of the rows."""
    odds, effect = float(rng.choice([-4.0, -1.0, 0.5])), _effect(rng)
    return lambda day, at: day.random(at.rows) < 1.0 / (1.0 + math.exp(-odds - effect(day)))


def free_text(rng: Generator) -> Values:
    """Sentences of a few words."""
    least, most = int(rng.integers(1, 4)), int(rng.integers(5, 12))

    def values(day: Generator, at: Day) -> Any:
        lengths = day.integers(least, most, at.rows)
        words = iter(day.integers(0, len(_WORDS), int(lengths.sum())).tolist())
        return [" ".join(_WORDS[next(words)] for _ in range(length)) for length in lengths.tolist()]

    return values


def address(rng: Generator) -> Values:
    """E-mail addresses of a few domains."""
    domains = np.array(["gmail.com", "example.org", "web.de", "yahoo.fr"])
    odds = rng.dirichlet(np.full(len(domains), 3.0))

    def values(day: Generator, at: Day) -> Any:
        where = day.choice(domains, at.rows, p=odds).tolist()
        return [f"user{n}@{domain}" for n, domain in zip(day.integers(0, 10**6, at.rows).tolist(), where, strict=True)]

    return values


def random_key(rng: Generator) -> Values:
    """A key without order, as a UUID is."""
    return lambda day, at: [f"{a:08x}-{b:04x}" for a, b in day.integers(0, 2**16, (at.rows, 2)).tolist()]


def moment(rng: Generator) -> Values:
    """When it happened: hours of the day with a peak, some minutes after midnight; late rows are of the day before."""
    peak, width = float(rng.uniform(9.0, 19.0)), float(rng.uniform(1.5, 6.0))
    effect = _effect(rng)

    def values(day: Generator, at: Day) -> Any:
        hours = np.clip(day.normal(peak + 0.3 * effect(day), width, at.rows), 0.0, 23.999)
        midnight = datetime.combine(at.date, time()).timestamp()
        seconds = midnight + np.round(3600.0 * hours, 0)
        seconds[: at.late] -= 86_400.0
        return pa.array((seconds * 1e6).astype("int64"), pa.timestamp("us"))

    return values


def day_of(rng: Generator) -> Values:
    """The partition's own date in every row."""
    return lambda _, at: pa.array([at.date - timedelta(days=int(i < at.late)) for i in range(at.rows)], pa.date32())


def constant(rng: Generator) -> Values:
    """One value for ever."""
    value: Any = [0, 1.0, "EUR", "v2", True][int(rng.integers(5))]
    return lambda _, at: pa.array([value] * at.rows)


def heavy_noise(rng: Generator) -> Values:
    """Student's t with three degrees: symmetric with far outliers."""
    spread, effect = float(rng.choice([1.0, 50.0])), _effect(rng)
    return lambda day, at: np.round(spread * (day.standard_t(3, at.rows) + effect(day)), 3)


MAKERS: dict[str, tuple[float, Maker]] = {
    "measure": (3.0, measure),
    "exponential": (1.5, partial(skewed, draw=lambda day, n: day.exponential(1.0, n))),
    "lognormal": (1.5, partial(skewed, draw=lambda day, n: day.lognormal(0.0, 1.0, n))),
    "pareto 2": (1.0, partial(skewed, draw=lambda day, n: 1.0 + day.pareto(2.0, n))),
    "student t 3": (1.0, heavy_noise),
    "count": (2.0, count),
    "share": (1.0, share),
    "growing id": (1.0, growing_id),
    "running total": (0.5, running_total),
    "code": (3.0, code),
    "category": (2.5, category),
    "flag": (1.5, flag),
    "free text": (1.0, free_text),
    "address": (0.5, address),
    "random key": (0.5, random_key),
    "moment": (1.5, moment),
    "day": (0.5, day_of),
    "constant": (1.0, constant),
}
"""By name: how common the kind is, and its maker."""


def thinned(rng: Generator, values: Values) -> Values:
    """The column with missing values: none, some, or nearly all (sparse); their share has an effect of the day too."""
    odds, effect = float(rng.choice([-6.0, -3.0, -0.5, 3.0, 5.5])), _effect(rng)

    def some(day: Generator, at: Day) -> Any:
        found = values(day, at)
        share = 1.0 / (1.0 + math.exp(-odds - effect(day)))
        return pa.array(pa.array(found).to_pylist(), pa.array(found).type, mask=day.random(at.rows) < share)

    return some


def optional(rng: Generator, values: Values) -> Values:
    """The column that is absent on some days."""
    absent = float(rng.choice([0.05, 0.3]))
    return lambda day, at: None if day.random() < absent else values(day, at)
