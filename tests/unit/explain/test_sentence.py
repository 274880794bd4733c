from __future__ import annotations

from dataclasses import replace

from airflow_dq.learn.model import Clause, ClauseResult, Transform

from airflow_dq.explain.sentence import sentence_of
from airflow_dq.judge.verdict import Status
from airflow_dq.metrics.descriptor import Bound, Reason
from airflow_dq.metrics.registry import MetricValue
from airflow_dq.states.base import Kind

CLAUSE = Clause(
    metric="mean",
    column="price",
    pair=False,
    transform=Transform(),
    lower=90.0,
    upper=110.0,
    fpr=0.001,
    bound=Bound.CHEBYSHEV,
    center=100.0,
    spread=1.0,
    samples=30,
)
CHANCE = "a false alarm at most 1 time in 1,000 (Chebyshev's inequality)"


def _sentence(
    observed: MetricValue, lower: float | None, upper: float | None, clause: Clause = CLAUSE, kind: Kind = Kind.NUMERIC
) -> str:
    return sentence_of(ClauseResult(clause, Status.FAIL, observed, None, (lower, upper)), kind)


def test_what_was_seen_and_expected() -> None:
    assert _sentence(1000.0, 90.0, 110.0) == (
        f"price: mean was 1,000; expected 90 to 110 (30 past partitions); {CHANCE}."
    )


def test_one_bound() -> None:
    assert "expected at most 110 (" in _sentence(1000.0, None, 110.0)
    assert "expected at least 90 (" in _sentence(1.0, 90.0, None)
    assert "expected another change (" in _sentence(1.0, None, None)


def test_a_bound_beyond_what_the_metric_can_be_is_left_out() -> None:
    ratio = replace(CLAUSE, metric="complete_ratio")
    assert "was 40%; expected at least 95% (" in _sentence(0.4, 0.95, 1.2, ratio)


def test_a_metric_that_never_changed_is_expected_exactly() -> None:
    constant = replace(CLAUSE, spread=0.0)
    assert "was 101; expected exactly 100 (" in _sentence(101.0, 100.0, 100.0, constant)


def test_a_metric_without_a_value_says_why() -> None:
    assert _sentence(Reason.NO_VALUES, 90.0, 110.0) == (
        "price: mean has no value (there is no usable value in it); it had one in each of the 30 past partitions."
    )


def test_the_whole_table_is_the_subject_of_its_clauses() -> None:
    rows = replace(CLAUSE, metric="row_count", column=None)
    assert _sentence(4000.0, 100.0, 900.0, rows).startswith("the table: number of rows was 4,000; expected 100 to 900 ")


def test_times_are_written_as_times() -> None:
    latest = replace(CLAUSE, metric="max")
    assert "max was 1970-01-02 00:00:00; expected at most 1970-01-01 00:00:00 (" in (
        _sentence(86_400.0, None, 0.0, latest, Kind.TIMESTAMP)
    )
