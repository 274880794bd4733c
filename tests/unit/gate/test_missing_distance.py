"""What is assumed for distances that can no longer be measured."""

from __future__ import annotations

from dataclasses import replace

from airflow_dq.gate.missing_distance import assume_missing
from airflow_dq.learn.history.baseline import Baseline
from airflow_dq.learn.history.distance import Distances
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind

MEASURED = (3, 6)
"""Places of the partitions whose distances are kept."""


def history() -> History:
    """Ten partitions without states, whose distances from the one before are kept here and there."""
    columns: list[ColumnProfile] = []
    for place in range(10):
        column = ColumnProfile("x", Kind.BOOLEAN, "bool", {"true_ratio": place / 10}, states_digest="dropped")
        if place in MEASURED:
            values = {one.name: place / 100 for one in metrics_for(Kind.BOOLEAN, pair=True) if one.pool == 1}
            column = replace(column, distances={columns[-1].fingerprint: values})
        columns.append(column)
    profiles = [Profile(f"2026-01-{place + 1:02}", 10, {"x": one}) for place, one in enumerate(columns)]
    return History.of(profiles, distances=Distances())


def test_a_gap_is_filled_by_the_partition_before_or_else_by_the_next_one() -> None:
    past = history()
    assume_missing(past)
    columns = [one.columns["x"] for one in past.profiles]
    found = []
    for place in range(1, len(columns)):
        before = Baseline.of(columns[:place], Kind.BOOLEAN, 1)
        assert before is not None
        found.append(set(past.distances.between(columns[place], before).values()))
    assert found == [{0.03}] * 5 + [{0.06}] * 4
