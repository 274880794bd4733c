"""What a changed schema is called: which columns are missing, new, renamed or of another type, each once."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.fact import Fact
from airflow_dq.explain.wording import joined, quoted
from airflow_dq.visible import visible

_SAID = {"column_missing": ("is missing", "are missing"), "column_added": ("is new", "are new")}
"""Of one column, and of several."""
_ADVICE = "Ask who changed the table; accept it as the new normal when it was meant."


def schema_fact(alerts: Sequence[Alert], columns: tuple[str, ...]) -> Fact:
    """``columns fare and tax are missing; column fee is new``.

    :param alerts: those about the schema, and those that moved with it
    :param columns: all that they are about
    """
    rules: dict[str, list[Alert]] = {}
    for alert in alerts:
        if alert.rule.startswith("column_"):
            rules.setdefault(alert.rule, []).append(alert)
    parts = [part for rule, own in rules.items() for part in _parts(rule, own)]
    moved = [name for name in columns if name not in {alert.column for own in rules.values() for alert in own}]
    if moved:
        parts.append(f"{joined(moved)} changed with it")
    return Fact(f"columns {alerts[0].column}", visible("; ".join(parts)), columns, advice=_ADVICE)


def _parts(rule: str, alerts: Sequence[Alert]) -> list[str]:
    names = [quoted(alert.column or "") for alert in alerts]
    if rule in _SAID:
        one, several = _SAID[rule]
        return [f"column {names[0]} {one}" if len(names) == 1 else f"columns {joined(names)} {several}"]
    # What it was renamed to, or which type it has now, differs from one to the next.
    return [f"{quoted(alert.column or '')}: {alert.statement.rstrip('.')}" for alert in alerts]
