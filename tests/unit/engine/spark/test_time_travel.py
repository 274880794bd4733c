"""What Spark is told of a state of a table's past."""

from __future__ import annotations

from typing import Any

import pytest

from airflow_dq.engine.spark.time_travel import travel_options, travelling_table
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.job import JobSpec


def order(**given: Any) -> JobSpec:
    return JobSpec(dataset="orders", partition_by="day", **given)


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ({"format": "delta"}, {}),
        ({"format": "delta", "version": "12"}, {"versionAsOf": "12"}),
        ({"format": "delta", "as_of": "2026-01-31T06:00+02:00"}, {"timestampAsOf": "2026-01-31T04:00:00.000000Z"}),
        ({"format": "delta", "as_of": "* + 1d"}, {}),
        ({"format": "iceberg", "snapshot": "612"}, {"snapshot-id": "612"}),
        ({"format": "iceberg", "as_of": "2026-01-31"}, {"as-of-timestamp": "1769817600000"}),
    ],
)
def test_a_path_is_read_by_the_options_of_its_format(given: dict[str, str], options: dict[str, str]) -> None:
    assert travel_options(order(pattern="lake/orders", **given)) == options


def test_a_branch_by_a_path_is_left_to_read_options() -> None:
    with pytest.raises(ConfigurationError, match=r"read_options=\{'branch': 'audited'\}"):
        travel_options(order(pattern="lake/orders", format="iceberg", snapshot="audited"))


@pytest.mark.parametrize(
    ("given", "state"),
    [
        ({"version": "12"}, "VERSION AS OF 12"),
        ({"snapshot": "612"}, "VERSION AS OF 612"),
        ({"snapshot": "it's"}, "VERSION AS OF 'it\\'s'"),
        ({"as_of": "2026-01-31 + 30h"}, "TIMESTAMP AS OF '2026-02-01T06:00:00.000000Z'"),
    ],
)
def test_a_table_is_read_by_a_query(given: dict[str, str], state: str) -> None:
    assert travelling_table(order(table="lake.orders", **given)) == f"SELECT * FROM lake.orders {state}"


def test_each_partition_has_its_own_moment() -> None:
    spec = order(table="lake.orders", as_of="* + 30h")
    assert spec.travels_by_key
    assert travelling_table(spec.at("2026-01-31")).endswith("TIMESTAMP AS OF '2026-02-01T06:00:00.000000Z'")
    assert JobSpec.from_json(spec.to_json()) == spec
