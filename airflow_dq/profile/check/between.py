"""Relations between rows, counted and held against what the partitions before have held."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from airflow_dq.exceptions import CodecError
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.check.breach import SUPPOSED, breaches
from airflow_dq.profile.check.coded import CodedRows, as_one, of_numbers
from airflow_dq.profile.check.held import Held
from airflow_dq.profile.check.learned import RowRule, RuleRows, answer_rule, row_rule
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.memory import PARTITIONS
from airflow_dq.profile.hash_key import hash_key
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.relation.base import Relation
from airflow_dq.relation.condition import has_value
from airflow_dq.relation.dependency import Counter, Dependency, Key, Step
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.rule import BETWEEN, RelationRule
from airflow_dq.relation.total import Total
from airflow_dq.states.prepared import PreparedColumn


class BetweenRule(RowRule, family=BETWEEN):
    """Holds which values of a relation's columns go together."""

    def __init__(self, rule: LearnedRule) -> None:
        """Read the rule.

        :raises CodecError: when its document is damaged, or its relation is one within a row
        """
        relation = RelationRule.from_json(rule.document).relation
        if not isinstance(relation, Dependency | Key | Counter | Step | Inclusion | Total):
            raise CodecError(f"{relation} is no relation between rows")
        self.relation = relation

    def count(self, rows: RuleRows) -> Held:
        """What the rows of a batch hold; of columns without a type nothing, and of hidden numbers no counter."""
        columns, hidden = list(rows.columns.values()), bool(rows.hidden)
        if any(pa.types.is_null(one.values.type) or pa.types.is_large_binary(one.values.type) for one in columns):
            return Held()
        before, relation = rows.before if isinstance(rows.before, Held) else None, self.relation
        if isinstance(relation, Key):
            return Held.of(_coded(rows, relation.key), 0, hidden=hidden, before=before)
        if isinstance(relation, Inclusion):
            return _beside(rows, relation, before)
        if isinstance(relation, Dependency):
            group, member = _coded(rows, relation.determinant), _coded(rows, (relation.dependent,))
            return Held.of(group, member, hidden=hidden, before=before)
        if isinstance(relation, Total):
            return Held() if hidden or not rows.columns[relation.number].is_number else _adding(rows, relation, before)
        if hidden or not all(rows.columns[name].is_number for name in relation.columns[len(relation.key) :]):
            return Held()
        if isinstance(relation, Step):
            return _stepping(rows, relation, before)
        return Held.of(_coded(rows, relation.key), _numbers(rows, relation.number), hidden=False, before=before)

    def answers(self, columns: Sequence[ColumnProfile], profile: Profile) -> bool:
        """No: what it says of a partition depends on those before, see :func:`answer_between`."""
        return False

    def answer(self, rule: LearnedRule, profile: Profile) -> Measured | None:
        """Nothing, as above."""
        return None


def _coded(rows: RuleRows, names: Sequence[str]) -> CodedRows:
    """The rows by columns, with keyed hashes where one of the rule's columns is hidden."""
    columns = [rows.once(("coded", name), partial(CodedRows.of, rows.columns[name])) for name in names]
    plain = rows.once(("coded", *names), lambda: CodedRows.of_all(columns))
    return rows.once(("keyed", *names), lambda: plain.keyed(hash_key())) if rows.hidden else plain


def _numbers(rows: RuleRows, name: str) -> CodedRows:
    return rows.once(("numbers", name), lambda: of_numbers(rows.columns[name].numbers))


def _stepping(rows: RuleRows, step: Step, before: Held | None) -> Held:
    """Of each key the number, and beside it what it must have been: held together, for their hashes are neighbours."""
    past = of_numbers(rows.columns[step.number].numbers - rows.columns[step.change].numbers)
    return _side_by_side(_coded(rows, step.key), _numbers(rows, step.number), past, before)


def _adding(rows: RuleRows, relation: Total, before: Held | None) -> Held:
    """Of each group the number in the rows of its total, and beside it those of the others: how often each occurs."""
    column, numbers = rows.columns[relation.column], rows.columns[relation.number].numbers
    marked = rows.once(
        ("marked", relation.column, relation.value),
        lambda: has_value(column, relation.value) if relation.value else ~column.present,
    )
    group = _coded(rows, relation.by) if relation.by else rows.once(("all rows",), lambda: as_one(len(numbers)))
    total, others = (of_numbers(np.where(chosen, numbers, np.nan)) for chosen in (marked, ~marked))
    return _side_by_side(group, total, others, before)


def _side_by_side(keys: CodedRows, number: CodedRows, supposed: CodedRows, before: Held | None) -> Held:
    """What a number of each key is, and what it has to be, under a hash that is the next one."""
    is_, has_to_be = (
        keys.hashed(lambda found: found & ~SUPPOSED, in_order=True),
        keys.hashed(lambda found: found | SUPPOSED, in_order=True),
    )
    parts = [Held.of(*one, hidden=False, before=before) for one in ((is_, number), (has_to_be, supposed))]
    return Held.loosely(parts)


def _beside(rows: RuleRows, relation: Inclusion, before: Held | None) -> Held:
    """Of each value how many rows have it in the first column, and how many in the other one."""
    if len({one.values.type for one in rows.columns.values()}) != 1:
        return Held()  # hashes of a text and of a number cannot be compared
    coded = [_coded(rows, (name,)) for name in relation.columns]
    parts = [Held.of(one, place, hidden=bool(rows.hidden), before=before) for place, one in enumerate(coded)]
    return Held.loosely(parts)


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
    if isinstance(relation_of(rule), Total) and not sample.complete:
        return None  # what is missing is missing of the sum
    key = (rule.measure, profile.fingerprint, profile.drawn)
    if key not in _DRAWN:
        reader = row_rule(rule)
        if not isinstance(reader, BetweenRule):
            return None
        if len(_DRAWN) >= _MOST_DRAWN:
            _DRAWN.clear()
        rows = sample.expand(rule.columns)
        columns = {name: PreparedColumn.of(rows.column(name)) for name in rule.columns}
        hidden = {name for name in rule.columns if profile.options.hides(name)}
        _DRAWN[key] = reader.count(RuleRows(columns, hidden)).whole
    return _DRAWN[key]


_DRAWN: dict[tuple[str, str, str], Held] = {}
"""What drawn rows hold: a walk through the past asks for the same of each partition several times."""
_MOST_DRAWN = 5_000
"""Some 100 MB: a hundred relations over fifty partitions, of a thousand rows each."""
