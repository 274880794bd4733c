"""AWS Glue's Data Quality Definition Language (DQDL), which Deequ reads as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from airflow_dq.check.bounds import Bounds
from airflow_dq.export.model import Facts, Lost, Rule, Target, heading
from airflow_dq.export.sql import SPARK, CannotSayError, Dialect, number_text
from airflow_dq.states.base import Kind

_TABLE = "primary"
"""What DQDL calls the table that the rules are of."""
_NATIVE = {
    "mean": "Mean",
    "sum": "Sum",
    "std": "StandardDeviation",
    "uniqueness": "Uniqueness",
    "unique_value_ratio": "UniqueValueRatio",
    "entropy": "Entropy",
    "correlation": "ColumnCorrelation",
}
"""Rule types whose value is the check's own, nulls and all.

Others come near (``Completeness`` takes the empty text for a value, ``IsPrimaryKey`` takes nulls, ``ColumnValues ...
between`` is without its ends) and are said in SQL.
"""


class DQDL(Target):
    """One ruleset."""

    name: ClassVar[str] = "dqdl"
    title: ClassVar[str] = "DQDL"
    dialect: ClassVar[Dialect | None] = SPARK

    def say(self, rule: Rule, facts: Facts) -> str:
        """One rule of the set; a rule for each bound, for those of DQDL have one."""
        if rule.level == "warn":
            raise CannotSayError("DQDL knows no warnings: what only warns would fail there")
        check = rule.check
        if check.metric == "has_columns":
            return self._columns(rule)
        if check.metric == "type":
            raise CannotSayError("DQDL asks whether values can be read as a type, not which type the column has")
        if check.metric == "rows" and rule.is_plain:
            return _compared("RowCount", rule.bounds)
        native = _NATIVE.get(check.metric)
        numbered = all(facts.kinds.get(name) in (None, Kind.NUMERIC) for name in check.columns)
        alone = len(check.columns) == 1 or native == "ColumnCorrelation"
        if native is not None and rule.is_plain and alone and (numbered or check.entry.source == "keys"):
            return _compared(" ".join((native, *map(_quoted, check.columns))), rule.bounds)
        if check.metric == "completeness" and rule.is_plain and self._is_no_text(rule, facts):
            return _compared(f"Completeness {_quoted(check.columns[0])}", rule.bounds)
        return _compared(f"CustomSql {_quoted(self._sql(rule, facts))}", rule.bounds)

    def write(self, facts: Facts, said: Sequence[tuple[Rule, str]], lost: Sequence[Lost]) -> Mapping[str, str]:
        """The ruleset, each rule below what it means."""
        rules = [f"    # {' '.join(f'{rule.name}: {rule.words}'.split())}\n    {text}" for rule, text in said]
        body = ",\n".join(rules)
        return {f"{facts.stem}.dqdl": f"{heading(self, facts, lost)}Rules = [\n{body}\n]\n"}

    def _is_no_text(self, rule: Rule, facts: Facts) -> bool:
        return facts.kinds.get(rule.check.columns[0]) not in (None, Kind.NULL, Kind.STRING)

    def _sql(self, rule: Rule, facts: Facts) -> str:
        if rule.check.metric in ("fresh", "not_future"):
            raise CannotSayError("DQDL asks every row for its age, not the newest one")
        return self.query(rule, facts).of(_TABLE)

    def _columns(self, rule: Rule) -> str:
        check = rule.check
        if check.ordered or not rule.bounds.holds(0):
            raise CannotSayError("DQDL does not know the order of columns")
        parts = [f"(ColumnExists {_quoted(name)})" for name in check.columns]
        parts += [f"(ColumnCount = {len(check.columns)})"] if check.exactly else []
        return parts[0][1:-1] if len(parts) == 1 else " and ".join(parts)


def _compared(what: str, bounds: Bounds) -> str:
    low, high = bounds.lower, bounds.upper
    if low is not None and low == high:
        return f"{what} = {number_text(low)}"
    sides = []
    if low is not None:
        sides.append(f"{what} {'>' if bounds.lower_open else '>='} {number_text(low)}")
    if high is not None:
        sides.append(f"{what} {'<' if bounds.upper_open else '<='} {number_text(high)}")
    return sides[0] if len(sides) == 1 else " and ".join(f"({side})" for side in sides)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
