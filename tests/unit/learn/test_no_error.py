"""A variant without an error lies inside every constraint that the clean partition satisfies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.corruption.clean_column import CleanColumn
from airflow_dq.corruption.extrapolation import Extrapolator
from airflow_dq.corruption.injection import Injected
from airflow_dq.metrics.evaluate import compare
from airflow_dq.metrics.registry import metrics_for, pools
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.profile.model import digest_states
from airflow_dq.program import SynthesisOptions, evaluate, synthesize

OPTIONS = ProfileOptions(sample_rows=200)


def day(seed: int) -> Profile:
    """Twenty times as many rows as the sample holds; the strings of one column are beyond the limit of counting."""
    rng = np.random.default_rng(seed)
    rows = 25_000
    table = pa.table(
        {
            "amount": rng.lognormal(3, 1, rows),
            "city": [f"town {number}" for number in (100 * rng.random(rows) ** 2).astype(int).tolist()],
            "user": [f"u{number}" for number in rng.permutation(60_000)[:rows].tolist()],
            "ok": rng.random(rows) < 0.7,
        }
    )
    return profile_table(table, f"d{seed:02}", OPTIONS)


@pytest.fixture(scope="module")
def days() -> list[Profile]:
    return [day(seed) for seed in range(9)]


def unharmed(profile: Profile) -> Profile:
    """The partition as the injection of nothing is extrapolated from its sample."""
    columns = {}
    for name, column in profile.columns.items():
        sample = profile.sample.expand([name]).column(name).combine_chunks()
        clean = CleanColumn(column.kind, sample)
        metrics, states = Extrapolator.of(column, clean, profile.row_count).extrapolate(Injected(clean, sample))
        states = {**column.states, **states}
        columns[name] = replace(
            column, metrics=metrics, states=states, states_digest=digest_states(states), distances={}
        )
    return replace(profile, columns=columns)


@pytest.mark.parametrize("mode", ["calibrated", "paper"])
def test_no_error_is_no_alarm(days: list[Profile], mode: str) -> None:
    *history, today = days
    options = SynthesisOptions(mode=mode, min_history=7, target_fpr=0.05)
    program = synthesize(history, options)
    clean, extrapolated = (evaluate(program, profile, history) for profile in (today, unharmed(today)))
    assert sum(len(column.clauses) for column in program.columns.values()) > 5
    for name, verdict in extrapolated.columns.items():
        assert verdict == clean.columns[name]
    broken = [[(one.scope, one.metric) for one in found.findings] for found in (clean, extrapolated)]
    assert broken[0] == broken[1]


def test_metrics_that_depend_on_the_size_are_those_of_the_partition(days: list[Profile]) -> None:
    today, before = unharmed(days[-1]), days[-2]
    for name, column in days[-1].columns.items():
        assert today.columns[name].metrics == column.metrics
        found = set()
        for pool in pools(column.kind):
            extrapolated = compare(column.kind, today.columns[name].states, before.columns[name].states, pool=pool)
            assert extrapolated == compare(column.kind, column.states, before.columns[name].states, pool=pool)
            found |= set(extrapolated)
        assert {entry.name for entry in metrics_for(column.kind, pair=True)} == found
