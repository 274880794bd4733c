"""Errors between rows that no profile of a column shows, put into a partition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.random import Generator

from airflow_dq.relation.base import Relation
from airflow_dq.relation.dependency import Counter, Dependency, Key, Step
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.total import Total

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
    codes = list(zip(*(table.column(name).to_pylist() for name in relation.columns[:-1]), strict=True))
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


def some_unknown(table: pa.Table, relation: Relation, rng: Generator) -> pa.Table:
    """2 % of the rows have values of the first column that nobody has seen."""
    name = relation.columns[0]
    values = table.column(name).to_pylist()
    for place in rng.choice(len(values), max(2, len(values) // 50), replace=False).tolist():
        values[place] = f"{values[place]}?" if isinstance(values[place], str) else -values[place] - 0.5
    return _with(table, name, pa.chunked_array([pa.array(values, table.column(name).type)]))


def one_dropped(table: pa.Table, relation: Relation, rng: Generator) -> pa.Table:
    """One row is missing that has a number."""
    numbers = table.column(relation.columns[-1]).to_numpy()
    gone = int(rng.choice(np.flatnonzero(np.nan_to_num(numbers))))
    return table.take(pa.array(np.delete(np.arange(table.num_rows), gone)))


ERRORS: dict[type[Relation], tuple[Error, ...]] = {
    Dependency: (values_permuted, some_changed),
    Key: (keys_repeated,),
    Counter: (values_permuted, one_multiplied),
    Step: (values_permuted,),
    Inclusion: (some_unknown,),
    Total: (one_multiplied, one_dropped),
}
"""What can go wrong with each kind."""


def errors_of(relation: Relation) -> tuple[Error, ...]:
    """What can go wrong with a relation: a code has another name than before only where names last."""
    lasts = isinstance(relation, Dependency) and relation.lasting
    return (*ERRORS[type(relation)], *((one_renamed,) if lasts else ()))


def _with(table: pa.Table, name: str, values: pa.ChunkedArray) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, values)
