"""Relations between rows, mined of samples of several partitions."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from airflow_dq.relation.base import Relation
from airflow_dq.relation.coded import MOST_COLUMNS, Coded
from airflow_dq.relation.composite_search import find_composites
from airflow_dq.relation.dependency import ANY_RISE, Counter, Dependency
from airflow_dq.relation.dependency_search import Edge, find_dependencies, find_edges, stand_ins
from airflow_dq.relation.found import Mined
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.inclusion_search import find_inclusions
from airflow_dq.relation.key_search import find_counters, find_keys, repeated
from airflow_dq.relation.step_search import find_steps
from airflow_dq.relation.total_search import find_totals

log = logging.getLogger(__name__)

CONSTANT = 0.9
"""A column of which two rows agree so often says nothing of what a key keeps."""
MOST_CANDIDATES = 20
"""Attributes of a key that are tried, those of the first columns: each is counted in a few scans."""


@dataclass(frozen=True)
class RowsSearch:
    """What rows of partitions have in common; each kind is looked for once."""

    rows: Coded
    uncounted: Collection[str]
    """Columns whose numbers count nothing, or must not be kept."""
    whole: Sequence[int] = ()
    """Places of the partitions of which no row is missing."""
    hidden: Collection[str] = ()
    """Columns of which no value may be named."""

    @classmethod
    def of(
        cls,
        tables: Sequence[pa.Table],
        uncounted: Collection[str] = (),
        dataset: str = "",
        *,
        drawn: Collection[int] = (),
        hidden: Collection[str] = (),
    ) -> RowsSearch:
        """Of the rows of partitions in canonical types, oldest first.

        :param uncounted: columns whose numbers count nothing, or must not be kept
        :param dataset: for the log
        :param drawn: places of the tables that have some of their partition's rows only
        :param hidden: columns of which no value may be named
        """
        rows = Coded.of(tables)
        if rows.left_out:
            log.info(
                "Dataset %r: dependencies are looked for among the first %d columns; %d are left out.",
                dataset,
                MOST_COLUMNS,
                rows.left_out,
            )
        whole = [at for at, one in enumerate(tables) if at not in drawn and one.num_rows == rows.sizes[at]]
        return cls(rows, uncounted, whole, hidden)

    @cached_property
    def _edges(self) -> dict[tuple[int, int], Edge]:
        return find_edges(self.rows)

    @cached_property
    def _dependencies(self) -> list[Mined]:
        """On one column, then on two."""
        composites = find_composites(self.rows, self._edges, self.uncounted)
        return [*find_dependencies(self.rows, self._edges), *composites]

    @cached_property
    def _keys(self) -> list[Mined]:
        return find_keys(self.rows)

    @cached_property
    def _totals(self) -> list[Mined]:
        return find_totals(self.rows, self.whole, self.uncounted, self.hidden)

    def found(self) -> list[Mined]:
        """The dependencies, keys, numbers of a key and inclusions, the ones that are surest first of each kind."""
        if len(self.rows.part) < 2:
            return []
        counters = find_counters(self.rows, self._keys, self.uncounted)
        counted = {one.relation.columns for one in counters}
        # A number that seldom rises is a counter all the same, and no attribute.
        dependencies = [one for one in self._dependencies if one.relation.columns not in counted]
        inclusions = find_inclusions(self.rows, stand_ins(self._edges), self.uncounted)
        totals = [one for one in self._totals if one.surprise >= 0.0]
        return [*dependencies, *self._keys, *counters, *self._steps(), *inclusions, *totals]

    def _steps(self) -> list[Mined]:
        """Of the first key that comes again."""
        for key in self._keys:
            before, after = repeated(self.rows, key.relation.columns)
            if len(before):
                return find_steps(self.rows, key.relation.columns, before, after, self.uncounted)
        return []

    def candidates(self) -> list[Relation]:
        """What may last from one partition to the next, where too few were drawn to tell: later ones do, or do not.

        Of each dependency within partitions that it lasts; and of the first key, of one or several columns, that its
        attributes last and its numbers do not fall, and of a single one that none is new.  And totals of few rows.
        """
        if len(self.rows.part) < 2:
            return []
        found: list[Relation] = [
            replace(one.relation, lasting=True)
            for one in self._dependencies
            if isinstance(one.relation, Dependency) and not one.relation.lasting
        ]
        for key in [one.relation.columns for one in self._keys][:1]:
            known = zip(self.rows.names, self.rows.agreement, strict=True)
            others = [name for name, agreement in known if agreement < CONSTANT and name not in key]
            if len(key) == 1:
                found.append(Inclusion(key[0], key[0], lasting=True))
            found += [Dependency(key, name, lasting=True) for name in others[:MOST_CANDIDATES]]
            numbers = [name for name in others if name in self.rows.numbers and name not in self.uncounted]
            found += [Counter(key, name, ANY_RISE, 0.0) for name in numbers[:MOST_CANDIDATES]]
        return [*found, *(one.relation for one in self._totals if one.surprise < 0.0)]


def mine_between(tables: Sequence[pa.Table], uncounted: Collection[str] = (), dataset: str = "") -> list[Mined]:
    """The relations between rows that a sample of them shows, the ones that are surest first of each kind.

    :param tables: rows of partitions in canonical types, oldest first
    :param uncounted: columns whose numbers count nothing, or must not be kept
    :param dataset: for the log
    """
    return RowsSearch.of(tables, uncounted, dataset).found()
