"""History -> program -> verdict: stationarity, constraints, greedy synthesis, evaluation, explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airflow_dq.program.evaluation import evaluate
    from airflow_dq.program.model import Alert, Clause, Program, Status, SynthesisOptions, Verdict
    from airflow_dq.program.synthesis import synthesize

_HOMES = {
    "Alert": "model",
    "Clause": "model",
    "Program": "model",
    "Status": "model",
    "SynthesisOptions": "model",
    "Verdict": "model",
    "evaluate": "evaluation",
    "synthesize": "synthesis",
}

__all__ = ["Alert", "Clause", "Program", "Status", "SynthesisOptions", "Verdict", "evaluate", "synthesize"]


def __getattr__(name: str) -> Any:
    # Lazy: an operator imports SynthesisOptions from here while a DAG is parsed, and must not pull in scipy.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
