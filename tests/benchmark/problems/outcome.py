"""What the package said of an accident, beside what happened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from airflow_dq.judge.evaluation import evaluate
from airflow_dq.judge.verdict import Verdict
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.learn.program import Program
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from tests.benchmark.problems.accident import Accident, Scene, Truth
from tests.benchmark.problems.table import Frame, Table, key_of

HISTORY = 35
"""Days before: five weeks, so that weekends are known."""
CLOSE = 0.1
"""Rows concerned are right within a tenth."""


@dataclass(frozen=True)
class Outcome:
    """How one accident was told."""

    accident: Accident
    caught: bool
    columns: bool
    """Whether the first headline names the right columns."""
    cause: bool | None
    """Whether the cause that was named is right; None where none was."""
    place: bool | None
    """Whether the segment is named; None where it is in no one."""
    rows: bool | None
    """Whether the rows concerned are right; None where they are not asked."""
    problems: int
    headline: str


@dataclass(frozen=True)
class Stage:
    """A table with its history, and the program that was learned of it."""

    table: Table
    seed: int
    history: Sequence[Profile]
    program: Program
    options: ProfileOptions

    @classmethod
    def of(cls, table: Table, seed: int, segments: Sequence[str] = ()) -> Stage:
        """Profile the days before, and learn."""
        options = ProfileOptions(segments=tuple(segments))
        days = [profile_table(table.arrow(table.day(seed, day)), key_of(day), options) for day in range(HISTORY)]
        return cls(table, seed, days, synthesize(days, SynthesisOptions()), options)

    def judge(self, frame: dict[str, np.ndarray]) -> Verdict:
        """The verdict on a day of the table."""
        profile = profile_table(self.table.arrow(frame), key_of(HISTORY), self.options)
        return evaluate(self.program, profile, self.history)

    def scene(self, place: int) -> Scene:
        """The next day, and what is needed to spoil it."""

        def day(step: int) -> Frame:
            return self.table.day(self.seed, HISTORY + step)

        return Scene(np.random.default_rng([self.seed, place]), day(0), day)


def outcomes(stage: Stage, accidents: Sequence[Accident]) -> Iterator[Outcome]:
    """What is said of each accident to the stage's table."""
    for place, accident in enumerate(accidents):
        if accident.table == stage.table.name:
            truth = accident.happen(stage.scene(place))
            yield _told(accident, truth, stage.judge(truth.frame))


def _told(accident: Accident, truth: Truth, verdict: Verdict) -> Outcome:
    first = verdict.problems[0] if verdict.problems else None
    if first is None:
        missed = [None if asked is None else False for asked in (truth.segment, truth.rows)]
        return Outcome(accident, False, False, None, *missed, 0, "")
    wanted, named = set(truth.columns), set(first.columns)
    right = wanted <= named and named <= wanted | set(truth.also)
    if not wanted:
        # Of the table as a whole: the headline says it in one of the right ways.
        right = _says(truth.words, first.headline)
    cause = None
    if first.cause is not None:
        cause = not truth.words or _says(truth.words, f"{first.cause} {first.headline}")
    place = None if truth.segment is None else _says([truth.segment], first.headline)
    rows = None if truth.rows is None else first.rows is not None and _is_close(first.rows, truth.rows)
    return Outcome(accident, True, right, cause, place, rows, len(verdict.problems), verdict.headline or "")


def _says(words: Sequence[str], text: str) -> bool:
    return any(re.search(word, text) for word in words)


def _is_close(told: int, true: int) -> bool:
    return abs(told - true) <= CLOSE * max(true, 1)
