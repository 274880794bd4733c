"""One known value in place of others, or nothing in place of one: a frozen sensor, codes made one, none for zero."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from airflow_dq.explain.cause.hypothesis import Cause, hypothesis, percent
from airflow_dq.explain.comparison import Comparison, nine_in_ten
from airflow_dq.explain.undo import other_than
from airflow_dq.explain.wording import joined, number_words, quoted, share_words
from airflow_dq.learn.distribution import ValueShares, total_variation
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.number import NumberDistribution

_LEAST = 0.05
"""A value that gained less of the rows may have done so by itself."""
_SIGMAS = 6.0
"""It must have gained so many standard errors: it is the one of all values that gained most."""
_MOST = 0.97
"""With more of the rows it is all but the only value."""
_NEAR, _CHANCE = 0.1, 2.0
"""Rows that became null are those that had a value when their numbers differ by no more: a part, standard errors."""
_TIMES = 2.5
"""Two samples of the same values lie further apart than so many times as they do on average about never."""
_CLEARLY = 1.5
"""What explains the others as well as this is off by more than so many times as much."""
_HALF = 0.5
"""Where more than a half is gone, the rest is what is left of a column."""
_NAMED = 3
"""So many values can be named."""
_PAST = 12
"""Newest partitions that tell how much a value varies: as many as tell how far apart two partitions usually lie."""
_FELL = 0.5
"""Rows are missing, and no value has them, where at least this part of them is: days differ in how many they have."""
_BEYOND = 2.0
"""What has grown by more than so many times what nine in ten past partitions were off has not done so by itself."""

Value = str | float


@hypothesis(Kind.STRING, Kind.NUMERIC, trust=0.9)
def in_place_of_others(comparison: Comparison) -> Cause | None:
    """A value that was there before has become frequent at the cost of all others alike."""
    sides = _shares(comparison)
    if sides is None:
        return None
    now, before = sides
    gained = {value: share - before.get(value, 0.0) for value, share in now.items()}
    value = max(gained, key=lambda one: gained[one], default=None)
    # What is new, and zeros, are told by others.
    if value is None or value == 0.0 or value not in before or now[value] > _MOST:
        return None
    share, was = now[value], before[value]
    chance = (max(was, 1e-3) * (1.0 - was) * sum(1.0 / max(1, one) for one in comparison.present)) ** 0.5
    usual = comparison.usual_change("mode_ratio")
    if gained[value] < max(_LEAST, _SIGMAS * chance, 2.0 * usual) or not _has_taken(
        comparison, value, 1.0 - was / share
    ):
        return None
    left, had = 1.0 - share, 1.0 - was
    others = {one: part / left for one, part in now.items() if one != value}
    were = {one: part / had for one, part in before.items() if one != value}
    drawn = max(1.0, min(left * comparison.present[0], had * comparison.present[1]))
    score = 1.0 - max(0.0, total_variation(others, were) - (len({**others, **were}) / drawn) ** 0.5)
    shown, rows = _shown(comparison, value), round(gained[value] * comparison.present[0])
    return Cause(
        "overwritten",
        shown,
        f"{shown} in place of other values, in {percent(share)} of all (before {share_words(was)})",
        score,
        undo=None if comparison.hidden else other_than(value, gained[value]),
        fact=f"is {shown} in place of other values",
        detail=f"{share_words(share)} of all, before {share_words(was)}",
        rows=rows,
    )


@hypothesis(Kind.STRING, Kind.NUMERIC)
def nothing_in_place_of_one(comparison: Comparison) -> Cause | None:
    """As many rows became null as had one value, which is gone."""
    sides, rows = _shares(comparison), comparison.rows
    if sides is None or not all(rows):
        return None
    lost = -comparison.change("complete_ratio")
    if lost < _LEAST + 2.0 * comparison.usual_change("complete_ratio"):
        return None
    now, before = sides
    had = {value: share * comparison.present[1] / rows[1] for value, share in before.items() if value not in now}
    value = min(had, key=lambda one: abs(had[one] - lost), default=None)
    chance = _CHANCE * (lost * (1.0 - lost) * sum(1.0 / one for one in rows)) ** 0.5
    if value is None or abs(had[value] - lost) > max(_NEAR * lost, chance):
        return None
    shown, missing = _shown(comparison, value), round(lost * rows[0])
    words = f"null in place of {shown} in {missing:,} of {rows[0]:,} rows"
    return Cause("increased_nulls", f"null for {shown}", words, 1.0, fact=f"is null instead of {shown}", rows=missing)


@hypothesis(Kind.STRING, trust=0.99)
def one_for_another(comparison: Comparison) -> Cause | None:
    """Values that came every day are gone, and one of the others has their rows: codes that were made one."""
    sides = _shares(comparison)
    if sides is None or comparison.hidden or comparison.usual_novelty > _LEAST:
        return None
    now, before = sides
    gone = {value: share for value, share in before.items() if value not in now}
    lost = sum(gone.values())
    if not _LEAST <= lost <= _HALF or len(now) < 2:
        return None
    gained = {value: share - before.get(value, 0.0) for value, share in now.items()}
    taker = max(gained, key=lambda one: gained[one])
    chance = _chance(now, before, comparison)
    # Gone with their rows, they leave the others as they were to each other.
    in_proportion = {value: share / (1.0 - lost) for value, share in before.items() if value not in gone}
    rest = total_variation(now, {**before, **dict.fromkeys(gone, 0.0), taker: before.get(taker, 0.0) + lost})
    if (
        taker not in before
        or rest > _TIMES * chance
        or total_variation(now, in_proportion) <= _CLEARLY * max(rest, chance)
        or not _has_taken(comparison, taker, lost)
    ):
        return None
    were, shown = joined([_shown(comparison, one) for one in gone], _NAMED), _shown(comparison, taker)
    words, fact = f"{shown} in place of {were} in {percent(lost)} of the values", f"is {shown} in place of {were}"
    rows = round(lost * comparison.present[0])
    return Cause("new_values", "one for another", words, 1.0, fact=fact, rows=rows)


def _has_taken(comparison: Comparison, value: Value, lost: float) -> bool:
    """Whether a value has the rows of others: these are not missing, and it has grown beyond what is usual.

    Rows that are missing leave a value what it was among the values that still come, while its share of all grows;
    so its share of all tells only where the number of rows does, too: that varies by less than would be missing.

    :param lost: share of the rows that others have lost
    """
    rows, past = comparison.rows[0], comparison.series("row_count")[-_PAST:]
    without, fewest = (1.0 - _FELL * lost) * float(np.median(past)), float(past.min())
    known = (
        comparison.one_by_one(CategoryDistribution, _PAST)
        if comparison.kind is Kind.STRING
        else comparison.one_by_one(NumberDistribution, _PAST)
    )
    if rows < min(without, fewest) or known is None:
        return False
    now, *before = (_counted(state) for state in (known[0], *known[1]))
    among = None if without < fewest <= rows else now
    usual = [_among(one, value, among) for one in before]
    typical = float(np.median(usual))
    return _among(now, value, among) - typical > _BEYOND * nine_in_ten([abs(one - typical) for one in usual])


def _among(shares: Mapping[Value, float], value: Value, values: Collection[Value] | None) -> float:
    """Share of a value among some, or among all; 0 where none of them came."""
    total = 1.0 if values is None else sum(share for one, share in shares.items() if one in values)
    return shares.get(value, 0.0) / total if total else 0.0


def _chance(now: Mapping[Value, float], before: Mapping[Value, float], comparison: Comparison) -> float:
    """How far two samples of the same values lie apart, on average."""
    scale = sum(1.0 / max(1, one) for one in comparison.present)
    shares = [(now.get(value, 0.0) + before.get(value, 0.0)) / 2.0 for value in {**now, **before}]
    # Half of the mean size of a normal error for each value.
    return sum(math.sqrt(share * (1.0 - share) * scale) for share in shares) * math.sqrt(2.0 / math.pi) / 2.0


def _shown(comparison: Comparison, value: Value) -> str:
    if comparison.hidden:
        return "one value (hidden)"
    return quoted(value) if isinstance(value, str) else number_words("", comparison.kind, [value])[0]


def _shares(comparison: Comparison) -> tuple[Mapping[Value, float], Mapping[Value, float]] | None:
    """The values with their shares now and before; None where they are not counted one by one."""
    if comparison.values is not None:
        now, before = comparison.values
        return (now.all_shares, before.all_shares) if now.exact and before.exact else None  # type: ignore[return-value]
    states = comparison.states(NumberDistribution)
    if states is None or not all(state.sketch is None and state.total for state in states):
        return None
    return _counted(states[0]), _counted(states[1])


def _counted(state: CategoryDistribution | NumberDistribution) -> Mapping[Value, float]:
    """The values of a state that knows each, with their shares."""
    if isinstance(state, CategoryDistribution):
        return ValueShares.of(state).all_shares  # type: ignore[return-value]
    return dict(zip(state.values.tolist(), (state.counts / state.total).tolist(), strict=True))
