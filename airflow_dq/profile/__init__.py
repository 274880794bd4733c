"""Table -> profile: type resolution, states and the row sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airflow_dq.options import JobSpec, ProfileOptions
    from airflow_dq.profile.model import ColumnProfile, Profile, Variant
    from airflow_dq.profile.table import profile_table

_HOMES = {
    "ColumnProfile": "airflow_dq.profile.model",
    "JobSpec": "airflow_dq.options.job",
    "Profile": "airflow_dq.profile.model",
    "ProfileOptions": "airflow_dq.options.profile",
    "Variant": "airflow_dq.profile.model",
    "profile_table": "airflow_dq.profile.table",
}

__all__ = ["ColumnProfile", "JobSpec", "Profile", "ProfileOptions", "Variant", "profile_table"]


def __getattr__(name: str) -> Any:
    # Lazy: an operator imports JobSpec from here while a DAG is parsed, and must not pull in numpy.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
