"""What the benchmark of people's answers counts, on next to nothing."""

from __future__ import annotations

import pytest

from airflow_dq.program import SynthesisOptions
from tests.benchmark.answers import series, walk
from tests.unit.learn.builder import flights


def test_a_walk_counts_alarms_and_those_that_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "FIRST", 8)
    profiles = [flights(index, minutes=900.0 if index in (8, 10) else 150.0) for index in range(11)]
    total = walk.walk(profiles, SynthesisOptions(metrics=("mean",), history=8), heeded=True, every=2)
    assert (total.judged, total.alarmed >= 1) == (3, True)
    assert total.alarms == sum(total.by_times.values()) >= total.alarmed
    assert total.repeated == total.alarms - total.by_times[0]
    assert total.caught <= total.injected
    total += total
    assert total.judged == 6


def test_a_larger_factor_repeats_no_more_alarms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "DAYS", 40)
    found = list(series.lines(1))
    assert len(found) == len(series.DRAWS) * len(series.GROWTHS)
    assert found[0].startswith("t3, x 1 up to 1: ")
