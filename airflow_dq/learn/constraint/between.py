"""What rows of one partition and of those before have always had in common, they still have.

A code has the name that it had, a key occurs once, a count of a place does not fall.  Such a relation is judged as one
within a row is: once the rows of ``min_history`` partitions have been held against it, by what these have shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from airflow_dq.learn.between import between_of
from airflow_dq.learn.constraint.base import Detector, Finding, Learned, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.relation import BELIEF, LEAST_ROWS, Holding, has_held, own_rate
from airflow_dq.learn.constraint.share import Past, past_answers
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.clock import LocalClock
from airflow_dq.learn.history.history import History
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.pattern.significance import beta_binomial
from airflow_dq.profile.check.between import needs_neighbour, relation_of
from airflow_dq.profile.check.measured import Measured
from airflow_dq.relation.dependency import Key
from airflow_dq.relation.rule import RelationRule
from airflow_dq.relation.total import Total

MOST_BROKEN = 0.03
"""Share of past rows from which on it is no relation.  Exceptions are told apart from chance by the partitions before:
a share that stays where it is has a range."""
_ROUNDING = 1e-9
"""What a share may exceed another by that is the same."""


@dataclass(frozen=True, slots=True)
class Keeping(Holding):
    """A learned relation between rows holds in a partition, and from those before it on."""

    family: ClassVar[str] = "between"
    suffices: ClassVar[bool] = False

    clock: LocalClock | None = None
    """Tells when an hour comes twice, and with it every key that names an hour."""

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """As of a relation within a row; where it needs the partition right before, not behind a gap."""
        if needs_neighbour(self.learned) and partition.steps() != 1:
            return self._not_evaluated("the partition right before it is not known")
        return Holding.check(self, partition)

    def _past(self, history: History) -> list[Past]:
        """Of a key, the partitions in which no part of it was one by itself: the others could not have broken it."""
        past = Holding._past(self, history)
        for part in self._parts(history):
            broken = {key for key, one in past_answers(part, history) if one.numerator}
            past = [(key, one) for key, one in past if key in broken]
        return past

    def _parts(self, history: History) -> list[LearnedRule]:
        """The known keys that are a part of this one."""
        whole, found = self.relation.relation, between_of(history)
        if not isinstance(whole, Key):
            return []
        known = ((rule, RelationRule.from_json(rule.document).relation) for rule in found)
        return [rule for rule, one in known if isinstance(one, Key) and set(one.key) < set(whole.key)]

    def _is_odd(self, measured: Measured, partition: PartitionView, past: Sequence[Past]) -> bool:
        """Too many rows that break it, or too many determinants that have another dependent in nearly all of theirs.

        Among rows that are wrong here and there the few of a code with another name would not stand out.
        """
        known, renamed = (sum(getattr(one, name) or 0 for _, one in past) for name in ("known", "renamed"))
        names = beta_binomial(BELIEF, renamed, known, measured.renamed or 0, measured.known or 0)
        return names < self.fpr or self._are_too_many(measured, partition, past)

    def _are_too_many(self, measured: Measured, partition: PartitionView, past: Sequence[Past]) -> bool:
        length = 1.0 if self.clock is None else self.clock.length(partition.profile.partition)
        # Both times of it are rows that break it.
        twice = 2.0 * max(0.0, length - 1.0) / length
        return (measured.value or 0.0) > twice * (1.0 + _ROUNDING) and Holding._is_odd(self, measured, partition, past)


class BetweenDetector(Detector):
    """Takes the relations that are stored of a dataset, or finds them among the rows that are in memory."""

    name: ClassVar[str] = "between"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One constraint for each relation that the rows of enough partitions have kept."""
        if not options.relations:
            return Skipped("relations are switched off")
        clock = LocalClock.of(options.timezone, history.partitions)
        known = [rule for rule in between_of(history) if all(map(options.judges, rule.columns))]
        found = tuple(
            Keeping(
                Scope(tuple(dict.fromkeys(rule.columns))), rule, own_rate(rule, options), options.min_history, clock
            )
            for rule in known
            if has_held(past_answers(rule, history), options.min_history, MOST_BROKEN, _least_rows(rule))
        )
        if found:
            return Learned(found)
        return Skipped(
            f"of {len(known)} relations between rows none was counted in {options.min_history} partitions, and held"
            if known
            else "no relation between rows is known"
        )


def _least_rows(rule: LearnedRule) -> int:
    """Rows of past partitions that must have spoken of it; a total, of which a partition may have one, needs none."""
    return 0 if isinstance(relation_of(rule), Total) else LEAST_ROWS
