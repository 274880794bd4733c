"""Tables that are another on some days of a month: profiles without states, made in microseconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import numpy as np

from airflow_dq.judge.verdict import Verdict
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.program import SynthesisOptions, evaluate, synthesize
from airflow_dq.states.base import Kind

Factor = Callable[[datetime], float]
"""How many times the rows, and how many times the mean price, of an ordinary day."""
FIRST = datetime(2025, 1, 1)


def on_the_first(day: datetime) -> float:
    return 3.0 if day.day == 1 else 1.0


def on_the_last(day: datetime) -> float:
    return 2.0 if (day + timedelta(1)).day == 1 else 1.0


def at_the_end_of_quarters(day: datetime) -> float:
    return 4.0 if (day + timedelta(1)).day == 1 and day.month % 3 == 0 else 1.0


def on_the_15th(day: datetime) -> float:
    return 2.5 if day.day == 15 else 1.0


def never(day: datetime) -> float:
    return 1.0


def profile(key: str, rows: float, price: float = 10.0) -> Profile:
    metrics = {"row_count": float(round(rows)), "mean": price, "complete_ratio": 1.0}
    return Profile(key, round(rows), {"price": ColumnProfile("price", Kind.NUMERIC, "double", metrics)})


def table(
    count: int,
    factor: Factor,
    *,
    first: datetime = FIRST,
    step: timedelta = timedelta(1),
    form: str = "%Y-%m-%d",
    rows: float = 1_000.0,
    seed: int = 7,
) -> list[Profile]:
    """So many partitions with 3 % of noise in their rows and 1 % in their mean price, which moves with the rows."""
    rng = np.random.default_rng(seed)
    moments = [first + place * step for place in range(count)]
    return [
        profile(
            f"{moment:{form}}",
            rows * factor(moment) * np.exp(rng.normal(0.0, 0.03)),
            10.0 * (1.0 + 0.2 * (factor(moment) - 1.0)) + rng.normal(0.0, 0.1),
        )
        for moment in moments
    ]


def judged(days: Sequence[Profile], key: str, now: Profile | None = None, history: int = 30) -> Verdict:
    """What is said of a partition, or of another one in its place, with all partitions before it accepted."""
    place = next(place for place, day in enumerate(days) if day.partition == key)
    program = synthesize(days[:place], SynthesisOptions(history=history))
    return evaluate(program, now or days[place], days[:place])


def alarmed(days: Sequence[Profile], history: int = 30, after: int = 10) -> list[str]:
    """The partitions that alarm when every alarm is accepted, from a number of partitions on."""
    keys = [str(day.partition) for day in days[after:]]
    return [key for key in keys if judged(days, key, history=history).findings]
