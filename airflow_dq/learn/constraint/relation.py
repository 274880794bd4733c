"""What has held between columns in every row of past partitions still does, as far as it always has.

A relation is found in few rows, and may be chance there.  It is judged once all rows of ``min_history`` partitions
have been held against it, by what these have shown: one that no row ever broke by the evidence of all of them together,
one with some exceptions in each partition by the range of their share as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from airflow_dq.learn.constraint.base import Constraint, Detector, Finding, Learned, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.earned import severity_of_broken
from airflow_dq.learn.constraint.share import Past, answers, highest_usual, past_answers
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.learn.relation import relations_of
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.pattern.significance import Belief, beta_binomial
from airflow_dq.profile.check.between import answer_of
from airflow_dq.profile.check.measured import Measured
from airflow_dq.relation.rule import RelationRule

RULE = "relation"
"""What its findings are called."""
METRIC = "broken_ratio"
"""The share of rows that break a relation, by which people's answers, severities and snoozes name it."""
LEAST_ROWS = 50
"""Rows of past partitions together that must have spoken of a relation: fewer say nothing."""
MOST_BROKEN = 0.01
"""Share of past rows from which on it is no relation."""
_EXAMPLES = 3
"""Rows that a finding shows."""
BELIEF = Belief(0.002, 10.0, 50_000.0)
"""Of relations that no row had broken in four weeks, in public tables fewer than one in 300 was broken in a partition
that is right: one row of as many as there are in a partition is then as probable as that."""


@dataclass(frozen=True, slots=True)
class Holding(Constraint):
    """A learned relation between columns holds in the rows of a partition."""

    family: ClassVar[str] = "relation"
    suffices: ClassVar[bool] = False

    learned: LearnedRule
    fpr: float
    """The false-positive rate that it may take."""
    min_history: int
    """So many past shares are needed."""

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """More rows that break it than all past ones let expect, and than the history of their share does."""
        measured = answer_of(self.learned, partition.profile, partition.history.profiles)
        if measured is None or measured.problem is not None:
            return self._not_evaluated(
                "its rows were not counted when the partition was profiled, which was before it was found, or without "
                "its columns"
                if measured is None or measured.problem is None
                else measured.problem
            )
        if measured.value is None or not measured.denominator:
            return self._not_evaluated(str(measured.nothing))
        past = self._past(partition.history)
        if len(past) < self.min_history:
            known = f"{len(past)} of {self.min_history} past partitions"
            return self._not_evaluated(f"it was counted, and could have been broken, in {known}")
        if not self._is_odd(measured, partition, past):
            return None
        usual = self._usual(partition, past)
        return Finding(
            RULE,
            self.scope,
            METRIC,
            observed=measured.value,
            seen=measured.seen,
            expected=str(self.relation.relation),
            upper=usual,
            partitions=len(past),
            rows=measured.numerator,
            examples=tuple(text for text, _ in measured.examples[:_EXAMPLES]),
            severity=severity_of_broken(self.relation.relation, measured, [one for _, one in past], usual),
        )

    @property
    def relation(self) -> RelationRule:
        """The rule as its family reads it."""
        return RelationRule.from_json(self.learned.document)

    def shares(self, partition: PartitionView) -> tuple[tuple[str | None, float | None], ...]:
        """The history of the share of rows that break it: what a chart shows."""
        history = partition.history
        found = zip(history.partitions, answers(self.learned, history), strict=True)
        return tuple((key, None if one is None else one.value) for key, one in found)

    def _past(self, history: History) -> list[Past]:
        """What is known of the past partitions that could have broken it, oldest first."""
        return past_answers(self.learned, history)

    def _is_odd(self, measured: Measured, partition: PartitionView, past: Sequence[Past]) -> bool:
        """Whether neither all rows so far nor the history of their share lets expect so many."""
        broken, rows = measured.numerator or 0, measured.denominator or 0
        known_rows, known_broken = pooled(past)
        if not broken or beta_binomial(BELIEF, known_broken, known_rows, broken, rows) >= self.fpr:
            return False
        upper = self._usual(partition, past)
        return upper is None or broken / rows > upper

    def _usual(self, partition: PartitionView, past: Sequence[Past]) -> float | None:
        """The largest share that the history of shares lets expect; None where no row ever broke it."""
        if not any(one.numerator for _, one in past):
            return None
        rows = float(np.median([one.denominator or 1 for _, one in past]))
        return highest_usual([share for _, share in self.shares(partition)], rows, self.fpr, partition)

    def _not_evaluated(self, reason: str) -> NotEvaluated:
        # Nothing was promised of a partition that is older than the rule: it is judged by what else is known.
        return NotEvaluated(RULE, self.scope, reason, METRIC, applies=False)


def pooled(past: Sequence[Past]) -> tuple[int, int]:
    """Rows of past partitions that could have broken a relation, and those that did."""
    return sum(one.denominator or 0 for _, one in past), sum(one.numerator or 0 for _, one in past)


class RelationDetector(Detector):
    """Takes the relations that are stored of a dataset, or finds them among the rows that are in memory."""

    name: ClassVar[str] = "relation"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One constraint for each relation that the rows of enough partitions have kept.

        Each may take the whole rate: if one is broken where nothing is wrong, most often many are at once.
        """
        if not options.relations:
            return Skipped("relations are switched off")
        names = [name for name in history.columns if options.judges(name)]
        known = [rule for rule in relations_of(history) if set(rule.columns) <= set(names)]
        found = tuple(
            Holding(Scope(rule.columns), rule, own_rate(rule, options), options.min_history)
            for rule in known
            if has_held(past_answers(rule, history), options.min_history)
        )
        if found:
            return Learned(found)
        return Skipped(
            f"of {len(known)} relations none was counted in {options.min_history} partitions, and held"
            if known
            else "no relation is known"
        )


def own_rate(rule: LearnedRule, options: SynthesisOptions) -> float:
    """The false-positive rate of a relation: the least that any of its columns has."""
    return min(options.own_rate(name) or options.target_fpr for name in rule.columns)


def has_held(past: Sequence[Past], min_history: int, most: float = MOST_BROKEN, least_rows: int = LEAST_ROWS) -> bool:
    """Whether a relation may be judged: enough partitions and rows have kept it.

    :param most: share of the rows that may have broken it
    :param least_rows: rows of all of them together that must have spoken of it
    """
    spoken = [one for one in past if one[1].denominator]
    rows, broken = pooled(spoken)
    return len(spoken) >= min_history and rows >= least_rows and broken <= most * rows
