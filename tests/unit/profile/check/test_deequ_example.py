"""The example of Deequ's documentation, with the results that are printed there."""

from __future__ import annotations

import pyarrow as pa

from airflow_dq import ProfileOptions, profile_table
from airflow_dq.check import Checks
from airflow_dq.profile.check.answer import answer

ITEMS = pa.table(
    {
        "id": [1, 2, 3, 4, 5],
        "productName": ["Thingy A", "Thingy B", None, "Thingy D", "Thingy E"],
        "description": ["awesome thing.", "available at http://thingb.com", None, "checkout https://thingd.ca", None],
        "priority": ["high", None, "low", "low", "high"],
        "numViews": [0, 0, 5, 10, 12],
    }
)


def test_its_basic_example_has_the_results_that_it_prints() -> None:
    checks = Checks("items")
    checks.rows(id="size").exactly(5)
    checks.col("id").complete()
    checks.col("id").unique()
    checks.col("productName").complete(id="name")
    checks.col("priority").isin(["high", "low"], nulls="pass")
    checks.col("numViews").non_negative()
    checks.col("description").matches("https?://[^ ]+", nulls="fail", error=">=0.5", id="url")
    checks.col("numViews").quantile(0.5, error="<=10")
    profile = profile_table(ITEMS, "1", ProfileOptions(checks=tuple(checks), sample_rows=0))
    found = {check.id: (answer(check, profile).value, check.error) for check in checks}
    failed = {name: value for name, (value, bounds) in found.items() if bounds is not None and not bounds.holds(value)}
    # "Completeness(productName) ... Value: 0.8", "containsURL(description) ... Value: 0.4"
    assert failed == {"name": 0.8, "url": 0.4}


def test_its_metrics_example_has_the_values_that_it_prints() -> None:
    checks = Checks("items")
    checks.rows(error=">=0")
    checks.col("id").distinct(error=">=0")
    checks.col("productName").completeness(error=">=0")
    checks.rule("numViews >= 10", error=">=0")
    checks.col("numViews").mean(error=">=0")
    profile = profile_table(ITEMS, "1", ProfileOptions(checks=tuple(checks), sample_rows=0))
    assert [answer(check, profile).value for check in checks] == [5, 5, 0.8, 0.4, 5.4]
