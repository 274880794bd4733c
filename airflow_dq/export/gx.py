"""Great Expectations 1.x: an expectation suite as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.metric import FORMATS
from airflow_dq.export.model import Facts, Lost, Rule, Target
from airflow_dq.export.sql import CannotSayError
from airflow_dq.states.base import Kind

_PLACE = "\0"
"""Stands for the table until all else is written: no SQL has it."""
_BETWEEN = {
    "rows": "expect_table_row_count_to_be_between",
    "min": "expect_column_min_to_be_between",
    "max": "expect_column_max_to_be_between",
    "mean": "expect_column_mean_to_be_between",
    "sum": "expect_column_sum_to_be_between",
    "median": "expect_column_median_to_be_between",
    "distinct": "expect_column_unique_value_count_to_be_between",
    # "unique" is said there of values that are distinct.
    "distinctness": "expect_column_proportion_of_unique_values_to_be_between",
}
"""Expectations whose value is the check's own; the standard deviation is not: theirs is divided by n - 1."""
_NOT_STRICT = ("rows", "distinct")
"""What bounds of whole numbers alone are given to, which have no open ends."""


class GreatExpectations(Target):
    """One suite."""

    name: ClassVar[str] = "gx"
    title: ClassVar[str] = "Great Expectations"

    def say(self, rule: Rule, facts: Facts) -> dict[str, Any]:
        """One expectation."""
        kind, kwargs = self._expectation(rule, facts)
        severity = "critical" if rule.level == "error" else "warning"
        meta = {"check": rule.name, "asked": rule.words, **({"owner": rule.check.owner} if rule.check.owner else {})}
        return {"type": kind, "kwargs": kwargs, "severity": severity, "meta": meta}

    def write(self, facts: Facts, said: Sequence[tuple[Rule, Any]], lost: Sequence[Lost]) -> Mapping[str, str]:
        """The suite; what it does not hold is in its meta data."""
        meta = {"source": facts.source, "not_said": {one.name: one.reason for one in lost}}
        suite = {"name": facts.dataset, "expectations": [one for _, one in said], "meta": meta}
        return {f"{facts.stem}.gx.json": json.dumps(suite, indent=2, ensure_ascii=False) + "\n"}

    def _expectation(self, rule: Rule, facts: Facts) -> tuple[str, dict[str, Any]]:
        check = rule.check
        if check.metric == "has_columns":
            return _columns(rule)
        if check.metric == "type":
            raise CannotSayError("a type there is one of the engine that the suite runs on")
        found = self._native(rule, facts) if rule.is_plain else None
        if found is not None:
            return found
        query = self.query(rule, facts).violations(_PLACE, rule.bounds)
        # It is filled in by Python's format: a brace of a pattern or a text stands twice.
        template = query.replace("{", "{{").replace("}", "}}").replace(_PLACE, "{batch}")
        return "unexpected_rows_expectation", {"unexpected_rows_query": template}

    def _native(self, rule: Rule, facts: Facts) -> tuple[str, dict[str, Any]] | None:
        """An expectation that means the same: of all rows, with nulls left out."""
        check, bounds = rule.check, rule.bounds
        column = {"column": check.columns[0]} if check.columns else {}
        kind = facts.kinds.get(check.columns[0]) if check.columns else None
        is_open = bounds.lower_open or bounds.upper_open
        if check.metric in _BETWEEN and len(check.columns) <= 1 and not (is_open and check.metric in _NOT_STRICT):
            if check.metric in ("min", "max") and kind is Kind.TIMESTAMP:
                return None
            return _BETWEEN[check.metric], column | _sides(bounds)
        if check.metric == "completeness" and kind not in (None, Kind.NULL, Kind.STRING):
            return "expect_column_proportion_of_non_null_values_to_be_between", column | _sides(bounds)
        least = rule.least_share
        if least is None:
            return None
        mostly = column | ({"mostly": least} if least < 1 else {})
        if check.metric == "isin":
            return "expect_column_values_to_be_in_set", mostly | {"value_set": list(check.values)}
        if check.metric == "not_in":
            return "expect_column_values_to_not_be_in_set", mostly | {"value_set": list(check.values)}
        if check.metric in ("matches", "format"):
            pattern = check.pattern or FORMATS[check.format or ""]
            return "expect_column_values_to_match_regex", mostly | {"regex": pattern}
        if check.metric == "between" and not isinstance(check.low, bool) and not isinstance(check.high, bool):
            sides = {"min_value": check.low, "max_value": check.high}
            return "expect_column_values_to_be_between", mostly | {n: v for n, v in sides.items() if v is not None}
        if check.metric == "uniqueness" and len(check.columns) == 1:
            return "expect_column_values_to_be_unique", mostly
        return None


def _columns(rule: Rule) -> tuple[str, dict[str, Any]]:
    check = rule.check
    if not rule.bounds.holds(0):
        raise CannotSayError("a number of wrong columns other than 0 cannot be asked for")
    if check.ordered and check.exactly:
        return "expect_table_columns_to_match_ordered_list", {"column_list": list(check.columns)}
    if check.ordered:
        raise CannotSayError("the order of columns can be asked for only of all columns")
    return "expect_table_columns_to_match_set", {"column_set": list(check.columns), "exact_match": check.exactly}


def _sides(bounds: Bounds) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, side, is_open in (("min", bounds.lower, bounds.lower_open), ("max", bounds.upper, bounds.upper_open)):
        if side is not None:
            found[f"{name}_value"] = side
        if is_open:
            found[f"strict_{name}"] = True
    return found
