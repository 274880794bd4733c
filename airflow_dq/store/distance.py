"""Distances that must be measured now: soon the states that they are measured from will be gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from airflow_dq.metrics.registry import largest_pool, pools
from airflow_dq.profile.model import Profile
from airflow_dq.profile.spec import NULL_KEY
from airflow_dq.program.baseline import Baseline
from airflow_dq.program.series import distances
from airflow_dq.store.eligibility import ELIGIBLE, SPEAKS_OF_PROFILE
from airflow_dq.store.model import ProfileRow, VerdictRow
from airflow_dq.store.pair_cache import save_pairs
from airflow_dq.store.profile_reader import attach_states, read_stored
from airflow_dq.store.state_cache import StateCache


def measure_around(connection: Connection, dataset: str, dataset_id: int, profile_id: int, cache: StateCache) -> None:
    """Save the distances that a profile is an end of, as far as they are not saved and the states are there.

    They are measured along the partitions as they follow each other, and along those of them that are in the history
    as things stand: a person may still take one in, or out.
    """
    own = connection.execute(select(ProfileRow).where(ProfileRow.id == profile_id)).one_or_none()
    if own is None or own.partition_key == NULL_KEY:
        return
    chains = [_chain(connection, dataset_id, own, eligible) for eligible in (False, True)]
    rows = {row.id: row for chain in chains for row in chain}
    stored = read_stored(connection, list(rows.values()))
    known = dict(zip(rows, attach_states(connection, stored, (), cache), strict=True))
    orders = {tuple(row.id for row in chain) for chain in chains}
    needed = {one for order in orders for one in _needed(order, known)}
    if not needed:
        return
    there = {one for one in needed if rows[one].has_states}
    known = dict(zip(rows, attach_states(connection, stored, there, cache), strict=True))
    for order in orders:
        for now, name, pool in _ends(order, known):
            earlier = [known[one].columns.get(name) for one in order[:now]]
            distances(known[order[now]].columns[name], earlier, pool)
    save_pairs(connection, dataset, [known[one] for one in sorted(needed)])


def _chain(connection: Connection, dataset_id: int, own: Row[Any], eligible: bool) -> list[Row[Any]]:
    """The profiles around one in the order of their keys, it included."""
    key = ProfileRow.partition_key
    query = select(ProfileRow).where(ProfileRow.dataset_id == dataset_id, key != NULL_KEY).limit(largest_pool())
    if eligible:
        query = query.outerjoin(VerdictRow, SPEAKS_OF_PROFILE).where(ELIGIBLE)
    before = connection.execute(query.where(key < own.partition_key).order_by(key.desc())).all()
    after = connection.execute(query.where(key > own.partition_key).order_by(key)).all()
    return [*before[::-1], own, *after]


def _needed(order: Sequence[int], known: Mapping[int, Profile]) -> Iterator[int]:
    """Ids of the profiles whose states a distance is to be measured from."""
    for now, name, pool in _ends(order, known):
        profile = known[order[now]]
        earlier = [known[one].columns.get(name) for one in order[:now]]
        baseline = Baseline.of(earlier, profile.columns[name].kind, pool)
        if baseline is not None and not baseline.is_measured(profile.columns[name]):
            yield from order[max(0, now - pool) : now + 1]


def _ends(order: Sequence[int], known: Mapping[int, Profile]) -> Iterator[tuple[int, str, int]]:
    """Place of a profile in the order, a column of it, and the size of a baseline that it is compared with."""
    for place, one in enumerate(order):
        for name, column in known[one].columns.items():
            for pool in pools(column.kind):
                yield place, name, pool
