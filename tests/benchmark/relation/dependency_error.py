"""Errors between rows that no profile of a column shows, put into a partition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.random import Generator

from airflow_dq.relation.base import Relation
from airflow_dq.relation.dependency import Counter, Dependency, Key

Error = Callable[[pa.Table, Relation, Generator], pa.Table]


def values_permuted(table: pa.Table, relation: Relation, rng: Generator) -> pa.Table:
    """The dependent's values of 5 % of the rows in another order: every distribution stays as it is."""
    rows = rng.choice(table.num_rows, max(2, table.num_rows // 20), replace=False)
    places = np.arange(table.num_rows)
    places[rows] = np.roll(rows, 1)
    return _with(table, relation.columns[-1], table.column(relation.columns[-1]).take(pa.array(places)))


def some_changed(table: pa.Table, relation: Relation, rng: Generator) -> pa.Table:
    """1 % of the rows have the dependent's value of another row."""
    places = np.arange(table.num_rows)
    rows = rng.choice(table.num_rows, max(1, table.num_rows // 100), replace=False)
    places[rows] = rng.integers(0, table.num_rows, len(rows))
    return _with(table, relation.columns[-1], table.column(relation.columns[-1]).take(pa.array(places)))


def one_renamed(table: pa.Table, relation: Relation, rng: Generator) -> pa.Table:
    """One determinant has the dependent's value of another one in all of its rows."""
    codes = table.column(relation.columns[0]).to_pylist()
    values = table.column(relation.columns[-1]).to_pylist()
    chosen, other = rng.integers(0, table.num_rows, 2).tolist()
    for _ in range(100):
        if values[other] != values[chosen]:
            break
        other = int(rng.integers(0, table.num_rows))
    changed = [values[other] if code == codes[chosen] else value for code, value in zip(codes, values, strict=True)]
    return _with(
        table, relation.columns[-1], pa.chunked_array([pa.array(changed, table.column(relation.columns[-1]).type)])
    )


def keys_repeated(table: pa.Table, relation: Relation, rng: Generator) -> pa.Table:
    """1 % of the rows have the key of another one."""
    places = np.arange(table.num_rows)
    rows = rng.choice(table.num_rows, max(1, table.num_rows // 100), replace=False)
    places[rows] = (rows + 1 + rng.integers(0, table.num_rows - 1, len(rows))) % table.num_rows
    for name in relation.columns:
        table = _with(table, name, table.column(name).take(pa.array(places)))
    return table


def one_multiplied(table: pa.Table, relation: Relation, rng: Generator) -> pa.Table:
    """One number ten times as large."""
    values = table.column(relation.columns[-1]).to_numpy().copy()
    values[int(np.argsort(values)[int(rng.uniform(0.3, 0.9) * len(values))])] *= 10
    return _with(table, relation.columns[-1], pa.chunked_array([pa.array(values)]))


ERRORS: dict[type[Relation], tuple[Error, ...]] = {
    Dependency: (values_permuted, some_changed, one_renamed),
    Key: (keys_repeated,),
    Counter: (values_permuted, one_multiplied),
}
"""What can go wrong with each kind."""


def _with(table: pa.Table, name: str, values: pa.ChunkedArray) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, values)
