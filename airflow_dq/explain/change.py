"""What changed in a column against the partition before: missing values, quantiles, values, patterns, spelling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.wording import number_words, pattern_words, quoted, share_words, times_words
from airflow_dq.learn.distribution import ValueShares
from airflow_dq.learn.model import Change
from airflow_dq.states.base import Kind
from airflow_dq.states.count import Counts
from airflow_dq.states.number import NumberDistribution

Key = TypeVar("Key", str, float)
MOST = 4
"""Most entries of one aspect: more would not be read."""
_LEAST_SHARE = 0.005
_SIGMAS = 4.0
_QUANTILES = ("min", "p05", "p25", "median", "p75", "p95", "max")
_FEW_VALUES = 50
"""Up to this many distinct numbers are described one by one."""
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
    if before and abs(now / before - 1.0) > 0.01 + 2.0 * comparison.usual_change("row_count") / before:
        yield Change("rows", f"rows: {now:,}, before {before:,} ({times_words(now, before)})", "row_count", before, now)


def _missing(comparison: Comparison) -> Iterator[Change]:
    states = comparison.state(Counts)
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
    moved = []
    for metric in _QUANTILES:
        now, before = comparison.value(metric), comparison.value_before(metric)
        if now is None or before is None or comparison.changed_as_usual(metric, 1e-9 * abs(before)):
            continue
        a, b = number_words(metric, comparison.kind, [before, now])
        comparable = comparison.kind is Kind.NUMERIC and before and now / before > 0
        ratio = f" ({times_words(now, before)})" if comparable else ""
        label = {"p05": "5%", "p25": "25%", "p75": "75%", "p95": "95%"}.get(metric, metric)
        moved.append(Change("quantile", f"{label} {a} -> {b}{ratio}", metric, before, now))
    # The middle of a distribution says most, its extremes least.
    order = ("median", "p95", "p05", "max", "min", "p75", "p25")
    chosen = sorted(moved, key=lambda change: order.index(change.subject or ""))[:MOST]
    yield from (change for change in moved if change in chosen)


def _shares(comparison: Comparison) -> Iterator[Change]:
    present = comparison.present
    for metric, words in _SHARES.items():
        now, before = comparison.value(metric), comparison.value_before(metric)
        if now is None or before is None or comparison.changed_as_usual(metric, _LEAST_SHARE):
            continue
        if _differs(now, before, *present, comparison.same_every_time):
            yield Change("text", f"{words}: {share_words(now)}, before {share_words(before)}", metric, before, now)


def _letter_case(comparison: Comparison) -> Iterator[Change]:
    """The share of upper case among the letters."""
    sides = []
    for value in (comparison.value_before, comparison.value):
        upper, lower = value("upper_len"), value("lower_len")
        if upper is None or lower is None or not upper + lower:
            return
        sides.append(upper / (upper + lower))
    before, now = sides
    if abs(now - before) > 0.02 and not comparison.changed_as_usual("upper_len", 0.02):
        words = f"letters in upper case: {share_words(now)}, before {share_words(before)}"
        yield Change("text", words, "upper_len", before, now)


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
    if len(new) <= MOST or share <= _LEAST_SHARE + 2.0 * comparison.usual_novelty or comparison.values is None:
        return
    some = "" if comparison.hidden else f", such as {', '.join(quoted(value) for value in list(new)[:3])}"
    yield Change("value", f"{len(new):,} values are new: {share_words(share)} of all{some}", None, 0.0, share)


def _patterns(comparison: Comparison) -> Iterator[Change]:
    if comparison.patterns is not None and not comparison.hidden:
        for pattern, now, before in _largest_differences(*comparison.patterns, comparison.same_every_time):
            yield _share_change("pattern", f"pattern {quoted(pattern_words(pattern))}", pattern, now, before)


def _numbers(comparison: Comparison) -> Iterator[Change]:
    """Single numbers, of a column that has few."""
    states = comparison.state(NumberDistribution)
    if states is None or comparison.hidden or comparison.kind is not Kind.NUMERIC:
        return
    now, before = states
    if not 0 < len(before.values) <= _FEW_VALUES or not now.total or len(now.values) == 0:
        return
    sides = [
        dict(zip(state.values.tolist(), (state.counts / state.total).tolist(), strict=True)) for state in (now, before)
    ]
    found = _differing(sides[0], sides[1], now.total, before.total, comparison.same_every_time)
    for value in found[:MOST]:
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
    for value in _differing(is_now, was, now.total, before.total, same_every_time)[:MOST]:
        yield value, is_now[value], was[value]


def _differing(
    now: Mapping[Key, float], before: Mapping[Key, float], total: int, old: int, same_every_time: bool
) -> list[Key]:
    known = {**before, **now}
    found = [key for key in known if _differs(now.get(key, 0.0), before.get(key, 0.0), total, old, same_every_time)]
    return sorted(found, key=lambda key: -abs(now.get(key, 0.0) - before.get(key, 0.0)))


def _share_change(aspect: str, words: str, subject: str | None, now: float, before: float) -> Change:
    if before == 0.0:
        text = f"{words} appeared: {share_words(now)}"
    elif now == 0.0:
        text = f"{words} vanished: {share_words(before)} before"
    else:
        text = f"{words} {'grew' if now > before else 'shrank'}: {share_words(before)} -> {share_words(now)}"
    return Change(aspect, text, subject, before, now)


def _differs(now: float, before: float, total: int, old: int, same_every_time: bool) -> bool:
    """Whether two shares differ by enough to matter, and by more than chance where there is chance."""
    if same_every_time:
        return abs(now - before) > _LEAST_SHARE
    middle = (now * total + before * old) / max(1, total + old)
    chance = (middle * (1.0 - middle) * (1.0 / max(1, total) + 1.0 / max(1, old))) ** 0.5
    return bool(abs(now - before) > max(_LEAST_SHARE, _SIGMAS * chance))
