"""Rows that add up the others are found where they always do, and where no row is missing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.relation.base import Relation
from airflow_dq.relation.rows_search import RowsSearch
from airflow_dq.relation.total import Total
from tests.benchmark.relation.dependency_table import name_of, totals

ALL = Total("region", "All", "cases")


def countries(
    number: int, *, label: str | None = "All", total: Callable[[np.ndarray], float] = np.sum, regions: int = 20
) -> list[pa.Table]:
    rng, tables = np.random.default_rng(3), []
    for _ in range(number):
        cases = rng.poisson(500, regions).astype(float)
        names = pa.array([*(f"R{one}" for one in range(regions)), label], pa.large_string())
        tables.append(pa.table({"region": names, "cases": [*cases, total(cases)]}))
    return tables


def found(tables: list[pa.Table], **known: object) -> list[Relation]:
    search = RowsSearch.of(tables, **known)  # type: ignore[arg-type]
    return [one.relation for one in search.found() if isinstance(one.relation, Total)]


@pytest.mark.parametrize("label", ["All", None])
def test_the_row_of_a_total_is_found_by_its_name_or_by_having_none(label: str | None) -> None:
    assert found(countries(8, label=label)) == [Total("region", label or "", "cases")]


@pytest.mark.parametrize("other", [np.mean, np.max, lambda cases: cases.sum() + 1, lambda cases: cases[1:].sum()])
def test_what_is_nearly_a_total_is_none(other: Callable[[np.ndarray], float]) -> None:
    search = RowsSearch.of(countries(8, total=other))
    assert not any(isinstance(one, Total) for one in [*search.candidates(), *(one.relation for one in search.found())])


def test_what_one_partition_cannot_tell_is_tried() -> None:
    search = RowsSearch.of(countries(1))
    assert ALL not in [one.relation for one in search.found()]
    assert ALL in search.candidates()


def test_nothing_is_added_up_of_partitions_of_which_rows_were_drawn() -> None:
    assert found(countries(8), drawn=range(8)) == []
    assert found(countries(16), drawn=range(8)) == [ALL]


def test_no_value_of_a_hidden_column_is_named_and_no_hidden_number_added_up() -> None:
    assert found(countries(8), hidden=["region"]) == []
    assert found(countries(8), uncounted=["cases"], hidden=["cases"]) == []


def test_a_copy_of_the_only_other_number_is_no_total() -> None:
    def one_place(cases: np.ndarray) -> float:
        cases[1:] = 0.0
        return float(cases[0])

    assert found(countries(8, total=one_place)) == []


@pytest.mark.parametrize("seed", range(4))
def test_totals_of_a_cube_are_found_once_and_nothing_that_looks_like_one(seed: int) -> None:
    planted = totals(seed)
    names = {name_of(one) for one in found(planted.partitions)}
    assert names == {name for name in planted.relations if name[0] == "total"}
