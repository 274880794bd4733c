"""Learn data-quality constraints for a recurring table from its history, and gate the pipeline on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airflow_dq.backtest.walk import backtest
    from airflow_dq.codec import from_json, to_json
    from airflow_dq.judge.evaluation import evaluate
    from airflow_dq.learn.pipeline import synthesize
    from airflow_dq.options import ProfileOptions, SynthesisOptions
    from airflow_dq.profile.table import profile_table

__version__ = "0.1.0"

_HOMES = {
    "ProfileOptions": "airflow_dq.options.profile",
    "SynthesisOptions": "airflow_dq.options.learning",
    "backtest": "airflow_dq.backtest.walk",
    "evaluate": "airflow_dq.judge.evaluation",
    "from_json": "airflow_dq.codec",
    "profile_table": "airflow_dq.profile.table",
    "synthesize": "airflow_dq.learn.pipeline",
    "to_json": "airflow_dq.codec",
}

__all__ = [
    "ProfileOptions",
    "SynthesisOptions",
    "backtest",
    "evaluate",
    "from_json",
    "profile_table",
    "synthesize",
    "to_json",
]


def __getattr__(name: str) -> Any:
    # Lazy: Airflow imports this package in every process, to read its provider info.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
