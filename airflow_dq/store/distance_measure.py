"""Distances that must be measured now: soon the states that they are measured from will be gone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from airflow_dq.learn.history.baseline import Baseline
from airflow_dq.learn.history.distance import Distances
from airflow_dq.metrics.registry import largest_pool, pools
from airflow_dq.options.job import NULL_KEY
from airflow_dq.profile.model import Profile
from airflow_dq.store.damage import skipping
from airflow_dq.store.distance_writer import save_distances
from airflow_dq.store.eligibility import ELIGIBLE, SPEAKS_OF_PARTITION
from airflow_dq.store.profile_reader import PROFILE, attach_states, read_stored
from airflow_dq.store.state_cache import StateCache
from airflow_dq.store.statement import among
from airflow_dq.store.table import ProfileRow, VerdictRow


def measure_around(
    connection: Connection, dataset: str, dataset_id: int, profile_ids: Collection[int], cache: StateCache
) -> None:
    """Save the distances that these profiles are an end of, as far as they are not saved and the states are there.

    They are measured along the partitions as they follow each other, and along those of them that are in the history
    as things stand: a person may still take one in, or out.
    """
    found = connection.execute(select(*PROFILE).where(among(ProfileRow.id, profile_ids)))
    own = [row for row in found if row.partition_key != NULL_KEY]
    chains = [_chain(connection, dataset_id, row, eligible) for row in own for eligible in (False, True)]
    rows = {row.id: row for chain in chains for row in (*chain.before, *chain.from_it_on)}
    stored = read_stored(connection, dataset, list(rows.values()), skipping)
    ids = [one.id for one in stored]
    read = [whole for chain in chains if (whole := chain.within(ids)) is not None]
    # Most often all partitions are eligible, and the two chains of one are the same.
    chains = list({(chain.own, *chain.order): chain for chain in read}.values())
    known = dict(zip(ids, attach_states(connection, dataset, stored, (), cache), strict=True))
    distances = Distances()
    needed = {one for chain in chains for one in _needed(chain, known, distances)}
    if not needed:
        return
    there = {one for one in needed if rows[one].has_states}
    known = dict(zip(ids, attach_states(connection, dataset, stored, there, cache), strict=True))
    for chain in chains:
        for now, earlier, name, pool in chain.ends(known):
            distances.of(known[now].columns[name], [known[one].columns.get(name) for one in earlier], pool)
    save_distances(connection, dataset, [known[one] for one in sorted(needed)], distances.measured)


@dataclass(frozen=True, slots=True)
class _Chain:
    """The profiles around one in the order of their keys."""

    before: Sequence[Row[Any]]
    from_it_on: Sequence[Row[Any]]

    def within(self, ids: Collection[int]) -> _Chain | None:
        """The chain without the profiles that cannot be read; None when its own is one of them."""
        if self.from_it_on[0].id not in ids:
            return None
        before, from_it_on = ([row for row in rows if row.id in ids] for rows in (self.before, self.from_it_on))
        return _Chain(before, from_it_on)

    @property
    def own(self) -> int:
        """Where the chain's own profile stands."""
        return len(self.before)

    @property
    def order(self) -> list[int]:
        """The ids of all."""
        return [row.id for row in (*self.before, *self.from_it_on)]

    def ends(self, known: Mapping[int, Profile]) -> Iterator[tuple[int, Sequence[int], str, int]]:
        """A profile, those before it, a column of it, and the size of a baseline: one of them is the chain's own."""
        order, own = self.order, self.own
        for place in range(own, len(order)):
            for name, column in known[order[place]].columns.items():
                for pool in pools(column.kind):
                    if place - pool <= own:
                        yield order[place], order[:place], name, pool


def _chain(connection: Connection, dataset_id: int, own: Row[Any], eligible: bool) -> _Chain:
    """As many profiles before and behind one as a baseline has, of all or of the eligible ones."""
    key = ProfileRow.sort_key
    query = select(*PROFILE).where(ProfileRow.dataset_id == dataset_id, ProfileRow.partition_key != NULL_KEY)
    query = query.limit(largest_pool())
    if eligible:
        query = query.outerjoin(VerdictRow, SPEAKS_OF_PARTITION).where(ELIGIBLE)
    before = connection.execute(query.where(key < own.sort_key).order_by(key.desc())).all()
    after = connection.execute(query.where(key > own.sort_key).order_by(key)).all()
    return _Chain(before[::-1], [own, *after])


def _needed(chain: _Chain, known: Mapping[int, Profile], distances: Distances) -> Iterator[int]:
    """Ids of the profiles whose states a distance is to be measured from."""
    for now, earlier, name, pool in chain.ends(known):
        column = known[now].columns[name]
        baseline = Baseline.of([known[one].columns.get(name) for one in earlier], column.kind, pool)
        if baseline is not None and not distances.knows(column, baseline):
            yield from (*earlier[-pool:], now)
