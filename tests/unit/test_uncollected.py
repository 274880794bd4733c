"""Python's search for reference cycles while a partition is learned from and judged."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from airflow_dq.program import evaluate, synthesize
from airflow_dq.uncollected import uncollected
from tests.unit.learn.builder import flights


@pytest.fixture
def searching() -> Iterator[None]:
    was = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was else gc.disable)()


def test_it_is_off_within_and_on_again_behind_also_after_an_error(searching: None) -> None:
    @uncollected()
    def fails() -> None:
        assert not gc.isenabled()
        raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert gc.isenabled()


def test_within_another_it_changes_nothing(searching: None) -> None:
    with uncollected():
        with uncollected():
            pass
        assert not gc.isenabled()


def test_whoever_has_switched_it_off_keeps_it_off(searching: None) -> None:
    gc.disable()
    with uncollected():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_learning_and_judging_leave_nothing_behind_that_only_the_search_would_find(searching: None) -> None:
    *history, now = [flights(day) for day in range(31)]
    evaluate(synthesize(history), now, history)
    gc.collect()
    gc.disable()
    evaluate(synthesize(history), now, history)
    assert gc.collect() == 0
