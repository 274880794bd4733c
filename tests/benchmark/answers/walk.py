"""A walk through a clean table on which a person accepts every alarm: what comes again, and what is still caught."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from airflow_dq.backtest.recall import TriedPartition
from airflow_dq.learn.history.answer import AnsweredAlarm, Answers
from airflow_dq.learn.history.history import History
from airflow_dq.profile import Profile
from airflow_dq.program import Status, SynthesisOptions, evaluate, synthesize

FIRST = 30
"""Partitions before the first one that is judged: a full history."""


@dataclass
class Total:
    """Counts over judged partitions."""

    judged: int = 0
    alarmed: int = 0
    """Partitions."""
    alarms: int = 0
    """Metrics of columns that alarmed, over the partitions."""
    repeated: int = 0
    """Of these, those that had alarmed (and were accepted) on an earlier partition."""
    caught: int = 0
    injected: int = 0
    by_times: dict[int, int] = field(default_factory=dict)
    """Alarms by how often the same metric of the same column had alarmed before."""

    def __iadd__(self, other: Total) -> Total:
        """Add another table's."""
        for name in ("judged", "alarmed", "alarms", "repeated", "caught", "injected"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for times, count in other.by_times.items():
            self.by_times[times] = self.by_times.get(times, 0) + count
        return self

    @property
    def words(self) -> str:
        """All of it on a line."""
        recall = self.caught / self.injected if self.injected else 0.0
        times = ", ".join(f"{count} after {times}" for times, count in sorted(self.by_times.items()))
        return (
            f"{self.alarmed} of {self.judged} partitions alarmed; {self.alarms} alarms, {self.repeated} repeated "
            f"({times}); recall {recall:.4f} of {self.injected} injected errors"
        )


def walk(profiles: Sequence[Profile], options: SynthesisOptions, *, heeded: bool, every: int) -> Total:
    """Judge each partition by those before it; all of them join the history.

    :param heeded: whether the answers widen what alarmed
    :param every: on each so manieth partition the injected errors are tried
    """
    total = Total()
    answered: list[AnsweredAlarm] = []
    for place in range(FIRST, len(profiles)):
        now = profiles[place]
        answers = Answers.of(answered) if heeded else Answers()
        history = History.of(profiles[max(0, place - options.history) : place], answers=answers)
        program = synthesize(history, options)
        verdict = evaluate(program, now, history)
        total.judged += 1
        total.alarmed += verdict.status is Status.FAIL
        for column, metric in dict.fromkeys((one.column, one.metric) for one in verdict.alerts):
            if metric is None:
                continue
            times = sum((one.column, one.metric) == (column, metric) for one in answered)
            total.alarms += 1
            total.repeated += times > 0
            total.by_times[times] = total.by_times.get(times, 0) + 1
            answered.append(AnsweredAlarm(str(now.partition), column, metric, accepted=True))
        if (place - FIRST) % every == every - 1:
            for one in TriedPartition(now, history).recall(program):
                total.caught += one.caught
                total.injected += one.injected
    return total
