"""History -> program -> verdict: stationarity, constraints, greedy synthesis, evaluation, explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airflow_dq.program.backtest_model import BacktestResult, FailedPartition
    from airflow_dq.program.backtest_walk import backtest
    from airflow_dq.program.evaluation import evaluate
    from airflow_dq.program.model import Alert, Clause, Program, Status, SynthesisOptions, Verdict
    from airflow_dq.program.synthesis import synthesize

_HOMES = {
    "Alert": "model",
    "BacktestResult": "backtest_model",
    "Clause": "model",
    "FailedPartition": "backtest_model",
    "Program": "model",
    "Status": "model",
    "SynthesisOptions": "model",
    "Verdict": "model",
    "backtest": "backtest_walk",
    "evaluate": "evaluation",
    "synthesize": "synthesis",
}

__all__ = [
    "Alert",
    "BacktestResult",
    "Clause",
    "FailedPartition",
    "Program",
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

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
