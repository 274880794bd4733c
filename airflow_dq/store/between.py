"""Relations between rows: held of the newest partitions, and told of a partition by those before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, func, select, update

from airflow_dq.exceptions import CodecError
from airflow_dq.learn.constraint.between import MOST_BROKEN
from airflow_dq.learn.history.timeline import Timeline
from airflow_dq.options.job import NULL_KEY
from airflow_dq.options.key import order_key
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.check.between import needs_neighbour, relation_of
from airflow_dq.profile.check.breach import breaches
from airflow_dq.profile.check.held import Held
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.memory import PARTITIONS
from airflow_dq.profile.check.tallies import Tallies
from airflow_dq.relation.dependency import is_lasting
from airflow_dq.relation.rule import BETWEEN
from airflow_dq.states.layout import compress, decompress
from airflow_dq.store.attempt import dataset_id
from airflow_dq.store.eligibility import ELIGIBLE, SPEAKS_OF_PARTITION
from airflow_dq.store.lock import try_lock_rules
from airflow_dq.store.rule_row import keep_found, rows_of, rule_of
from airflow_dq.store.table import LearnedRuleRow, ProfileRow, VerdictRow
from airflow_dq.store.value import storable_text

KEPT = 3 * PARTITIONS
"""Newest partitions whose pairs are kept: some of them may turn out to be bad, and are then not compared with."""
MOST_TRIED = 200
"""Relations of a dataset that are ever stored: what was dropped is not tried again."""
COUNTED = 4
"""Partitions in which a relation must have been counted before it is dropped."""
JUDGED_BY = 10
"""Newest partitions whose counts decide whether it is."""
_RHYTHM = 30
"""Keys of partitions that tell whether one is right behind another: as many as are learned from."""
_LARGEST = 2**31
"""Bytes of what is held for all relations of one partition, as of a table's state."""


def packed(held: Mapping[str, Held]) -> bytes | None:
    """What is held of a partition, as it is stored; None where there is nothing."""
    return compress(Tallies(held).encode(), level=1) if held else None


def unpacked(data: bytes | None) -> Mapping[str, Held]:
    """What was held; nothing where it is damaged, and the next partitions are told without it."""
    if data is None:
        return {}
    try:
        tallies = Tallies.decode(decompress(bytes(data), _LARGEST)).by_group
    except (CodecError, ValueError, KeyError, TypeError, OSError):
        return {}
    return {measure: one for measure, one in tallies.items() if isinstance(one, Held)}


def update_between(connection: Connection, dataset: str, rules: Sequence[LearnedRule], changed: Sequence[str]) -> None:
    """Count the rows of partitions that break relations between rows, and drop what is held of old partitions.

    :param rules: those that the partitions were counted by
    :param changed: keys of partitions that were profiled
    """
    rules = [rule for rule in rules if rule.family == BETWEEN]
    owner = dataset_id(connection, dataset)
    if owner is None or not rules:
        return
    for key in sorted((key for key in changed if key != NULL_KEY), key=order_key):
        _count(connection, owner, rules, key)
    _drop_broken(connection, dataset, owner)
    newest = (
        select(ProfileRow.sort_key)
        .where(ProfileRow.dataset_id == owner, ProfileRow.held.is_not(None))
        .order_by(ProfileRow.sort_key.desc())
        .limit(KEPT)
    )
    old = ProfileRow.dataset_id == owner, ProfileRow.held.is_not(None), ProfileRow.sort_key.not_in(newest)
    connection.execute(update(ProfileRow).where(*old).values(held=None))


def add_between(connection: Connection, dataset: str, found: Sequence[LearnedRule]) -> int:
    """Store the relations that were never stored, and return how many there were: of muted and dropped ones none."""
    owner = dataset_id(connection, dataset)
    if owner is None or not try_lock_rules(connection, dataset):
        return 0
    stored = [rule_of(row, dataset) for row in rows_of(connection, owner) if row.family == BETWEEN]
    known = {rule.measure for rule in stored if rule is not None}
    new = [rule for rule in found if rule.measure not in known][: max(0, MOST_TRIED - len(stored))]
    keep_found(connection, owner, new)
    return len(new)


def _drop_broken(connection: Connection, dataset: str, owner: int) -> None:
    """Count no longer what later rows break, or say nothing to."""
    query = select(ProfileRow.checks).where(ProfileRow.dataset_id == owner).order_by(ProfileRow.sort_key.desc())
    counted = list(connection.execute(query.limit(JUDGED_BY)).scalars())
    for row in rows_of(connection, owner):
        rule = rule_of(row, dataset) if row.family == BETWEEN and row.state == "active" else None
        if rule is not None and not _holds(storable_text(rule.measure), counted):
            dropped = update(LearnedRuleRow).where(LearnedRuleRow.id == row.id)
            connection.execute(dropped.values(state="dropped", changed_at=func.clock_timestamp()))


def _holds(measure: str, counted: Sequence[Mapping[str, Any]]) -> bool:
    """Whether few enough rows break it, or it was counted too seldom to tell."""
    own = [Measured.of_dict(one[measure]) for one in counted if measure in one]
    if len(own) < COUNTED:
        return True
    # A total has one row in each: the worst partition is left out, so that a bad one alone drops none.
    kept = sorted(own, key=lambda one: one.value or 0.0)[:-1]
    rows, broken = sum(one.denominator or 0 for one in kept), sum(one.numerator or 0 for one in kept)
    # Twice what a relation may have: one at the edge is not found and dropped in turns.
    return rows > 0 and broken <= 2 * MOST_BROKEN * rows


def _count(connection: Connection, owner: int, rules: Sequence[LearnedRule], partition: str) -> None:
    """Store what the rows of one partition say to the relations, by what is held of it and of those before."""
    own = ProfileRow.dataset_id == owner, ProfileRow.partition_key == partition
    row = connection.execute(select(ProfileRow.id, ProfileRow.checks, ProfileRow.held).where(*own)).one_or_none()
    if row is None or row.held is None:
        return
    now, kept = unpacked(row.held), _held_before(connection, owner, partition)
    before = [unpacked(data) for _, data in kept]
    neighbour = bool(kept) and kept[-1][0] == _right_before(connection, owner, partition)
    found = {}
    for rule in rules:
        held = now.get(rule.measure)
        if held is not None:
            past = before if neighbour or not needs_neighbour(rule) else []
            found[rule.measure] = _told(rule, held, [one[rule.measure] for one in past if rule.measure in one])
    checks = {**row.checks, **{storable_text(name): one.to_dict() for name, one in found.items()}}
    # The next partitions need no more of it; what was held for rules that this job does not count stays.
    done = {rule.measure for rule in rules if not is_lasting(relation_of(rule))}
    lasting = {measure: one for measure, one in now.items() if measure not in done}
    connection.execute(update(ProfileRow).where(ProfileRow.id == row.id).values(checks=checks, held=packed(lasting)))


def _right_before(connection: Connection, owner: int, partition: str) -> str | None:
    """The key of the partition right before one, whatever became of it; None behind a gap."""
    query = (
        select(ProfileRow.partition_key)
        .where(ProfileRow.dataset_id == owner, ProfileRow.partition_key != NULL_KEY)
        .where(ProfileRow.sort_key < order_key(partition))
        .order_by(ProfileRow.sort_key.desc())
        .limit(_RHYTHM)
    )
    keys = list(connection.execute(query).scalars())[::-1]
    return keys[-1] if keys and Timeline.of(keys).steps_to(partition)[-1] == 1 else None


def _held_before(connection: Connection, owner: int, partition: str) -> list[tuple[str, bytes]]:
    """Of the newest partitions before one that may be learned from, with their keys, oldest first."""
    query = (
        select(ProfileRow.partition_key, ProfileRow.held)
        .outerjoin(VerdictRow, SPEAKS_OF_PARTITION)
        .where(ProfileRow.dataset_id == owner, ProfileRow.partition_key != NULL_KEY, ELIGIBLE)
        .where(ProfileRow.sort_key < order_key(partition), ProfileRow.held.is_not(None))
        .order_by(ProfileRow.sort_key.desc())
        .limit(PARTITIONS)
    )
    found = [(key, data) for key, data in connection.execute(query) if data is not None]
    return found[::-1]


def _told(rule: LearnedRule, held: Held, before: Sequence[Held]) -> Measured:
    try:
        return breaches(relation_of(rule), held, before)
    except Exception as error:
        # Whatever it is, it concerns this relation, and must not lose the others.
        return Measured(problem=f"counting it failed with {type(error).__name__}", learned=True)
