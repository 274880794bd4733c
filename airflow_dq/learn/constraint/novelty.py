"""A partition that is odd as a whole: far off in what no single range watches, or in many small ways at once.

It warns by default, and says nothing that another finding has said already.  The detector is
:mod:`airflow_dq.novelty`; it is fitted anew on the history of every partition, and only how it is to be fitted is
learned here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import ClassVar

import numpy as np

from airflow_dq.learn.constraint.base import (
    Constraint,
    Detector,
    Evidence,
    Finding,
    Learned,
    NotEvaluated,
    Scope,
    Severity,
    Skipped,
)
from airflow_dq.learn.constraint.date_column import date_columns
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.baseline import kept_along
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.evaluate import stored_name
from airflow_dq.novelty.detect import detect_novelty
from airflow_dq.novelty.options import NoveltyOptions
from airflow_dq.novelty.result import NoveltyResult
from airflow_dq.novelty.row import Floats
from airflow_dq.novelty.unseen import BEFORE, COMPARED, Asked, first_with_shares
from airflow_dq.options.learning import NOVELTY_HISTORY, SynthesisOptions
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Representation

RULE = "novelty"
NAMED = 5
"""Columns and metrics that a finding names: those that make the partition novel, and no tail of small shares."""
LEAST_SHARE = 0.05
"""A metric with a smaller share of what makes a partition novel is not named."""
WARNING_RATE = 0.01
"""Share of clean partitions that a warning may come for: it wakes nobody, and at one in a thousand more is missed."""
LIKE_DAYS = 3
"""So many of the newest partitions at each of its places in the calendar are looked at."""
ALIKE = 2
"""After so many that were as odd, another one is usual."""
AS_ODD = 1.5
"""As odd as a partition is one whose score is at least its own divided by this: the scores of thin days, one of which
comes each week, were up to 1.3 times as far apart, and an error's is several times as high."""
_STORED = {name: tuple(stored_name(name, one) for one in Representation) for name in COMPARED}


@dataclass(frozen=True, slots=True)
class NoNovelty(Constraint):
    """All metrics of all columns together are no odder than they were in past partitions."""

    family: ClassVar[str] = "novelty"
    suffices: ClassVar[bool] = False
    settles: ClassVar[bool] = False

    partitions: int
    """Number of past partitions that it is judged by."""
    rate: float
    """Share of clean partitions that may be called novel."""
    severity: Severity = "warn"

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """The detector's answer, fitted on the partition's history."""
        if not any(_has_values(partition.column(name)) for name in self.scope.columns):
            return NotEvaluated(RULE, self.scope, "no value of its columns is known", applies=False)
        result = self._detect(partition.history, partition.profile)
        if result.score is None or result.threshold is None:
            return NotEvaluated(RULE, self.scope, result.reason or "nothing can be said", applies=False)
        if not result.novel or self._is_usual(partition, result):
            return None
        return self._finding(result, partition.history)

    def _detect(self, history: History, profile: Profile) -> NoveltyResult:
        options = NoveltyOptions(columns=self.scope.columns, rate=self.rate)
        return detect_novelty(history.profiles, profile, options, unseen=partial(_unseen, history))

    def _is_usual(self, partition: PartitionView, result: NoveltyResult) -> bool:
        """Whether those of its weekday, or at its place in the calendar, were as odd: after two the next is no news."""
        if result.score is None or result.threshold is None:
            return False
        as_odd = max(result.threshold, result.score / AS_ODD)
        groups = chain([_of_weekday(partition, result.past)], self._at_place(partition, result.past))
        return any(sum(score >= as_odd for score in scores) >= ALIKE for scores in groups)

    def _at_place(self, partition: PartitionView, past: Sequence[float]) -> Iterator[list[float]]:
        """The scores of the newest partitions at each of its places in the calendar."""
        like, key = partition.like, partition.profile.partition
        if like is None:
            return
        # Beside itself no partition is odd: those of the history have been held against the others.
        known = dict(zip(partition.history.partitions, past, strict=True))
        for place in like.places(key):
            days = [like.profiles[day] for day in like.occurrences(place, key)[:LIKE_DAYS]]
            for day in days:
                if day.partition not in known:
                    known[day.partition] = self._detect(partition.history, day).score or 0.0
            yield [known[day.partition] for day in days]

    def _finding(self, result: NoveltyResult, history: History) -> Finding:
        named = [one for one in result.attributes if one.share >= LEAST_SHARE][:NAMED] or list(result.attributes[:1])
        columns = tuple(dict.fromkeys(one.column for one in named if one.column is not None))
        return Finding(
            RULE,
            Scope(columns),
            observed=result.score,
            upper=result.threshold,
            partitions=self.partitions,
            evidence=_evidence(result, history),
            attributes=tuple((one.column, one.metric, one.share) for one in named),
            severity=self.severity,
        )

    def is_told(self, finding: Finding, others: Sequence[Finding]) -> bool:
        """Whether others concern the column that is most responsible, or the table where that is."""
        first = finding.attributes[0][0] if finding.attributes else None
        told = {name for one in others for name in one.scope.columns or (None,)}
        return first in told


class NoveltyDetector(Detector):
    """Watches the columns together, once there is enough history to know how they move."""

    name: ClassVar[str] = "novelty"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One constraint on all columns whose values the partition's date does not foretell."""
        if options.novelty == "off":
            return Skipped("it is switched off (novelty='off')")
        if options.metrics is not None:
            return Skipped("other metrics were chosen (metrics=...)")
        if len(history) < NOVELTY_HISTORY:
            return Skipped(f"{len(history)} past partitions; {NOVELTY_HISTORY} are needed")
        watched = tuple(_watched(history, options))
        if not watched:
            return Skipped("there is no column whose values the partition's date does not foretell")
        rate = WARNING_RATE if options.novelty == "warn" else options.target_fpr
        return Learned((NoNovelty(Scope(watched), len(history), rate, options.novelty),))


def _watched(history: History, options: SynthesisOptions) -> Iterator[str]:
    dated = date_columns(history, options)
    return (name for name in history.columns if options.judges(name) and name not in dated)


def _of_weekday(partition: PartitionView, past: Sequence[float]) -> list[float]:
    """The scores of the newest partitions that lie whole weeks before."""
    timeline = partition.history.timeline
    steps = timeline.steps_to(partition.profile.partition)
    return [score for score, away in zip(past, steps, strict=True) if away % timeline.week == 0][-LIKE_DAYS:]


def _has_values(column: ColumnProfile | None) -> bool:
    share = None if column is None else column.metrics.get("complete_ratio")
    return isinstance(share, float) and share > 0.0


def _evidence(result: NoveltyResult, history: History) -> Evidence:
    past = result.past
    worst = max(past, default=0.0)
    score = result.score or 0.0
    return Evidence(score, worst, 1 + sum(one > score for one in past), len(past), history.partitions[0])


def _unseen(history: History, profiles: Sequence[Profile], asked: Asked) -> Floats:
    """The shares of what is unseen, kept with the profiles or measured since.

    :param profiles: those of the history, and the one that follows
    """
    shares = np.full((len(profiles), len(asked)), np.nan)
    first = first_with_shares(len(profiles))
    for place, (name, kind, metric) in enumerate(asked):
        found = (one.columns.get(name) for one in profiles)
        along = [one if one is not None and one.kind is kind else None for one in found]
        shares[first:, place] = list(_shares(history, name, metric, along))[first:]
    return shares


def _shares(history: History, name: str, metric: str, columns: Sequence[ColumnProfile | None]) -> Iterator[float]:
    kept = (*history.kept.of(name, BEFORE), kept_along(columns[-BEFORE - 1 :], BEFORE)[-1])
    for place, now in enumerate(columns):
        before = columns[max(0, place - BEFORE) : place]
        found = {} if now is None else history.distances.beside(kept[place], now, before, BEFORE)
        yield next((value for each in _STORED[metric] if isinstance(value := found.get(each), float)), np.nan)
