"""Four ordinary scenes of a shop's orders: a promotion, growth, thin Sundays, and small errors that matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.profile import Profile, profile_table
from airflow_dq.program import Status, SynthesisOptions, evaluate, synthesize
from tests.benchmark.sweep.error import HOUR, codes, lose, moments
from tests.benchmark.sweep.trial import TABLE, Curve, Shot, caught

ROWS = 1_500
PROMOTION, PROMOTED = 2.4, 20
"""A day with so many times the rows, the so manieth of thirty."""
GROWTH = 0.006
THIN = 70
"""Rows on a Sunday."""
CLEAN_DAYS = 60
LOSSES = (0.05, 0.11, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_WEEK = (1.0, 1.0, 1.02, 1.0, 0.98, 0.8, 0.7)
_NOISE = 0.02
"""Standard deviation of the logarithm of a day's rows."""
_FIRST = np.datetime64("2024-01-01")


def orders(rows: int, day: int, rng: np.random.Generator) -> pa.Table:
    """Orders of one day: five columns."""
    customers = rng.integers(0, 10**6, rows).tolist()
    return pa.table(
        {
            "order_id": 10**6 + 4 * ROWS * day + np.arange(rows),
            "amount": np.round(rng.lognormal(3.0, 1.0, rows), 2),
            "product": codes(rng, rows),
            "created_at": moments(rng, rows, day),
            "email": [f"user{n}@{'example.org' if n % 3 else 'gmail.com'}" for n in customers],
        }
    )


def day(number: int, seed: int, size: Callable[[int], float]) -> pa.Table:
    """The orders of the so manieth day.

    :param size: expected rows by day
    """
    rng = np.random.default_rng([seed, number])
    return orders(int(rng.poisson(size(number) * np.exp(rng.normal(0.0, _NOISE)))), number, rng)


def flat(number: int) -> float:
    """Rows of a day with a week, without growth."""
    return ROWS * _WEEK[number % 7]


def promoted(number: int) -> float:
    """The same with one promotion day."""
    return flat(number) * (PROMOTION if number == PROMOTED else 1.0)


def growing(number: int) -> float:
    """The same with growth."""
    return flat(number) * (1.0 + GROWTH) ** number


def thin(number: int) -> float:
    """Every Sunday nearly nothing."""
    return float(THIN if number % 7 == 6 else ROWS)


def losses(options: SynthesisOptions, repetitions: int) -> Iterator[Shot]:
    """Lost rows after an ordinary month, after one with a promotion day, and after one of growth."""
    for name, size in (("no event", flat), ("after a promotion day", promoted), ("growth 0.6 % a day", growing)):
        for seed in range(repetitions):
            history = _profiles([day(number, seed, size) for number in range(30)])
            program, now = synthesize(history, options), day(30, seed, size)
            for share in LOSSES:
                wrong = profile_table(lose(now, share, np.random.default_rng(seed)), partition=_key(30))
                found = caught(program, wrong, history, TABLE)
                yield Shot(Curve(name, "lost rows", ROWS, 30), share, seed, found)


@dataclass(frozen=True, slots=True)
class Sundays:
    """Alarms on clean days of a table whose Sundays are thin."""

    answered: bool
    alarms: int
    judged: int
    in_a_row: int
    """Longest row of alarms."""


def sundays(options: SynthesisOptions, seed: int = 0, days: int = CLEAN_DAYS) -> list[Sundays]:
    """Judge clean days, when every alarm is answered, and when none is: a failed day is then not learned from."""
    profiles = _profiles([day(number, seed, thin) for number in range(days)])
    found = []
    for answered in (True, False):
        learned: list[Profile] = []
        alarms: list[bool] = []
        for now in profiles:
            failed = False
            if len(learned) >= options.min_history:
                history = learned[-options.history :]
                failed = evaluate(synthesize(history, options), now, history).status is Status.FAIL
                alarms.append(failed)
            if answered or not failed:
                learned.append(now)
        found.append(Sundays(answered, sum(alarms), len(alarms), _longest(alarms)))
    return found


def small_errors(options: SynthesisOptions, repetitions: int) -> Iterator[Shot]:
    """11 % of the rows lost, timestamps two hours early, a new code in 0.3 % of the rows, 2 % test e-mails."""
    for seed in range(repetitions):
        history = _profiles([day(number, seed, flat) for number in range(30)])
        program, now = synthesize(history, options), day(30, seed, flat)
        clean = profile_table(now, partition=_key(30))
        yield Shot(Curve("orders", "nothing", ROWS, 30), 0.0, seed, caught(program, clean, history, TABLE))
        for name, size, column, change in _SMALL:
            if column is None:
                wrong = profile_table(lose(now, size, np.random.default_rng(seed)), partition=_key(30))
            else:
                hit = pa.array(np.random.default_rng(seed).permutation(now.num_rows) < max(1, size * now.num_rows))
                values = change(now.column(column).combine_chunks(), hit)
                one = profile_table(pa.table({column: values}), partition=_key(30)).columns[column]
                wrong = replace(clean, columns={**clean.columns, column: one}, sample=None)
            yield Shot(Curve("orders", name, ROWS, 30), size, seed, caught(program, wrong, history, column or TABLE))


def _early(values: Any, hit: Any) -> Any:
    return pc.add(values.cast(pa.int64()), -2 * HOUR).cast(pa.timestamp("us"))


def _coded(values: Any, hit: Any) -> Any:
    return pc.if_else(hit, pa.scalar("X999"), values)


def _tested(values: Any, hit: Any) -> Any:
    return pc.if_else(hit, pa.scalar("test@test.com"), values)


def _same(values: Any, hit: Any) -> Any:
    return values


_SMALL: Sequence[tuple[str, float, str | None, Callable[[Any, Any], Any]]] = (
    ("11 % of the rows lost", 0.11, None, _same),
    ("timestamps 2 hours early", 2.0, "created_at", _early),
    ("new code in 0.3 % of the rows", 0.003, "product", _coded),
    ("2 % test e-mails", 0.02, "email", _tested),
)


def _profiles(tables: Sequence[pa.Table]) -> list[Profile]:
    return [profile_table(one, partition=_key(number)) for number, one in enumerate(tables)]


def _longest(alarms: Sequence[bool]) -> int:
    longest = row = 0
    for alarm in alarms:
        row = row + 1 if alarm else 0
        longest = max(longest, row)
    return longest


def _key(number: int) -> str:
    return str(_FIRST + number)
