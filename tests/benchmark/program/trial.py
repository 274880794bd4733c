"""Judging real partitions and injected errors under one setting."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from airflow_dq.backtest.recall import TriedPartition
from airflow_dq.learn.history.history import History
from airflow_dq.profile import Profile
from airflow_dq.program import Status, evaluate, synthesize
from tests.benchmark.program.dataset import Dataset
from tests.benchmark.program.outcome import Outcome
from tests.benchmark.program.setting import Setting

RECALL_POINTS = 2
"""On so many of the judged partitions errors are injected."""


def points(partitions: int, history: int, number: int) -> list[int]:
    """Places of the partitions to judge: evenly spread over those that have enough history; none when none has."""
    if partitions <= history:
        return []
    return sorted({int(place) for place in np.linspace(history, partitions - 1, number)})


def run(dataset: Dataset, outcomes: Sequence[tuple[Setting, Outcome]], number: int, longest: int) -> None:
    """Add one dataset's counts to each setting's.

    :param number: partitions to judge
    :param longest: partitions before the first that is judged, so that all settings judge the same ones
    """
    places = points(len(dataset.profiles), longest, number)
    tried = {places[i] for i in np.linspace(0, len(places) - 1, RECALL_POINTS).astype(int)} if places else set()
    for place in places:
        # What the errors measure is the same under all settings that look back as far.
        errors: dict[int, TriedPartition] = {}
        for setting, outcome in outcomes:
            history = dataset.profiles[max(0, place - setting.options.history) : place]
            if place in tried and len(history) not in errors:
                errors[len(history)] = TriedPartition(dataset.tested[place], History.of(history))
            with setting.applied():
                _judge(dataset.profiles[place], history, setting, outcome, errors.get(len(history)))


def _judge(
    profile: Profile, history: Sequence[Profile], setting: Setting, outcome: Outcome, errors: TriedPartition | None
) -> None:
    program = synthesize(history, setting.options)
    verdict = evaluate(program, profile, history)
    scopes = [*([verdict.table] if program.table.clauses else []), *verdict.columns.values()]
    alarms = sum(scope.status is Status.FAIL for scope in scopes)
    outcome.columns += len(scopes)
    outcome.column_alarms += alarms
    outcome.partitions += 1
    outcome.partition_alarms += bool(alarms)
    outcome.programs += len(program.columns)
    outcome.clauses += sum(len(column.clauses) for column in program.columns.values())
    for one in errors.recall(program) if errors is not None else ():
        outcome.injected[one.type] += one.injected
        outcome.caught[one.type] += one.caught
