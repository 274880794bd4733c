"""What changed in a column against the partition before: missing values, quantiles, values, patterns, spelling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from airflow_dq.explain.alert import Change
from airflow_dq.explain.comparison import Comparison, sampling_noise
from airflow_dq.explain.wording import number_words, pattern_words, quoted, share_words, times_words
from airflow_dq.learn.distribution import ValueShares
from airflow_dq.states.base import Kind
from airflow_dq.states.count import Counts
from airflow_dq.states.number import NumberDistribution

Key = TypeVar("Key", str, float)
MOST_CHANGES = 4
"""Most entries of one aspect: more would not be read."""
_LEAST_SHARE = 0.005
"""A share that differs by less is not worth a line, however sure the difference is."""
_SIGMAS = 4.0
"""A share must differ by this many standard errors: of hundreds that are looked at, some differ by 3 by chance."""
_SIMILAR = 0.8
"""Values whose ratio lies between this and its inverse are told without it."""
_LEAST_LETTERS = 0.02
"""The same as a share of the letters, of which a value has many."""
_LEAST_ROWS = 0.01
"""The same for the number of rows, relative to that before."""
_QUANTILES = {
    "min": "min",
    "p05": "5th percentile",
    "p25": "25th percentile",
    "median": "median",
    "p75": "75th percentile",
    "p95": "95th percentile",
    "max": "max",
}
_TELLING = ("median", "p95", "p05", "max", "min", "p75", "p25")
"""The quantiles by how much they say: the middle of a distribution says most, its extremes least."""
_FEW_VALUES = 50
"""Up to this many distinct numbers are codes rather than amounts, and are described one by one."""
_MISSING = {"nulls": "null", "nans": "NaN", "empty": "empty", "pos_inf": "+Inf", "neg_inf": "-Inf"}
_SHARES = {
    "zero_ratio": "zeros",
    "negative_ratio": "negative values",
    "integer_ratio": "whole numbers",
    "true_ratio": "true values",
    "leading_blank_ratio": "values with leading white space",
    "trailing_blank_ratio": "values with trailing white space",
    "non_ascii_ratio": "values with characters beyond ASCII",
}


def changes_of(comparison: Comparison) -> tuple[Change, ...]:
    """The notable differences, those about whole rows first; empty when the partition before is not kept."""
    parts = (_rows, _missing, _quantiles, _shares, _letter_case, _values, _patterns, _numbers)
    return tuple(change for part in parts for change in part(comparison))


def _rows(comparison: Comparison) -> Iterator[Change]:
    now, before = comparison.rows
    if before and abs(now / before - 1.0) > _LEAST_ROWS + 2.0 * comparison.usual_change("row_count") / before:
        yield Change("rows", f"rows: {now:,}, before {before:,} ({times_words(now, before)})", "row_count", before, now)


def _missing(comparison: Comparison) -> Iterator[Change]:
    states = comparison.states(Counts)
    if states is None:
        return
    now, before = states
    for field, words in _MISSING.items():
        count, old = getattr(now, field), getattr(before, field)
        share, was = count / max(1, now.rows), old / max(1, before.rows)
        if _differs(share, was, now.rows, before.rows, False) or (count > 0 and old == 0):
            text = f"{words}: {count:,} of {now.rows:,} rows ({share_words(share)}), before {share_words(was)}"
            yield Change("missing", text, words, was, share)


def _quantiles(comparison: Comparison) -> Iterator[Change]:
    if comparison.kind not in (Kind.NUMERIC, Kind.TIMESTAMP):
        return
    points = comparison.points
    if len(comparison.past) < 2 and points is not None:
        # A single partition does not tell what is usual: then chance does.
        noise = sampling_noise(points[0].count, points[1].count)
        if points[0].ks_distance(points[1]) <= noise:
            return
    moved = []
    for metric, label in _QUANTILES.items():
        now, before = comparison.value(metric), comparison.value_before(metric)
        if now is None or before is None or comparison.changed_as_usual(metric, 1e-9 * abs(before)):
            continue
        a, b = number_words(metric, comparison.kind, [before, now])
        # What is hardly another one has no ratio to tell.
        comparable = comparison.kind is Kind.NUMERIC and before and not _SIMILAR <= now / before <= 1.0 / _SIMILAR
        comparable = comparable and now / before > 0.0
        ratio = f" ({times_words(now, before)})" if comparable else ""
        moved.append(Change("quantile", f"{label} {a} -> {b}{ratio}", metric, before, now))
    chosen = sorted(moved, key=lambda change: _TELLING.index(change.subject or ""))[:MOST_CHANGES]
    yield from (change for change in moved if change in chosen)


def _shares(comparison: Comparison) -> Iterator[Change]:
    present = comparison.present
    for metric, words in _SHARES.items():
        now, before = comparison.value(metric), comparison.value_before(metric)
        if now is None or before is None or comparison.changed_as_usual(metric, _LEAST_SHARE):
            continue
        if _differs(now, before, *present, comparison.same_every_time):
            text = f"{words}: {share_words(now)}, before {share_words(before)}"
            yield Change("text", text, metric, before, now, words)


def _letter_case(comparison: Comparison) -> Iterator[Change]:
    """The share of upper case among the letters."""
    sides = []
    for value in (comparison.value_before, comparison.value):
        upper, lower = value("upper_len"), value("lower_len")
        if upper is None or lower is None or not upper + lower:
            return
        sides.append(upper / (upper + lower))
    before, now = sides
    if abs(now - before) > _LEAST_LETTERS and not comparison.changed_as_usual("upper_len", _LEAST_LETTERS):
        label = "letters in upper case"
        text = f"{label}: {share_words(now)}, before {share_words(before)}"
        yield Change("text", text, "upper_len", before, now, label)


def _values(comparison: Comparison) -> Iterator[Change]:
    if comparison.kind is not Kind.STRING or comparison.values is None or comparison.usual_novelty > 0.5:
        return
    yield from _new(comparison)
    for value, now, before in _largest_differences(*comparison.values, comparison.same_every_time):
        if comparison.hidden:
            yield _share_change("value", "a value (hidden)", None, now, before)
        else:
            yield _share_change("value", quoted(value), value, now, before)


def _new(comparison: Comparison) -> Iterator[Change]:
    """Many new values that are rare one by one, in one sentence."""
    new = comparison.new_values
    share = sum(new.values())
    if len(new) <= MOST_CHANGES or share <= _LEAST_SHARE + 2.0 * comparison.usual_novelty or comparison.values is None:
        return
    some = "" if comparison.hidden else f", such as {', '.join(quoted(value) for value in list(new)[:3])}"
    yield Change("value", f"{len(new):,} values are new: {share_words(share)} of all{some}", None, 0.0, share)


def _patterns(comparison: Comparison) -> Iterator[Change]:
    if comparison.patterns is not None and not comparison.hidden:
        for pattern, now, before in _largest_differences(*comparison.patterns, comparison.same_every_time):
            yield _share_change("pattern", quoted(pattern_words(pattern)), pattern, now, before)


def _numbers(comparison: Comparison) -> Iterator[Change]:
    """Single numbers, of a column that has few."""
    states = comparison.states(NumberDistribution)
    if states is None or comparison.hidden or comparison.kind is not Kind.NUMERIC:
        return
    now, before = states
    if not 0 < len(before.values) <= _FEW_VALUES or not now.total or len(now.values) == 0:
        return
    sides = [
        dict(zip(state.values.tolist(), (state.counts / state.total).tolist(), strict=True)) for state in (now, before)
    ]
    found = _differing(sides[0], sides[1], now.total, before.total, comparison.same_every_time)
    for value in found[:MOST_CHANGES]:
        words = number_words("", Kind.NUMERIC, [value])[0]
        yield _share_change("value", words, words, sides[0].get(value, 0.0), sides[1].get(value, 0.0))


def _largest_differences(
    now: ValueShares, before: ValueShares, same_every_time: bool
) -> Iterator[tuple[str, float, float]]:
    """What appeared, vanished, grew and shrank, with its shares now and before; the largest differences first."""
    # A value that is not among the frequent ones of a sketch need not be absent.
    there = [value for value in before.shares if now.exact or value in now.shares]
    here = [value for value in now.shares if before.exact or value in before.shares]
    is_now, was = ({value: side.share(value) for value in [*here, *there]} for side in (now, before))
    for value in _differing(is_now, was, now.total, before.total, same_every_time)[:MOST_CHANGES]:
        yield value, is_now[value], was[value]


def _differing(
    now: Mapping[Key, float], before: Mapping[Key, float], total: int, old: int, same_every_time: bool
) -> list[Key]:
    known = {**before, **now}
    found = [key for key in known if _differs(now.get(key, 0.0), before.get(key, 0.0), total, old, same_every_time)]
    return sorted(found, key=lambda key: -abs(now.get(key, 0.0) - before.get(key, 0.0)))


def _share_change(aspect: str, label: str, subject: str | None, now: float, before: float) -> Change:
    """A value or pattern that appeared, vanished, grew or shrank."""
    if before == 0.0:
        text = f"{label} appeared: {share_words(now)}"
    elif now == 0.0:
        text = f"{label} vanished: {share_words(before)} before"
    else:
        text = f"{label} {'grew' if now > before else 'shrank'}: {share_words(before)} -> {share_words(now)}"
    return Change(aspect, text, subject, before, now, label)


def _differs(now: float, before: float, total: int, old: int, same_every_time: bool) -> bool:
    """Whether two shares differ by enough to matter, and by more than chance where there is chance."""
    if same_every_time:
        return abs(now - before) > _LEAST_SHARE
    middle = (now * total + before * old) / max(1, total + old)
    chance = (middle * (1.0 - middle) * (1.0 / max(1, total) + 1.0 / max(1, old))) ** 0.5
    return bool(abs(now - before) > max(_LEAST_SHARE, _SIGMAS * chance))
