"""Which of the rows that are held break a relation between rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from airflow_dq.profile.check.coded import ALL
from airflow_dq.profile.check.held import Held, group_starts
from airflow_dq.profile.check.measured import NO_VALUES, Measured
from airflow_dq.profile.check.memory import CLEAR, PARTITIONS, Memory
from airflow_dq.relation.base import Relation
from airflow_dq.relation.dependency import Counter, Dependency, Key, Step
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.total import Total

EXAMPLES = 5
"""Breaches that are shown."""
SUPPOSED = np.uint64(1)
"""Of the hash of a key, the bit that tells what a number must have been from what it is."""
MANY = 2
"""Rows from which on a group has another member for good: one row alone may be an odd one as well."""


@dataclass(frozen=True, slots=True, eq=False)
class Broken:
    """What the pairs that are held say to a relation."""

    speaks: NDArray[np.bool_]
    """Of each pair whether its rows could have broken it."""
    breaks: NDArray[np.bool_]
    """Of these, whether they do."""
    memory: Memory = field(default_factory=Memory)
    beside: str = "before"
    """What the memory is of, as it is said."""
    renamed: int | None = None
    """Groups with another member than ever in nearly all of their rows, of which there are several."""
    known: int | None = None
    """Groups of several rows whose member is remembered of several rows."""


def breaches(relation: Relation, held: Held, before: Sequence[Held]) -> Measured:
    """How many of the rows break the relation, with a few of them.

    :param before: what was held of the partitions before, oldest first
    """
    found = _READERS[type(relation)](relation, held, before[-PARTITIONS:])
    rows, odd = int(held.counts[found.speaks].sum()), int(held.counts[found.breaks].sum())
    if not rows:
        return Measured(nothing=NO_VALUES, learned=True)
    return Measured(
        odd / rows,
        odd,
        rows,
        learned=True,
        renamed=found.renamed,
        known=found.known,
        places=_places(held, found.breaks),
        all_places=_places(held, found.speaks),
        examples=tuple(_examples(held, found)),
    )


def _places(held: Held, chosen: NDArray[np.bool_]) -> int:
    """How many groups some of the pairs are of."""
    return len(group_starts(held.groups[chosen]))


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
    breaks = speaks & (held.members != usual)
    # What one row said, it may have said by mistake.
    known &= np.append(memory.rows, 0)[places] >= MANY
    renamed, groups = _renamed(held, known, breaks) if relation.lasting else (None, None)
    return Broken(speaks, breaks, memory, renamed=renamed, known=groups)


def _renamed(held: Held, known: NDArray[np.bool_], breaks: NDArray[np.bool_]) -> tuple[int, int]:
    """Groups of several rows that nearly all have one other member than ever, and all such groups that are well known.

    Rows that are wrong here and there do not agree in what they say instead.
    """
    starts = group_starts(held.groups)
    if not len(starts):
        return 0, 0
    totals = np.add.reduceat(held.counts, starts)
    asked = known[starts] & (totals >= MANY)
    most = np.maximum.reduceat(np.where(breaks, held.counts, 0), starts)
    return int((asked & (most >= MANY) & (most >= CLEAR * totals)).sum()), int(asked.sum())


def _key(relation: Relation, held: Held, before: Sequence[Held]) -> Broken:
    """Rows of a key that occurs more than once."""
    return Broken(np.ones(len(held.groups), np.bool_), held.counts > 1)


def _counter(relation: Relation, held: Held, before: Sequence[Held]) -> Broken:
    """Rows whose number cannot follow the one of the newest partition with their key."""
    assert isinstance(relation, Counter)
    return _beside(relation, held, Memory.of_newest(before))


def _step(relation: Relation, held: Held, before: Sequence[Held]) -> Broken:
    """Rows whose number is not what it was in the partition right before and its change together."""
    assert isinstance(relation, Step)
    newest = Memory.of_newest(before[-1:])
    was = (newest.groups & SUPPOSED) == 0
    # What is supposed of a key now is asked of what it was.
    return _beside(relation, held, Memory(newest.groups[was] | SUPPOSED, newest.members[was], numeric=True))


def _beside(relation: Counter | Step | Total, held: Held, memory: Memory) -> Broken:
    """Rows whose number does not follow the one that is remembered of their key."""
    places = memory.places_of(held.groups)
    speaks = places >= 0
    if not speaks.any():
        return Broken(speaks, speaks)
    now, past = held.members.view(np.float64), memory.members[places].view(np.float64)
    return Broken(speaks, speaks & relation.is_broken(now, past), memory)


def _total(relation: Relation, held: Held, before: Sequence[Held]) -> Broken:
    """Rows with a total that is not what the others of their group come to; of nothing but zeros nothing is asked."""
    assert isinstance(relation, Total)
    others = np.flatnonzero((held.groups & SUPPOSED) != 0)
    starts = group_starts(held.groups[others])
    if not len(starts):
        nothing = np.zeros(len(held.groups), np.bool_)
        return Broken(nothing, nothing)
    sums = np.add.reduceat(held.members.view(np.float64)[others] * held.counts[others], starts)
    memory = Memory(held.groups[others[starts]] & ~SUPPOSED, sums.view(np.uint64), numeric=True)
    found = _beside(relation, held, memory)
    zero = (held.members.view(np.float64) == 0.0) & (sums[memory.places_of(held.groups)] == 0.0)
    return replace(found, speaks=found.speaks & ~zero, beside="the others")


def _inclusion(relation: Relation, held: Held, before: Sequence[Held]) -> Broken:
    """Rows whose value is none of the other column's: of this partition, or of those before."""
    assert isinstance(relation, Inclusion)
    reference = before if relation.lasting else [held]
    other = np.uint64(len(relation.columns) - 1)
    known = [one.groups[one.members == other] for one in reference]
    # Beyond the limit of any of them nobody knows what it has.
    limit = min((one.limit for one in reference), default=0)
    speaks = held.members == 0
    if limit < ALL:
        speaks &= held.groups < np.uint64(limit)
    return Broken(speaks, speaks & ~np.isin(held.groups, np.concatenate(known or [held.groups])))


_READERS: dict[type[Relation], Callable[[Relation, Held, Sequence[Held]], Broken]] = {
    Dependency: _dependency,
    Key: _key,
    Counter: _counter,
    Step: _step,
    Inclusion: _inclusion,
    Total: _total,
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


def _examples(held: Held, found: Broken) -> Iterator[tuple[str, int]]:
    """The pairs with the most rows, of those whose values are known: ``JFK: X, before Y``."""
    places = np.flatnonzero(found.breaks[: len(held.group_texts)])
    for place in places[np.lexsort((places, -held.counts[places]))][:EXAMPLES].tolist():
        text = str(held.group_texts[place].as_py())
        if place < len(held.member_texts):
            (at,) = found.memory.places_of(held.groups[place : place + 1]).tolist()
            was = found.memory.text(at)
            text += f": {held.member_texts[place].as_py()}" + ("" if was is None else f", {found.beside} {was}")
        yield text, int(held.counts[place])
