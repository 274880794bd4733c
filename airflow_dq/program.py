"""The stable home of the learning API: ``synthesize``, ``evaluate`` and ``backtest``, and what they take and give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airflow_dq.backtest.model import BacktestResult, FailedPartition
    from airflow_dq.backtest.walk import backtest
    from airflow_dq.explain.alert import Alert
    from airflow_dq.judge.evaluation import evaluate
    from airflow_dq.judge.verdict import Status, Verdict
    from airflow_dq.learn.constraint.range import Range
    from airflow_dq.learn.pipeline import synthesize
    from airflow_dq.learn.program import Program
    from airflow_dq.options import SynthesisOptions

_HOMES = {
    "Alert": "airflow_dq.explain.alert",
    "BacktestResult": "airflow_dq.backtest.model",
    "Range": "airflow_dq.learn.constraint.range",
    "FailedPartition": "airflow_dq.backtest.model",
    "Program": "airflow_dq.learn.program",
    "Status": "airflow_dq.judge.verdict",
    "SynthesisOptions": "airflow_dq.options.learning",
    "Verdict": "airflow_dq.judge.verdict",
    "backtest": "airflow_dq.backtest.walk",
    "evaluate": "airflow_dq.judge.evaluation",
    "synthesize": "airflow_dq.learn.pipeline",
}

__all__ = [
    "Alert",
    "BacktestResult",
    "FailedPartition",
    "Program",
    "Range",
    "Status",
    "SynthesisOptions",
    "Verdict",
    "backtest",
    "evaluate",
    "synthesize",
]


def __getattr__(name: str) -> Any:
    # Lazy: an operator imports SynthesisOptions from here while a DAG is parsed, and must not pull in scipy.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
