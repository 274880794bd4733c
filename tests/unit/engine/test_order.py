from __future__ import annotations

from typing import Any

import pytest

from airflow_dq.engine.order import chosen_keys, describe, read_options, where_of
from airflow_dq.exceptions import SourceEmptyError
from airflow_dq.options.job import JobSpec


def order(**spec: Any) -> JobSpec:
    return JobSpec(dataset="d", **(spec or {"pattern": "lake/day=*"}))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"table": "db.t", "partition": "1"}, "table db.t"),
        ({"sql": "select 1", "partition": "1"}, "query 'select 1'"),
        ({"pattern": "lake/day=*"}, "lake/day=*"),
        ({"paths": {"1": "a", "2": "b", "3": "a"}}, "a, b"),
        ({"format": "jdbc", "options": {"dbtable": "t"}, "partition": "1"}, "jdbc source t"),
    ],
)
def test_the_source_in_words(spec: dict[str, Any], words: str) -> None:
    assert describe(order(**spec)) == words


def test_secrets_are_not_kept_with_the_read_options() -> None:
    spec = order(format="jdbc", options={"url": "u", "dbtable": "t", "Password": "x"}, partition="1")
    assert read_options(spec) == {"format": "jdbc", "url": "u", "dbtable": "t", "Password": "***"}
    # The address of a connection may hold them, too.
    spec = order(format="jdbc", options={"url": "jdbc:mysql://me:horse@db/x", "dbtable": "t"}, partition="1")
    assert read_options(spec) == {"format": "jdbc", "url": "***", "dbtable": "t"}


def test_keys_are_chosen_in_their_order() -> None:
    keys = ["9", "10", "2", "1"]
    assert chosen_keys(order(), keys) == ["1", "2", "9", "10"]
    assert chosen_keys(order(pattern="x/*", since="2", until="9"), keys) == ["2", "9"]
    assert chosen_keys(order(pattern="x/*", limit=1), keys) == ["10"]
    with pytest.raises(SourceEmptyError, match=r"^Dataset 'd': x/\* holds no partition from a to the last\.$"):
        chosen_keys(order(pattern="x/*", since="a"), keys)
    with pytest.raises(SourceEmptyError, match=r"^Dataset 'd': lake/day=\* holds no partition\.$"):
        chosen_keys(order(), [])


def test_what_an_error_is_about() -> None:
    assert (where_of(order()), where_of(order(), "1")) == ("Dataset 'd'", "Dataset 'd', partition '1'")
