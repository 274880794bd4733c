"""Relations between rows, mined of samples of several partitions."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace

import pyarrow as pa

from airflow_dq.relation.base import Relation
from airflow_dq.relation.coded import MOST_COLUMNS, Coded
from airflow_dq.relation.composite_search import find_composites
from airflow_dq.relation.dependency import ANY_RISE, Counter, Dependency
from airflow_dq.relation.dependency_search import find_dependencies, find_edges
from airflow_dq.relation.found import Mined
from airflow_dq.relation.key_search import find_counters, find_keys, repeated
from airflow_dq.relation.step_search import find_steps

log = logging.getLogger(__name__)

CONSTANT = 0.9
"""A column of which two rows agree so often says nothing of what a key keeps."""
MOST_CANDIDATES = 20
"""Attributes of a key that are tried, those of the first columns: each is counted in a few scans."""


def mine_between(tables: Sequence[pa.Table], uncounted: Collection[str] = (), dataset: str = "") -> list[Mined]:
    """The dependencies, keys and counters that a sample of rows shows, the ones that are surest first of each kind.

    :param tables: rows of partitions in canonical types, oldest first
    :param uncounted: columns whose numbers count nothing, or must not be kept
    :param dataset: for the log
    """
    rows = Coded.of(tables)
    if rows.left_out:
        log.info(
            "Dataset %r: dependencies are looked for among the first %d columns; %d are left out.",
            dataset,
            MOST_COLUMNS,
            rows.left_out,
        )
    if len(rows.part) < 2:
        return []
    keys = find_keys(rows)
    counters = find_counters(rows, keys, uncounted)
    counted = {one.relation.columns for one in counters}
    # A number that seldom rises is a counter all the same, and no attribute.
    dependencies = [one for one in _dependencies(rows, uncounted) if one.relation.columns not in counted]
    return [*dependencies, *keys, *counters, *_steps(rows, keys, uncounted)]


def _dependencies(rows: Coded, uncounted: Collection[str]) -> list[Mined]:
    """On one column, then on two."""
    edges = find_edges(rows)
    return [*find_dependencies(rows, edges), *find_composites(rows, edges, uncounted)]


def _steps(rows: Coded, keys: Sequence[Mined], uncounted: Collection[str]) -> list[Mined]:
    """Of the first key that comes again."""
    for key in keys:
        before, after = repeated(rows, key.relation.columns)
        if len(before):
            return find_steps(rows, key.relation.columns, before, after, uncounted)
    return []


def candidates(tables: Sequence[pa.Table], uncounted: Collection[str] = ()) -> list[Relation]:
    """What may last from one partition to the next, where too few were drawn to tell: later ones confirm it, or do not.

    Of each dependency within partitions that it lasts; and of the first key that its attributes do, and that numbers
    do not fall.

    :param tables: as above
    :param uncounted: as above
    """
    rows = Coded.of(tables)
    if len(rows.part) < 2:
        return []
    found: list[Relation] = [
        replace(one.relation, lasting=True)
        for one in _dependencies(rows, uncounted)
        if isinstance(one.relation, Dependency) and not one.relation.lasting
    ]
    keys = [one.relation.columns for one in find_keys(rows) if len(one.relation.columns) == 1]
    for key in keys[:1]:
        names = [name for name, agreement in zip(rows.names, rows.agreement, strict=True) if agreement < CONSTANT]
        others = [name for name in names if name not in key]
        found += [Dependency(key, name, lasting=True) for name in others[:MOST_CANDIDATES]]
        numbers = [name for name in others if name in rows.numbers and name not in uncounted]
        found += [Counter(key, name, ANY_RISE, 0.0) for name in numbers[:MOST_CANDIDATES]]
    return found
