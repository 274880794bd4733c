"""The calendar of events: who may be named in it, what the gate makes of it, and what is never learned from."""

from __future__ import annotations

import pytest

from airflow_dq.exceptions import ReviewError
from airflow_dq.gate.pipeline import judge
from airflow_dq.judge.verdict import Status
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.store import Repository
from tests.integration.sample import days, make_profile

OPTIONS = SynthesisOptions(target_fpr=0.05, history=20, min_history=5)
TODAY = "2024-01-21"


@pytest.fixture
def past(store: Repository) -> Repository:
    for dataset in ("t", "other"):
        profiles = [*days(20), make_profile(TODAY, mean=500.0)]
        attempts = store.begin_attempts(dataset, [str(one.partition) for one in profiles])
        for one in profiles:
            store.save_profile(attempts[str(one.partition)], dataset, one)
    return store


def test_an_expected_day_only_warns_and_is_not_learned_from(past: Repository) -> None:
    assert judge(past, "t", TODAY, OPTIONS).alerts[0].severity == "fail"
    event = past.add_event("t", "sale", TODAY, kind="promotion", by="ann")
    verdict = judge(past, "t", TODAY, OPTIONS)
    assert verdict.status is Status.FAIL
    assert {alert.severity for alert in verdict.alerts} == {"warn"}
    assert TODAY not in [one.partition for one in past.load_history("t", "2024-01-22", 5)]
    assert {alert.severity for alert in judge(past, "other", TODAY, OPTIONS).alerts} == {"fail"}
    detail = past.verdict_of_partition("t", TODAY)
    assert detail is not None
    assert [(one.action, one.by) for one in detail.events] == [("event_added", "ann")]
    past.delete_event(event.id, "bob")
    assert {alert.severity for alert in judge(past, "t", TODAY, OPTIONS).alerts} == {"fail"}
    assert past.calendar() == []


def test_a_day_that_is_left_out_is_in_no_history_and_the_verdict_says_so(past: Repository) -> None:
    event = past.add_event(None, "move", "2024-01-10", "2024-01-12", kind="migration", effect="left_out", by="ann")
    for dataset in ("t", "other"):
        keys = [one.partition for one in past.load_history(dataset, TODAY, 30)]
        assert len(keys) == 17
        assert not {"2024-01-10", "2024-01-11", "2024-01-12"} & set(keys)
    notes = judge(past, "t", TODAY, OPTIONS).notes
    left_out = "3 partitions are left out of the history by the migration 'move' (2024-01-10 to 2024-01-12)."
    assert notes == (f"Not learned from: {left_out}",)
    assert past.maturity("t", TODAY).partitions == 17
    on_it = judge(past, "t", "2024-01-11", OPTIONS)
    assert "left out of the history" in on_it.notes[0]
    past.delete_event(event.id, "ann")
    assert len(past.load_history("t", TODAY, 30)) == 20


def test_what_cannot_be_an_event(past: Repository) -> None:
    with pytest.raises(ReviewError, match="Dataset 'nobody' is not known"):
        past.add_event("nobody", "sale", TODAY, by="ann")
    with pytest.raises(ReviewError, match="the first one first"):
        past.add_event("t", "sale", "2024-01-10", "2024-01-09", by="ann")
    with pytest.raises(ReviewError, match="needs a name"):
        past.add_event("t", " ", TODAY, by="ann")
    with pytest.raises(ReviewError, match="name of who made it"):
        past.add_event("t", "sale", TODAY, by=" ")
    with pytest.raises(ReviewError, match="There is no event 99"):
        past.delete_event(99, "ann")
