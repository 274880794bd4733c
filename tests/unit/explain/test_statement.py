from __future__ import annotations

from dataclasses import replace

from airflow_dq.explain.statement import statement_of
from airflow_dq.learn.constraint.base import TABLE, Evidence, Finding
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.descriptor import MetricValue, Reason
from airflow_dq.states.base import Kind
from tests.unit.learn.builder import a_range, flights

RANGE = a_range("mean", 90.0, 110.0, column="price", partitions=30)
VIEW = PartitionView(flights(1), History.of([flights(0)]))


def _statement(
    observed: MetricValue, lower: float | None, upper: float | None, clause: Range = RANGE, kind: Kind = Kind.NUMERIC
) -> str:
    evidence = None if isinstance(observed, Reason) else Evidence(900.0, 20.0, 1, 30)
    finding = Finding("range", clause.scope, clause.metric, observed, lower=lower, upper=upper, evidence=evidence)
    return statement_of(replace(clause, kind=kind), finding, VIEW)


def test_what_was_seen_and_expected() -> None:
    assert _statement(1000.0, 90.0, 110.0) == (
        "mean was 1,000; expected 90 to 110 (30 past partitions); 45 times the largest deviation in 30 partitions."
    )


def test_one_bound() -> None:
    assert "expected at most 110 (" in _statement(1000.0, None, 110.0)
    assert "expected at least 90 (" in _statement(1.0, 90.0, None)
    assert "expected another change (" in _statement(1.0, None, None)


def test_a_bound_beyond_what_the_metric_can_be_is_left_out() -> None:
    ratio = replace(RANGE, metric="complete_ratio")
    assert "was 40%; expected at least 95% (" in _statement(0.4, 0.95, 1.2, ratio)


def test_a_metric_that_never_changed_is_expected_exactly() -> None:
    constant = replace(RANGE, spread=0.0)
    assert "was 101; expected exactly 100 (" in _statement(101.0, 100.0, 100.0, constant)


def test_a_metric_without_a_value_says_why() -> None:
    assert _statement(Reason.NO_VALUES, 90.0, 110.0) == (
        "mean has no value (there is no usable value in it); it had one in 30 past partitions."
    )


def test_counts_are_written_in_full() -> None:
    rows = replace(RANGE, metric="row_count", scope=TABLE)
    assert _statement(4000.0, 100.0, 900.0, rows).startswith("number of rows was 4,000; expected 100 to 900 (")


def test_times_are_written_as_times() -> None:
    latest = replace(RANGE, metric="max")
    assert "max was 1970-01-02 00:00:00; expected at most 1970-01-01 00:00:00 (" in (
        _statement(86_400.0, None, 0.0, latest, Kind.TIMESTAMP)
    )
