"""Deequ: a Python file for PyDeequ, whose methods are those of Deequ's checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.expression import Column, Presence
from airflow_dq.check.parser import predicate
from airflow_dq.export.model import Facts, Lost, Rule, Target, heading
from airflow_dq.export.sql import SPARK, CannotSayError, Dialect, Writer, number_text
from airflow_dq.profile.check.count import row_rule
from airflow_dq.states.base import Kind

_VALUES = {
    "min": "hasMin",
    "max": "hasMax",
    "mean": "hasMean",
    "sum": "hasSum",
    "std": "hasStandardDeviation",
    "min_length": "hasMinLength",
    "max_length": "hasMaxLength",
    "entropy": "hasEntropy",
}
"""Methods of one column and an assertion whose value is the check's own."""
_OF_COLUMNS = {
    "uniqueness": "hasUniqueness",
    "distinctness": "hasDistinctness",
    "unique_value_ratio": "hasUniqueValueRatio",
}
"""The same of several columns."""
_ROWS = ("rule", "completeness", "isin", "not_in", "matches", "format", "between")
_FILE = '''\
"""Checks for PyDeequ: hand them to VerificationSuite(spark).onData(...).addCheck(...)."""

from pydeequ.checks import Check, CheckLevel


def dq_checks(spark):
    """What fails, and what only warns."""
    error = Check(spark, CheckLevel.Error, {title!r})
    warning = Check(spark, CheckLevel.Warning, {title!r})
{body}    return [error, warning]
'''


class Deequ(Target):
    """One Python file."""

    name: ClassVar[str] = "deequ"
    title: ClassVar[str] = "Deequ"
    dialect: ClassVar[Dialect | None] = SPARK

    def say(self, rule: Rule, facts: Facts) -> str:
        """One call, or several that follow each other."""
        writer = Writer(SPARK, facts.kinds)
        where = None if rule.check.where is None else writer.of(predicate(rule.check.where))
        if rule.check.metric in _ROWS:
            return self._of_rows(rule, writer, where)
        call = self._call(rule, facts)
        return f"{call}.where({where!r})" if where else call

    def write(self, facts: Facts, said: Sequence[tuple[Rule, str]], lost: Sequence[Lost]) -> Mapping[str, str]:
        """The file."""
        lines = ""
        for rule, call in said:
            to = "error" if rule.level == "error" else "warning"
            lines += f"    # {' '.join(f'{rule.name}: {rule.words}'.split())}\n    {to} = {to}{call}\n"
        text = _FILE.format(title=facts.dataset, body=lines)
        return {f"{facts.stem}_deequ.py": heading(self, facts, lost) + text}

    def _of_rows(self, rule: Rule, writer: Writer, where: str | None) -> str:
        """``satisfies``, for which a null is wrong: what else it is here, the condition says, or the filter."""
        check = rule.check
        condition = writer.of(row_rule(check))
        if check.nulls == "pass":
            condition = f"coalesce({condition}, true)"
        elif check.nulls == "skip" and check.metric != "completeness":
            known = f"({condition}) is not null"
            where = known if where is None else f"({where}) and ({known})"
        call = f".satisfies({condition!r}, {rule.name!r}, {_assertion(rule.bounds)})"
        return f"{call}.where({where!r})" if where else call

    def _call(self, rule: Rule, facts: Facts) -> str:
        check, asked = rule.check, _assertion(rule.bounds)
        names = list(check.columns)
        if check.metric == "rows":
            return f".hasSize({asked})"
        numeric = all(facts.kinds.get(name) in (None, Kind.NUMERIC) for name in names)
        if check.metric in ("min", "max", "mean", "sum", "std", "median", "quantile", "correlation") and not numeric:
            raise CannotSayError(f"Deequ has {check.metric} of numbers only")
        if check.metric in _VALUES and len(names) == 1:
            return f".{_VALUES[check.metric]}({names[0]!r}, {asked})"
        if check.metric in _OF_COLUMNS:
            return f".{_OF_COLUMNS[check.metric]}({names!r}, {asked})"
        if check.metric == "correlation":
            return f".hasCorrelation({names[0]!r}, {names[1]!r}, {asked})"
        if check.metric in ("median", "quantile"):
            return f".hasApproxQuantile({names[0]!r}, {0.5 if check.metric == 'median' else check.quantile}, {asked})"
        if check.metric == "key" and rule.wants_all and check.where is None:
            writer = Writer(SPARK, facts.kinds)
            there = " and ".join(writer.of(Presence(Column(name))) for name in names)
            return f".satisfies({there!r}, {rule.name!r}, {asked}).hasUniqueness({names!r}, {asked})"
        raise CannotSayError(f"PyDeequ has no {check.metric}")


def _assertion(bounds: Bounds) -> str:
    low, high = (None if side is None else number_text(side) for side in (bounds.lower, bounds.upper))
    if low is not None and bounds.lower == bounds.upper:
        return f"lambda value: value == {low}"
    lower = "" if low is None else f"{low} {'<' if bounds.lower_open else '<='} "
    upper = "" if high is None else f" {'<' if bounds.upper_open else '<='} {high}"
    return f"lambda value: {lower}value{upper}"
