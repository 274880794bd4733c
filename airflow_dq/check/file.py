"""Checks as a file, ``orders.dq.yml``: read with the place of every mistake."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.builder import Checks
from airflow_dq.check.duration import seconds_of
from airflow_dq.check.metric import ALIASES, METRICS, CheckMetric, entry_of, known
from airflow_dq.check.model import Check, closest
from airflow_dq.check.node import Node, NodeReader, read_nodes
from airflow_dq.check.odcs import ContractReader, is_contract
from airflow_dq.exceptions import ConfigurationError

TABLE_KEYS = ("dataset", "key", "owner", "tags", "checks")
"""What a file may say of the table."""
COMMON_KEYS = ("error", "warn", "anomaly", "level", "id", "message", "owner", "tags")
"""What every check may say."""


def keys_of(name: str) -> tuple[str, ...]:
    """What a check of this name may say, in a file's order."""
    entry = entry_of(name)
    columns = {"table": (), "column": ("column",), "columns": ("columns",)}[entry.subject]
    taken = ("low", "high") if name == "non_negative" else ()
    own = [one for one in (*entry.arguments, *entry.options) if one not in taken]
    more = ("within",) if name == "fresh" else ()
    taken = ("error", *taken) if name == "fresh" else taken
    taken = ("anomaly", *taken) if entry.source in ("age", "schema") else taken
    asked = [key for key in COMMON_KEYS if key not in taken]
    wide = [] if not entry.grows else ["scope"] if entry.name == "predictable" else ["by", "scope"]
    return (*columns, *own, *more, *wide, *asked)


def load_checks(path: str | Path, dataset: str | None = None) -> Checks:
    """The checks in a file, of our own form or a contract of ODCS 3.

    :param dataset: whose checks are wanted, of a contract on several
    :raises ConfigurationError: naming the file, the line, the key, and what is allowed there
    """
    place = Path(path)
    try:
        text = place.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(
            f"{place}: the file cannot be read: {error}. Give the path of a text in UTF-8."
        ) from None
    return read_checks(text, str(place), dataset)


def read_checks(text: str, name: str = "checks", dataset: str | None = None) -> Checks:
    """The checks in a text.

    :param name: what the text is called in messages
    :param dataset: whose checks are wanted, of a contract on several
    :raises ConfigurationError: as :func:`load_checks` does
    """

    def read(node: Node | None, loader: Any) -> Checks:
        if is_contract(node):
            checks = ContractReader(name, loader).contract(node, dataset)
            for told in checks.not_judged:
                _tell(told)
            return checks
        return _Reader(name, loader).table(node)

    return read_nodes(text, name, read)


@cache
def _tell(what: str) -> None:
    """Say it once: a DAG file is read every few seconds."""
    logging.getLogger(__name__).warning("%s", what)


class _Reader(NodeReader):
    """Makes checks of the nodes of one file."""

    def table(self, node: Node | None) -> Checks:
        """All of the file."""
        if node is None:
            raise ConfigurationError(f"{self._name}: the file is empty; it needs dataset: and checks:.")
        parts = dict(self._items(node, TABLE_KEYS, "the file"))
        for name in ("dataset", "checks"):
            if name not in parts:
                raise self._error(node, f"there is no {name!r}; a file needs dataset: and checks:")
        given = {name: self._value(part) for name, part in parts.items() if name != "checks"}
        dataset = given.pop("dataset")
        if "key" in given:
            given["key"] = self._names(parts["key"], "key", given["key"])
        if not isinstance(dataset, str):
            raise self._error(parts["dataset"], f"dataset is {dataset!r}; give a name (in quotes, if need be)")
        try:
            checks = Checks(dataset, **given)
        except (ConfigurationError, TypeError) as error:
            raise self._error(node, str(error).rstrip(".")) from None
        if "key" in parts:
            checks.place(self._place(parts["key"]))
        listed = parts["checks"]
        if listed.id != "sequence":
            raise self._error(listed, "checks is no list; begin each check with '- '")
        lines: dict[str, int] = {}
        for item in listed.value:
            self._check(item, checks, lines)
        return checks

    def _check(self, node: Node, checks: Checks, lines: dict[str, int]) -> None:
        if node.id == "scalar" and isinstance(node.value, str) and known(node.value):
            raise self._error(node, f"{node.value!r} says nothing of what it is about; write '{node.value}: ...'")
        if node.id != "mapping" or len(node.value) != 1:
            raise self._error(node, "a check is one name and what it is given, as in '- complete: {column: email}'")
        ((key, body),) = node.value
        name = str(key.value)
        if not known(name):
            allowed = tuple(sorted((*METRICS, *ALIASES)))
            raise self._error(key, f"there is no check {name!r}; {closest(name, allowed)}")
        given = self._given(name, body)
        columns = given.pop("columns", ())
        try:
            declared = checks.add(name, columns, **given, place=self._place(key)).check
        except ConfigurationError as error:
            raise self._error(key, str(error).rstrip(".")) from None
        line = key.start_mark.line + 1
        if declared.id in lines:
            first = lines[declared.id]
            raise self._error(key, f"the id {declared.id!r} is that of the check in line {first}; give one another id")
        lines[declared.id] = line

    def _given(self, name: str, body: Node) -> dict[str, Any]:
        """The arguments of one check, as :meth:`Checks.add` takes them."""
        entry, allowed = entry_of(name), keys_of(name)
        if body.id != "mapping":
            return self._short(name, entry, body)
        given = {}
        for key, part in self._items(body, allowed, repr(name)):
            value = self._value(part)
            if key in ("error", "warn"):
                value = self._bounds(part, key, value, duration=entry.unit == "seconds")
            elif key == "column":
                key, value = "columns", (self._text(part, key, value),)
            elif key in ("columns", "to_columns", "key"):
                value = self._names(part, key, value)
            elif key == "tags" or key == "values":
                value = tuple(value) if isinstance(value, list) else self._refuse(part, key, value, "a list")
            elif key == "within":
                key, value = "error", self._bounds(part, key, value, duration=True)
            given[key] = value
        if name == "fresh" and given.get("level") == "warn":
            given["warn"] = given.pop("error", None)
            del given["level"]
        return given

    def _short(self, name: str, entry: CheckMetric, body: Node) -> dict[str, Any]:
        """``complete: email``, ``unique: [a, b]``, ``rule: a < b``: one value where only one thing can be meant."""
        value = self._value(body)
        if entry.name == "rule":
            return {"sql": self._text(body, "rule", value)}
        if entry.subject != "table" and not entry.arguments:
            if entry.subject == "column":
                return {"columns": (self._text(body, name, value),)}
            return {"columns": self._names(body, name, value)}
        raise self._error(body, f"{name} is {value!r}; give a mapping of {', '.join(keys_of(name))}")

    def _bounds(self, node: Node, key: str, value: Any, *, duration: bool) -> Bounds:
        try:
            if duration and not isinstance(value, list):
                return Bounds(upper=seconds_of(value))
            return Bounds.of(value)
        except ConfigurationError as error:
            raise self._error(node, f"{key}: {str(error).rstrip('.')}") from None

    def _names(self, node: Node, key: str, value: Any) -> tuple[str, ...]:
        names = value if isinstance(value, list) else [value]
        return tuple(self._text(node, key, name) for name in names)


def declared_checks(given: Any, dataset: str) -> tuple[Check, ...]:
    """The checks that a task is given.

    :param dataset: the task's; that of the checks must be the same, unless it is a template
    :raises ConfigurationError: when they cannot be read, or are of another dataset
    """
    checks = checks_of(given, None if "{" in str(dataset) else dataset)
    if checks is None:
        return ()
    if checks.dataset != dataset and "{" not in str(dataset):
        raise ConfigurationError(
            f"Dataset {dataset!r}: the checks are of {checks.dataset!r}. Give those of the dataset."
        )
    return checks.checks


def checks_of(given: Any, dataset: str | None = None) -> Checks | None:
    """Checks as an operator may be given them: as such, as the path of a file, or as the mapping that one holds.

    :param dataset: whose checks are wanted, of a contract on several

    :raises ConfigurationError: when they are none of these, or cannot be read
    """
    if given is None or isinstance(given, Checks):
        return given
    if isinstance(given, str | Path):
        return load_checks(given, dataset)
    if isinstance(given, Mapping):
        import yaml

        return read_checks(yaml.safe_dump(dict(given), sort_keys=False), dataset=dataset)
    raise ConfigurationError(f"checks is {given!r}; give Checks(...), or the path of a file such as 'orders.dq.yml'.")


def flow(value: Any) -> str:
    """A value as YAML on one line."""
    import yaml

    text = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**9, sort_keys=False)
    text = text.removesuffix("...\n").strip()
    return text[1:-1] if isinstance(value, dict) else text


def said(check: Check) -> dict[str, Any]:
    """A check as an entry of a file says it, for :func:`flow`: no more than it was given."""
    given = {name: value for name, value in check.to_dict().items() if name not in ("metric", "columns", "id", "error")}
    columns: dict[str, Any] = {}
    if check.columns:
        alone = check.entry.subject == "column"
        columns = {"column": check.columns[0]} if alone else {"columns": list(check.columns)}
    if check.error is not None and check.error != check.entry.default:
        low, high = check.error.lower, check.error.upper
        one_sided = f"<={high}" if low is None else f">={low}"
        given["error"] = low if low == high else one_sided if None in (low, high) else [low, high]
    return {check.metric: columns | given}
