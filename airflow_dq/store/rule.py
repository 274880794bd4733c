"""Learned rules on rows as they are stored: what a profile job counts, and what a gate judges.

A profile job learns what is due before it reads a row, and not the gate: by then the verdicts on the partitions before
are known, and people's answers to them; what a backfill has stored is there without a gate; and the count of a new rule
begins with the very next partition.  A rule is learned only from partitions that come before those that it is counted
on, and a partition that was found bad since is a reason to learn it again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any, cast

from sqlalchemy import ColumnElement, Connection, func, or_, select, update

from airflow_dq.learn.constraint.pattern import METRIC
from airflow_dq.learn.history.answer import Answers
from airflow_dq.learn.rule import PATTERN, learn_rule, newest_texts, reason_to_learn
from airflow_dq.options.key import order_key
from airflow_dq.options.rule import LearnedRule, RuleState
from airflow_dq.pattern import NoPattern
from airflow_dq.profile.check.learned import answer_rule
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind
from airflow_dq.store import profile_reader
from airflow_dq.store.answer import answered_alarms
from airflow_dq.store.attempt import dataset_id
from airflow_dq.store.eligibility import SPEAKS_OF_PARTITION
from airflow_dq.store.lock import try_lock_rules
from airflow_dq.store.relation import drop_broken
from airflow_dq.store.review import start_key
from airflow_dq.store.rule_row import keep, rows_of, rule_of
from airflow_dq.store.table import LearnedRuleRow, ProfileRow, VerdictRow
from airflow_dq.store.value import storable_text

log = logging.getLogger(__name__)

GONE = ""
"""The document that stands in a rule's place once its column has no pattern any more."""
Subject = tuple[str, tuple[str, ...], str]
"""Of each there is one rule at a time: of patterns the family and the column; of relations, of which several hold
between the same columns, what is counted as well."""


def rules_before(connection: Connection, dataset: str, before: str) -> tuple[LearnedRule, ...]:
    """The rules that a partition is counted by and judged by: of each subject the newest learned from earlier ones."""
    known = _known(connection, dataset, before).values()
    return tuple(rule for state, rule in known if state not in ("muted", "dropped") and rule.document != GONE)


def learn_due(connection: Connection, dataset: str, before: str) -> tuple[LearnedRule, ...]:
    """The same, once what is due has been learned; who learns at the same time is not waited for.

    What goes wrong with one column is logged, and leaves the others alone.
    """
    owner = dataset_id(connection, dataset)
    if owner is None or not try_lock_rules(connection, dataset):
        return rules_before(connection, dataset, before)
    known = _known(connection, dataset, before)
    newest = _newest_subjects(connection, owner)
    light = profile_reader.newest_eligible(connection, dataset, before, ())
    bad = _no_longer_eligible(connection, dataset, owner, before, known.values())
    answers = answered_alarms(connection, dataset, before)
    due = {}
    for name in _text_columns(light):
        state, rule = known.get((PATTERN, (name,), ""), ("active", None))
        if state == "muted" or newest.get((PATTERN, (name,), "")) not in (None, rule):
            continue  # a later one is not replaced by what an older partition would have learned
        rule = None if rule is None or rule.document == GONE else rule
        given = Answers.of([one for one in answers if rule is None or one.partition not in rule.partitions])
        reason = reason_to_learn(rule, light, name, bad, given.of_metric(name, METRIC))
        if reason is not None:
            due[name] = (rule, reason)
    drop_broken(connection, dataset, owner, light, bad)
    if due:
        profiles = profile_reader.newest_eligible(connection, dataset, before, tuple(due))
        for name, (rule, reason) in due.items():
            _learn(connection, dataset, owner, profiles, name, rule, reason)
    rules = rules_before(connection, dataset, before)
    if due:
        _count_past(
            connection, owner, profiles, [rule for rule in rules if rule.family == PATTERN and rule.columns[0] in due]
        )
    return rules


def _count_past(connection: Connection, owner: int, profiles: Sequence[Profile], rules: Sequence[LearnedRule]) -> None:
    """Keep what the counts of values in past partitions say to new rules, before retention drops them."""
    for profile in profiles:
        found = {rule.measure: one for rule in rules if (one := answer_rule(rule, profile)) is not None}
        checks = {storable_text(name): one.to_dict() for name, one in {**profile.checks, **found}.items()}
        of_profile = ProfileRow.dataset_id == owner, ProfileRow.partition_key == profile.partition
        connection.execute(
            update(ProfileRow).where(*of_profile, ProfileRow.fingerprint == profile.fingerprint).values(checks=checks)
        )


def _learn(
    connection: Connection,
    dataset: str,
    owner: int,
    profiles: Sequence[Profile],
    name: str,
    rule: LearnedRule | None,
    reason: str,
) -> None:
    """Learn one column's pattern; where there is none any more, nothing takes the place of the one that there was."""
    texts = newest_texts(profiles, name)
    if not texts:
        return
    try:
        found = learn_rule(texts, name)
    except Exception:
        log.exception("Dataset %r, column %r: its pattern could not be learned.", dataset, name)
        return
    if rule is not None:
        _retire(connection, owner, rule)
    if isinstance(found, NoPattern):
        log.info("Dataset %r, column %r has no pattern: %s.", dataset, name, found.reason)
        if rule is None:
            return
        reason, found = found.reason, LearnedRule(PATTERN, (name,), GONE, GONE, tuple(str(p.partition) for p in texts))
    keep(connection, owner, [(found, reason)])


def _retire(connection: Connection, owner: int, rule: LearnedRule) -> None:
    connection.execute(
        update(LearnedRuleRow)
        .where(LearnedRuleRow.dataset_id == owner, LearnedRuleRow.family == rule.family)
        .where(LearnedRuleRow.columns == list(rule.columns), LearnedRuleRow.state == "active")
        .values(state="relearned", changed_at=func.clock_timestamp())
    )


def _known(connection: Connection, dataset: str, before: str) -> dict[Subject, tuple[RuleState, LearnedRule]]:
    """Of each subject the newest rule that was learned from partitions before one, and its state."""
    owner, end = dataset_id(connection, dataset), order_key(before)
    found: dict[Subject, tuple[RuleState, LearnedRule]] = {}
    for row in rows_of(connection, owner):
        rule = rule_of(row, dataset)
        if rule is not None and all(order_key(key) < end for key in rule.partitions):
            found[_subject(row, rule)] = (cast(RuleState, row.state), rule)
    return found


def _newest_subjects(connection: Connection, owner: int) -> dict[Subject, LearnedRule | None]:
    rules = [(row, rule_of(row, "")) for row in rows_of(connection, owner)]
    return {_subject(row, rule): rule for row, rule in rules}


def _subject(row: Any, rule: LearnedRule | None) -> Subject:
    counted = "" if rule is None or row.family == PATTERN else rule.measure
    return row.family, tuple(row.columns), counted


def _text_columns(profiles: Sequence[Profile]) -> list[str]:
    newest = profiles[-1] if profiles else None
    return [] if newest is None else [name for name, one in newest.columns.items() if one.kind is Kind.STRING]


def _no_longer_eligible(
    connection: Connection, dataset: str, owner: int, before: str, known: Iterable[tuple[RuleState, LearnedRule]]
) -> frozenset[str]:
    """The partitions that rules were learned from and must not be any more: found bad, or before a new normal."""
    used = sorted({key for _, rule in known for key in rule.partitions})
    if not used:
        return frozenset()
    since: ColumnElement[str] = func.coalesce(start_key(dataset, before), "")
    query = (
        select(ProfileRow.partition_key)
        .outerjoin(VerdictRow, SPEAKS_OF_PARTITION)
        .where(ProfileRow.dataset_id == owner, ProfileRow.partition_key.in_(used))
        .where(or_(VerdictRow.withheld.is_(True), ProfileRow.sort_key < since))
    )
    return frozenset(connection.execute(query).scalars())
