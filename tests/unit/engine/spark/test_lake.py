"""The offline index on Spark: how much is done before it is saved."""

from __future__ import annotations

from itertools import chain

import pytest

from airflow_dq.engine.spark.lake import pieces


@pytest.mark.parametrize("had", [0, 7, 1_000])
@pytest.mark.parametrize("tasks", [0, 1, 21, 200, 20_000])
def test_every_task_is_run_once_in_order(tasks: int, had: int) -> None:
    assert list(chain.from_iterable(pieces(tasks, had))) == list(range(tasks))


def test_adding_to_an_index_takes_a_time_that_grows_with_the_tables_and_not_with_their_square() -> None:
    """Each time as long as the index is large by then: in all at most six times what the last time takes."""
    for tasks in (100, 1_000, 10_000, 100_000):
        assert sum(piece.stop for piece in pieces(tasks, 0)) <= 6 * tasks
    assert max(map(len, pieces(200, 0))) <= 50, "an interrupted job has lost a quarter of its work at most"
