"""One look at how far a profile has come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from airflow_dq.gate.progress import progress
from airflow_dq.store.summary import AttemptState, AttemptStatus


class FakeStore:
    """Answers one attempt state after the other, the last one for ever."""

    def __init__(self, *states: AttemptState | None, clock_ahead: timedelta = timedelta(0)) -> None:
        self.states = list(states)
        self.clock_ahead = clock_ahead
        self.asked_for_others = 0

    def __enter__(self) -> FakeStore:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def partitions(self, dataset: str, limit: int) -> list[Any]:
        self.asked_for_others += 1
        return [SimpleNamespace(partition="2026-01-31")][:limit] if dataset == "flights" else []

    def attempt_status(self, dataset: str, partition: str) -> AttemptStatus | None:
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        if state is None:
            return None
        ended = state == "succeeded"
        moment = datetime(2026, 1, 1, tzinfo=UTC)
        error = "No folder." if state == "failed" else None
        return AttemptStatus(3, state, error, moment, None, True, ended, self.clock_ahead)


def test_what_waits_for_the_wrong_name_says_which_there_are() -> None:
    seen = [progress(FakeStore(None), dataset, "20260131").message for dataset in ("flights", "flight")]  # type: ignore[arg-type]
    assert "not profiled yet" in seen[0]
    assert seen[0].endswith("; the newest partition of this dataset is '2026-01-31'.")
    assert seen[1].endswith("; nothing of a dataset of this name ever was.")


@pytest.mark.parametrize(
    ("state", "seen"), [(None, "waiting"), ("running", "waiting"), ("failed", "failed"), ("succeeded", "ready")]
)
def test_only_the_newest_attempt_counts(state: AttemptState | None, seen: str) -> None:
    # The fake always has an earlier profile: while a newer attempt runs, it must not be judged.
    assert progress(FakeStore(state), "flights", "1").state == seen  # type: ignore[arg-type]


def test_a_failed_attempt_brings_its_reason() -> None:
    message = progress(FakeStore("failed"), "flights", "1").message  # type: ignore[arg-type]
    assert message == "Dataset 'flights', partition '1': profiling failed (attempt 3): No folder."


def test_an_attempt_that_began_before_is_not_the_one_that_is_waited_for() -> None:
    began = datetime(2026, 1, 1, tzinfo=UTC)
    states: tuple[AttemptState, ...] = ("succeeded", "failed", "running")
    for state in states:
        store: Any = FakeStore(state)
        seen = progress(store, "flights", "1", newer_than=began + timedelta(seconds=1))
        assert seen.state == "waiting"
        assert seen.message.endswith("waiting for one since 2026-01-01T00:00:01+00:00.")
        assert progress(store, "flights", "1", newer_than=began) == progress(store, "flights", "1")


@pytest.mark.parametrize(
    ("ahead", "after", "seen"),
    [(3600, 3599, "waiting"), (3600, 3600, "ready"), (-3600, -1, "waiting"), (-3600, 0, "ready"), (0.5, 0, "ready")],
)
def test_where_clocks_disagree_an_attempt_is_new_by_both(ahead: float, after: float, seen: str) -> None:
    store: Any = FakeStore("succeeded", clock_ahead=timedelta(seconds=ahead))
    found = progress(store, "flights", "1", newer_than=datetime(2026, 1, 1, tzinfo=UTC) - timedelta(seconds=after))
    assert found.state == seen
    told = f"The database's clock is 3,600 s {'ahead of' if ahead > 0 else 'behind'} this machine's"
    assert (told in found.message) == (seen == "waiting")
