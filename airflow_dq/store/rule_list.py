"""Learned rules as a person looks through them: in words, with what speaks for each; muted and deleted by number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import ColumnElement, Connection, delete, func, select, update

from airflow_dq.check.file import flow, said
from airflow_dq.check.model import Check
from airflow_dq.exceptions import CodecError
from airflow_dq.learn.rule import PATTERN, pattern_of
from airflow_dq.options.rule import LearnedRule, RuleState
from airflow_dq.profile.check.measured import Measured
from airflow_dq.relation.base import Relation
from airflow_dq.relation.declared import as_check, why_no_check
from airflow_dq.relation.rule import BETWEEN, RELATION, RelationRule
from airflow_dq.store.attempt import dataset_id
from airflow_dq.store.damage import raw
from airflow_dq.store.document import decode
from airflow_dq.store.eligibility import withheld
from airflow_dq.store.review import name_of, record
from airflow_dq.store.review_model import Action
from airflow_dq.store.rule_row import rows_of, rule_of
from airflow_dq.store.table import LearnedRuleRow, ProfileRow
from airflow_dq.store.value import storable_text

NEWEST = 30
"""Partitions whose counts are summed up: those that a gate judges by."""


@dataclass(frozen=True, slots=True)
class StoredRule:
    """A learned rule with what speaks for it."""

    id: int
    state: RuleState
    rule: LearnedRule
    words: str
    """What it asks of a row, or of a value."""
    reason: str
    """Why it was learned."""
    partitions: int
    """Of the newest ones, those in which it was counted."""
    rows: int
    """Rows, or values, of these that could have broken it."""
    broken: int
    """Those that do."""
    held: int
    """Of the partitions, those in which none does."""

    @property
    def check(self) -> Check | None:
        """The declared check that asks the same of a partition; None where checks have no words for it."""
        relation = self._relation
        return None if relation is None else as_check(relation)

    @property
    def check_line(self) -> str | None:
        """The same as a line of a file of checks."""
        check = self.check
        return None if check is None else f"- {flow(said(check))}"

    @property
    def why_no_check(self) -> str:
        """Why there is none: ``no check ...``."""
        relation = self._relation
        return "its values are told by a pattern" if relation is None else why_no_check(relation)

    @property
    def _relation(self) -> Relation | None:
        rule = self.rule
        return RelationRule.from_json(rule.document).relation if rule.family in (RELATION, BETWEEN) else None


def stored_rules(connection: Connection, dataset: str) -> list[StoredRule]:
    """The rules of a dataset that are counted or muted, the oldest first; damaged ones are left out, with a warning.

    So are patterns and relations within a row of which every partition that they were learned from is withheld: the
    next job drops or relearns them before it reads a row.
    """
    owner = dataset_id(connection, dataset)
    counted = _counts(connection, owner)
    bad = withheld(connection, owner)
    found = []
    for row in rows_of(connection, owner):
        rule = rule_of(row, dataset) if row.state in ("active", "muted") else None
        if row.state == "active" and row.family != BETWEEN and row.partitions and bad.issuperset(row.partitions):
            continue
        words = None if rule is None else _words(rule)
        if rule is not None and words is not None:
            name = storable_text(rule.measure)
            own = [one[name] for one in counted if name in one and one[name].denominator]
            broken = [one.numerator or 0 for one in own]
            sums = sum(one.denominator or 0 for one in own), sum(broken), broken.count(0)
            found.append(StoredRule(row.id, cast(RuleState, row.state), rule, words, row.reason, len(own), *sums))
    return found


def _words(rule: LearnedRule) -> str | None:
    """The rule in words; None where it can be read no more, or stands for a column that has none."""
    try:
        if rule.family == PATTERN:
            return f"{rule.columns[0]} looks like {pattern_of(rule)}"
        return str(RelationRule.from_json(rule.document).relation) if rule.family in (RELATION, BETWEEN) else None
    except CodecError:
        return None


def _counts(connection: Connection, owner: int | None) -> Sequence[Mapping[str, Measured]]:
    """What was counted in the newest partitions."""
    query = select(raw(ProfileRow.checks, "checks")).where(ProfileRow.dataset_id == owner)
    rows = connection.execute(query.order_by(ProfileRow.sort_key.desc()).limit(NEWEST)).scalars()
    return [{name: Measured.of_dict(one) for name, one in decode(bytes(row)).items()} for row in rows]


def mute(connection: Connection, dataset: str, rule: int, by: str, *, action: Action = "rule_muted") -> bool:
    """Neither count nor judge a rule any more, nor learn it again; False when there is no such active one.

    :param action: what the audit trail tells: a rule that was confirmed is asked by a declared check in its place
    """
    who, owner, words = name_of(by), dataset_id(connection, dataset), _words_of(connection, dataset, rule)
    changed = update(LearnedRuleRow).where(*_of(owner, rule), LearnedRuleRow.state == "active")
    done = connection.execute(changed.values(state="muted", changed_at=func.clock_timestamp())).rowcount
    if done and owner is not None:
        record(connection, owner, dataset, action, who, detail=words)
    return bool(done)


def remove(connection: Connection, dataset: str, rule: int, by: str) -> bool:
    """Forget a rule, muted or not: it may be learned again; False when there is none."""
    who, owner, words = name_of(by), dataset_id(connection, dataset), _words_of(connection, dataset, rule)
    done = connection.execute(delete(LearnedRuleRow).where(*_of(owner, rule))).rowcount
    if done and owner is not None:
        record(connection, owner, dataset, "rule_deleted", who, detail=words)
    return bool(done)


def _words_of(connection: Connection, dataset: str, rule: int) -> str:
    """What the audit trail calls a rule, damaged or not."""
    rows = rows_of(connection, dataset_id(connection, dataset))
    read = next((rule_of(row, dataset) for row in rows if row.id == rule), None)
    return storable_text((None if read is None else _words(read)) or f"number {rule}")


def _of(owner: int | None, rule: int) -> tuple[ColumnElement[bool], ...]:
    return LearnedRuleRow.dataset_id == owner, LearnedRuleRow.id == rule
