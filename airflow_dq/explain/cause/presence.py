"""Values that are missing, and rows that are too few or too many."""

from __future__ import annotations

import numpy as np

from airflow_dq.explain.cause.hypothesis import Cause, fit, hypothesis, percent
from airflow_dq.explain.comparison import Comparison, nine_in_ten, sampling_noise
from airflow_dq.explain.undo import other_than_zero, present_again
from airflow_dq.explain.wording import share_words
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.count import Counts
from airflow_dq.states.number import NumberDistribution

_ALL = tuple(Kind)
_RECENT = 7
"""Newest partitions that tell how many values are usual: the one before may be an odd one."""
_SEVERAL = 3
"""The counts of at most this many values may have a common divisor by chance."""
_MISSING = {"nulls": "null", "nans": "NaN", "empty": "empty"}
"""The sorts of missing values, by their counters."""
_EXCHANGED = 0.005
"""A smaller share of the rows has no cause worth a name."""
_VOLUME = 0.2
"""A change of the row count by less than this share has no cause worth a name."""


@hypothesis(*_ALL)
def missing(comparison: Comparison) -> Cause | None:
    """More nulls, NaNs or empty strings than before, and nothing else."""
    complete, past = comparison.value("complete_ratio"), comparison.series("complete_ratio")
    if complete is None or not len(past):
        return None
    old = float(np.median(past[-_RECENT:]))
    lost = old - complete
    if old <= 0 or lost <= 0.002 + 2.0 * comparison.usual_change("complete_ratio"):
        return None
    share = lost / old
    what = _what(comparison)
    rows, _ = comparison.rows
    missed = round(lost * rows)
    words = f"missing values: {missed:,} of {rows:,} rows became {what}"
    if share >= 0.995:
        words = f"missing values: the whole column became {what}"
    score = 1.0 if share > 0.9 else share / (share + unlike(comparison))
    # Of a column that is gone altogether nothing is left to fill it with.
    undo = present_again(lost) if share < 0.995 else None
    # Rows that are null now, where some always are, are not those that became so: both shares tell.
    both = f"{share_words(1.0 - old)} -> {share_words(1.0 - complete)}"
    name, was = f"{what} {percent(share)}", both if old < 1.0 else f"before {share_words(0.0)}"
    hit = round(share * rows) if share < 0.995 else None
    return Cause("increased_nulls", name, words, score, undo=undo, fact=f"is {what}", detail=was, rows=missed, hit=hit)


def _what(comparison: Comparison) -> str:
    states = comparison.states(Counts)
    if states is None:
        return "null"
    now, before = states
    grown = {
        name: getattr(now, name) / max(1, now.rows) - getattr(before, name) / max(1, before.rows) for name in _MISSING
    }
    return _MISSING[max(grown, key=lambda name: grown[name])]


@hypothesis(*_ALL)
def exchanged(comparison: Comparison) -> Cause | None:
    """One sort of missing value in place of another: as many are missing as before."""
    states = comparison.states(Counts)
    if states is None or not all(side.rows for side in states):
        return None
    now, before = states
    grown = {name: getattr(now, name) / now.rows - getattr(before, name) / before.rows for name in _MISSING}
    into, out_of = max(grown, key=lambda name: grown[name]), min(grown, key=lambda name: grown[name])
    risen, left = grown[into], abs(now.missing / now.rows - before.missing / before.rows)
    if risen <= _EXCHANGED or risen <= 2.0 * comparison.usual_change("complete_ratio") or -grown[out_of] <= 0.5 * risen:
        return None
    words = f"{_MISSING[into]} in place of {_MISSING[out_of]} in {percent(risen)} of the rows"
    fact, rows = f"is {_MISSING[into]} instead of {_MISSING[out_of]}", round(risen * now.rows)
    score = 1.0 - min(1.0, left / risen)
    return Cause("increased_nulls", f"{into} for {out_of}", words, score, fact=fact, rows=rows)


@hypothesis(Kind.NUMERIC)
def zeros(comparison: Comparison) -> Cause | None:
    """Zeros in place of other values."""
    now, old = comparison.value("zero_ratio"), comparison.value_before("zero_ratio")
    complete, was_complete = comparison.value("complete_ratio"), comparison.value_before("complete_ratio")
    if now is None or old is None or complete is None or was_complete is None:
        return None
    if now <= old or old >= 1.0 or comparison.changed_as_usual("zero_ratio", 0.003):
        return None
    risen = now - old
    if abs(complete - was_complete - risen) < 0.1 * risen:
        rows = comparison.rows[0]
        hit = round(risen * rows)
        text = f"zeros in place of missing values ({hit:,} of {rows:,} rows)"
        return Cause("increased_nulls", "zero for null", text, 1.0, fact="is 0 instead of missing", rows=hit)
    share = risen / (1.0 - old)
    words = f"zeros in place of {percent(share)} of the values" if share < 0.995 else "every value became zero"
    score = 1.0
    if share < 0.9 and comparison.nonzero is not None and comparison.points is not None:
        others, were = comparison.nonzero
        # Which values became zero is chance, even where the same values come every day.
        noise = max(comparison.usual_distance, sampling_noise(others.count, were.count))
        score = fit(others.ks_distance(were), noise, max(share, comparison.points[0].ks_distance(comparison.points[1])))
    undo, was = other_than_zero(risen) if share < 0.995 else None, f"before {share_words(old)}"
    rows = round(risen * comparison.present[0])
    return Cause("increased_nulls", "zero", words, score, undo=undo, fact="is 0", detail=was, rows=rows)


def unlike(comparison: Comparison) -> float:
    """How unlike the values that are present are to those before, beyond what is usual (0 to 1)."""
    if comparison.points is not None:
        now, before = comparison.points
        noise = max(1.5 * comparison.usual_distance, sampling_noise(now.count, before.count))
        return max(0.0, now.ks_distance(before) - noise)
    states = comparison.states(CategoryDistribution)
    if states is None or not states[0].total or not states[1].total:
        return 0.0
    if states[0].buckets is None and states[1].buckets is None and comparison.usual_novelty < 0.5:
        new = sum(comparison.new_values.values()) - 2.0 * comparison.usual_novelty
    else:
        new = 0.0
    seen, past = comparison.distance("l1"), comparison.past_distances("l1")
    if seen is None or not past:
        return max(0.0, new)
    noise = float((states[1].distinct / max(1, min(comparison.present))) ** 0.5)
    return max(0.0, new, (seen - max(nine_in_ten(past), noise)) / 2.0)


@hypothesis(*_ALL, trust=0.98)
def volume(comparison: Comparison) -> Cause | None:
    """Many more or fewer rows, distributed as before."""
    now, before = comparison.rows
    rows = comparison.series("row_count")
    if not now or not before or not len(rows):
        return None
    usual = float(np.median(rows))
    ratio = now / before if abs(np.log(now / before)) < abs(np.log(now / usual)) else now / usual
    step = float(np.quantile(np.abs(np.diff(np.log(np.maximum(rows, 1)))), 0.9)) if len(rows) > 1 else 0.0
    # That every value occurs twice is plain also where weekends make the number of rows jump as far.
    copies = copies_of(comparison) if ratio > 1.0 + _VOLUME else None
    if copies is not None and copies > 1:
        return Cause("volume_change", f"every row {copies} times", copied_words(copies), 1.0)
    if abs(np.log(ratio)) < max(_VOLUME, 1.5 * step):
        return None
    score = 1.0 - min(1.0, 2.0 * unlike(comparison))
    many = "fewer" if ratio < 1 else "more"
    share = percent(ratio) if ratio < 1 else f"{ratio:.2g} times"
    plain = f"{many} rows ({share} of the usual number)"
    return Cause("volume_change", many, f"{plain}, distributed as before", score, plain)


def copies_of(comparison: Comparison) -> int | None:
    """How often every row arrived: what all counts have in common, where the counts before had nothing.

    :return: None when the column cannot tell: its values are few, or not counted one by one
    """
    numbers, words = comparison.states(NumberDistribution), comparison.states(CategoryDistribution)
    states = numbers or words
    if states is None or len(states[0].counts) <= _SEVERAL or not len(states[1].counts):
        return None
    now, before = (int(np.gcd.reduce(state.counts)) for state in states)
    return now // before if now % before == 0 else 1


def copied_words(copies: int) -> str:
    """``every row arrived 2 times``."""
    return f"every row arrived {copies} times"


@hypothesis(*_ALL)
def stale(comparison: Comparison) -> Cause | None:
    """The very data of an earlier partition once more."""
    # Metrics alone may be equal: of thirty ids of eighteen digits they always are.
    same = [place for place, old in enumerate(comparison.past) if old.fingerprint == comparison.now.fingerprint]
    # Of a column that is like this in many partitions it says nothing.
    if len(same) != 1 or comparison.now.kind is Kind.NULL:
        return None
    partition = comparison.partitions[same[0]]
    named = f"partition {partition}" if partition is not None else f"{len(comparison.past) - same[0]} partitions before"
    words, fact = f"the data of {named} again", f"is that of {named} again"
    return Cause("stale_partition", named, words, 1.0, fact=fact, rows=comparison.rows[0])
