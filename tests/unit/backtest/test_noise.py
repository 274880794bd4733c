from __future__ import annotations

import pytest

from airflow_dq.backtest.model import PartitionOutcome
from airflow_dq.backtest.noise import noise
from airflow_dq.explain.alert import Alert
from airflow_dq.judge.verdict import Decision, Status


def outcome(*alerts: tuple[str | None, str | None], decision: Decision | None = None) -> PartitionOutcome:
    told = tuple(Alert("range", column, "said", metric=metric) for column, metric in alerts)
    return PartitionOutcome("p", 10, Status.FAIL if told else Status.PASS, told, decision=decision)


@pytest.mark.parametrize(
    ("outcomes", "key", "alarms"),
    [
        ([outcome(("price", "emd"), ("price", "mean"))] * 3 + [outcome(("city", "l1"))], "column:price", 3),
        ([outcome(("price", "emd"))] * 2 + [outcome(("city", "emd"))], "metric:emd", 3),
        ([outcome((None, "row_count"))] * 2 + [outcome()] * 9, "metric:row_count", 2),
    ],
)
def test_what_accounts_for_most_alarms_alone(outcomes: list[PartitionOutcome], key: str, alarms: int) -> None:
    found = noise(outcomes)
    assert found is not None
    assert (found.key, found.alarms) == (key, alarms)


@pytest.mark.parametrize(
    "outcomes",
    [
        [],
        [outcome()],
        [outcome(("price", "emd"))],
        [outcome(("price", "emd"), ("city", "l1"))] * 5,
        [outcome(("price", "emd"), decision="rejected")] * 5,
        [outcome(("a", "x")), outcome(("b", "y")), outcome(("c", "z")), outcome(("a", "y")), outcome(("d", "w"))],
    ],
)
def test_nothing_else_is_called_noise(outcomes: list[PartitionOutcome]) -> None:
    assert noise(outcomes) is None
