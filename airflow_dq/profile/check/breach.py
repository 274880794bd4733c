"""Which of the rows that are held break a relation between rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from airflow_dq.profile.check.held import Held, group_starts
from airflow_dq.profile.check.measured import NO_VALUES, Measured
from airflow_dq.profile.check.memory import PARTITIONS, Memory
from airflow_dq.relation.base import Relation
from airflow_dq.relation.dependency import Counter, Dependency, Key

EXAMPLES = 5
"""Breaches that are shown."""
Broken = tuple[NDArray[np.bool_], NDArray[np.bool_], Memory]
"""Of each pair whether its rows could have broken the relation, and whether they do; and what was remembered."""


def breaches(relation: Relation, held: Held, before: Sequence[Held]) -> Measured:
    """How many of the rows break the relation, with a few of them.

    :param before: what was held of the partitions before, oldest first
    """
    speaks, breaks, memory = _READERS[type(relation)](relation, held, before[-PARTITIONS:])
    rows, odd = int(held.counts[speaks].sum()), int(held.counts[breaks].sum())
    if not rows:
        return Measured(nothing=NO_VALUES, learned=True)
    return Measured(odd / rows, odd, rows, learned=True, examples=tuple(_examples(held, breaks, memory)))


def _dependency(relation: Relation, held: Held, before: Sequence[Held]) -> Broken:
    """Rows whose dependent is another than the determinant has always had, or than most of its rows have."""
    assert isinstance(relation, Dependency)
    memory = Memory.of_all(before) if relation.lasting else Memory()
    usual = _most_frequent(held)
    places = memory.places_of(held.groups)
    known = places >= 0
    if known.any():
        usual = np.where(known, memory.members[places], usual)
    speaks = _shared(held, known) & ~np.isin(held.groups, memory.unclear)
    return speaks, speaks & (held.members != usual), memory


def _key(relation: Relation, held: Held, before: Sequence[Held]) -> Broken:
    """Rows of a key that occurs more than once."""
    return np.ones(len(held.groups), np.bool_), held.counts > 1, Memory()


def _counter(relation: Relation, held: Held, before: Sequence[Held]) -> Broken:
    """Rows whose number cannot follow the one of the newest partition with their key."""
    assert isinstance(relation, Counter)
    memory = Memory.of_newest(before)
    places = memory.places_of(held.groups)
    speaks = places >= 0
    if not speaks.any():
        return speaks, speaks, memory
    now, past = held.members.view(np.float64), memory.members[places].view(np.float64)
    return speaks, speaks & relation.is_broken(now, past), memory


_READERS: dict[type[Relation], Callable[[Relation, Held, Sequence[Held]], Broken]] = {
    Dependency: _dependency,
    Key: _key,
    Counter: _counter,
}


def _most_frequent(held: Held) -> NDArray[np.uint64]:
    """Of each pair the member that most rows of its group have; of equally many the first."""
    starts = group_starts(held.groups)
    if not len(starts):
        return held.members
    sizes = np.diff(np.append(starts, len(held.groups)))
    group = np.repeat(np.arange(len(starts)), sizes)
    order = np.lexsort((held.members, -held.counts, group))
    return np.repeat(held.members[order[starts]], sizes)


def _shared(held: Held, known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The pairs of groups that are known from before, or have more than one row: others could break nothing."""
    starts = group_starts(held.groups)
    if not len(starts):
        return known
    sizes = np.diff(np.append(starts, len(held.groups)))
    return known | (np.repeat(np.add.reduceat(held.counts, starts), sizes) > 1)


def _examples(held: Held, breaks: NDArray[np.bool_], memory: Memory) -> Iterator[tuple[str, int]]:
    """The pairs with the most rows, of those whose values are known: ``JFK: X, before Y``."""
    places = np.flatnonzero(breaks[: len(held.group_texts)])
    for place in places[np.lexsort((places, -held.counts[places]))][:EXAMPLES].tolist():
        text = str(held.group_texts[place].as_py())
        if place < len(held.member_texts):
            (at,) = memory.places_of(held.groups[place : place + 1]).tolist()
            was = memory.text(at)
            text += f": {held.member_texts[place].as_py()}" + ("" if was is None else f", before {was}")
        yield text, int(held.counts[place])
