"""A small table over some days, with the program that is learned from it: what pages draw beyond a verdict."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache

import numpy as np
import pyarrow as pa

from airflow_dq.judge.evaluation import evaluate
from airflow_dq.judge.verdict import Verdict
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.learn.program import Program
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.report.course import Insight

FIRST = date(2026, 2, 2)
"""A Monday."""
DAYS = 14
SECRET = "wages"
"""The column whose values must not be shown."""


def key_of(day: int) -> str:
    """The key of a day, counted from the first."""
    return str(FIRST + timedelta(days=day))


@cache
def profile_of(day: int, factor: float = 1.0) -> Profile:
    """The table of a day; its prices and wages times a factor."""
    rng = np.random.default_rng(day)
    rows = 300 + int(rng.integers(0, 20))
    table = pa.table(
        {
            "price": rng.normal(100.0, 10.0, rows) * factor,
            "country": rng.choice(["de", "fr", "<us>"], rows, p=[0.6, 0.3, 0.1]),
            SECRET: rng.normal(4321.0, 10.0, rows) * factor,
        }
    )
    return profile_table(table, partition=key_of(day), options=ProfileOptions(hidden=(SECRET,)))


@cache
def history() -> tuple[Profile, ...]:
    """The days before the last."""
    return tuple(profile_of(day) for day in range(DAYS))


@cache
def program() -> Program:
    """What is learned from them."""
    return synthesize(history(), SynthesisOptions(min_history=7))


@cache
def insight(factor: float = 1.0) -> Insight:
    """The last day beside the days before."""
    found = Insight.of(program(), profile_of(DAYS, factor), history())
    assert found is not None
    return found


@cache
def verdict(factor: float = 1.0) -> Verdict:
    """The verdict on the last day."""
    return evaluate(program(), profile_of(DAYS, factor), history())
