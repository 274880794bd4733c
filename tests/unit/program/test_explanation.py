from __future__ import annotations

from collections.abc import Sequence

import pytest

from airflow_dq.metrics.registry import Bound, MetricValue
from airflow_dq.profile.model import Profile
from airflow_dq.program.evaluation import evaluate
from airflow_dq.program.explanation import likely_cause, past_partitions
from airflow_dq.program.model import (
    Alert,
    Clause,
    ColumnProgram,
    Program,
    SynthesisOptions,
    TableProgram,
    Transform,
    TransformKind,
)
from airflow_dq.states.base import Kind
from tests.unit.program.builder import flights, with_metric

HISTORY = [flights(i) for i in range(12)]


def _alert(
    clause: Clause, value: MetricValue, kind: Kind = Kind.NUMERIC, history: Sequence[Profile] = HISTORY
) -> Alert:
    name = clause.column
    assert name is not None
    program = Program(
        SynthesisOptions(),
        tuple(p.partition for p in history),
        TableProgram(schema={}),
        {name: ColumnProgram(name, kind, (clause,), 60, 40)},
    )
    (alert,) = evaluate(program, with_metric(flights(12), name, {clause.metric: value}), history, [name]).alerts
    return alert


def _clause(metric: str = "mean", **changes: object) -> Clause:
    fields: dict[str, object] = {
        "metric": metric,
        "column": "air_time",
        "pair": False,
        "transform": Transform(),
        "lower": 148.234,
        "upper": 156.91,
        "fpr": 0.001,
        "bound": Bound.CHEBYSHEV,
        "center": 152.5,
        "spread": 0.1,
        "samples": 44,
    }
    return Clause(**{**fields, **changes})


def test_sentence_of_a_violated_clause() -> None:
    assert _alert(_clause(), 9061.0).message == (
        "air_time: mean was 9,061; expected 148.2 to 156.9 (44 past partitions); "
        "a false alarm at most 1 time in 1,000 (Chebyshev's inequality)."
    )


def test_alert_carries_the_numbers_and_the_history() -> None:
    alert = _alert(_clause(), 9061.0)
    assert (alert.rule, alert.column, alert.metric, alert.observed) == ("metric", "air_time", "mean", 9061.0)
    assert (alert.lower, alert.upper, alert.fpr, alert.bound) == (148.234, 156.91, 0.001, Bound.CHEBYSHEV)
    assert alert.history == tuple((p.partition, p.columns["air_time"].metrics["mean"]) for p in HISTORY)


def test_sentence_of_a_differenced_clause_says_what_it_was_compared_with() -> None:
    history = [with_metric(p, "air_time", {"mean": 100.0 + i}) for i, p in enumerate(HISTORY)]
    clause = _clause(transform=Transform(TransformKind.DIFF, 7), lower=-2.0, upper=3.5, bound=Bound.CLT, samples=37)
    alert = _alert(clause, 150.0, history=history)
    assert alert.message == (
        "air_time: mean was 150; expected 103 to 108.5 by its usual difference to the 105 of 2013-01-06, "
        "7 partitions before (44 past partitions); a false alarm about 1 time in 1,000 (normal distribution)."
    )
    assert (alert.lower, alert.upper) == (103.0, 108.5)


def test_sentence_of_a_constant_metric() -> None:
    clause = _clause("row_count", lower=50 - 5e-8, upper=50 + 5e-8, spread=0.0, fpr=1e-12, bound=Bound.CLT)
    assert _alert(clause, 51.0).message == (
        "air_time: number of rows was 51; expected exactly 50 (44 past partitions); "
        "it never changed in 44 partitions, so the chance of a false alarm cannot be estimated."
    )


def test_bounds_beyond_what_a_metric_can_be_are_not_mentioned() -> None:
    clause = _clause("complete_ratio", lower=0.95, upper=1.02)
    assert "share of complete values was 40%; expected at least 95% (" in _alert(clause, 0.4).message
    rows = _clause("row_count", lower=-5.0, upper=900.0)
    assert "number of rows was 4,000; expected at most 900 (" in _alert(rows, 4000.0).message


def test_a_near_miss_is_written_with_enough_digits_to_be_seen() -> None:
    assert "mean was 156.92; expected 148.23 to 156.91 " in _alert(_clause(), 156.92).message


def test_sentence_of_a_distance() -> None:
    clause = _clause("l1", column="carrier", pair=True, lower=None, upper=1e-6, bound=Bound.CANTELLI)
    message = _alert(clause, 0.0, Kind.STRING).message
    assert "carrier: L1 distance from the partition before was " in message
    assert "expected at most 1e-06 (45 past partitions); a false alarm at most 1 time in 1,000 (Cantelli" in message


def test_chart_of_a_distance_has_the_first_partition_without_a_value() -> None:
    clause = _clause("l1", column="carrier", pair=True, lower=None, upper=1e-6, bound=Bound.CANTELLI)
    history = _alert(clause, 0.0, Kind.STRING).history
    assert [partition for partition, _ in history] == [p.partition for p in HISTORY]
    assert [value is None for _, value in history] == [True] + [False] * 11


def test_number_of_past_partitions_counts_what_was_looked_at() -> None:
    assert past_partitions(_clause(samples=30)) == 30
    assert past_partitions(_clause(samples=29, pair=True)) == 30
    assert past_partitions(_clause(samples=23, transform=Transform(TransformKind.DIFF, 7))) == 30


@pytest.mark.parametrize(
    ("catches", "cause"),
    [
        (("unit_change x60", "unit_change x100"), "unit change"),
        (("casing_change 10%", "padding 50%"), "casing change or padding"),
        (("a 1%", "b 1%", "c 1%"), None),
        ((), None),
    ],
)
def test_likely_cause_only_when_few_errors_point_to_it(catches: tuple[str, ...], cause: str | None) -> None:
    assert likely_cause(_clause(catches=catches)) == cause
    ending = f" Typical of: {cause}." if cause else "inequality)."
    assert _alert(_clause(catches=catches), 9061.0).message.endswith(ending)
