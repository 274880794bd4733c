"""Claimed against achieved: clean partitions alarm as often as the false-positive rate says, or less often.

Judged is the default scope, so that everything counts that can fail a gate.  Partitions are few, for each takes half a
second: ``python -m tests.benchmark.clean`` judges hundreds, and draws the plot.  What a test of this size notices is
shown by the ranges of half the width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest

from airflow_dq.learn.expect import surprise
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import Profile, profile_table
from tests.benchmark.clean.rate import rate
from tests.benchmark.clean.replay import judge
from tests.benchmark.program.dataset import recurring
from tests.benchmark.simulated.table import TUNING, SimulatedTable

TARGETS = (0.003, 0.01, 0.05)
MOST_COLUMNS = 6
TABLES = 4
HISTORY = 14
POINTS = 4
"""Partitions judged of each simulated table."""
CORPUS = Path(__file__).parents[3] / "shared" / "corpus"

Table = Sequence[Profile]


@pytest.fixture(scope="module")
def simulated() -> list[Table]:
    """The first narrow tables of those to tune on."""
    narrow = (seed for seed in TUNING if len(SimulatedTable.draw(seed, 1).columns) <= MOST_COLUMNS)
    return [list(_days(SimulatedTable.draw(seed, HISTORY + POINTS))) for seed in islice(narrow, TABLES)]


def _days(table: SimulatedTable) -> Iterator[Profile]:
    return (profile_table(table.partition(place), partition=day.key) for place, day in enumerate(table.days))


def alarmed(tables: Sequence[Table], target: float) -> Iterator[bool]:
    """Whether each partition with enough before it alarms."""
    options = SynthesisOptions(target_fpr=target)
    for profiles in tables:
        for place in range(HISTORY, len(profiles)):
            yield bool(judge(profiles[place - HISTORY : place], profiles[place], options))
