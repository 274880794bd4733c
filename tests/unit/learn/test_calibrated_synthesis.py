"""Mode ``calibrated`` from a history to a verdict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.codec import from_json, to_json
from airflow_dq.learn.choose import column as choice
from airflow_dq.learn.expect.expectation import Expectation, Forecast
from airflow_dq.metrics.descriptor import Bound
from airflow_dq.profile import Profile, profile_table
from airflow_dq.program import Program, Status, SynthesisOptions, evaluate, synthesize
from airflow_dq.states.base import Kind
from tests.unit.learn.builder import column, profile, variant


def day(index: int, *, rows: int | None = None, factor: float = 1.0, lower: bool = False) -> Profile:
    """One day of a small flight table with a weekly cycle in its size."""
    rng = np.random.default_rng(index)
    count = rows if rows is not None else (300 if index % 7 in (5, 6) else 500) + int(rng.integers(-5, 6))
    codes = [f"N{number}" for number in rng.integers(100, 400, count)]
    table = pa.table(
        {
            "air_time": rng.normal(150.0, 20.0, count).round(1) * factor,
            "tail": [code.lower() if lower else code for code in codes],
            "blob": pa.array([b"x"] * count, pa.binary()),
        }
    )
    return profile_table(table, partition=f"2013-01-{index + 1:02d}")


HISTORY = [day(index) for index in range(29)]
PROGRAM = synthesize(HISTORY)


def verdict(profile: Profile, program: Program = PROGRAM) -> tuple[Status, set[str | None]]:
    found = evaluate(program, profile, HISTORY)
    return found.status, {alert.column for alert in found.alerts}


def test_the_next_day_passes_and_every_column_was_checked() -> None:
    found = evaluate(PROGRAM, day(29), HISTORY)
    assert found.status is Status.PASS
    assert all(scope.checked for scope in found.columns.values())


def test_a_change_of_unit_and_of_case_name_their_columns() -> None:
    assert verdict(day(29, factor=60.0)) == (Status.FAIL, {"air_time"})
    assert verdict(day(29, lower=True)) == (Status.FAIL, {"tail"})


def test_the_row_count_is_judged_once_against_its_weekday() -> None:
    (clause,) = PROGRAM.table.clauses
    assert (clause.column, clause.metric, clause.bound) == (None, "row_count", Bound.POOLED)
    assert clause.expectation == Expectation(Forecast.SEASON, logarithmic=True, cycle=7)
    assert not any(c.metric == "row_count" for column in PROGRAM.columns.values() for c in column.clauses)
    found = evaluate(PROGRAM, day(29, rows=50), HISTORY)
    assert found.table.status is Status.FAIL
    assert found.alerts[0].column is None
    assert found.alerts[0].message.startswith("the table: number of rows was 50; expected ")
    assert len(found.alerts[0].history) == 29


def test_one_unusual_week_does_not_make_the_next_one_unusual() -> None:
    storm = [*HISTORY[:22], day(22, rows=120), *HISTORY[23:]]
    found = evaluate(synthesize(storm), day(29), storm)
    assert found.table.status is Status.PASS


def test_the_budget_of_a_table_is_never_exceeded() -> None:
    spent = sum(clause.fpr for clause in PROGRAM.table.clauses)
    spent += sum(column.fpr for column in PROGRAM.columns.values())
    assert spent <= PROGRAM.options.target_fpr * (1 + 1e-9)


def test_a_column_without_injected_errors_is_judged_by_all_its_metrics() -> None:
    bare = [replace(profile, sample=None, variants={}) for profile in HISTORY]
    program = synthesize(bare)
    assert len(program.columns["air_time"].clauses) > 10
    assert program.columns["air_time"].fpr <= program.options.target_fpr
    assert verdict(day(29), program)[0] is Status.PASS
    assert verdict(day(29, factor=60.0), program)[0] is Status.FAIL
    assert [clause.metric for clause in PROGRAM.columns["blob"].clauses] == ["complete_ratio", "size_mean"]


def test_paper_mode_uses_no_metric_that_the_paper_does_not_have() -> None:
    program = synthesize(HISTORY, SynthesisOptions(mode="paper"))
    used = {clause.metric for column in program.columns.values() for clause in column.clauses}
    assert not used & {"std", "p05", "p95", "lower_len", "new_ratio", "entropy"}
    assert program.table.clauses == ()


@pytest.mark.parametrize(
    ("margins", "partitions", "chosen"),
    [((0.5,), 24, {"median"}), ((), 24, {"max"}), ((0.5,), 12, {"max"})],
    ids=["margins", "no margins", "short history"],
)
def test_of_two_metrics_that_catch_an_error_the_one_that_catches_it_clearly_is_watched(
    monkeypatch: pytest.MonkeyPatch, margins: tuple[float, ...], partitions: int, chosen: set[str]
) -> None:
    # The history's maximum is always 100: the error's 182.5 is just above what one that never moved may rise by.
    values, wrong = [10.0] * 99 + [100.0], [20.0] * 99 + [182.5]
    *earlier, newest = (profile(f"{i:02d}", column("amount", Kind.NUMERIC, values)) for i in range(partitions))
    newest = replace(newest, variants={"amount": (variant(Kind.NUMERIC, "unit_change x2", wrong),)})
    monkeypatch.setattr(choice, "MARGINS", margins)
    program = synthesize([*earlier, newest], SynthesisOptions(scope="column", metrics=("max", "median")))
    assert {clause.metric for clause in program.columns["amount"].clauses} == chosen
    assert (program.columns["amount"].variants, program.columns["amount"].coverage) == (1, 1)


@pytest.mark.parametrize("target", [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("count", [14, 30])
def test_what_the_choice_leaves_of_the_budget_makes_tighter_ranges(target: float, count: int) -> None:
    column = synthesize(HISTORY[-count:], SynthesisOptions(scope="column", target_fpr=target)).columns["air_time"]
    assert 0.5 * target < column.fpr <= target


@pytest.mark.parametrize("scope", ["partition", "column"])
def test_a_program_survives_its_json(scope: str) -> None:
    program = synthesize(HISTORY, SynthesisOptions(scope=scope))  # type: ignore[arg-type]
    assert from_json(Program, to_json(program)) == program
