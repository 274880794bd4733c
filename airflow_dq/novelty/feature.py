"""Profiles as rows of features: metrics on scales on which they vary evenly, and the least spread of each.

Only metrics that every profile keeps for ever are read, and one share that takes the states of the newest partitions:
a history of years costs no more than its metrics.  Quantiles, skewness and kurtosis are left out: on clean partitions
they are odd three times as often as means are, and no error moves them alone.  So is what a date foretells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from airflow_dq.metrics.descriptor import Scale
from airflow_dq.metrics.registry import find_metric
from airflow_dq.novelty.options import NoveltyOptions
from airflow_dq.novelty.row import Floats, rows_of
from airflow_dq.novelty.unseen import COMPARED, FINER, LETTERS, UNSEEN, Unseen
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind

Key = tuple[str | None, str]
"""Column (None: the table) and metric."""

ROWS = "row_count"
LEAST = 0.01
"""Least spread of a feature: a hundredth of its size, as floats are on logarithmic scales."""
LEAST_SHARE = 0.5
"""Least spread of what is taken of a sample of values (shares, entropies, average lengths), times the root of how many
values the column typically has: the standard error of a share's arcsine.  A column of three values in fifty rows then
has a wide one, and so have the entropy and the digits of texts that had none: one odd row in either was every sixth
false alarm on 31 tables."""

_ANY = ("complete_ratio", "unique_ratio", "mode_ratio")
FEATURES: dict[Kind, tuple[str, ...]] = {
    Kind.NUMERIC: (*_ANY, "mean", "std", "min", "max", "integer_ratio", "negative_ratio", "zero_ratio", UNSEEN, FINER),
    Kind.STRING: (
        *(*_ANY, "dist_val_count", "entropy", "numeric_ratio", "pat_count", "pat_entropy"),
        *("str_len", "digit_len", "punc_len", "upper_len", "lower_len", "space_len", UNSEEN, LETTERS),
    ),
    Kind.TIMESTAMP: (*_ANY, "std", "midnight_ratio"),
    Kind.BOOLEAN: ("complete_ratio", "true_ratio"),
    Kind.BINARY: ("complete_ratio", "size_mean"),
    Kind.NESTED: ("complete_ratio", "size_mean"),
    Kind.NULL: (),
}
"""The metrics of each kind of column."""
ROWS_WEIGHT = 1.8
"""What a deviation of the number of rows weighs: it is one feature among hundreds, and varies more evenly than the
furthest of them.  More finds more lost rows, and calls more short months and holidays novel: 2.2 finds .003 to .004
less of all errors at the same rate of false alarms, whichever of 31 tables is left out."""

UNIT = 10.0
"""Amounts are counted in tenths of what their column typically has, its mean or its standard deviation: what is said of
prices does not depend on their currency.  Amounts of that size and above vary by factors, smaller ones by differences.
Counted as they are, .002 more is found on eleven tables and .002 less on twenty others at the rates of false alarms
that are aimed at, and nothing of columns whose numbers are thousandths."""
LOOKED_AT = 30
"""Newest partitions that tell what a column typically has: the median of all would cost more than the rest."""

STEP = 0.3
"""No feature spreads less than so much of its smallest step, one row among all or one more distinct value, however long
it has stood still.  That such a step is rare is all that years of history say: of hundreds of features one makes it now
and then, and it was every third false alarm after a hundred partitions."""
STEP_OF_LETTERS = 0.6
"""The same of the share of values with a pair of letters unseen, in which a single name makes one: with half as much
false alarms are a twelfth more on 20 tables, for .001 more typing errors found."""

ALIKE = 1.5
"""Of the share of distinct values so many steps are as one of others: where all numbers were different, two that happen
to be alike are no error, and were every twelfth false alarm on 31 tables."""

UNSEEN_POWER, LEAST_UNSEEN = 0.75, 0.85
"""The power that the share of unseen values is taken to, and its least spread in steps of one value on that scale.  A
root (and half a step) makes of one unseen value in thirty a fifth of the whole way to a column of which all are
unseen: .03 fewer typing errors are found, and no fewer false alarms are raised."""

EXTREMES = {"min": -1.0, "max": 1.0}
"""What a single row moves, and the way in which it is an error: that it has never moved yet says little of the next
partition, and that the one smallest value is missing says nothing.  Extremes that came nearer were every fourth false
alarm on eleven tables, and to leave them alone costs no recall."""


FICKLE = frozenset({*EXTREMES, "zero_ratio", "midnight_ratio"})
"""What is no odder the first time it moves: of measured numbers one is zero at last, in every eighth false alarm, and
of moments one is midnight."""


_AMOUNTS = (Scale.AMOUNT, Scale.RATIO)
"""The scales of what has its column's unit."""
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True)
class Features:
    """A history and the partition that follows it, as rows of numbers."""

    keys: tuple[Key, ...]
    past: Floats
    """A row for each past partition, oldest first; NaN where it has no value."""
    now: Floats
    least: Floats
    finest: Floats
    """What no spread is below, see :data:`STEP`."""
    shares: NDArray[np.bool_]
    """Which are shares of values."""
    way: Floats
    """1 where only a rise is odd, -1 where only a fall is, 0 where both are."""
    emphasis: Floats
    lasting: NDArray[np.bool_]
    """Whether a feature that has never moved is the odder the first time it does."""

    @classmethod
    def of(cls, history: Sequence[Profile], profile: Profile, options: NoveltyOptions, unseen: Unseen) -> Features:
        """The features of the columns that the partition has, as far back as they have been of the same kind."""
        kinds = {name: column.kind for name, column in profile.columns.items() if options.reads(name)}
        layout = tuple((name, kind, _features(kind, profile.options.hides(name))) for name, kind in kinds.items())
        keys = ((None, ROWS), *((name, metric) for name, _, metrics in layout for metric in metrics))
        scales = _scales(keys, kinds)
        profiles = (*history, profile)
        rows = rows_of(profiles, layout, partial(_evenly, scales=scales))
        compared = [place for place, (_, metric) in enumerate(keys) if metric in COMPARED]
        if compared:
            asked = ((name, kind, metric) for name, kind, metrics in layout for metric in metrics if metric in COMPARED)
            shares = unseen(profiles, tuple(asked))
            rows[:, compared] = _on(Scale.DISTANCE, shares)
        typical = float(np.median([one.row_count for one in profiles]))
        return cls._told(keys, scales, rows[:-1], rows[-1:], typical)

    @classmethod
    def of_values(cls, keys: tuple[Key, ...], kinds: Mapping[str, Kind], values: Floats) -> Features:
        """The features of some partitions whose metrics are known, without one that follows.

        :param values: a row for each partition, in the order of the keys; NaN where it has no value
        """
        scales = _scales(keys, kinds)
        rows = _evenly(values, scales)
        typical = float(np.median(values[:, keys.index((None, ROWS))])) if (None, ROWS) in keys else 1.0
        return cls._told(keys, scales, rows, rows[:0], typical)

    @classmethod
    def _told(
        cls, keys: tuple[Key, ...], scales: Sequence[Scale], past: Floats, now: Floats, typical: float
    ) -> Features:
        """The features from rows on even scales.

        :param typical: number of rows that a partition typically has
        """
        past, now = _in_units(keys, scales, _begun(keys, past), now)
        shares = np.array([scale in (Scale.SHARE, Scale.DISTANCE) for scale in scales])
        counts = np.array([scale is Scale.COUNT for scale in scales])
        sampled = shares | np.array([scale in (Scale.INFORMATION, Scale.LENGTH) for scale in scales])
        # The arcsine of a root makes of one row among n as much as the root of n divides.
        step = 1.0 / np.sqrt(_values(keys, past, typical))
        finest = np.where(shares, STEP * step, LEAST)
        finest[counts] = STEP * _next(past[:, counts])
        finest[[metric == "unique_ratio" for _, metric in keys]] *= ALIKE
        least = np.where(shares, 0.0, LEAST)
        least[sampled] = np.maximum(least, LEAST_SHARE * step)[sampled]
        unseen = np.array([metric in COMPARED for _, metric in keys])
        finest[unseen], least[unseen] = (one * step[unseen] ** (2.0 * UNSEEN_POWER) for one in (STEP, LEAST_UNSEEN))
        finest[[metric == LETTERS for _, metric in keys]] *= STEP_OF_LETTERS / STEP
        return cls(
            keys=keys,
            past=past,
            now=now,
            least=least,
            finest=finest,
            shares=shares,
            way=np.array([_way(metric, scale) for (_, metric), scale in zip(keys, scales, strict=True)]),
            emphasis=np.array([ROWS_WEIGHT if name is None else 1.0 for name, _ in keys]),
            lasting=np.array([metric not in FICKLE for _, metric in keys]),
        )


def _features(kind: Kind, hidden: bool) -> tuple[str, ...]:
    """The metrics of a column; the hashes of hidden texts have no letters of theirs."""
    return tuple(metric for metric in FEATURES[kind] if not (hidden and metric == LETTERS))


def _way(metric: str, scale: Scale) -> float:
    return 1.0 if scale is Scale.DISTANCE else EXTREMES.get(metric, 0.0)


def _begun(keys: Sequence[Key], past: Floats) -> Floats:
    """The past without what columns have before their first value: one that is filled at last is one that comes."""
    since = {
        name: int(np.argmax(filled)) if (filled := past[:, place] > 0.0).any() else len(past)
        for place, (name, metric) in enumerate(keys)
        if metric == "complete_ratio" and not past[:1, place].all()
    }
    if not since:
        return past
    first = np.array([since.get(name, 0) for name, _ in keys])
    return np.where(np.arange(len(past))[:, None] < first, np.nan, past)


def _in_units(keys: Sequence[Key], scales: Sequence[Scale], past: Floats, now: Floats) -> tuple[Floats, Floats]:
    """Amounts in the unit of their column, see :data:`UNIT`, and what else there is as it was."""
    amounts = [place for place, scale in enumerate(scales) if scale in _AMOUNTS]
    columns = [keys[place][0] for place in amounts]
    newest = np.sort(np.abs(past[-LOOKED_AT:, amounts]), axis=0)
    known = np.isfinite(newest).sum(axis=0)
    # Those without a value stand last.
    typical = np.where(known > 0, newest[np.maximum(known - 1, 0) // 2, np.arange(len(amounts))], 0.0)
    sizes = dict.fromkeys(columns, 0.0)
    for place, name, size in zip(amounts, columns, typical.tolist(), strict=True):
        if keys[place][1] not in EXTREMES:
            sizes[name] = max(sizes[name], size)
    unit = np.array([sizes[name] or 1.0 for name in columns]) / UNIT
    past, now = past.copy(), now.copy()
    for rows in (past, now):
        with np.errstate(over="ignore"):
            counted = rows[:, amounts] / unit
        # No number is too large to be seen.
        rows[:, amounts] = np.arcsinh(np.clip(counted, -_LARGEST, _LARGEST))
    return past, now


def _values(keys: Sequence[Key], past: Floats, typical: float) -> Floats:
    """Of how many values each feature is typically taken, one at least: its column's, or all rows."""
    filled = {name: place for place, (name, metric) in enumerate(keys) if metric == "complete_ratio"}
    share = np.sin(past[:, list(filled.values())]) ** 2
    there = np.isfinite(share)
    mean = np.where(there, share, 0.0).sum(axis=0) / np.maximum(1, there.sum(axis=0))
    of_columns = dict(zip(filled, mean.tolist(), strict=True))
    shares = [1.0 if metric == "complete_ratio" else of_columns.get(name, 1.0) for name, metric in keys]
    return np.maximum(1.0, typical * np.array(shares))


def _scales(keys: Sequence[Key], kinds: Mapping[str, Kind]) -> tuple[Scale, ...]:
    measured = [(metric, None if name is None else kinds[name]) for name, metric in keys]
    # A thousand features are a few dozen metrics.
    known = {each: _scale(*each) for each in dict.fromkeys(measured)}
    return tuple(known[each] for each in measured)


def _scale(metric: str, kind: Kind | None) -> Scale:
    entry = find_metric(metric, kind)
    return Scale.AMOUNT if entry is None else entry.scale


def _next(counts: Floats) -> Floats:
    """What one more makes of typical counts, on their logarithmic scale."""
    there = np.isfinite(counts)
    mean = np.where(there, counts, 0.0).sum(axis=0) / np.maximum(1, there.sum(axis=0))
    return np.asarray(np.exp(-mean))


def _evenly(rows: Floats, scales: Sequence[Scale]) -> Floats:
    """The rows on scales on which they vary as much where they are large as where they are small; amounts as they are.

    In which unit an amount is counted its history tells, see :func:`_in_units`.
    """
    even = np.empty_like(rows)
    for scale in dict.fromkeys(scales):
        alike = np.array([one is scale for one in scales])
        even[:, alike] = _on(scale, rows[:, alike])
    return even


def _on(scale: Scale, values: Floats) -> Floats:
    if scale is Scale.SHARE:
        return np.asarray(np.arcsin(np.sqrt(np.clip(values, 0.0, 1.0))))
    if scale is Scale.DISTANCE:
        return np.asarray(np.maximum(values, 0.0) ** UNSEEN_POWER)
    if scale is Scale.TRANSPORT:
        return np.sqrt(np.maximum(values, 0.0))
    if scale is Scale.COUNT:
        return np.log1p(np.maximum(values, 0.0))
    return values
