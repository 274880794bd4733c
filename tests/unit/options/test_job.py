"""The order to a profile job: what it refuses, and that it survives the command line."""

from __future__ import annotations

from typing import Any

import pytest

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.profile import JobSpec

GOOD: list[dict[str, Any]] = [
    {"paths": {"2013-01-01": "/lake/day=2013-01-01"}, "exclude": ("id",)},
    {"pattern": "/lake/day=*", "since": "2013-01-01", "limit": 45},
    {"pattern": "/lake/", "partition_by": "day"},
    {"table": "shop.orders", "partition": "2013-01-01", "columns": ("a", "b")},
    {"sql": "select 1", "partition_by": "day"},
    {"pattern": "/lake/day=*", "hidden": ("email",), "store_values": False},
    {"format": "jdbc", "options": {"url": "jdbc:x", "dbtable": "t"}, "partition": "2013-01-01"},
    {"table": "t", "partition": "2013-01-01", "partition_by": "day", "where": "x > 1"},
]


@pytest.mark.parametrize("order", GOOD)
def test_an_order_survives_its_json(order: dict[str, Any]) -> None:
    spec = JobSpec(dataset="orders", **order)
    assert JobSpec.from_json(spec.to_json()) == spec
    assert spec.whole == bool({"table", "sql", "format"} & set(order))


@pytest.mark.parametrize(
    ("order", "complaint"),
    [
        ({}, "exactly one source is needed"),
        ({"table": "a", "sql": "select 1", "partition": "p"}, "given: table and sql"),
        ({"options": {"header": "true"}, "partition": "p"}, "exactly one source is needed"),
        ({"table": "a"}, "needs partition"),
        ({"format": "jdbc", "options": {"url": "jdbc:x"}}, "needs partition"),
        ({"table": "a", "partition": "p", "where": ""}, "where is empty"),
        ({"table": "a", "partition": ""}, "rendered to nothing"),
        ({"paths": {"": "/lake"}}, "rendered to nothing"),
        ({"pattern": "/lake/*/*"}, "exactly one '\\*'"),
        ({"table": "a", "partition": "p", "columns": ()}, "columns names no column"),
        ({"table": "a", "partition": "p", "sample_rows": -1}, "sample_rows is -1"),
        ({"pattern": "/lake/day=*", "limit": 0}, "limit is 0; give 1 or more"),
        ({"pattern": "/lake/day=*", "limit": "5"}, "limit is '5'; give 1 or more"),
        ({"table": "a", "partition": "p", "hidden": "email"}, "hidden is the text 'email'"),
        ({"table": "a", "partition_by": "Patient", "hidden": ("patient",)}, "column 'Patient', which hidden names"),
        ({"pattern": "/lake/orders", "partition_by": "who", "hidden": ("x", "who")}, "column 'who', which hidden"),
        ({"pattern": "/lake/who=*/part", "hidden": ("who",)}, "column 'who', which hidden names"),
        ({"paths": {"Ann": "/lake/who=Ann"}, "hidden": ("who",)}, "column 'who', which hidden names"),
    ],
)
def test_an_order_that_cannot_be_carried_out_names_the_dataset(order: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint) as caught:
        JobSpec(dataset="orders", **order)
    assert "'orders'" in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"dataset": "t", "nonsense": 1}'])
def test_what_is_no_order_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        JobSpec.from_json(text)


def test_both_engines_profile_with_the_order_s_options() -> None:
    spec = JobSpec(
        dataset="orders",
        paths={"1": "/lake/1"},
        columns=("a", "b"),
        exclude=("c",),
        sample_rows=7,
        store_values=False,
        hidden=("b",),
    )
    found = JobSpec.from_json(spec.to_json()).profile_options
    assert (found.columns, found.exclude, found.sample_rows) == (("a", "b"), ("c",), 7)
    assert (found.store_values, found.hidden) == (False, ("b",))


@pytest.mark.parametrize(
    ("path", "key", "shared"),
    [
        ("/lake/day=2026-01-02", "2026-01-02", False),
        ("/lake/2026-01-02/orders", "2026-01-02", False),
        ("s3://lake/orders_2026-01-02/", "2026-01-02", False),
        ("/lake/orders", "2026-01-02", True),
        ("/lake-541/orders", "1", True),
        ("/lake-1/orders", "1", True),
        ("/lake/v2026/orders", "2026", True),
        ("/lake/orders_v12", "12", True),
    ],
)
def test_a_table_is_one_partitions_own_only_in_a_folder_of_its_key(path: str, key: str, shared: bool) -> None:
    assert JobSpec("orders", paths={key: path}, format="delta").shared is shared


@pytest.mark.parametrize(
    "sql",
    [
        "drop table u",
        "INSERT INTO t VALUES (1)",
        "-- only\ntruncate table t",
        "/* a */ delete from t",
        "selection",
        "-- select 1",
        # However many comments there are, it is known at once.
        "-- a\n/* b */ (" * 1_000 + "drop table u",
        "/* a " * 1_000 + "drop table u",
    ],
)
def test_a_statement_that_does_something_is_no_query(sql: str) -> None:
    with pytest.raises(ConfigurationError, match="sql must choose rows"):
        JobSpec(dataset="orders", sql=sql, partition="1")


@pytest.mark.parametrize(
    "sql",
    [
        "select 1",
        "\n -- of today\n(SELECT 1)",
        "/* a /* b */ c */ from t",
        "/* a\nb */WITH x AS (SELECT 1) SELECT * FROM x",
        "from t",
        "table t",
    ],
)
def test_a_query_may_begin_with_comments_and_brackets(sql: str) -> None:
    assert JobSpec(dataset="orders", sql=sql, partition="1").sql == sql
