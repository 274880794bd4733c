"""Alerts of many columns that have one cause: put together, the one to look at first, which speaks for the others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.cause.hypothesis import Cause, Disturbance, undenied
from airflow_dq.learn.constraint.segment import RULE as SEGMENT

_WIDE = 5
"""This many columns that change at once, without a cause of their own, are taken for one accident."""
_WIDE_SHARE = 0.5
"""Of a narrow table, this share of the judged columns."""
_SCHEMA = "columns"
"""The columns are others: the key of a group, as the next three."""
_DELIVERY = "delivery"
"""The partition is another one's data."""
_ROWS = "rows"
"""The rows are too few or too many."""
_OF_ROWS = "volume_change"
"""The type of a cause of the number of rows."""
_DECLARED = "check"
"""The rule of an alert that a declared check gives."""
_NOVELTY = "novelty"
"""The rule of an alert that speaks of the partition as a whole, and tells no accident."""
_RELATION = "relation"
"""The rule of an alert that speaks of columns together."""
_PERIOD = "period"
"""The rule of an alert on times outside of the partition's own."""
_GONE = "value_gone"
"""The rule of an alert that a value is missing, which other rules say as well when they find anything."""
_EVERYTHING = "everything"
"""Many columns changed, and none tells why."""


def grouped(
    alerts: Sequence[Alert],
    causes: Mapping[str, Cause],
    judged: int,
    disturbance: Disturbance = Disturbance.NONE,
    related: Sequence[Set[str]] = (),
    told: Mapping[str, int] | None = None,
    rows_by: str | None = None,
) -> tuple[Alert, ...]:
    """The alerts in groups: those about the table itself first, then by how many columns a group has.

    :param causes: the likely cause of each column that has one
    :param judged: number of columns that were judged
    :param disturbance: what was found of the values of any column, which no cause of the table may deny
    :param related: columns that are computed of each other
    :param told: in how many rows something has happened to a column, where nobody knows what
    :param rows_by: the column that tells why there are too few or too many rows
    """
    keys = _keys(alerts, causes, judged, related, told or {}, rows_by)
    groups: dict[str, list[Alert]] = {}
    for key, alert in zip(keys, alerts, strict=True):
        groups.setdefault(key, []).append(alert)
    # A lost column or a short table explains what happened to the others, hardly ever the other way round; then the
    # accident that hit most columns.
    first = (_DELIVERY, _SCHEMA, _ROWS)
    order = sorted(groups, key=lambda key: (key not in first, -len({alert.column for alert in groups[key]})))
    left = {name: undenied(cause, disturbance) for name, cause in causes.items()}
    placed = {name for name, cause in causes.items() if cause.segment is not None}
    of_table = {name: cause for name, cause in left.items() if cause is not None}
    return tuple(alert for key in order for alert in _as_group(key, groups[key], of_table, placed, set(causes)))


def _keys(
    alerts: Sequence[Alert],
    causes: Mapping[str, Cause],
    judged: int,
    related: Sequence[Set[str]],
    told: Mapping[str, int],
    rows_by: str | None,
) -> list[str]:
    """What each alert has in common with others."""
    learned = [alert for alert in alerts if alert.rule not in (_DECLARED, _NOVELTY, _RELATION)]
    columns = list(dict.fromkeys(alert.column for alert in learned if alert.column is not None))
    schema = any(_is_about_schema(alert) for alert in alerts)
    repeated = any(alert.rule == "partition_repeated" for alert in alerts)
    undated = {alert.column for alert in alerts if alert.rule == "date_column"}
    odd_count = any(alert.is_range and alert.column is None for alert in alerts)
    # Of rows that came again or late the other columns show that they are no sample of a day.
    known = [causes[column] for column in columns if column in causes]
    odd_count |= any(cause.of_rows and cause.type == _OF_ROWS for cause in known)
    own = {column: _accident(causes.get(column), schema, odd_count) for column in columns}
    own |= {column: _ROWS for column in columns if odd_count and column == rows_by}
    own |= _with_related(own, related)
    own |= _in_as_many_rows(own, causes, told)
    without = [column for column in columns if own[column] is None]
    wide = len(without) >= max(_WIDE, _WIDE_SHARE * judged)
    keys = []
    for alert in alerts:
        if alert.rule == _DECLARED:
            # What somebody has asked for is said by itself, whatever else has happened.
            keys.append(f"{_DECLARED} {alert.metric}")
        elif alert.rule == _NOVELTY:
            keys.append(_NOVELTY)
        elif alert.rule == _RELATION:
            # What columns have in common breaks with one of them.
            names = [name for name in (alert.column, *alert.columns) if name in own]
            broken = (own[name] or (None if wide else f"column {name}") for name in names)
            keys.append(next((key for key in broken if key is not None), _RELATION))
        elif _is_about_schema(alert):
            keys.append(_SCHEMA)
        elif repeated or alert.rule == "date_column" or alert.column in undated:
            # An earlier partition over again explains all that is odd about it.
            keys.append(_DELIVERY)
        elif alert.column is None:
            keys.append(_ROWS)
        else:
            keys.append(own[alert.column] or (_EVERYTHING if wide else f"column {alert.column}"))
    return keys


def _is_about_schema(alert: Alert) -> bool:
    return alert.rule.startswith("column_")


def _accident(cause: Cause | None, schema: bool, odd_count: bool) -> str | None:
    """The accident that a column's cause is part of; None when nothing is known of it.

    :param schema: whether the schema has changed
    :param odd_count: whether the table has too few or too many rows
    """
    if cause is None:
        return _ROWS if odd_count else None
    if cause.segment is not None:
        # What is odd in the same rows is one accident, whatever it has made of each column.
        return f"segment {cause.segment}"
    if cause.type == _OF_ROWS or (cause.type in ("distribution_change", "overwritten") and odd_count):
        return _ROWS
    if cause.type == "schema_change" and schema:
        return _SCHEMA
    return f"{cause.type} {cause.parameter}".strip()


def _with_related(own: Mapping[str, str | None], related: Sequence[Set[str]]) -> dict[str, str | None]:
    """The accidents of columns that have none of their own, and are computed of one that has.

    Two of them without a cause are one accident as well: that of the one which stands first.
    """
    found: dict[str, str | None] = {}
    for columns in related:
        members = [column for column in own if column in columns]
        known = [key for column in members if (key := found.get(column) or own[column]) is not None]
        left = [column for column in members if (found.get(column) or own[column]) is None]
        if len(members) > 1 and len(set(known)) <= 1:
            found |= dict.fromkeys(left, known[0] if known else f"column {members[0]}")
    return found


def _in_as_many_rows(
    own: Mapping[str, str | None], causes: Mapping[str, Cause], told: Mapping[str, int]
) -> dict[str, str | None]:
    """The accidents of columns in which values have changed in as many rows as in another: a failed join, records of a
    test.

    As many are they when two counts of one thing differ by no more: of two, each off by its root, three times that.
    """
    found: dict[str, str | None] = {}
    anchors: dict[str, int] = {}
    for column, key in own.items():
        cause = causes.get(column)
        if cause is not None and cause.segment is None and cause.hit is not None and key is not None:
            same = next((other for other, rows in anchors.items() if _as_many(rows, cause.hit)), None)
            if same is None:
                anchors[column] = cause.hit
            else:
                found[column] = own[same]
    for column, key in own.items():
        if column not in causes and key in (None, _ROWS) and (rows := told.get(column)) is not None:
            same = next((other for other, hit in anchors.items() if _as_many(hit, rows)), None)
            if same is not None:
                found[column] = own[same]
    return found


def _as_many(one: int, other: int) -> bool:
    return abs(one - other) <= 3.0 * math.sqrt(max(one, other))


def _as_group(
    key: str, alerts: Sequence[Alert], causes: Mapping[str, Cause], placed: Set[str], known: Set[str]
) -> list[Alert]:
    """One group: what is wrong with the columns themselves, or its first alert, says which others moved with it.

    :param placed: columns of which it is known in which segment they are wrong; of others a segment is an example
    :param known: columns whose cause is known: they speak for those that only moved in as many rows
    """
    if len(alerts) == 1:
        return list(alerts)

    told = key not in (_DELIVERY, _SCHEMA, _ROWS) and any(alert.column in known for alert in alerts)
    broken = any(alert.rule == _RELATION for alert in alerts)
    # Of numbers of one column that moved, nobody knows why, what it has in common with others says most.
    leads = key == f"column {alerts[0].column}" and not told
    leads &= all(alert.is_range or alert.rule == _RELATION for alert in alerts)

    def place(alert: Alert) -> tuple[int, bool, bool, bool]:
        """The lowest of what says most."""
        # That something is gone follows from what was found otherwise; but it says more than what breaks with it.
        follows = 1 if alert.rule == _GONE else 0
        if (alert.rule == _RELATION and not leads) or (alert.rule == SEGMENT and alert.column not in placed):
            follows = 2
        # Times that left the partition's own, and nobody knows why, say less than what they have in common with others.
        if broken and alert.rule == _PERIOD and alert.column not in known:
            follows = 3
        unknown = told and alert.column is not None and alert.column not in known
        return follows, unknown, alert.is_range, alert.column is not None and alert.rule != _RELATION

    alerts = sorted(alerts, key=place)
    roots = [alert for alert in alerts if _is_about_schema(alert)] or [alerts[0]]
    others = alerts[len(roots) :]
    speaker = roots[0]
    if key == _ROWS and speaker.column is None and speaker.cause is None:
        # Of a number of rows nothing but its columns tells why.
        speaker = replace(speaker, cause=_first_cause(others, causes))
    speaker = replace(speaker, moved_with=_columns_of(others, without={alert.column for alert in roots}))
    return [
        *(replace(alert, group=key) for alert in (speaker, *roots[1:])),
        *(replace(alert, group=key, root=False) for alert in others),
    ]


def _first_cause(alerts: Sequence[Alert], causes: Mapping[str, Cause]) -> str | None:
    """What the first of the columns that has a cause looks like."""
    found = (causes.get(alert.column or "") for alert in alerts)
    return next((cause.words for cause in found if cause is not None), None)


def _columns_of(alerts: Sequence[Alert], without: Set[str | None]) -> tuple[str, ...]:
    """The columns that the alerts are about, each once."""
    return tuple(dict.fromkeys(alert.column for alert in alerts if alert.column and alert.column not in without))
