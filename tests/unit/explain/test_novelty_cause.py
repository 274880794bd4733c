"""A partition that is odd as a whole is told by what happened to the columns that make it so."""

from __future__ import annotations

import numpy as np
import pytest

from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.novelty import novel_causes
from airflow_dq.explain.previous import PreviousPartition
from airflow_dq.learn.constraint.base import TABLE, Finding
from airflow_dq.states.base import Kind
from tests.unit.learn.builder import column, day, profile

DAYS, ROWS = 10, 600
NAMES = ("speed", "fuel")


def _numbers(index: int, name: str) -> np.ndarray:
    return np.random.default_rng([index, NAMES.index(name)]).normal(96.0, 20.0, ROWS).round()


HISTORY = [
    profile(day(index), *(column(name, Kind.NUMERIC, _numbers(index, name)) for name in NAMES)) for index in range(DAYS)
]


def _compared(name: str) -> Comparison | None:
    now = profile(
        day(DAYS),
        column("speed", Kind.NUMERIC, np.minimum(_numbers(DAYS, "speed"), 110.0)),
        column("fuel", Kind.NUMERIC, _numbers(DAYS, "fuel")),
    )
    return Comparison.of(name, now, HISTORY, PreviousPartition(HISTORY[-1]))


def _novel(*attributes: tuple[str, float]) -> dict[str, str]:
    finding = Finding("novelty", TABLE, attributes=tuple((name, "max", share) for name, share in attributes))
    return {name: str(cause.fact) for name, cause in novel_causes([finding], _compared).items()}


def test_the_column_that_is_responsible_tells_what_happened() -> None:
    assert _novel(("speed", 0.7), ("fuel", 0.3)) == {"speed": "has nothing above 110 and is exactly that"}


@pytest.mark.parametrize("attributes", [[("fuel", 1.0)], [("speed", 0.1), ("fuel", 0.9)], []])
def test_no_cause_where_none_shows(attributes: list[tuple[str, float]]) -> None:
    assert _novel(*attributes) == {}


def test_a_new_value_is_told_as_such_though_nothing_proves_it() -> None:
    def kinds(index: int, *more: str) -> list[str]:
        return np.random.default_rng(index).choice(["car", "van", "bus", *more], ROWS).tolist()

    history = [profile(day(index), column("kind", Kind.STRING, kinds(index))) for index in range(DAYS)]
    now = profile(day(DAYS), column("kind", Kind.STRING, kinds(DAYS, "tram")))
    finding = Finding("novelty", TABLE, attributes=(("kind", "unseen_ratio", 1.0),))
    compared = Comparison.of("kind", now, history, PreviousPartition(history[-1]))
    assert novel_causes([finding], lambda name: compared)["kind"].fact == "has the new value 'tram'"
