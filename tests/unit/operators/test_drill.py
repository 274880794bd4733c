"""The drill as a task: its order, when it is skipped, and what it refuses when the DAG is parsed."""

from __future__ import annotations

from typing import Any

import pytest

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.operators.drill import DQDrillOperator
from airflow_dq.options.drill import DrillSpec
from airflow_dq.version_compat import AirflowFailException


def operator(**given: Any) -> DQDrillOperator:
    return DQDrillOperator(**{"task_id": "drill", "dataset": "orders", "partition": "2026-01-31", **given})


def test_the_order_reads_as_it_was_written() -> None:
    spec = operator(
        columns=["price"], against="2026-01-01", rows=0, slices=3, read_options={"header": True}
    ).drill_spec()
    assert spec == DrillSpec(
        "orders", "2026-01-31", "2026-01-01", ("price",), slices=3, rows=0, options={"header": "True"}
    )
    assert DrillSpec.from_json(spec.to_json()) == spec
    assert DrillSpec.from_json(operator().drill_spec().to_json()).columns is None
    with pytest.raises(ConfigurationError, match="The order to drill cannot be read"):
        DrillSpec.from_json('{"dataset": "orders"}')


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"engine": "duck"}, "allowed: spark, arrow"),
        ({"slices": 0}, "slices is 0; give a whole number of at least 1"),
        ({"rows": -1}, "'orders', partition '2026-01-31': rows is -1"),
    ],
)
def test_a_mistake_is_told_when_the_dag_is_parsed(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        operator(**given)


def test_a_key_that_rendered_to_nothing_is_refused() -> None:
    with pytest.raises(AirflowFailException, match="the argument partition rendered to 'None'"):
        operator(partition="None").execute({})


def test_a_secret_is_refused_and_one_name_is_not_taken_for_its_letters() -> None:
    with pytest.raises(ConfigurationError, match="password"):
        operator(read_options={"password": "x"}).drill_spec()
    with pytest.raises(ConfigurationError, match="columns is the text 'price'"):
        operator(columns="price").drill_spec()
