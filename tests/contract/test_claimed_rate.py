"""Claimed against achieved: clean partitions alarm as often as the false-positive rate says, or less often.

Judged is the default scope, so that everything counts that can fail a gate.  Partitions are few, for each takes a fifth
of a second: ``python -m tests.benchmark.clean`` judges hundreds, and draws the plot.  What a test of this size notices
is shown by the ranges of half the width.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import pytest

from airflow_dq.learn.expect import surprise
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import Profile, profile_table
from tests.benchmark.clean.rate import Rate
from tests.benchmark.clean.replay import judge
from tests.benchmark.simulated.table import TUNING, SimulatedTable

TARGETS = (0.05, 0.01, 0.003)
"""The largest one first."""
MOST_COLUMNS = 6
TABLES = 4
HISTORY = 14
POINTS = 6
"""Partitions judged of each simulated table."""

Table = Sequence[Profile]


@pytest.fixture(scope="module")
def simulated() -> list[Table]:
    """The first narrow tables of those to tune on."""
    narrow = (seed for seed in TUNING if len(SimulatedTable.draw(seed, 1).columns) <= MOST_COLUMNS)
    return [list(_days(SimulatedTable.draw(seed, HISTORY + POINTS))) for seed in islice(narrow, TABLES)]


def _days(table: SimulatedTable) -> Iterator[Profile]:
    return (profile_table(table.partition(place), partition=day.key) for place, day in enumerate(table.days))


def achieved(tables: Sequence[Table]) -> dict[float, Rate]:
    """How many of the partitions with enough before them alarm, by target.

    What passes at one target is taken to pass at every smaller one.
    """
    alarms, judged = dict.fromkeys(TARGETS, 0), 0
    for profiles in tables:
        for place in range(HISTORY, len(profiles)):
            judged += 1
            for target in TARGETS:
                if not judge(profiles[place - HISTORY : place], profiles[place], SynthesisOptions(target_fpr=target)):
                    break
                alarms[target] += 1
    return {target: Rate(count, judged) for target, count in alarms.items()}


def broken(found: Mapping[float, Rate]) -> dict[float, str]:
    """The targets that the rates do not keep."""
    return {target: str(rate) for target, rate in found.items() if not rate.keeps(target)}


def test_simulated_tables_alarm_no_more_often_than_claimed(simulated: list[Table]) -> None:
    found = achieved(simulated)
    assert {rate.judged for rate in found.values()} == {TABLES * POINTS}
    assert not broken(found)


def test_ranges_of_half_the_width_alarm_more_often_than_claimed(
    simulated: list[Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The width is a root of the chance.
    monkeypatch.setattr(surprise, "CHANCE", surprise.CHANCE * 0.5 ** surprise.tail(HISTORY))
    monkeypatch.setattr(surprise, "LEAST", 0.5 * surprise.LEAST)
    assert TARGETS[0] in broken(achieved(simulated))
