from __future__ import annotations

import pyarrow as pa

from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.pattern import PatternDistribution, readable


def test_each_character_is_generalised() -> None:
    state = PatternDistribution.of(pa.array(["2022-03-01 (Monday)", "$19.99", "98052-1202", "١٢ é", None, ""]))
    assert sorted(readable(value) for value in state.values.to_pylist()) == sorted(
        [
            r"\d\d\d\d\.\d\d\.\d\d \.\l\l\l\l\l\l\.",
            r"\.\d\d\.\d\d",
            r"\d\d\d\d\d\.\d\d\d\d",
            r"\d\d \l",
        ]
    )


def test_values_of_one_format_are_one_pattern() -> None:
    state = PatternDistribution.of(pa.array(["N123AB", "N456CD", "n456cd", "N45CD"]))
    assert (state.distinct, state.total, state.count_of("ldddll")) == (2, 4, 3)


def test_patterns_and_values_are_never_equal_states() -> None:
    values = pa.array(["d"], pa.string())
    assert PatternDistribution.of(values) != CategoryDistribution.of(values)
    assert isinstance(PatternDistribution.of(values).merge(PatternDistribution.of(values)), PatternDistribution)
