"""Never green without a check: random sequences of all that can happen to a dataset, against a real store.

A model keeps what has happened to each partition, in a few plain sets.  After each look of a gate it says whether the
gate may be green, and after each step which partitions may be history.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from airflow_dq.exceptions import AlreadyDecidedError, NotJudgedError, StoreError
from airflow_dq.judge.verdict import Decision, Status
from airflow_dq.options.key import order_key
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.sensors.gate import DQGateSensor
from airflow_dq.store import Repository, open_store
from airflow_dq.version_compat import AirflowFailException, AirflowSkipException
from tests.reliability.server import server

SEQUENCES = "AIRFLOW_DQ_SEQUENCES"
"""Variable with the number of sequences to try, and to shorten one that fails."""
OPTIONS = SynthesisOptions(target_fpr=0.05, history=20, min_history=4)
WARM = 5
"""Days before the first one: enough to judge by, so that a run reaches what is interesting."""
KEYS = [(date(2024, 1, 1) + timedelta(days=day)).isoformat() for day in range(14)]
ODD = ["01/09/2024", "9", "2023-12-31", "2024-1-9"]
"""Spellings that sort elsewhere, or between the others."""
DATASETS = ["t", "tt"]
DAGS = ["one", "two"]
LOOK = {"good": 0, "late row": 1, "bad": 2, "broken": 3, "empty": 4}
"""What a day's data looks like."""


def table(key: str, look: str) -> pa.Table:
    """A day of three columns, one of which is null on every day and can be judged by nothing."""
    rng = np.random.default_rng([KEYS.index(key) if key in KEYS else 99, look == "good"])
    rows = {"late row": 301, "empty": 0}.get(look, 300)
    factor = 100.0 if look in ("bad", "late row") else 1.0
    return pa.table(
        {
            "amount": pa.array(rng.normal(50, 5, rows) * factor),
            "code": pa.array(
                rng.choice(["a", "b", "c"], rows).tolist() if look != "broken" else ["?"] * rows, pa.string()
            ),
            "never": pa.array([None] * rows, pa.string()),
        }
    )


PROFILES: dict[tuple[str, str], Profile] = {}
"""Made once: profiling is most of the time."""


def profile_of(key: str, look: str) -> Profile:
    if (key, look) not in PROFILES:
        PROFILES[key, look] = profile_table(table(key, look), partition=key)
    return PROFILES[key, look]


class Task:
    """The task instance of a gate."""

    max_tries, map_index, id = 0, -1, "ti"

    def __init__(self, dag_id: str, key: str) -> None:
        self.dag_id, self.run_id, self.task_id = dag_id, f"run {key}", "gate"

    def get_first_reschedule_date(self, context: object) -> None:
        return None

    def xcom_push(self, **given: object) -> None:
        pass


class Gates(RuleBasedStateMachine):
    """What may happen, in any order."""

    dsn: ClassVar[str]
    green: ClassVar[int] = 0
    looks: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.store: Repository = open_store(self.dsn)
        # A dataset of its own for each sequence: nothing has to be emptied.
        self.names = {name: f"{name} {self.store.begin_attempt('counter', '1')}" for name in DATASETS}
        self.current: dict[tuple[str, str], str] = {}
        """What the newest attempt has stored; absent while one runs, or has failed."""
        self.attempts: dict[tuple[str, str], int] = {}
        self.stored: set[tuple[str, str]] = set()
        """What has a profile, of whatever attempt."""
        self.barred: set[tuple[str, str]] = set()
        """What was found bad, not judged, or rejected, and neither passed nor was accepted since."""

    def teardown(self) -> None:
        self.store.close()

    @initialize()
    def warm(self) -> None:
        for key in KEYS[:WARM]:
            self.profile("t", key, "good")
        self.run_of_a_dag("one", KEYS[WARM], "good", "fail")

    @rule(dataset=st.sampled_from(DATASETS), key=st.sampled_from(KEYS + ODD), look=st.sampled_from(sorted(LOOK)))
    def profile(self, dataset: str, key: str, look: str) -> None:
        self.begin(dataset, key)
        self.end(dataset, key, look)

    @rule(
        dag_id=st.sampled_from(DAGS),
        key=st.sampled_from(KEYS + ODD),
        look=st.sampled_from(["good", "good", *sorted(LOOK)]),
        on_violation=st.sampled_from(["fail", "skip", "warn"]),
    )
    def run_of_a_dag(self, dag_id: str, key: str, look: str, on_violation: Any) -> None:
        self.profile("t", key, look)
        self.gate(dag_id, "t", key, on_violation, False)

    @rule(key=st.sampled_from(KEYS[WARM:]), decision=st.sampled_from(["rejected", "accepted"]))
    def bad_day_and_a_person(self, key: str, decision: Decision) -> None:
        self.profile("t", key, "bad")
        self.gate("one", "t", key, "fail", False)
        self.decide("t", key, decision, True)

    @rule(dataset=st.sampled_from(DATASETS), key=st.sampled_from(KEYS))
    def begin(self, dataset: str, key: str) -> None:
        self.attempts[dataset, key] = self.store.begin_attempt(self.names[dataset], key)
        self.current.pop((dataset, key), None)

    @precondition(lambda self: set(self.attempts) - set(self.current))
    @rule(data=st.data(), look=st.sampled_from(sorted(LOOK)))
    def end_one(self, data: st.DataObject, look: str) -> None:
        running = sorted(set(self.attempts) - set(self.current))
        self.end(*data.draw(st.sampled_from(running)), look)

    def end(self, dataset: str, key: str, look: str) -> None:
        self.store.save_profile(self.attempts[dataset, key], self.names[dataset], profile_of(key, look))
        self.current[dataset, key] = look
        self.stored.add((dataset, key))

    @rule(dataset=st.sampled_from(DATASETS), key=st.sampled_from(KEYS))
    def fail(self, dataset: str, key: str) -> None:
        self.begin(dataset, key)
        self.store.fail_attempt(self.attempts.pop((dataset, key)), "no folder")

    @rule(
        dag_id=st.sampled_from(DAGS),
        dataset=st.sampled_from(DATASETS),
        key=st.sampled_from(KEYS + ODD),
        on_violation=st.sampled_from(["fail", "skip", "warn"]),
        soft=st.booleans(),
    )
    def gate(self, dag_id: str, dataset: str, key: str, on_violation: Any, soft: bool) -> None:
        gate = DQGateSensor(
            task_id="gate", dataset=self.names[dataset], partition=key, options=OPTIONS, timeout=60,
            on_violation=on_violation, soft_fail=soft, deferrable=False,
        )  # fmt: skip
        where = (dataset, key)
        try:
            seen = gate.poke({"ti": Task(dag_id, key)})  # type: ignore[typeddict-item]
        except (AirflowFailException, AirflowSkipException):
            seen = None
        self.note(where)
        type(self).looks += 1
        if seen is not None and seen.is_done:
            self.check(where, seen.xcom_value, gate)

    def note(self, where: tuple[str, str]) -> None:
        """What the gate's verdict makes of the partition, by the words of the store."""
        verdict = self.store.load_verdict(self.names[where[0]], where[1]) if where in self.current else None
        if verdict is None:
            return
        review = self.store.decision(self.names[where[0]], where[1])
        if review is not None:
            (self.barred.add if review.decision == "rejected" else self.barred.discard)(where)
        elif verdict.status is Status.PASS:
            self.barred.discard(where)
        elif verdict.status is not Status.WARMING_UP:
            self.barred.add(where)

    def check(self, where: tuple[str, str], said: dict[str, Any], gate: DQGateSensor) -> None:
        """The gate has let the run go on: was it right to?"""
        dataset, key = where
        assert where in self.current, "it judged what no attempt has stored, or an earlier one"
        verdict = self.store.load_verdict(self.names[dataset], key)
        assert verdict is not None
        assert (said["dataset"], said["partition"], verdict.partition) == (self.names[dataset], key, key)
        outcome, review = said["outcome"], self.store.decision(self.names[dataset], key)
        if outcome == "pass":
            type(self).green += 1
            assert verdict.status is Status.PASS
            judged, named = set(verdict.judged), set(said["not_judged"])
            assert all(verdict.columns[name].checked for name in judged)
            assert judged | named == {"amount", "code", "never"}, "a column was neither judged nor named"
            assert not judged & named
            if self.current[where] != "empty":
                assert judged, "nothing was checked"
            program = self.store.load_program(self.names[dataset], key)
            assert program is not None
            assert len(program.partitions) >= OPTIONS.min_history
            assert not {(dataset, str(past)) for past in program.partitions} & (self.barred - {where})
        elif outcome in ("accepted", "new_normal"):
            assert review is not None
            assert review.decision == outcome
        elif outcome == "warming_up":
            others = {one for one in self.stored - self.barred if one[0] == dataset and one != where}
            assert len(others) < OPTIONS.min_history or self.has_restarted(dataset), "the dataset is not young"
        else:
            assert outcome == "warn", f"went on with {outcome}"
            assert gate.on_violation == "warn" or all(alert.severity == "warn" for alert in verdict.alerts)

    def has_restarted(self, dataset: str) -> bool:
        return self.store.history_start(self.names[dataset], "\U0010ffff") is not None

    @rule(
        dataset=st.sampled_from(DATASETS),
        key=st.sampled_from(KEYS + ODD),
        decision=st.sampled_from(["accepted", "rejected", "rejected", "new_normal"]),
        revise=st.booleans(),
    )
    def decide(self, dataset: str, key: str, decision: Decision, revise: bool) -> None:
        try:
            self.store.decide(self.names[dataset], key, decision, "ann", revise=revise)
        except (AlreadyDecidedError, NotJudgedError):
            return
        (self.barred.add if decision == "rejected" else self.barred.discard)((dataset, key))

    @rule(dataset=st.sampled_from(DATASETS), keep=st.integers(1, 12))
    def prune(self, dataset: str, keep: int) -> None:
        try:
            self.store.prune(keep, self.names[dataset])
        except StoreError:
            return
        left = {line.partition for line in self.store.partitions(self.names[dataset], 100)}
        gone = {one for one in (*self.stored, *self.attempts) if one[0] == dataset and one[1] not in left}
        self.stored -= gone
        self.barred -= gone
        for one in gone:
            self.current.pop(one, None)
            self.attempts.pop(one, None)

    @precondition(lambda self: any(dataset == "t" for dataset, _ in self.stored))
    @rule(column=st.sampled_from([None, "amount", "code"]))
    def snooze(self, column: str | None) -> None:
        until = datetime.now(UTC) + timedelta(days=1)
        self.store.snooze(self.names["t"], column=column, until=until, by="ann")

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.store = open_store(self.dsn)

    @invariant()
    def history_holds_nothing_that_was_found_bad(self) -> None:
        for dataset in DATASETS:
            history = [str(one.partition) for one in self.store.load_history(self.names[dataset], "\U0010ffff", 100)]
            assert history == sorted(history, key=order_key)
            assert not {(dataset, key) for key in history} & self.barred
            assert {(dataset, key) for key in history} <= self.stored


@pytest.fixture
def dsn(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    # Nobody kills this one: it need not wait for the disk.
    with server(durable=False) as made:
        monkeypatch.setenv("AIRFLOW_DQ_DSN", made.dsn)
        logging.disable(logging.ERROR)  # thousands of alerts
        yield made.dsn
        logging.disable(logging.NOTSET)


def test_never_green_without_a_check(dsn: str) -> None:
    Gates.dsn = dsn
    run_state_machine_as_test(
        Gates,
        settings=settings(
            max_examples=int(os.environ.get(SEQUENCES, "6")),
            stateful_step_count=25,
            # A shorter sequence is worth minutes only to whoever looks for the fault.
            phases=tuple(Phase) if SEQUENCES in os.environ else (Phase.generate,),
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    print(f"\nrandom sequences: {Gates.looks} looks of gates, {Gates.green} green")
    assert Gates.green, "no sequence began with a green gate: nothing was tried"
