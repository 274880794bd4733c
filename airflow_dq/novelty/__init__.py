"""Novelty of a whole partition: odd in a hundred small ways at once, or far off in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airflow_dq.novelty.detect import detect_novelty
    from airflow_dq.novelty.options import NoveltyOptions
    from airflow_dq.novelty.result import Attribute, NoveltyResult

_HOMES = {
    "Attribute": "airflow_dq.novelty.result",
    "NoveltyOptions": "airflow_dq.novelty.options",
    "NoveltyResult": "airflow_dq.novelty.result",
    "detect_novelty": "airflow_dq.novelty.detect",
}

__all__ = ["Attribute", "NoveltyOptions", "NoveltyResult", "detect_novelty"]


def __getattr__(name: str) -> Any:
    # Lazy: whoever names the options must not pull in numpy.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
