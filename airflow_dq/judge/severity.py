"""What an alert stops: everything by default, or nothing where the owner of the table has said so."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import get_args

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.explain.alert import Alert
from airflow_dq.judge.verdict import Verdict
from airflow_dq.learn.constraint.base import Severity

SUBJECTS = ("column", "metric", "rule")
"""What a key of the rules may speak of; where several apply to an alert, the first of these decides."""
_HOW = "Give keys such as 'column:discount', 'metric:emd' or 'rule:column_added', and 'fail' or 'warn' for each."


def check_severity(rules: Mapping[str, str]) -> None:
    """Refuse rules that can apply to nothing.

    :param rules: ``column:<name>``, ``metric:<name>`` or ``rule:<name>`` -> ``fail`` or ``warn``
    :raises ConfigurationError: naming the key or the value, and what is allowed.
    """
    for key, severity in rules.items():
        subject, colon, name = key.partition(":")
        if subject not in SUBJECTS or not colon or not name:
            raise ConfigurationError(f"severity has the key {key!r}, which says nothing of what it is about. {_HOW}")
        if severity not in get_args(Severity):
            raise ConfigurationError(f"severity[{key!r}] is {severity!r}. {_HOW}")


def idle_columns(rules: Mapping[str, Severity], known: Collection[str]) -> list[str]:
    """The columns that rules name and that are not known: more likely misspelt than gone."""
    named = (key.partition(":") for key in rules)
    return [name for subject, _, name in named if subject == "column" and name not in known]


def graded(verdict: Verdict, rules: Mapping[str, Severity]) -> Verdict:
    """The verdict with each alert's severity; what was found, and the verdict's status, stay as they are."""
    alerts = tuple(replace(alert, severity=severity_of(alert, rules)) for alert in verdict.alerts)
    return replace(verdict, alerts=alerts)


def severity_of(alert: Alert, rules: Mapping[str, Severity]) -> Severity:
    """The severity of one alert: that of its column, else of its metric, else of its rule, else its own.

    Of what several columns have in common the column is only the one that is likely wrong: that says nothing.
    """
    column = None if alert.columns else alert.column
    for subject, name in zip(SUBJECTS, (column, alert.metric, alert.rule), strict=True):
        found = None if name is None else rules.get(f"{subject}:{name}")
        if found is not None:
            return found
    return alert.severity
