"""dbt: a properties file for the model, and the one generic test that it uses besides dbt's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from airflow_dq.export.model import Facts, Lost, Rule, Target, heading, yaml_text
from airflow_dq.export.sql import CannotSayError, outside
from airflow_dq.states.base import Kind

_TEST = """\
{# A value of all rows, or of how often each combination of some columns occurs (as n), is not to be outside. #}
{% test dq_within(model, value, outside, rows=none, keys=none) %}
with scope as (
    select * from {{ model }}{% if rows %} where {{ rows }}{% endif %}
),
{% if keys %}
counted as (
    select {{ keys }}, count(*) as n from scope group by {{ keys }}
),
{% endif %}
measured as (
    select {{ value }} as value from {{ 'counted' if keys else 'scope' }}
)
select value from measured where {{ outside }}
{% endtest %}
"""
Said = tuple[str | None, str, dict[str, Any]]
"""The column that a test is listed below (None: the model), the test, and its arguments."""


class Dbt(Target):
    """A properties file and a generic test; dbt's own tests where they mean the same."""

    name: ClassVar[str] = "dbt"
    title: ClassVar[str] = "dbt"

    def say(self, rule: Rule, facts: Facts) -> Said:
        """One data test."""
        check = rule.check
        if check.metric in ("has_columns", "type"):
            raise CannotSayError("dbt asks for columns and types in a model's contract, which no test is")
        # Whatever stands in such a file is a template of dbt's: two braces would open an expression.
        found = self._native(rule, facts) if rule.is_plain and rule.wants_all else None
        if found is None:
            query = self.query(rule, facts)
            given = {"value": query.value, "outside": outside(rule.bounds)}
            given |= {"rows": query.where} if query.where else {}
            given |= {"keys": ", ".join(query.keys)} if query.keys else {}
            found = None, "dq_within", given
        if any(sign in text for text in _texts(found[2]) for sign in ("{{", "{%", "{#")):
            raise CannotSayError("it holds the braces of a template of dbt's")
        return found

    def write(self, facts: Facts, said: Sequence[tuple[Rule, Said]], lost: Sequence[Lost]) -> Mapping[str, str]:
        """The properties of the model, and the generic test."""
        columns: dict[str, list[Any]] = {}
        table: list[Any] = []
        for rule, (column, test, given) in said:
            meta = {"check": rule.name, **({"owner": rule.check.owner} if rule.check.owner else {})}
            body: dict[str, Any] = {"description": rule.words.replace("{", "(").replace("}", ")")}
            body |= {"arguments": given} if given else {}
            body["config"] = {"severity": "warn" if rule.level == "warn" else "error", "meta": meta}
            (table if column is None else columns.setdefault(column, [])).append({test: _named(rule) | body})
        model: dict[str, Any] = {"name": facts.table}
        model |= {"data_tests": table} if table else {}
        listed = [{"name": name, "data_tests": tests} for name, tests in columns.items()]
        model |= {"columns": listed} if listed else {}
        text = heading(self, facts, lost) + yaml_text({"version": 2, "models": [model]})
        return {f"models/{facts.stem}.dq.yml": text, "tests/generic/dq_within.sql": _TEST}

    def _native(self, rule: Rule, facts: Facts) -> Said | None:
        check = rule.check
        column = check.columns[0] if len(check.columns) == 1 else None
        if column is None:
            return None
        kind = facts.kinds.get(column)
        if check.metric == "completeness" and kind not in (None, Kind.NULL, Kind.STRING):
            return column, "not_null", {}
        if check.metric == "uniqueness":
            return column, "unique", {}
        # It puts values between quotes as they are.
        if check.metric == "isin" and all(isinstance(one, str) and "'" not in one for one in check.values):
            return column, "accepted_values", {"values": list(check.values)}
        return None


def _named(rule: Rule) -> dict[str, str]:
    """A name that dbt takes, unique in the project as far as the check's id is."""
    return {"name": "dq_" + "".join(one if one.isalnum() else "_" for one in rule.name)}


def _texts(given: Mapping[str, Any]) -> list[str]:
    return [str(one) for value in given.values() for one in (value if isinstance(value, list) else [value])]
