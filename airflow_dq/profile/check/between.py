"""Relations between rows, counted and held against what the partitions before have held."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from airflow_dq.exceptions import CodecError
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.check.breach import SUPPOSED, breaches
from airflow_dq.profile.check.coded import CodedRows, as_numbers, of_numbers
from airflow_dq.profile.check.held import Held
from airflow_dq.profile.check.learned import RowRule, answer_rule, row_rule
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.memory import PARTITIONS
from airflow_dq.profile.hash_key import hash_key
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.relation.base import Relation
from airflow_dq.relation.dependency import Counter, Dependency, Key, Step
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.rule import BETWEEN, RelationRule
from airflow_dq.states.prepared import PreparedColumn


class BetweenRule(RowRule, family=BETWEEN):
    """Holds which values of a relation's columns go together."""

    def __init__(self, rule: LearnedRule) -> None:
        """Read the rule.

        :raises CodecError: when its document is damaged, or its relation is one within a row
        """
        self.relation = RelationRule.from_json(rule.document).relation
        if not isinstance(self.relation, Dependency | Key | Counter | Step | Inclusion):
            raise CodecError(f"{self.relation} is no relation between rows")

    def count(self, columns: Sequence[PreparedColumn], hidden: Collection[str]) -> Held:
        """What the rows of a batch hold; of columns without a type nothing, and of hidden numbers no counter."""
        if any(pa.types.is_null(one.values.type) or pa.types.is_large_binary(one.values.type) for one in columns):
            return Held()
        coded = [CodedRows.of(one) for one in columns]
        if isinstance(self.relation, Key):
            return Held.of(_keyed(CodedRows.of_all(coded), hidden), None, hidden=bool(hidden))
        if isinstance(self.relation, Step):
            return Held() if hidden else _stepping(coded[:-2], *columns[-2:])
        if isinstance(self.relation, Inclusion):
            return _beside([_keyed(one, hidden) for one in coded], columns, hidden)
        *group, member = coded
        if isinstance(self.relation, Counter):
            if hidden or not columns[-1].is_number:
                return Held()
            return Held.of(CodedRows.of_all(group), as_numbers(member, columns[-1]), hidden=False)
        return Held.of(_keyed(CodedRows.of_all(group), hidden), _keyed(member, hidden), hidden=bool(hidden))

    def answers(self, columns: Sequence[ColumnProfile], profile: Profile) -> bool:
        """No: what it says of a partition depends on those before, see :func:`answer_between`."""
        return False

    def answer(self, rule: LearnedRule, profile: Profile) -> Measured | None:
        """Nothing, as above."""
        return None


def _stepping(group: Sequence[CodedRows], number: PreparedColumn, change: PreparedColumn) -> Held:
    """Of each key the number, and beside it what it must have been: held together, for their hashes are neighbours."""
    if not (number.is_number and change.is_number):
        return Held()
    keys, now = CodedRows.of_all(group), number.numbers
    both = CodedRows(
        np.concatenate([keys.codes, np.where(keys.codes >= 0, keys.codes + len(keys.hashes), -1)]),
        np.concatenate([keys.hashes & ~SUPPOSED, keys.hashes | SUPPOSED]),
        lambda places, most: keys.texts(places % max(1, len(keys.hashes)), most),
    )
    return Held.of(both, of_numbers(np.concatenate([now, now - change.numbers])), hidden=False)


def _beside(coded: Sequence[CodedRows], columns: Sequence[PreparedColumn], hidden: Collection[str]) -> Held:
    """Of each value how many rows have it in the first column, and how many in the other one."""
    if len({one.values.type for one in columns}) != 1:
        return Held()  # hashes of a text and of a number cannot be compared
    parts = []
    for place, rows in enumerate(coded):
        member = CodedRows(np.where(rows.codes >= 0, 0, -1), np.array([place], np.uint64), rows.texts)
        parts.append(replace(Held.of(rows, member, hidden=bool(hidden)), member_texts=_NO_TEXTS))
    return Held.merged(parts)


_NO_TEXTS = pa.array([], pa.large_string())


def _keyed(rows: CodedRows, hidden: Collection[str]) -> CodedRows:
    return rows.keyed(hash_key()) if hidden else rows


def answer_of(rule: LearnedRule, profile: Profile, before: Sequence[Profile]) -> Measured | None:
    """The exceptions of a partition to a rule of any family; None where they are not known.

    :param before: the partitions before it, oldest first
    """
    return answer_between(rule, profile, before) if rule.family == BETWEEN else answer_rule(rule, profile)


def answer_between(rule: LearnedRule, profile: Profile, before: Sequence[Profile]) -> Measured | None:
    """How many rows of a partition break a relation: as it was counted, or by what is held of it and those before.

    :param before: the partitions before it, oldest first
    :return: None where neither is known
    """
    counted = profile.checks.get(rule.measure)
    if counted is not None:
        return counted
    held = held_of(rule, profile)
    if held is None:
        return None
    before = before[-PARTITIONS:]
    if rule.measure in profile.held:
        return _told(rule, held, before)
    key = (rule.measure, *(text for one in (profile, *before) for text in (one.fingerprint, one.drawn)))
    if key not in _KNOWN:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = _told(rule, held, before)
    return _KNOWN[key]


def _told(rule: LearnedRule, held: Held, before: Sequence[Profile]) -> Measured:
    return breaches(relation_of(rule), held, [one for past in before if (one := held_of(rule, past)) is not None])


_KNOWN: dict[tuple[str, ...], Measured] = {}
"""What is known of equal contents: a walk through the past asks the same of each partition many times."""
_MOST_KNOWN = 50_000
"""Some 20 MB: a hundred relations over five hundred partitions."""


def relation_of(rule: LearnedRule) -> Relation:
    """The relation of a rule.

    :raises CodecError: when it is damaged
    """
    return RelationRule.from_json(rule.document).relation


def needs_neighbour(rule: LearnedRule) -> bool:
    """Whether only the partition right before says what a row may be: behind a gap nothing does.

    :raises CodecError: when it is damaged
    """
    return rule.family == BETWEEN and isinstance(relation_of(rule), Step)


def held_of(rule: LearnedRule, profile: Profile) -> Held | None:
    """What the partition holds for a rule: what was counted of all rows, or of those that were drawn."""
    held = profile.held.get(rule.measure)
    if held is not None:
        return held
    sample = profile.sample
    if sample is None or not set(rule.columns) <= set(sample.rows.column_names):
        return None
    key = (rule.measure, profile.fingerprint, profile.drawn)
    if key not in _DRAWN:
        reader = row_rule(rule)
        if not isinstance(reader, BetweenRule):
            return None
        if len(_DRAWN) >= _MOST_DRAWN:
            _DRAWN.clear()
        rows = sample.expand(rule.columns)
        columns = [PreparedColumn.of(rows.column(name)) for name in rule.columns]
        _DRAWN[key] = reader.count(columns, {name for name in rule.columns if profile.options.hides(name)})
    return _DRAWN[key]


_DRAWN: dict[tuple[str, str, str], Held] = {}
"""What drawn rows hold: a walk through the past asks for the same of each partition several times."""
_MOST_DRAWN = 5_000
"""Some 100 MB: a hundred relations over fifty partitions, of a thousand rows each."""
