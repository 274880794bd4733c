"""Table -> profile: type resolution, states, the row sample and injected variants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airflow_dq.profile.model import ColumnProfile, Profile, ProfileOptions, Variant
    from airflow_dq.profile.spec import JobSpec
    from airflow_dq.profile.table import profile_table

_HOMES = {
    "ColumnProfile": "model",
    "JobSpec": "spec",
    "Profile": "model",
    "ProfileOptions": "model",
    "Variant": "model",
    "profile_table": "table",
}

__all__ = ["ColumnProfile", "JobSpec", "Profile", "ProfileOptions", "Variant", "profile_table"]


def __getattr__(name: str) -> Any:
    # Lazy: an operator imports JobSpec from here while a DAG is parsed, and must not pull in numpy.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
