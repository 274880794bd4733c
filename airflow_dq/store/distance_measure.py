"""Distances that must be measured now: soon the states that they are measured from will be gone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, or_, select

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

_Compared = tuple[int, Sequence[int], str, int]
"""A profile, those before it that it is compared with, a column of it, and the size of that baseline."""


def measure_around(
    connection: Connection, dataset: str, dataset_id: int, profile_ids: Collection[int], cache: StateCache
) -> None:
    """Save the distances that these profiles are an end of, as far as they are not saved and the states are there.

    They are measured along the partitions as they follow each other, and along those of them that are in the history
    as things stand: a person may still take one in, or out.
    """
    chains = _chains(connection, dataset_id, profile_ids)
    around = {one for chain in chains for one in chain.order}
    found = connection.execute(select(*PROFILE).where(among(ProfileRow.id, around))).all() if around else []
    stored = read_stored(connection, dataset, found, skipping)
    ids = [one.id for one in stored]
    # Most often all partitions are eligible, and the two chains of one are the same.
    chains = list(dict.fromkeys(whole for chain in chains if (whole := chain.within(ids)) is not None))
    known = dict(zip(ids, attach_states(connection, dataset, stored, (), cache), strict=True))
    distances = Distances()
    unknown = [one for chain in chains for one in _unknown(chain, known, distances)]
    if not unknown:
        return
    needed = {id for now, earlier, _, _ in unknown for id in (*earlier, now)}
    there = {one.id for one in stored if one.id in needed and one.has_states}
    known = dict(zip(ids, attach_states(connection, dataset, stored, there, cache), strict=True))
    for now, earlier, name, pool in unknown:
        distances.of(known[now].columns[name], [known[one].columns.get(name) for one in earlier], pool)
    save_distances(connection, dataset, [known[one] for one in sorted(needed)], distances.measured)


@dataclass(frozen=True, slots=True)
class _Chain:
    """The ids of the profiles around one in the order of their keys."""

    order: tuple[int, ...]
    own: int
    """Where the chain's own profile stands."""

    def within(self, ids: Collection[int]) -> _Chain | None:
        """The chain without the profiles that cannot be read; None when its own is one of them."""
        if self.order[self.own] not in ids:
            return None
        before = sum(one in ids for one in self.order[: self.own])
        return _Chain(tuple(one for one in self.order if one in ids), before)

    def ends(self, known: Mapping[int, Profile]) -> Iterator[_Compared]:
        """What is compared along the chain, as far as its own profile is among it."""
        order, own = self.order, self.own
        for place in range(own, len(order)):
            for name, column in known[order[place]].columns.items():
                for pool in pools(column.kind):
                    if place - pool <= own:
                        yield order[place], order[max(0, place - pool) : place], name, pool


def _chains(connection: Connection, dataset_id: int, own: Collection[int]) -> list[_Chain]:
    """As many profiles before and behind each one as a baseline has, once of all and once of the eligible ones."""
    key, pool = ProfileRow.sort_key, largest_pool()
    of_dataset = ProfileRow.dataset_id == dataset_id, ProfileRow.partition_key != NULL_KEY
    first, last = (select(end(key)).where(among(ProfileRow.id, own)).scalar_subquery() for end in (func.min, func.max))
    farthest = select(key).where(*of_dataset, ELIGIBLE).outerjoin(VerdictRow, SPEAKS_OF_PARTITION)
    farthest = farthest.offset(pool - 1).limit(1)
    # So many eligible ones are as many of all, or more.
    before = farthest.where(key < first).order_by(key.desc()).scalar_subquery()
    behind = farthest.where(key > last).order_by(key).scalar_subquery()
    query = select(ProfileRow.id, ELIGIBLE.label("eligible")).where(*of_dataset)
    query = query.outerjoin(VerdictRow, SPEAKS_OF_PARTITION).order_by(key)
    query = query.where(key >= func.coalesce(before, ""), or_(behind.is_(None), key <= behind))
    every = connection.execute(query).all()
    chains = []
    for place, one in enumerate(every):
        if one.id not in own:
            continue
        for eligible in (False, True):
            earlier = [row.id for row in every[:place] if row.eligible or not eligible][-pool:]
            later = [row.id for row in every[place + 1 :] if row.eligible or not eligible][:pool]
            chains.append(_Chain((*earlier, one.id, *later), len(earlier)))
    return chains


def _unknown(chain: _Chain, known: Mapping[int, Profile], distances: Distances) -> Iterator[_Compared]:
    """What is to be compared along the chain of which not all distances are known."""
    for now, earlier, name, pool in chain.ends(known):
        column = known[now].columns[name]
        baseline = Baseline.of([known[one].columns.get(name) for one in earlier], column.kind, pool)
        if baseline is not None and not distances.knows(column, baseline):
            yield now, earlier, name, pool
