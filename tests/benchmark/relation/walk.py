"""A table's partitions one after the other, as jobs and the gate see them, with nothing but its relations.

Each partition is counted by the relations that are known before it, judged by them, learned from, and mined itself:
the steps of the profile job and the gate without the states that relations do not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pyarrow as pa

from airflow_dq.learn.constraint.base import Finding, Learned
from airflow_dq.learn.constraint.relation import RelationDetector
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.learn.relation import mine_profile, new_relations
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.check.learned import Exceptions, count_rules
from airflow_dq.profile.column import CANONICAL, kind_of, type_name
from airflow_dq.profile.column_state import contiguous
from airflow_dq.profile.fingerprint import RowHashes
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.profile.sample import RowSample
from airflow_dq.states.base import Kind
from airflow_dq.states.prepared import PreparedColumn

HISTORY = 30


def profiled(table: pa.Table, key: str, rules: tuple[LearnedRule, ...], sample_rows: int = 1_000) -> Profile:
    """A profile without states: the drawn rows, and what was counted of the relations."""
    prepared, columns, hashes = {}, {}, RowHashes(table.num_rows, 0)
    for entry, column in zip(table.schema, table.columns, strict=True):
        kind = kind_of(entry.type)
        values = contiguous(column, kind)
        kind = Kind.NULL if values.null_count == len(values) else kind
        found = PreparedColumn(values if kind is not Kind.NULL else pa.nulls(len(values)))
        prepared[entry.name] = found
        columns[entry.name] = ColumnProfile(entry.name, kind, type_name(entry.type), {})
        hashes.add(entry.name, found)
    sampled = {name: one.values.cast(CANONICAL[columns[name].kind], safe=False) for name, one in prepared.items()}
    sample = RowSample.empty(sample_rows, 0).add(sampled, hashes.result())
    options = ProfileOptions(rules=rules)
    tallies = count_rules(prepared, options)
    checks = {name: tally.share for name, tally in tallies.items() if isinstance(tally, Exceptions)}
    return Profile(key, table.num_rows, columns, checks, sample=sample, options=options)


@dataclass
class Walk:
    """What is known of a table so far."""

    options: SynthesisOptions = field(default_factory=SynthesisOptions)
    rules: tuple[LearnedRule, ...] = ()
    past: list[Profile] = field(default_factory=list)

    def judged(self, table: pa.Table, key: str) -> tuple[Profile, list[Finding], int]:
        """A partition's profile, the relations that it breaks, and how many it was held against."""
        now = profiled(table, key, self.rules)
        history = History.of(self.past[-HISTORY:], rules=self.rules)
        learned = RelationDetector().learn(history, self.options) if self.past else None
        constraints = learned.constraints if isinstance(learned, Learned) else ()
        found = [one.check(PartitionView(now, history)) for one in constraints]
        return now, [one for one in found if isinstance(one, Finding)], len(constraints)

    def learn(self, profile: Profile) -> None:
        """Take a partition in, and what is found in its rows."""
        self.rules = (*self.rules, *new_relations(mine_profile(profile), self.rules))
        # Its rows are not needed any more.
        self.past.append(replace(profile, sample=None))


def replayed(
    days: Iterator[tuple[str, pa.Table]], options: SynthesisOptions
) -> Iterator[tuple[str, list[Finding], int]]:
    """Each partition's key, what was found in it, and how many relations it was held against."""
    walk = Walk(options)
    for key, table in days:
        profile, found, judged = walk.judged(table, key)
        yield key, found, judged
        walk.learn(profile)
