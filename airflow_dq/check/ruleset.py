"""The RuleSet of Airflow's common-dataquality provider as declared checks, and its summary of what became of them.

Nothing of the provider is imported: a RuleSet tells what it is as plain data (``to_dict``), the form of its file, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.builder import Checks
from airflow_dq.exceptions import ConfigurationError

RESULT_KEY = "airflow.dataquality.result"
"""Where in the ``extra`` of an asset's event the provider's ``require_quality`` looks for the summary."""
WARNED_WEIGHT = 0.25
"""What a rule that only warns costs of the score beside one that fails: the provider's own weight."""


def is_ruleset(given: object) -> bool:
    """Whether it is a RuleSet of the provider, or the mapping that one is written as."""
    if isinstance(given, Mapping):
        return "rules" in given
    return hasattr(given, "rules") and callable(getattr(given, "to_dict", None))


def checks_of_ruleset(given: Any, dataset: str) -> Checks:
    """The checks that the rules are; each has its rule's name as its id.

    Of no rows a number of nulls is 0 here, and a ratio, minimum, maximum or mean is not applicable.

    :raises ConfigurationError: naming the rule that cannot be one, such as a ``custom_sql``
    """
    document: Mapping[str, Any] = given if isinstance(given, Mapping) else given.to_dict()
    checks = Checks(dataset)
    for rule in document.get("rules", ()):
        plain = rule if isinstance(rule, Mapping) else rule.to_dict()
        try:
            _declare(checks, plain)
        except ConfigurationError as error:
            said = str(error).rstrip(".")
            raise ConfigurationError(
                f"Rule {plain.get('name')!r} of RuleSet {document.get('name')!r}: {said}."
            ) from None
    return checks


def summary_of(ruleset: str, table: str, run: str, outcomes: Mapping[str, str]) -> dict[str, Any]:
    """What the provider's own operator attaches to an asset's event, with the score that ``require_quality`` reads.

    :param run: names the run
    :param outcomes: check id -> ``pass``, ``warn``, ``fail`` or ``error``; what had nothing to look at is not in it,
        and counts for nothing: without any there is no score
    """

    def named(*wanted: str) -> list[str]:
        return sorted(name for name, one in outcomes.items() if one in wanted)

    failed, warned = named("fail", "error"), named("warn")
    penalty = len(failed) + WARNED_WEIGHT * len(warned)
    return {
        "run_uid": run,
        "ruleset": ruleset,
        "table": table,
        "score": round(1 - penalty / len(outcomes), 4) if outcomes else None,
        "passed": len(named("pass")),
        "warned": len(warned),
        "failed": len(named("fail")),
        "errored": len(named("error")),
        "failed_rules": failed,
        "warned_rules": warned,
    }


def _declare(checks: Checks, rule: Mapping[str, Any]) -> None:
    name, kind, column = str(rule.get("name", "")), rule.get("check"), rule.get("column")
    if kind not in _KINDS:
        raise ConfigurationError(
            f"its check is {kind!r}; there are {', '.join(_KINDS)}. Declare a custom_sql as a rule or a metric"
        )
    given: dict[str, Any] = {"id": name, str(rule.get("severity", "error")): _bounds(rule.get("condition") or {})}
    if (clause := rule.get("partition_clause")) is not None:
        given["where"] = clause
    if kind == "row_count":
        checks.add("rows", (), **given)
        return
    if not column:
        raise ConfigurationError(f"{kind} needs a column")
    metric, sql = _KINDS[kind]
    if sql is None:
        checks.add(metric, (column,), **given)
    else:
        quoted = "`" + str(column).replace("`", "``") + "`"
        checks.add(metric, (), sql=sql.format(column=quoted), name=name, **given)


_KINDS: Mapping[Any, tuple[str, str | None]] = {
    "null_count": ("metric", "count(*) - count({column})"),
    "null_ratio": ("metric", "(count(*) - count({column})) / count(*)"),
    "distinct_count": ("distinct", None),
    "unique_violations": ("surplus_rows", None),
    "min": ("min", None),
    "max": ("max", None),
    "mean": ("mean", None),
    "row_count": ("rows", None),
}
"""The provider's catalog -> the metric of a check, and its expression where it has one."""


def _bounds(condition: Mapping[str, Any]) -> Bounds:
    """A condition; ``tolerance`` widens its bounds by a share of each."""
    widened: float = condition.get("tolerance") or 0.0

    def side(names: Sequence[str], sign: int) -> tuple[float | None, bool]:
        known = [(condition[name], name) for name in names if condition.get(name) is not None]
        if not known:
            return None, False
        # Of two bounds on one side the narrower one holds.
        value, name = (max if sign < 0 else min)(known)
        return value + sign * abs(value) * widened if widened else value, name in ("greater_than", "less_than")

    if condition.get("equal_to") is not None:
        low, high = side(("equal_to",), -1)[0], side(("equal_to",), 1)[0]
        return Bounds(low, high)
    (low, low_open), (high, high_open) = side(("geq_to", "greater_than"), -1), side(("leq_to", "less_than"), 1)
    return Bounds(low, high, low_open, high_open)
