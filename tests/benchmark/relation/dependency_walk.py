"""A table's partitions one after the other, held against the relations between rows that are known before each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pyarrow as pa

from airflow_dq.learn.between import MINED_OF, mine_profiles
from airflow_dq.learn.constraint.base import Finding, Learned
from airflow_dq.learn.constraint.between import BetweenDetector
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.check.between import answer_between
from airflow_dq.profile.check.held import Held
from airflow_dq.profile.check.learned import count_rules
from airflow_dq.profile.model import Profile
from airflow_dq.states.prepared import PreparedColumn
from tests.benchmark.relation.walk import HISTORY, profiled

EVERY = 15
"""Partitions after which relations are looked for again."""


@dataclass
class DependencyWalk:
    """What is known of a table so far."""

    options: SynthesisOptions = field(default_factory=SynthesisOptions)
    rules: tuple[LearnedRule, ...] = ()
    past: list[Profile] = field(default_factory=list)
    seen: int = 0

    def profile(self, table: pa.Table, key: str) -> Profile:
        """A partition with what is held of it, and what that says."""
        found = profiled(table, key, ())
        options = replace(found.options, rules=self.rules)
        columns = {name: PreparedColumn.of(_canonical(table, name)) for rule in self.rules for name in rule.columns}
        tallies = count_rules(columns, options)
        held = {name: tally.whole for name, tally in tallies.items() if isinstance(tally, Held)}
        now = replace(found, held=held)
        told = {rule.measure: answer_between(rule, now, self.past) for rule in self.rules if rule.measure in held}
        return replace(now, checks={name: one for name, one in told.items() if one is not None})

    def judge(self, now: Profile) -> tuple[list[Finding], int]:
        """What the partition breaks, and how many relations it was held against."""
        history = History.of(self.past[-HISTORY:], rules=self.rules)
        learned = BetweenDetector().learn(history, self.options) if self.past else None
        constraints = learned.constraints if isinstance(learned, Learned) else ()
        found = [one.check(PartitionView(now, history)) for one in constraints]
        return [one for one in found if isinstance(one, Finding)], len(constraints)

    def learn(self, profile: Profile) -> None:
        """Take a partition in; now and then look for relations in the newest ones."""
        self.past = [*self.past, profile][-HISTORY:]
        self.seen += 1
        if self.seen >= MINED_OF and (self.seen - MINED_OF) % EVERY == 0:
            known = {rule.measure for rule in self.rules}
            found = mine_profiles(self.past[-MINED_OF:])
            self.rules = (*self.rules, *(rule for rule in found if rule.measure not in known))


def _canonical(table: pa.Table, name: str) -> pa.Array:
    from airflow_dq.profile.column import kind_of
    from airflow_dq.profile.column_state import contiguous

    return contiguous(table.column(name), kind_of(table.schema.field(name).type))


def replayed(
    days: Iterator[tuple[str, pa.Table]], options: SynthesisOptions
) -> Iterator[tuple[str, list[Finding], int]]:
    """Each partition's key, what was found in it, and how many relations it was held against.

    One that alarms is learned from if the next one does as well: a change that is there to stay.
    """
    walk, before = DependencyWalk(options), None
    for key, table in days:
        profile = walk.profile(table, key)
        found, judged = walk.judge(profile)
        yield key, found, judged
        if found and before is None:
            before = profile
            continue
        if before is not None and found:
            walk.learn(before)
        before = None
        walk.learn(profile)
