"""Alerts of many columns that have one cause: put together, the one to look at first, which speaks for the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.cause.hypothesis import Cause

_WIDE = 5
"""This many columns that change at once, without a cause of their own, are taken for one accident."""
_WIDE_SHARE = 0.5
_SHIFTED = "columns"
_DELIVERED = "delivery"
_ROWS = "rows"
_EVERYTHING = "everything"


def grouped(alerts: Sequence[Alert], causes: Mapping[str, Cause], judged: int) -> tuple[Alert, ...]:
    """The alerts in groups: those about the table itself first, then by how many columns a group has.

    :param causes: the likely cause of each column that has one
    :param judged: number of columns that were judged
    """
    keys = _keys(alerts, causes, judged)
    groups: dict[str, list[Alert]] = {}
    for key, alert in zip(keys, alerts, strict=True):
        groups.setdefault(key, []).append(alert)
    # A lost column or a short table explains what happened to the others, hardly ever the other way round; then the
    # accident that hit most columns.
    first = (_DELIVERED, _SHIFTED, _ROWS)
    order = sorted(groups, key=lambda key: (key not in first, -len({alert.column for alert in groups[key]})))
    return tuple(alert for key in order for alert in _as_group(key, groups[key], causes))


def _keys(alerts: Sequence[Alert], causes: Mapping[str, Cause], judged: int) -> list[str]:
    """What each alert has in common with others."""
    columns = list(dict.fromkeys(alert.column for alert in alerts if alert.column is not None))
    schema = any(alert.rule.startswith("column_") for alert in alerts)
    undated = {alert.column for alert in alerts if alert.rule == "date_column"}
    short = any(alert.rule == "range" and alert.column is None for alert in alerts)
    own = {column: _accident(causes.get(column), schema, short) for column in columns}
    vague = [column for column in columns if own[column] is None]
    wide = len(vague) >= max(_WIDE, _WIDE_SHARE * judged)
    keys = []
    for alert in alerts:
        if alert.rule.startswith("column_"):
            keys.append(_SHIFTED)
        elif alert.rule in ("date_column", "partition_repeated") or alert.column in undated:
            keys.append(_DELIVERED)
        elif alert.column is None:
            keys.append(_ROWS)
        else:
            keys.append(own[alert.column] or (_EVERYTHING if wide else f"column {alert.column}"))
    return keys


def _accident(cause: Cause | None, schema: bool, short: bool) -> str | None:
    """The accident that a column's cause is part of; None when nothing is known of it."""
    if cause is None:
        return _ROWS if short else None
    if cause.type == "volume_change":
        return _ROWS
    if cause.type == "schema_change" and schema:
        return _SHIFTED
    return f"{cause.type} {cause.parameter}".strip()


def _as_group(key: str, alerts: Sequence[Alert], causes: Mapping[str, Cause]) -> list[Alert]:
    """One group: what is wrong with the columns themselves, or its first alert, says which others moved with it.

    Of a number of rows nothing but its columns tells why.
    """
    if len(alerts) == 1:
        return list(alerts)
    alerts = sorted(alerts, key=lambda alert: (alert.rule == "range", alert.column is not None))
    roots = [alert for alert in alerts if alert.rule.startswith("column_")] or [alerts[0]]
    others = [replace(alert, group=key, root=False) for alert in alerts[len(roots) :]]
    why = next((found for alert in others if (found := causes.get(alert.column or "")) is not None), None)
    if key == _ROWS and why is not None and roots[0].column is None and roots[0].cause is None:
        roots[0] = replace(roots[0], cause=why.words)
    named = {alert.column for alert in roots}
    moved = list(dict.fromkeys(alert.column for alert in others if alert.column not in named and alert.column))
    roots[0] = replace(roots[0], moved_with=tuple(moved))
    return [*(replace(alert, group=key) for alert in roots), *others]
