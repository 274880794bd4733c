"""The RuleSet of Airflow's common-dataquality provider: the same conditions, and the summary that its gate reads."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from airflow_dq import ProfileOptions, profile_table
from airflow_dq.check.bounds import Bounds
from airflow_dq.check.ruleset import checks_of_ruleset, is_ruleset, summary_of
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.profile.check.answer import answer


def rule(check: str, condition: dict[str, float], **more: Any) -> dict[str, Any]:
    return {"name": f"{check}_rule", "check": check, "condition": condition, "column": "a", **more}


RULES = (
    (rule("null_count", {"equal_to": 0}), 1),
    (rule("null_ratio", {"leq_to": 0.05}, severity="warn"), 0.2),
    (rule("distinct_count", {"leq_to": 20}), 3),
    (rule("unique_violations", {"equal_to": 0}), 1),
    (rule("min", {"geq_to": 0}), 1.0),
    (rule("max", {"less_than": 9}), 3.0),
    (rule("mean", {"greater_than": 0}), 2.0),
    (rule("row_count", {"greater_than": 0}, column=None), 5),
    (rule("row_count", {"greater_than": 0}, name="some", column=None, partition_clause="a > 1"), 3),
)


def test_each_check_of_the_catalog_measures_what_its_sql_does() -> None:
    ruleset = {"name": "orders", "rules": [one for one, _ in RULES]}
    checks = checks_of_ruleset(ruleset, "orders")
    table = pa.table({"a": pa.array([1.0, 2.0, 2.0, 3.0, None])})
    profile = profile_table(table, "1", ProfileOptions(checks=tuple(checks), sample_rows=0))
    for check, (given, value) in zip(checks, RULES, strict=True):
        assert check.id == given["name"]
        assert answer(check, profile).value == pytest.approx(value), check.id
    by_id = {check.id: check for check in checks}
    assert (by_id["null_ratio_rule"].error, by_id["null_ratio_rule"].warn) == (None, Bounds(upper=0.05))
    assert by_id["max_rule"].error == Bounds(upper=9, upper_open=True)
    # The provider's own object tells itself as the same mapping.
    provided = SimpleNamespace(name="orders", rules=(), to_dict=lambda: ruleset)
    assert is_ruleset(provided)
    assert tuple(checks_of_ruleset(provided, "orders")) == tuple(checks)


@pytest.mark.parametrize(
    ("condition", "inside", "outside"),
    [
        ({"equal_to": 100, "tolerance": 0.1}, (90, 110), (89.9, 110.1)),
        ({"equal_to": -100, "tolerance": 0.1}, (-90, -110), (-89.9, -110.1)),
        ({"geq_to": 0, "leq_to": 10}, (0, 10), (-0.1, 10.1)),
        ({"greater_than": 0, "less_than": 10, "tolerance": 0.1}, (0.1, 10.9), (0, 11)),
        ({"geq_to": 5, "greater_than": 5}, (5.1,), (5,)),
        ({"leq_to": 5, "less_than": 9}, (5,), (6,)),
    ],
)
def test_a_condition_allows_what_the_provider_allows(
    condition: dict[str, float], inside: tuple[float, ...], outside: tuple[float, ...]
) -> None:
    (check,) = checks_of_ruleset({"name": "r", "rules": [rule("mean", condition)]}, "t")
    assert check.error is not None
    assert all(check.error.holds(value) for value in inside)
    assert not any(check.error.holds(value) for value in outside)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (rule("custom_sql", {"equal_to": 0}, sql="select 1"), "Rule 'custom_sql_rule' of RuleSet 'r': .*custom_sql"),
        (rule("mean", {}), "ask nothing"),
        (rule("mean", {"equal_to": 0}, column=None), "mean needs a column"),
        (rule("mean", {"equal_to": 0}, partition_clause="now() > x"), "now"),
    ],
)
def test_a_rule_that_cannot_be_a_check_is_named(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        checks_of_ruleset({"name": "r", "rules": [given]}, "t")


def test_the_summary_scores_as_the_provider_does() -> None:
    found = summary_of("r", "t", "run", {"a": "pass", "b": "warn", "c": "fail", "d": "error"})
    assert found == {
        **{"run_uid": "run", "ruleset": "r", "table": "t", "score": 0.4375, "passed": 1, "warned": 1, "failed": 1},
        **{"errored": 1, "failed_rules": ["c", "d"], "warned_rules": ["b"]},
    }
    assert summary_of("r", "t", "run", {})["score"] is None
