"""The Open Data Contract Standard 3.1: a contract that this package reads again, check for check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.model import Check
from airflow_dq.check.odcs import ENGINE, ORIGINAL
from airflow_dq.export.model import Facts, Lost, Rule, Target, heading, yaml_text
from airflow_dq.export.sql import CannotSayError
from airflow_dq.states.base import Kind

_TYPES = {Kind.NUMERIC: "number", Kind.STRING: "string", Kind.BOOLEAN: "boolean"}
"""Kinds of columns that are one logical type; of a timestamp the standard tells dates apart."""
_NAMED = tuple(map(str, _TYPES))
Said = tuple[str | None, dict[str, Any]]
"""The property that a rule is listed below (None: the object), and the rule."""


class ODCS(Target):
    """One contract with one object."""

    name: ClassVar[str] = "odcs"
    title: ClassVar[str] = "ODCS"
    knows_ours: ClassVar[bool] = True

    def say(self, rule: Rule, facts: Facts) -> Said:
        """One entry of a ``quality``: a metric of the standard's library, SQL, or ours as a custom engine's.

        Nothing of a type: the property's own logical type says it.
        """
        check = rule.check
        if check.metric == "type" and check.type in _NAMED and str(facts.kinds.get(check.columns[0])) == check.type:
            return check.columns[0], {}
        original = replace(_original(rule), place="").to_dict()
        common: dict[str, Any] = {"name": rule.name, "description": rule.words}
        common |= {"severity": "warning" if rule.level == "warn" else "error"}
        common |= {"tags": list(check.tags)} if check.tags else {}
        common["customProperties"] = [{"property": ORIGINAL, "value": original}]
        try:
            rule.require_sayable()
            found = self._library(rule, facts)
            if found is not None:
                column, body = found
                return column, {"type": "library", **body, **common}
            query = self.query(rule, facts).of("{object}")
            return None, {"type": "sql", "query": query, **_operator(rule.bounds), **common}
        except CannotSayError:
            del common["customProperties"]
            return None, {"type": "custom", "engine": ENGINE, "implementation": original, **common}

    def write(self, facts: Facts, said: Sequence[tuple[Rule, Said]], lost: Sequence[Lost]) -> Mapping[str, str]:
        """The contract."""
        properties: dict[str, dict[str, Any]] = {
            name: {"name": name, **({"logicalType": _TYPES[kind]} if kind in _TYPES else {})}
            for name, kind in facts.kinds.items()
        }
        table: list[Any] = []
        for _, (column, body) in said:
            if column is None:
                table.append(body)
            elif body:
                properties.setdefault(column, {"name": column}).setdefault("quality", []).append(body)
        one: dict[str, Any] = {"name": facts.dataset, "physicalName": facts.table, "logicalType": "object"}
        one |= {"properties": list(properties.values())} if properties else {}
        one |= {"quality": table} if table else {}
        contract = {
            "version": "1.0.0",
            "kind": "DataContract",
            "apiVersion": "v3.1.0",
            "id": facts.dataset,
            "status": "draft",
            "schema": [one],
        }
        return {f"{facts.stem}.odcs.yaml": heading(self, facts, lost) + yaml_text(contract)}

    def _library(self, rule: Rule, facts: Facts) -> Said | None:
        """A metric of the standard that means the same."""
        check = rule.check
        if not rule.is_plain:
            return None
        if check.metric == "rows":
            return None, {"metric": "rowCount", **_operator(rule.bounds)}
        if not rule.wants_all or len(check.columns) != 1:
            return None
        column = check.columns[0]
        none = {"mustBe": 0, "unit": "rows"}
        if check.metric == "completeness":
            kind = facts.kinds.get(column)
            if kind not in (None, Kind.NULL, Kind.STRING):
                return column, {"metric": "nullValues", **none}
            return column, {"metric": "missingValues", "arguments": {"missingValues": [None, ""]}, **none}
        if check.metric == "uniqueness":
            return column, {"metric": "duplicateValues", **none}
        if check.metric == "isin":
            return column, {"metric": "invalidValues", "arguments": {"validValues": list(check.values)}, **none}
        if check.metric == "matches":
            return column, {"metric": "invalidValues", "arguments": {"pattern": check.pattern}, **none}
        return None


def _original(rule: Rule) -> Check:
    """The check that the rule was, to be read again: of what was learned only the bounds that it has now."""
    if rule.learned is None:
        return rule.check
    return replace(rule.check, error=rule.bounds, anomaly=None, id=rule.name)


def _operator(bounds: Bounds) -> dict[str, Any]:
    """One comparison, which is all that a rule may have.

    :raises CannotSayError: when it would need two
    """
    low, high = bounds.lower, bounds.upper
    if low is not None and low == high:
        return {"mustBe": low}
    if low is not None and high is not None:
        if bounds.lower_open or bounds.upper_open:
            raise CannotSayError("mustBeBetween has no open ends")
        return {"mustBeBetween": [low, high]}
    if low is not None:
        return {"mustBeGreaterThan" if bounds.lower_open else "mustBeGreaterOrEqualTo": low}
    assert high is not None
    return {"mustBeLessThan" if bounds.upper_open else "mustBeLessOrEqualTo": high}
