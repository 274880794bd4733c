"""A contract of the Open Data Contract Standard (ODCS 3) read as checks.

What a contract says of properties (type, required, unique, length, range ...) and of quality becomes the checks that
YAML and Python build; what is neither is left alone, and what asks for something that no check is, is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from airflow_dq.check.builder import Checks
from airflow_dq.check.metric import FORMATS
from airflow_dq.check.model import Check, check_of, closest
from airflow_dq.check.node import Node, NodeReader
from airflow_dq.check.odcs_metric import (
    ARGUMENTS,
    METRICS,
    OPERATORS,
    UNITS,
    NotJudgedError,
    Wanted,
    bounds_of,
    check_of_metric,
    check_of_query,
    name_sql,
    value_sql,
)
from airflow_dq.exceptions import ConfigurationError

ENGINE = "airflow-dq"
"""What a custom rule names to be read here: its implementation is a check."""
ORIGINAL = "airflowDqCheck"
"""The custom property in which a rule that was exported from here has the check it was."""
_TYPES = ("library", "text", "sql", "custom")
_LOGICAL = {
    "string": "string",
    "number": "numeric",
    "integer": "numeric",
    "boolean": "boolean",
    "date": "timestamp",
    "timestamp": "timestamp",
    "object": "nested",
    "array": "nested",
    "map": "nested",
}
"""Logical type -> kind of column; one without is none that a column's kind tells."""
_LOGICAL_OTHERS = ("time", "vector")
_FORMATS = {"email": "email", "uuid": "uuid", "uri": "url", "ipv4": "ipv4", "ipv6": "ipv6"}
"""Formats of strings that are known here under a name."""
_QUALITY = ("type", "metric", "rule", "arguments", "unit", "query", "engine", "implementation")
_DESCRIBED = ("name", "severity", "tags", "customProperties", "description")
_WARNINGS = ("warn", "warning", "info", "low", "minor")
"""Severities, which the standard leaves open, that no partition is held back for."""


def is_contract(node: Node | None) -> bool:
    """Whether a document is a contract of the standard, and no file of our own."""
    if node is None or node.id != "mapping":
        return False
    return any(key.value == "kind" and part.value == "DataContract" for key, part in node.value)


class ContractReader(NodeReader):
    """Makes checks of the nodes of one contract."""

    def contract(self, node: Node, dataset: str | None) -> Checks:
        """The checks of one object of the contract.

        :param dataset: its name or physical name; None: there is only one
        """
        parts = dict(self._items(node, ("apiVersion", "schema"), "the contract", others=True))
        version = str(self._value(parts["apiVersion"])) if "apiVersion" in parts else None
        if version is None or not version.startswith("v3."):
            raise self._error(parts.get("apiVersion", node), f"apiVersion is {version!r}; allowed: v3.0.0 to v3.1.0")
        schema = parts.get("schema")
        if schema is None or schema.id != "sequence" or not schema.value:
            raise self._error(schema or node, "the contract has no schema: with objects, and so nothing to check")
        return self._object(*self._chosen(schema, dataset))

    def _chosen(self, schema: Node, dataset: str | None) -> tuple[Node, str, tuple[str, ...]]:
        """The object that is wanted, what its checks are of, and its names."""
        found = []
        for node in schema.value:
            parts = dict(self._items(node, ("name", "physicalName"), "an object", others=True))
            if "name" not in parts:
                raise self._error(node, "an object has no name")
            found.append((node, tuple(str(part.value) for part in parts.values())))
        if dataset is None and len(found) == 1:
            return found[0][0], found[0][1][0], found[0][1]
        for node, names in found:
            if dataset in names:
                return node, str(dataset), names
        listed = ", ".join(repr(names[0]) for _, names in found)
        wanted = "say which one by the dataset's name" if dataset is None else f"none is the dataset {dataset!r}"
        raise self._error(schema, f"the contract's objects are {listed}; {wanted}")

    def _object(self, node: Node, dataset: str, names: tuple[str, ...]) -> Checks:
        parts = dict(self._items(node, ("properties", "quality", "tags"), "an object", others=True))
        self._checks = Checks(dataset)
        self._tables = ("{object}", "{table}", "${object}", "${table}", *names)
        columns: list[str] = []
        keys: list[tuple[int, str]] = []
        for item in self._listed(parts.get("properties"), "properties"):
            columns.append(self._property(item, keys))
        if columns:
            self._add(node, Wanted("has_columns", tuple(columns)))
        if keys:
            self._add(node, Wanted("key", tuple(name for _, name in sorted(keys, key=lambda key: key[0]))))
        for item in self._listed(parts.get("quality"), "quality"):
            self._quality(item, None)
        return self._checks

    def _property(self, node: Node, keys: list[tuple[int, str]]) -> str:
        """The checks of one column; its name."""
        known = (
            "name",
            "physicalName",
            "logicalType",
            "logicalTypeOptions",
            "required",
            "unique",
            "primaryKey",
            "primaryKeyPosition",
            "enum",
            "quality",
        )
        parts = dict(self._items(node, known, "a property", others=True))
        if "name" not in parts:
            raise self._error(node, "a property has no name")
        name = self._text(parts["name"], "name", self._value(parts.get("physicalName", parts["name"])))
        if "logicalType" in parts:
            self._logical_type(parts["logicalType"], name)
        for key, wanted in (
            ("required", Wanted("rule", (), {"sql": f"{name_sql(name)} is not null"})),
            ("unique", Wanted("uniqueness", (name,), {"error": 1})),
        ):
            if key in parts and self._flag(parts[key], key):
                self._add(parts[key], wanted)
        if "primaryKey" in parts and self._flag(parts["primaryKey"], "primaryKey"):
            position = self._value(parts["primaryKeyPosition"]) if "primaryKeyPosition" in parts else len(keys)
            keys.append((position, name))
        if "logicalTypeOptions" in parts:
            self._type_options(parts["logicalTypeOptions"], name)
        if "enum" in parts:
            values = [one.get("value") if isinstance(one, dict) else one for one in self._value(parts["enum"]) or ()]
            self._add(parts["enum"], Wanted("isin", (name,), {"values": tuple(values)}))
        for item in self._listed(parts.get("quality"), "quality"):
            self._quality(item, name)
        return name

    def _logical_type(self, node: Node, name: str) -> None:
        value = str(self._value(node))
        if value in _LOGICAL:
            self._add(node, Wanted("type", (name,), {"type": _LOGICAL[value]}))
            if value == "integer":
                self._add(node, Wanted("rule", (), {"sql": f"{name_sql(name)} = floor({name_sql(name)})"}))
        elif value in _LOGICAL_OTHERS:
            self._tell(node, f"{name!r} is to be {value}, which the kind of a column does not tell")
        else:
            allowed = (*_LOGICAL, *_LOGICAL_OTHERS)
            raise self._error(node, f"there is no logicalType {value!r}; {closest(value, allowed)}")

    def _type_options(self, node: Node, name: str) -> None:
        if node.id != "mapping":
            raise self._error(node, "logicalTypeOptions is no mapping")
        for key, part in node.value:
            option, value = str(key.value), self._value(part)
            wanted = _of_option(option, value, name)
            if isinstance(wanted, Wanted):
                self._add(key, wanted)
            elif wanted:
                self._tell(key, f"{option} of {name!r}: {wanted}")

    def _quality(self, node: Node, column: str | None) -> None:
        known = (*_QUALITY, *_DESCRIBED, *OPERATORS)
        parts = dict(self._items(node, known, "a quality rule", others=True))
        given = {key: self._value(part) for key, part in parts.items()}
        kind = given.get("type", "library" if "metric" in given or "rule" in given else "text")
        if kind not in _TYPES:
            raise self._error(parts["type"], f"there is no type {kind!r}; {closest(kind, _TYPES)}")
        said = given.get("name") or given.get("description") or given.get("metric") or kind
        try:
            check = self._original(node, given, kind)
            if check is not None:
                self._take(node, check)
                return
            wanted = self._wanted(node, parts, given, kind, column)
        except NotJudgedError as error:
            self._tell(node, f"the quality rule {str(said)!r}: {error}")
            return
        self._add(node, wanted, given)

    def _original(self, node: Node, given: Mapping[str, Any], kind: str) -> Check | None:
        """The check that a rule was exported from; None where it is another's."""
        found = given.get("implementation") if kind == "custom" and given.get("engine") == ENGINE else None
        for one in given.get("customProperties") or ():
            if isinstance(one, Mapping) and one.get("property") == ORIGINAL:
                found = one.get("value")
        if found is None:
            return None
        if not isinstance(found, Mapping):
            raise self._error(node, f"{found!r} is no check; give the mapping that an export wrote")
        try:
            return check_of(found)
        except (ConfigurationError, TypeError) as error:
            raise self._error(node, str(error).rstrip(".")) from None

    def _wanted(
        self, node: Node, parts: Mapping[str, Node], given: Mapping[str, Any], kind: str, column: str | None
    ) -> Wanted:
        if kind == "text":
            raise NotJudgedError("it is a text for people")
        if kind == "custom":
            raise NotJudgedError(f"it is for the engine {given.get('engine')!r}; here it would be {ENGINE!r}")
        operators = [key for key in parts if key in OPERATORS]
        if len(operators) != 1:
            raise self._error(node, f"a rule is compared once, by one of {', '.join(OPERATORS)}")
        place = parts[operators[0]]
        try:
            bounds = bounds_of(operators[0], given[operators[0]])
            if kind == "sql":
                query = self._text(node, "query", given.get("query"))
                name = str(given.get("name") or f"line {node.start_mark.line + 1}").strip()
                return check_of_query(query, column, self._tables, bounds, name)
            return self._library(parts, given, bounds, column)
        except ConfigurationError as error:
            raise error if str(error).startswith(self._name) else self._error(place, str(error).rstrip(".")) from None

    def _library(self, parts: Mapping[str, Node], given: Mapping[str, Any], bounds: Any, column: str | None) -> Wanted:
        place = parts.get("metric") or parts.get("rule") or next(iter(parts.values()))
        metric = given.get("metric", given.get("rule"))
        if metric not in METRICS:
            raise self._error(place, f"there is no metric {metric!r}; {closest(metric, METRICS)}")
        arguments = given.get("arguments") or {}
        taken = ARGUMENTS[metric]
        if not isinstance(arguments, Mapping) or any(name not in taken for name in arguments):
            wanted = ", ".join(taken) or "none"
            raise self._error(parts["arguments"], f"arguments is {arguments!r}; those of {metric} are {wanted}")
        unit = given.get("unit", "rows")
        if unit not in UNITS:
            raise self._error(parts["unit"], f"unit is {unit!r}; allowed: {', '.join(UNITS)}")
        columns = tuple(arguments.get("properties") or ((column,) if column is not None else ()))
        return check_of_metric(metric, columns, arguments, bounds, unit == "percent")

    def _add(self, node: Node, wanted: Wanted, described: Mapping[str, Any] | None = None) -> None:
        """Declare a check, with what the contract says of it besides."""
        described = described or {}
        given = dict(wanted.given)
        if str(described.get("severity", "error")).lower() in _WARNINGS:
            given["warn"] = given.pop("error", 1)
        try:
            name = str(described.get("name") or "").strip()
            declared = Checks(self._checks.dataset)
            declared.add(wanted.metric, wanted.columns, id=name, tags=described.get("tags") or (), **given)
            self._take(node, declared.checks[0])
        except (ConfigurationError, TypeError) as error:
            raise self._error(node, str(error).rstrip(".")) from None

    def _take(self, node: Node, check: Check) -> None:
        """Keep a check once, and apart from others of its name."""
        same = [one for one in self._checks if one.id == check.id]
        if check not in same:
            line = node.start_mark.line + 1
            name = f"{check.id}.{line}" if same else check.id
            self._checks.take(replace(check, id=name, place=self._place(node)))

    def _listed(self, node: Node | None, key: str) -> list[Node]:
        if node is None:
            return []
        if node.id != "sequence":
            raise self._error(node, f"{key} is no list; begin each with '- '")
        return list(node.value)

    def _flag(self, node: Node, key: str) -> bool:
        value = self._value(node)
        return value if isinstance(value, bool) else self._refuse(node, key, value, "true or false")

    def _tell(self, node: Node, what: str) -> None:
        self._checks.not_judged.append(f"{self._place(node)}: not judged: {what}.")


def _of_option(option: str, value: Any, name: str) -> Wanted | str:
    """The check that an option of a logical type is, or why there is none; empty where it asks nothing of values."""
    column = (name,)
    if option in ("minLength", "maxLength"):
        side = {"error": f">={value}" if option == "minLength" else f"<={value}"}
        return Wanted("min_length" if option == "minLength" else "max_length", column, side)
    if option == "pattern":
        return Wanted("matches", column, {"pattern": value})
    if option in ("minimum", "maximum"):
        return Wanted("between", column, {"low" if option == "minimum" else "high": value})
    if option in ("exclusiveMinimum", "exclusiveMaximum"):
        sign = ">" if option == "exclusiveMinimum" else "<"
        return Wanted("rule", (), {"sql": f"{name_sql(name)} {sign} {value_sql(value)}"})
    if option == "multipleOf":
        return Wanted("rule", (), {"sql": f"{name_sql(name)} % {value_sql(value)} = 0"})
    if option == "format" and value in _FORMATS:
        return Wanted("format", column, {"format": _FORMATS[value]})
    if option == "format" and value in FORMATS:
        return Wanted("format", column, {"format": value})
    if option in ("timezone", "defaultTimezone"):
        return ""
    return f"{value!r} is none of what is checked of a value"
