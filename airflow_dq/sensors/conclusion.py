"""What a verdict means for the task: succeed, warn or fail, in the words of its alerts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from airflow_dq.program import Status
from airflow_dq.version_compat import AirflowFailException

if TYPE_CHECKING:
    from airflow_dq.program import Verdict

OnViolation = Literal["fail", "warn"]

SHOWN = 20
"""Alerts that a failed task's message spells out; a wholly different table would have hundreds."""


def conclude(dataset: str, verdict: Verdict, on_violation: OnViolation, log: Any) -> dict[str, Any]:
    """Log the verdict, and return it as plain data if the DAG may go on.

    :return: ``dataset``, ``partition``, ``status``, ``reason`` and the sentences of the ``alerts``
    :raises AirflowFailException: for a violation (with ``on_violation="fail"``), and for anything that was not judged.
    """
    summary = summarize(dataset, verdict)
    if verdict.status is Status.PASS:
        log.info(summary)
    elif verdict.status is Status.WARMING_UP or (verdict.status is Status.FAIL and on_violation == "warn"):
        log.warning(summary)
    else:
        log.error(summary)
        raise AirflowFailException(summary)
    return {
        "dataset": dataset,
        "partition": verdict.partition,
        "status": str(verdict.status),
        "reason": verdict.reason,
        "alerts": [alert.message for alert in verdict.alerts],
    }


def summarize(dataset: str, verdict: Verdict) -> str:
    """One line, and one for each alert."""
    where = f"Dataset {dataset!r}, partition {verdict.partition!r}"
    match verdict.status:
        case Status.PASS:
            clauses = sum(len(scope.results) for scope in (verdict.table, *verdict.columns.values()))
            return f"{where}: pass; {clauses} constraints on {len(verdict.columns)} columns hold."
        case Status.FAIL:
            count = len(verdict.alerts)
            lines = [f"{where}: fail; {count} alert{'s' if count != 1 else ''}:"]
            lines += [f"- {alert.message}" for alert in verdict.alerts[:SHOWN]]
            if count > SHOWN:
                lines.append(f"- and {count - SHOWN} more: airflow dq explain {dataset} {verdict.partition}")
            return "\n".join(lines)
        case Status.WARMING_UP:
            return f"{where}: warming up, passes unjudged; {verdict.reason}"
        case _:
            return f"{where}: not judged ({verdict.status}), so it does not pass; {verdict.reason}"
