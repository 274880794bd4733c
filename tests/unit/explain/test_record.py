"""A gate's own record in words: exact intervals, nothing said of little, nothing claimed that nobody knows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scipy.stats import binomtest

from airflow_dq.codec import from_builtins, to_builtins
from airflow_dq.explain.record import FEWEST, Record, Replay, interval, interval_words, record_words
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict


@pytest.mark.parametrize(("count", "of"), [(0, 1), (0, 45), (1, 45), (7, 60), (30, 60), (60, 60)])
def test_the_interval_is_that_of_clopper_and_pearson(count: int, of: int) -> None:
    exact = binomtest(count, of).proportion_ci(0.95, "exact")
    assert interval(count, of) == pytest.approx((exact.low, exact.high))


def test_of_nothing_nothing_is_known() -> None:
    assert interval(0, 0) == (0.0, 1.0)


def test_numbers_are_rounded_outwards() -> None:
    assert interval_words(0.000562, 0.1177) == "95% interval 0-12%"
    assert interval_words(0.0119, 0.0791) == "95% interval 1.1-8%"
    assert interval_words(0.123, 1.0) == "95% interval 12-100%"
    assert interval_words(0.0, 0.0999) == "95% interval 0-10%"


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (Record(45), "None of the last 45 partitions judged had alarmed (95% interval 0-7.9%)."),
        (
            Record(45, accepted=1),
            "Of the last 45 partitions judged, 1 alarmed and was accepted as right (95% interval 0-12%).",
        ),
        (
            Record(60, accepted=2),
            "Of the last 60 partitions judged, 2 alarmed and were accepted as right (95% interval 0.4-12%).",
        ),
        (
            Record(45, rejected=2),
            "Of the last 45 partitions judged, 2 alarmed: 2 were confirmed (false alarms: 95% interval 0-7.9%).",
        ),
        (
            Record(45, accepted=1, rejected=2, unanswered=3, cleared=1),
            "Of the last 45 partitions judged, 7 alarmed: 1 was accepted as right, 2 were confirmed, 3 were not "
            "answered, 1 passed when judged again (false alarms: 95% interval 0-25%, whatever those are that nobody "
            "knows of).",
        ),
    ],
)
def test_one_sentence(record: Record, words: str) -> None:
    assert record_words(record) == words


def test_a_replay_is_said_behind_what_people_have_seen_or_alone() -> None:
    replay = Replay(judged=45, alarms=1, newest="2013-02-14")
    said = (
        "in a replay of 45 partitions up to 2013-02-14 that nobody complained about, this gate would have alarmed on 1"
    )
    assert record_words(Record(0, replay=replay)) == f"{said[0].upper()}{said[1:]} (95% interval 0-12%)."
    both = record_words(Record(20, replay=replay))
    assert (
        both == f"None of the last 20 partitions judged had alarmed (95% interval 0-17%); {said} (95% interval 0-12%)."
    )
    none = record_words(Record(0, replay=replace(replay, alarms=0)))
    assert none is not None
    assert "would have alarmed on none (95% interval 0-7.9%)" in none


def test_of_few_partitions_nothing_is_said() -> None:
    assert record_words(None) is None
    assert record_words(Record(FEWEST - 1, accepted=1)) is None
    assert record_words(Record(3, replay=Replay(FEWEST - 1, 0, "x"))) is None
    assert record_words(Record(FEWEST)) is not None


def test_what_nobody_answered_widens_the_interval_and_a_true_alarm_does_not() -> None:
    known = Record(45, accepted=1)
    assert Record(45, accepted=1, rejected=5).false_alarms == known.false_alarms
    low, high = Record(45, accepted=1, unanswered=2).false_alarms
    assert low == known.false_alarms[0]
    assert high == interval(3, 45)[1] > known.false_alarms[1]


def test_a_verdict_carries_it_as_data() -> None:
    record = Record(45, 1, 2, 3, 4, Replay(45, 1, "2013-02-14"))
    verdict = Verdict("2013-02-15", Status.FAIL, ScopeVerdict(Status.FAIL), {}, record=record)
    assert from_builtins(Verdict, to_builtins(verdict)) == verdict
