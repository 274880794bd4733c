"""Ranges on days with far fewer rows than usual, and on the days after them."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.judge.evaluation import evaluate
from airflow_dq.judge.verdict import Status
from airflow_dq.learn.constraint.base import Finding
from airflow_dq.learn.constraint.novelty import NoNovelty
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.metrics.registry import get_metric
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import profile_table
from airflow_dq.states.base import Kind

MONDAY = date(2026, 1, 5)
USUAL, THIN = 600, 40
CODES = [f"K{number}" for number in range(40)]


def rows_of(place: int) -> int:
    """Sundays have hardly any rows."""
    return THIN if place % 7 == 6 else USUAL


@cache
def day(place: int, rows: int | None = None, *, scale: float = 1.0, nulls: float = 0.0) -> Profile:
    """A day's partition: amounts and codes."""
    rng = np.random.default_rng(place)
    size = rows_of(place) if rows is None else rows
    weights = 1.0 / np.arange(1, len(CODES) + 1)
    amounts = pa.array(scale * rng.gamma(4.0, 10.0, size), mask=rng.random(size) < nulls)
    table = pa.table({"amount": amounts, "code": rng.choice(CODES, size, p=weights / weights.sum()).tolist()})
    return profile_table(table, partition=str(MONDAY + timedelta(place)))


def broken(history: list[Profile], now: Profile) -> set[str | None]:
    """The metrics whose ranges the partition leaves."""
    verdict = evaluate(synthesize(history, SynthesisOptions()), now, history)
    return {finding.metric for finding in verdict.findings}


def test_the_day_after_a_first_thin_day_is_compared_with_an_ordinary_one() -> None:
    history = [day(place) for place in range(7)]
    assert broken(history, day(7)) == set()


@pytest.mark.parametrize("place", [28, 34, 41, 48, 55, 62])
def test_a_thin_day_may_stray_as_far_as_its_few_rows_let_it(place: int) -> None:
    assert broken([day(past) for past in range(place)], day(place)) == set()


@cache
def items(place: int, rows: int | None = None, *, more: int = 0) -> Profile:
    """A day of small counts."""
    rng = np.random.default_rng([5, place])
    counts = rng.poisson(2.0, rows_of(place) if rows is None else rows) + more
    return profile_table(pa.table({"items": counts}), partition=str(MONDAY + timedelta(place)))


@pytest.mark.parametrize("place", [34, 41, 48, 55, 62, 69])
def test_a_quantile_of_few_counts_is_another_one_on_a_thin_day(place: int) -> None:
    """It never moved in hundreds of rows; of forty the share up to it is off by three times as much."""
    history = [items(past) for past in range(place)]
    assert broken(history, items(place)) == set()
    assert broken(history, items(place, more=3)) != set()


@pytest.mark.parametrize(("rows", "drawn"), [(2 * USUAL, (0.0, 0.0)), (THIN, (1.0, 1.0)), (1, (1.0, 1.0))])
def test_only_few_values_move_a_quantile_and_none_fewer_than_ever(rows: int, drawn: tuple[float, float]) -> None:
    view = PartitionView(items(34, rows), History.of([items(past) for past in range(34)]))
    quantile = get_metric("p25", Kind.NUMERIC)
    assert quantile is not None
    assert view.amount(view.past("items", Kind.NUMERIC), quantile).drawn == drawn


@pytest.mark.parametrize("place", [30, 34])
def test_errors_are_found_on_ordinary_and_on_thin_days(place: int) -> None:
    history = [day(past) for past in range(place)]
    assert "mean" in broken(history, day(place, scale=60.0))
    assert "complete_ratio" in broken(history, day(place, nulls=0.9))


def test_a_thin_day_that_is_odder_than_thin_days_are_is_novel_as_a_whole() -> None:
    history = [day(past) for past in range(55)]
    constraints = synthesize(history, SynthesisOptions()).constraints
    (alike,) = (one for one in constraints if isinstance(one, NoNovelty))
    assert alike.check(PartitionView(day(55), History.of(history))) is None
    assert alike.check(PartitionView(day(55, scale=1.5, nulls=0.3), History.of(history))) is not None


@pytest.mark.parametrize("lost", [0.5, 0.9, 0.99])
def test_fewer_rows_than_ever_excuse_nothing(lost: float) -> None:
    history = [day(past, USUAL) for past in range(20)]
    program = synthesize(history, SynthesisOptions())
    few = evaluate(program, day(20, int((1.0 - lost) * USUAL), scale=60.0), history)
    assert few.status is Status.FAIL
    assert {"row_count", "mean"} <= {finding.metric for finding in few.findings}


@pytest.mark.parametrize(("rows", "found"), [(THIN, False), (USUAL, True)])
def test_a_thin_day_may_have_no_value_of_a_column_that_is_mostly_empty(rows: int, found: bool) -> None:
    def noted(place: int, size: int, share: float) -> Profile:
        notes = np.random.default_rng(place).random(size) < share
        notes[0] = share > 0.0
        column = pa.array(np.where(notes, "seen", None).tolist(), pa.string())
        return profile_table(pa.table({"id": range(size), "note": column}), partition=str(MONDAY + timedelta(place)))

    history = [noted(past, rows_of(past), 0.05) for past in range(34)]
    alike = [one for one in synthesize(history, SynthesisOptions()).constraints if one.scope.columns == ("note",)]
    now = PartitionView(noted(34, rows, 0.0), History.of(history))
    ranges = [one for one in alike if isinstance(one, Range) and one.metric != "complete_ratio"]
    assert ranges
    assert any(isinstance(one.check(now), Finding) for one in ranges) is found


def of_numbers(place: int, numbers: list[float]) -> Profile:
    """A day of one column of numbers."""
    return profile_table(
        pa.table({"number": pa.array(numbers, pa.float64())}), partition=str(MONDAY + timedelta(place))
    )


@pytest.mark.parametrize("constant", [0.0, 5.0])
@pytest.mark.parametrize("size", [1.0, 1e3, 1e9, -1e9])
def test_a_single_value_that_differs_from_all_others_is_told_however_large_it_is(constant: float, size: float) -> None:
    history = [of_numbers(place, 90 * [constant]) for place in range(7)]
    assert {"mean", "std"} & broken(history, of_numbers(7, [*(89 * [constant]), constant + size]))


@pytest.mark.parametrize(("value", "found"), [("large", False), ("huge", True)])
def test_values_that_the_partition_before_happens_to_lack_are_not_new(value: str, found: bool) -> None:
    """One of ten birds is large, and in a month of few none was."""

    def birds(place: int, others: list[str]) -> Profile:
        sizes = [*(40 * ["small"]), *(24 * ["medium"]), *others]
        return profile_table(pa.table({"size": sizes}), partition=str(MONDAY + timedelta(place)))

    history = [birds(place, (3 + place % 3) * ["large"]) for place in range(6)]
    new = {"new_ratio", "unseen_ratio"} & broken([*history, birds(6, 6 * ["medium"])], birds(7, 6 * [value]))
    assert bool(new) is found
