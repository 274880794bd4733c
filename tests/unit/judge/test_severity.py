from __future__ import annotations

import pytest

from airflow_dq.codec import from_json, to_json
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.explain.alert import Alert
from airflow_dq.judge.severity import check_severity, graded, idle_columns, severity_of
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.learn.constraint.base import Severity

MEAN = Alert("range", "price", "mean.", metric="mean")
ADDED = Alert("column_added", "new", "added.")
ROWS = Alert("range", None, "rows.", metric="row_count")
SUM = Alert("relation", "price", "sum.", metric="broken_ratio", columns=("total", "price", "fee"))


@pytest.mark.parametrize(
    ("alert", "rules", "expected"),
    [
        (MEAN, {}, "fail"),
        (MEAN, {"column:price": "warn"}, "warn"),
        (MEAN, {"metric:mean": "warn"}, "warn"),
        (MEAN, {"rule:range": "warn"}, "warn"),
        (MEAN, {"column:price": "fail", "metric:mean": "warn", "rule:range": "warn"}, "fail"),
        (MEAN, {"metric:mean": "fail", "rule:range": "warn"}, "fail"),
        (MEAN, {"column:mean": "warn", "metric:price": "warn"}, "fail"),
        (ADDED, {"rule:column_added": "warn"}, "warn"),
        (ROWS, {"column:None": "warn"}, "fail"),
        (ROWS, {"metric:row_count": "warn"}, "warn"),
        (SUM, {"column:price": "warn"}, "fail"),
        (SUM, {"column:price": "warn", "metric:broken_ratio": "warn"}, "warn"),
        (SUM, {"rule:relation": "warn"}, "warn"),
    ],
)
def test_the_column_decides_then_the_metric_then_the_rule(
    alert: Alert, rules: dict[str, Severity], expected: Severity
) -> None:
    assert severity_of(alert, rules) == expected


def test_a_graded_verdict_differs_in_nothing_else_and_survives_json() -> None:
    verdict = Verdict("1", Status.FAIL, ScopeVerdict(Status.FAIL), {}, alerts=(MEAN, ADDED))
    soft = graded(verdict, {"column:price": "warn"})
    assert [alert.severity for alert in soft.alerts] == ["warn", "fail"]
    assert soft.status is Status.FAIL
    assert graded(soft, {"column:price": "fail"}) == verdict
    assert from_json(Verdict, to_json(soft)) == soft


@pytest.mark.parametrize("key", ["price", "col:price", "column:", "column", ":price"])
def test_a_key_must_say_what_it_is_about(key: str) -> None:
    with pytest.raises(ConfigurationError, match=r"Give keys such as 'column:discount'"):
        check_severity({key: "warn"})


def test_a_severity_must_be_one() -> None:
    with pytest.raises(ConfigurationError, match=r"severity\['column:a'\] is 'info'"):
        check_severity({"column:a": "info"})
    check_severity({"column:a:b": "warn", "rule:column_added": "fail"})


def test_a_column_that_is_nowhere_is_told_and_other_rules_are_not() -> None:
    rules: dict[str, Severity] = {"column:prize": "warn", "column:price": "warn", "metric:prize": "warn"}
    assert idle_columns(rules, {"price"}) == ["prize"]
