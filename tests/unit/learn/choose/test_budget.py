"""Who gets how much of a table's false-alarm budget."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.learn.choose.budget import LEVELS, allot
from airflow_dq.learn.constraint.range_detector import OF_ROWS
from airflow_dq.options.learning import ColumnOptions
from airflow_dq.profile import profile_table
from airflow_dq.program import SynthesisOptions, synthesize


def spent(levels: dict[str, int]) -> float:
    return sum(LEVELS[level] for level in levels.values())


def test_where_nothing_is_bought_all_get_equal_shares() -> None:
    assert allot({"a": [5, 5, 5], "b": [3, 3, 3]}) == {"a": 1, "b": 1}
    assert allot({"a": [5]}) == {"a": 0}
    # With one constraint more another may no longer be paid for: then less is better.
    assert allot({"a": [5, 4, 4]}) == {"a": 0}
    assert allot({}) == {}


def test_the_column_that_gains_most_gets_what_the_others_leave() -> None:
    satisfied = {f"s{i}": [9, 9] for i in range(4)}
    # Five columns have 2.5 shares to give: one step of 1.5 and two of 0.5, or five of 0.5.
    assert allot({**satisfied, "hard": [2, 2, 9]}) == {"s0": 1, "s1": 1, "s2": 0, "s3": 0, "hard": 2}
    assert allot({f"c{i}": [0, 1, 1] for i in range(5)}) == {f"c{i}": 1 for i in range(5)}
    assert allot({"alone": [0, 1, 9]}) == {"alone": 1}


def test_the_steps_are_the_best_there_are_up_to_one() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        caught = {f"c{i}": np.sort(rng.integers(0, 20, len(LEVELS))).tolist() for i in range(5)}
        found = allot(caught)
        assert spent(found) <= len(caught)
        gained = sum(caught[name][level] for name, level in found.items())
        best = max(
            sum(caught[name][level] for name, level in zip(caught, levels, strict=True))
            for levels in itertools.product(range(len(LEVELS)), repeat=len(caught))
            if sum(LEVELS[level] for level in levels) <= len(caught)
        )
        # A greedy choice may miss what one more step would have brought.
        assert best - max(max(steps) - min(steps) for steps in caught.values()) <= gained <= best


def _tables(days: int) -> list[pa.Table]:
    """A column whose errors are all caught at once, and ones that vary much."""
    tables = []
    for day in range(days):
        rng = np.random.default_rng(day)
        columns = {f"wild{i}": rng.lognormal(rng.normal(0.0, 0.5), 1.0, 300) for i in range(4)}
        tables.append(pa.table({**columns, "still": np.full(300, 7.0)}))
    return tables


def test_columns_together_never_spend_more_than_the_table_may() -> None:
    history = [profile_table(table, partition=f"{i:02}") for i, table in enumerate(_tables(20))]
    target = 0.01
    program = synthesize(history, SynthesisOptions(target_fpr=target))
    table = sum(clause.fpr for clause in program.table.clauses)
    assert sum(column.fpr for column in program.columns.values()) + table <= target
    equal = synthesize(history, SynthesisOptions(target_fpr=(1.0 - OF_ROWS) * target / 5, scope="column"))
    caught, before = (sum(column.coverage for column in one.columns.values()) for one in (program, equal))
    assert caught >= before


def test_a_column_with_a_rate_of_its_own_takes_no_part() -> None:
    history = [profile_table(table, partition=f"{i:02}") for i, table in enumerate(_tables(12))]
    own = SynthesisOptions(target_fpr=0.01, overrides={"wild0": ColumnOptions(target_fpr=0.002)})
    alone = SynthesisOptions(target_fpr=0.002, scope="column", columns=("wild0",))
    assert synthesize(history, own).columns["wild0"].clauses == synthesize(history, alone).columns["wild0"].clauses
    assert pytest.approx(0.0) != synthesize(history, own).columns["wild1"].fpr
