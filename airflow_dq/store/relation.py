"""Learned relations of a dataset on their way: found in the rows of a partition, dropped when later rows break them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence

from sqlalchemy import Connection, func, update

from airflow_dq.learn.constraint.relation import MOST_BROKEN
from airflow_dq.learn.relation import new_relations
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.model import Profile
from airflow_dq.relation.rule import RELATION
from airflow_dq.store.attempt import dataset_id
from airflow_dq.store.lock import try_lock_rules
from airflow_dq.store.rule_row import keep_found, rows_of, rule_of
from airflow_dq.store.table import LearnedRuleRow

log = logging.getLogger(__name__)

_COUNTED = 3
"""Partitions in which a relation must have been counted before it is dropped: a bad one alone drops none."""


def add_relations(connection: Connection, dataset: str, found: Sequence[LearnedRule]) -> int:
    """Store the relations that are new, and return how many there were; who learns at the same time is not waited for.

    One that was muted is not stored again, and one that follows from those that are known neither.
    """
    owner = dataset_id(connection, dataset)
    if owner is None or not try_lock_rules(connection, dataset):
        return 0
    stored = [(row, rule_of(row, dataset)) for row in rows_of(connection, owner) if row.family == RELATION]
    rules = [(row.state, rule) for row, rule in stored if rule is not None]
    muted = {rule.measure for state, rule in rules if state == "muted"}
    known = [rule for state, rule in rules if state == "active"]
    new = new_relations([rule for rule in found if rule.measure not in muted], known)
    keep_found(connection, owner, new)
    return len(new)


def drop_broken(
    connection: Connection, dataset: str, owner: int, profiles: Sequence[Profile], bad: Collection[str]
) -> None:
    """Count no longer what holds no more: more rows than a relation may have break it, or it was found in bad ones.

    :param owner: id of the dataset
    :param profiles: the newest partitions that may be learned from
    :param bad: partitions that must not be learned from any more
    """
    for row in rows_of(connection, owner):
        rule = rule_of(row, dataset) if row.family == RELATION and row.state == "active" else None
        if rule is None or not (set(rule.partitions) <= set(bad) or _is_broken(rule, profiles)):
            continue
        log.info("Dataset %r: the relation %d between %s holds no more.", dataset, row.id, ", ".join(rule.columns))
        dropped = update(LearnedRuleRow).where(LearnedRuleRow.id == row.id)
        connection.execute(dropped.values(state="dropped", changed_at=func.clock_timestamp()))


def _is_broken(rule: LearnedRule, profiles: Sequence[Profile]) -> bool:
    counted = [one for profile in profiles if (one := profile.checks.get(rule.measure)) is not None and one.denominator]
    rows, broken = sum(one.denominator or 0 for one in counted), sum(one.numerator or 0 for one in counted)
    # Twice what a relation may have: one at the edge is not found and dropped in turns.
    return len(counted) >= _COUNTED and broken > 2 * MOST_BROKEN * rows
