"""What a changed schema is called: which columns are missing, new, renamed or of another type, each once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.fact import Fact
from airflow_dq.explain.wording import joined, name_words, quoted
from airflow_dq.learn.constraint.base import Finding
from airflow_dq.visible import visible

_SAID = {"column_missing": ("is missing", "are missing"), "column_added": ("is new", "are new")}
"""Of one column, and of several."""
_ADVICE = "Ask who changed the table; accept it as the new normal when it was meant."


def schema_fact(alerts: Sequence[Alert], columns: tuple[str, ...], findings: Mapping[str, Finding], rows: int) -> Fact:
    """``columns fare and tax are missing; column fee is new``.

    :param alerts: those about the schema, and those that moved with it
    :param columns: all that they are about
    :param findings: what was found of the schema, by column
    :param rows: all rows of the partition, which a change of the schema concerns
    """
    rules: dict[str, list[str]] = {}
    for alert in alerts:
        if alert.rule.startswith("column_") and alert.column is not None:
            rules.setdefault(alert.rule, []).append(alert.column)
    own = {name for names in rules.values() for name in names}
    parts = [part for rule, names in rules.items() for part in _parts(rule, names, findings)]
    moved = [name_words(name) for name in columns if name not in own]
    if moved:
        parts.append(f"{joined(moved)} changed with it")
    return Fact(f"columns {alerts[0].column}", visible("; ".join(parts)), columns, rows, _ADVICE)


def _parts(rule: str, names: Sequence[str], findings: Mapping[str, Finding]) -> list[str]:
    if rule in _SAID:
        one, several = _SAID[rule]
        words = joined([name_words(name) for name in names])
        return [f"column {words} {one}" if len(names) == 1 else f"columns {words} {several}"]
    # What it was renamed to, or which type it has now, differs from one to the next.
    return [_own(rule, name, findings.get(name)) for name in names]


def _own(rule: str, name: str, finding: Finding | None) -> str:
    if finding is None:
        return f"column {name_words(name)} is another one"
    if rule == "column_renamed":
        return f"column {name_words(name)} is missing and seems to be renamed to {quoted(str(finding.seen))}"
    return f"column {name_words(name)} is now {finding.seen}, it was {finding.expected}"
