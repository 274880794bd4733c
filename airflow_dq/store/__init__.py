"""The statistics database: PostgreSQL tables, their migrations, and the few queries the product needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airflow_dq.store.embedded import EmbeddedPostgres
    from airflow_dq.store.engine import open_store
    from airflow_dq.store.repository import Repository
    from airflow_dq.store.summary import AttemptStatus, DatasetSummary, PartitionSummary

_HOMES = {
    "AttemptStatus": "summary",
    "DatasetSummary": "summary",
    "EmbeddedPostgres": "embedded",
    "PartitionSummary": "summary",
    "Repository": "repository",
    "open_store": "engine",
}

__all__ = [
    "AttemptStatus",
    "DatasetSummary",
    "EmbeddedPostgres",
    "PartitionSummary",
    "Repository",
    "open_store",
]


def __getattr__(name: str) -> Any:
    # Lazy: a hook imports from here while a DAG is parsed, and must not pull in numpy.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
