"""The metrics of ODCS's library as checks: what each counts, in rows or in percent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from airflow_dq.check.bounds import Bounds, Number
from airflow_dq.check.expression import Scalar
from airflow_dq.exceptions import ConfigurationError

METRICS = ("nullValues", "missingValues", "invalidValues", "duplicateValues", "rowCount")
"""The library of ODCS 3.1."""
OPERATORS = (
    "mustBe",
    "mustNotBe",
    "mustBeGreaterThan",
    "mustBeGreaterOrEqualTo",
    "mustBeGreaterThanOrEqualTo",
    "mustBeLessThan",
    "mustBeLessOrEqualTo",
    "mustBeLessThanOrEqualTo",
    "mustBeBetween",
    "mustNotBeBetween",
)
"""How a metric may be compared; two are written in two ways by the standard's own versions."""
UNITS = ("rows", "percent")
ARGUMENTS = {
    "nullValues": (),
    "missingValues": ("missingValues",),
    "invalidValues": ("validValues", "pattern"),
    "duplicateValues": ("properties",),
    "rowCount": (),
}
"""What each metric may be given."""


class NotJudgedError(Exception):
    """The contract asks for something that no check is; the message says what."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A check as :meth:`airflow_dq.check.builder.Checks.add` takes it."""

    metric: str
    columns: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)


def bounds_of(operator: str, value: Any) -> Bounds:
    """What is asked of a metric.

    :raises ConfigurationError: when the value is none that the operator takes
    :raises NotJudgedError: when it asks for anything but one value
    """
    if operator in ("mustNotBe", "mustNotBeBetween"):
        raise NotJudgedError(f"{operator} allows everything but one range, and bounds here are one range")
    if operator == "mustBeBetween":
        if not isinstance(value, list) or len(value) != 2:
            raise ConfigurationError(f"{operator} is {value!r}; give [lowest, highest]")
        return Bounds(*value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigurationError(f"{operator} is {value!r}; give a number")
    if operator == "mustBe":
        return Bounds(value, value)
    is_open = "OrEqual" not in operator
    if "Greater" in operator:
        return Bounds(lower=value, lower_open=is_open)
    return Bounds(upper=value, upper_open=is_open)


def check_of_metric(
    metric: str, columns: tuple[str, ...], arguments: Mapping[str, Any], bounds: Bounds, percent: bool
) -> Wanted:
    """The check that a metric of the library is.

    A number of wrong rows is counted as such; a percentage of them is a share of right ones.

    :param columns: the property's; of ``rowCount`` and of duplicates of the whole object: none, or those it names
    :raises ConfigurationError: when the metric lacks what it needs
    """
    if metric == "rowCount":
        return Wanted("rows", (), {"error": bounds})
    if not columns:
        raise ConfigurationError(f"{metric} is of a property: list it below one" + _properties(metric))
    if metric == "duplicateValues":
        if percent:
            return Wanted("distinctness", columns, {"error": rest_of(bounds)})
        if bounds == Bounds(0, 0):
            return Wanted("uniqueness", columns, {"error": Bounds(1, 1)})
        return Wanted("surplus_rows", columns, {"error": bounds})
    right, given = _right(metric, columns[0], arguments)
    if percent or bounds == Bounds(0, 0):
        asked = rest_of(bounds) if percent else Bounds(1, 1)
        if metric == "invalidValues" and given:
            name = "isin" if "values" in given else "matches"
            return Wanted(name, columns, {**given, "error": asked})
        return Wanted("rule", (), {"sql": right, "error": asked})
    return Wanted("rows", (), {"where": f"not ({right})", "error": bounds})


def rest_of(percent: Bounds) -> Bounds:
    """Bounds of the percentage of what is wrong, as bounds of the share of what is right."""
    low, high = (None if side is None else _rest(side) for side in (percent.upper, percent.lower))
    return Bounds(low, high, percent.upper_open, percent.lower_open)


def _rest(percent: Number) -> Number:
    # In decimals: what a person wrote as 1 % leaves 0.99, and no digit more.
    share = 1 - Decimal(repr(percent)) / 100
    return int(share) if share == int(share) else float(share)


def _right(metric: str, column: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """What is right of a row, and what a check of its own takes instead of that rule."""
    name = name_sql(column)
    if metric == "nullValues":
        return f"{name} is not null", {}
    if metric == "missingValues":
        listed = arguments.get("missingValues")
        if not isinstance(listed, list):
            raise ConfigurationError("missingValues needs arguments: {missingValues: [...]}")
        missing = [one for one in listed if one is not None]
        return f"{name} is not null" + (f" and not ({_is_in(name, missing)})" if missing else ""), {}
    values, pattern = arguments.get("validValues"), arguments.get("pattern")
    if isinstance(values, list) and values and pattern is None:
        return _is_in(name, values), {"values": tuple(values)}
    if isinstance(pattern, str) and values is None:
        return f"{name} rlike {value_sql(pattern)}", {"pattern": pattern}
    raise ConfigurationError("invalidValues needs arguments: {validValues: [...]} or {pattern: ...}")


def _is_in(name: str, values: list[Any]) -> str:
    return f"{name} in ({', '.join(value_sql(one) for one in values)})"


def name_sql(column: str) -> str:
    """A column as a rule names it."""
    return "`" + column.replace("`", "``") + "`"


def value_sql(value: Scalar) -> str:
    """A value as a rule reads it: our own grammar, in which a quote is doubled and nothing else means anything.

    :raises ConfigurationError: when it is no value
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, int | float):
        return repr(value)
    raise ConfigurationError(f"{value!r} is no value; give texts, numbers, or true and false")


def _properties(metric: str) -> str:
    return ", or give arguments: {properties: [...]}" if metric == "duplicateValues" else ""


_QUERY = re.compile(
    r"\s*select\s+(?P<value>.+?)\s+from\s+(?P<table>[\w.{}$`\"]+)(?:\s+where\s+(?P<where>.+?))?\s*;?\s*",
    re.IGNORECASE | re.DOTALL,
)


def check_of_query(query: str, column: str | None, tables: tuple[str, ...], bounds: Bounds, name: str) -> Wanted:
    """The check that a query is: one aggregate of the object's own rows.

    :param tables: what the query may call the object
    :raises NotJudgedError: when it is anything else
    """
    found = _QUERY.fullmatch(query)
    if found is None or found["table"].strip('`"') not in tables:
        raise NotJudgedError("its query is no 'SELECT aggregate FROM {object} WHERE rule', and no database is asked")
    places = ("{property}", "{column}", "${property}", "${column}")
    given = {"sql": found["value"], "name": name, "where": found["where"], "error": bounds}
    for key in ("sql", "where"):
        for place in sorted(places, key=len, reverse=True):
            if column is not None and isinstance(given[key], str):
                given[key] = str(given[key]).replace(place, name_sql(column))
    return Wanted("metric", (), {key: value for key, value in given.items() if value is not None})
