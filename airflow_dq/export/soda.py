"""Soda 4: a data contract as YAML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar

from airflow_dq.check.bounds import Bounds, Number
from airflow_dq.check.metric import FORMATS
from airflow_dq.check.model import Check
from airflow_dq.check.parser import predicate
from airflow_dq.export.model import Facts, Lost, Rule, Target, heading, yaml_text
from airflow_dq.export.sql import CannotSayError, Writer
from airflow_dq.states.base import Kind

_AGGREGATES = {
    "min": "min",
    "max": "max",
    "mean": "avg",
    "sum": "sum",
    "min_length": "minLength",
    "max_length": "maxLength",
}
"""Functions of Soda's aggregate check whose value is the check's own; its average length counts empty texts."""
Said = tuple[str | None, dict[str, Any]]
"""The column that a check is listed below (None: the table), and the check."""


DATA_SOURCE = "data_source"
"""What stands where Soda wants a connection's name before that of the table; nobody here knows it."""


class Soda(Target):
    """One contract."""

    name: ClassVar[str] = "soda"
    title: ClassVar[str] = "Soda"

    def say(self, rule: Rule, facts: Facts) -> Said:
        """One check of the contract."""
        check, common = rule.check, {"name": rule.words, "qualifier": rule.name}
        if check.metric == "has_columns":
            if check.ordered and not check.exactly:
                raise CannotSayError("the order of columns can be asked for only of all columns")
            others = {"allow_extra_columns": not check.exactly, "allow_other_column_order": not check.ordered}
            return None, {"schema": {"name": rule.words, **others}}
        if check.metric == "type":
            raise CannotSayError("a type there is one of the engine that the contract runs on")
        if check.where is not None:
            common["filter"] = Writer(facts.dialect, facts.kinds).of(predicate(check.where))
        if check.metric == "rows":
            return None, {"row_count": common | _threshold(rule)}
        found = self._native(rule, facts)
        if found is not None:
            name, body = found
            return check.columns[0], {name: common | body}
        common.pop("filter", None)
        query = self.query(rule, facts)
        return None, {"metric": common | {"query": query.of(facts.table)} | _threshold(rule)}

    def write(self, facts: Facts, said: Sequence[tuple[Rule, Said]], lost: Sequence[Lost]) -> Mapping[str, str]:
        """The contract; a column that nothing requires is optional there."""
        required = [name for rule, (_, body) in said if "schema" in body for name in rule.check.columns]
        columns: dict[str, list[Any]] = {name: [] for name in required}
        table: list[Any] = []
        for _, (column, body) in said:
            if "schema" in body and any("schema" in one for one in table):
                continue
            (table if column is None else columns.setdefault(column, [])).append(body)
        listed = [
            {"name": name, **({} if name in required else {"optional": True}), **({"checks": checks} if checks else {})}
            for name, checks in columns.items()
        ]
        contract: dict[str, Any] = {"dataset": f"{DATA_SOURCE}/{facts.table.replace('.', '/')}"}
        contract |= {"columns": listed} if listed else {}
        contract |= {"checks": table} if table else {}
        told = f"# {DATA_SOURCE} stands for the name of yours in Soda's configuration.\n"
        return {f"{facts.stem}.soda.yml": heading(self, facts, lost) + told + yaml_text(contract)}

    def _native(self, rule: Rule, facts: Facts) -> tuple[str, dict[str, Any]] | None:
        """A check of Soda's that means the same; it counts what is wrong, and leaves nulls out of it."""
        check = rule.check
        if check.metric in _AGGREGATES and facts.kinds.get(check.columns[0]) is not Kind.TIMESTAMP:
            return "aggregate", {"function": _AGGREGATES[check.metric]} | _threshold(rule)
        if check.metric == "completeness":
            missing = {} if facts.kinds.get(check.columns[0]) not in (None, Kind.NULL, Kind.STRING) else _EMPTY
            if not missing or facts.kinds.get(check.columns[0]) is Kind.STRING:
                return "missing", missing | _percent(rule)
        if not rule.wants_all or check.nulls == "fail":
            return None
        none: dict[str, Any] = {"threshold": {"must_be": 0, **_level(rule)}}
        if check.metric == "uniqueness" and len(check.columns) == 1:
            return "duplicate", none
        valid = _valid(check)
        return None if valid is None else ("invalid", valid | none)


_EMPTY: dict[str, Any] = {"missing_values": [""]}


def _valid(check: Check) -> dict[str, Any] | None:
    """What Soda calls valid, of a check of each value."""
    values = check.values
    if check.metric in ("isin", "not_in") and not any(isinstance(one, bool) for one in values):
        return {"valid_values" if check.metric == "isin" else "invalid_values": list(values)}
    if check.metric in ("matches", "format"):
        pattern = check.pattern or FORMATS[check.format or ""]
        return {"valid_format": {"regex": pattern, "name": check.format or "pattern"}}
    sides = {"valid_min": check.low, "valid_max": check.high}
    if check.metric == "between" and not any(isinstance(one, str | bool) for one in sides.values()):
        return {name: side for name, side in sides.items() if side is not None}
    return None


def _level(rule: Rule) -> dict[str, str]:
    return {"level": "warn"} if rule.level == "warn" else {}


def _threshold(rule: Rule) -> dict[str, Any]:
    return {"threshold": _compared(rule.bounds) | _level(rule)}


def _percent(rule: Rule) -> dict[str, Any]:
    """Bounds of a share of what is right, as bounds of the percentage of what is not."""
    bounds = rule.bounds
    if rule.wants_all:
        return {"threshold": {"must_be": 0} | _level(rule)}
    low, high = (None if side is None else _rest(side) for side in (bounds.upper, bounds.lower))
    turned = Bounds(low, high, bounds.upper_open, bounds.lower_open)
    return {"threshold": {"metric": "percent"} | _compared(turned) | _level(rule)}


def _rest(share: Number) -> float:
    # In decimals, for a person wrote them: 1 - 0.9 is 0.1.
    return float(100 * (1 - Decimal(repr(share))))


def _compared(bounds: Bounds) -> dict[str, Any]:
    low, high = bounds.lower, bounds.upper
    if low is not None and low == high:
        return {"must_be": low}
    if low is not None and high is not None:
        lower = {"greater_than" if bounds.lower_open else "greater_than_or_equal": low}
        upper = {"less_than" if bounds.upper_open else "less_than_or_equal": high}
        return {"must_be_between": lower | upper}
    if low is not None:
        return {"must_be_greater_than" if bounds.lower_open else "must_be_greater_than_or_equal": low}
    assert high is not None
    return {"must_be_less_than" if bounds.upper_open else "must_be_less_than_or_equal": high}
