"""``airflow dq prune``."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import tell

if TYPE_CHECKING:
    from airflow_dq.store.summary import Pruned


def prune(arguments: Any) -> int:
    """Drop old partitions; what was done of each dataset goes to stderr as it is done."""
    from airflow_dq.store import open_store

    def say(dataset: str, done: Pruned) -> None:
        if done.partitions:
            print(f"{dataset}: {done.partitions} partitions dropped", file=sys.stderr, flush=True)

    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        total = repository.prune(arguments.keep, arguments.dataset, say)
    told = f"{total.partitions} partitions of {total.datasets} datasets dropped ({total.columns} column profiles)."
    tell(arguments, asdict(total), told)
    return 0
