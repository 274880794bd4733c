"""The shares of columns' values, and of those with letters side by side, that none of the three partitions before has.

They are what finds swaps and misspelt words: where each text is a new one, its letters are not.  So are the shares of
numbers with more decimal places, as conversions and sums make them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.metrics.evaluate import compare
from airflow_dq.metrics.registry import get_metric
from airflow_dq.novelty.row import Floats
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind, State
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.decimal_place import finer_share
from airflow_dq.states.letter_pair import unseen_share
from airflow_dq.states.number import NumberDistribution

UNSEEN, LETTERS, FINER = "unseen_ratio", "bigram_unseen_ratio", "finer_ratio"
COMPARED = frozenset({UNSEEN, LETTERS, FINER})
"""The metrics that are such shares."""
BEFORE = 3
"""Number of partitions that a share is taken of: the metrics' own."""
LONG = 30
"""In histories longer than this the first :data:`BEFORE` partitions have no shares: as a history moves on, those of its
oldest partitions would be measured anew for every partition.  Of a shorter one every share counts."""
LIMIT = 400_000
"""Shares that a process remembers, in 3 MB: a table of 200 columns with four years of days."""

Asked = tuple[tuple[str, Kind, str], ...]
"""Name and kind of a column, and which of its shares."""


class Unseen(Protocol):
    """Where the shares come from."""

    def __call__(self, profiles: Sequence[Profile], asked: Asked) -> Floats:
        """A row for each partition, oldest first, with each share; NaN where it is not known."""


class _Row(NamedTuple):
    shares: Floats
    unknown: tuple[int, ...]
    """The places of those whose states were missing, which may be there another time."""


_known: dict[Asked, dict[tuple[str, ...], _Row]] = {}


def measured_unseen(profiles: Sequence[Profile], asked: Asked) -> Floats:
    """The shares as far as the profiles' states tell them; each row is remembered by what its partitions hold."""
    if len(asked) * sum(len(rows) for rows in _known.values()) > LIMIT:
        _known.clear()
    known = _known.setdefault(asked, {})
    first, prints = first_with_shares(len(profiles)), [profile.fingerprint for profile in profiles]
    found = []
    for place, profile in enumerate(profiles):
        since = place if place < first else max(0, place - BEFORE)
        key = tuple(prints[since : place + 1])
        row = known.get(key)
        if row is None or any(profile.columns[asked[at][0]].states for at in row.unknown):
            row = known[key] = _row(profile, profiles[since:place], asked)
        found.append(row.shares)
    return np.array(found)


def first_with_shares(number: int) -> int:
    """The place of the first of so many partitions that has shares, see :data:`LONG`."""
    return BEFORE if number > LONG else 1


def _row(profile: Profile, before: Sequence[Profile], asked: Asked) -> _Row:
    shares, unknown = np.full(len(asked), np.nan), []
    for place, (name, kind, metric) in enumerate(asked):
        now = profile.columns.get(name)
        earlier = [one for each in before if (one := each.columns.get(name)) is not None and one.kind is kind]
        if now is None or now.kind is not kind or not earlier:
            continue
        value = _measured(metric, now, earlier)
        if value is None:
            unknown.append(place)
        else:
            shares[place] = value
    return _Row(shares, tuple(unknown))


def _measured(name: str, now: ColumnProfile, before: Sequence[ColumnProfile]) -> float | None:
    """The share of a column's values that none of the others has; None where a state is missing."""
    metric = get_metric(name, now.kind)
    if metric is None:
        return None
    key = metric.states[0].key
    if key not in now.states or any(key not in one.states for one in before):
        return None
    share = _counted(name, now.states[key], [one.states[key] for one in before])
    if share is not None:
        return share
    states = [one.states[key].compared() for one in before]
    pool = states[0] if len(states) == 1 else states[0].merged(states)
    value = compare(now.kind, now.states, {key: pool}, [name], pool=metric.pool).get(name)
    return value if isinstance(value, float) else np.nan


def _counted(name: str, now: State, before: Sequence[State]) -> float | None:
    """The same of values that are kept one by one, in a quarter of the time: how often the others had each stays open.

    :return: None where a side has no value, or is none of such values
    """
    if isinstance(now, CategoryDistribution):
        texts = [one for one in before if isinstance(one, CategoryDistribution)]
        if not _kept(now, texts):
            return None
        if name == LETTERS:
            return unseen_share(now, texts)
        known = pc.is_in(now.values, value_set=pa.concat_arrays([one.values for one in texts]))
        return float(now.counts[~known.to_numpy(zero_copy_only=False)].sum() / now.total)
    if isinstance(now, NumberDistribution):
        numbers = [one for one in before if isinstance(one, NumberDistribution)]
        if not _kept(now, numbers) or any(len(one.rests) for one in (now, *numbers)):
            return None
        if name == FINER:
            return finer_share(now, numbers)
        values = np.sort(np.concatenate([one.values for one in numbers]))
        nearest = values[np.minimum(np.searchsorted(values, now.values), len(values) - 1)]
        return float(now.counts[nearest != now.values].sum() / now.total)
    return None


def _kept(
    now: CategoryDistribution | NumberDistribution,
    before: Sequence[CategoryDistribution] | Sequence[NumberDistribution],
) -> bool:
    """Whether the values of both sides are kept one by one, as those of all before would be together."""
    together = sum(one.fullness for one in before)
    return now.total > 0 and now.fullness <= 1.0 and together <= 1.0 and any(len(one.values) for one in before)
