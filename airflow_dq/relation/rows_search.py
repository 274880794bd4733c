"""Relations between rows, mined of samples of several partitions."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import pyarrow as pa

from airflow_dq.relation.coded import MOST_COLUMNS, Coded
from airflow_dq.relation.dependency_search import find_dependencies
from airflow_dq.relation.key_search import find_counters, find_keys
from airflow_dq.relation.supported import Supported

log = logging.getLogger(__name__)


def mine_between(tables: Sequence[pa.Table], dataset: str = "") -> list[Supported]:
    """The dependencies, keys and counters that a sample of rows shows, the ones that are surest first of each kind.

    :param tables: rows of partitions in canonical types, oldest first
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
    counters = find_counters(rows, keys)
    counted = {one.relation.columns for one in counters}
    # A number that seldom rises is a counter all the same, and no attribute.
    dependencies = [one for one in find_dependencies(rows) if one.relation.columns not in counted]
    return [*dependencies, *keys, *counters]
