"""Rows that are too many or too few, as a single column shows it: copies of some, or none after some time."""

from __future__ import annotations

import numpy as np

from airflow_dq.explain.cause.hypothesis import Cause, hypothesis, percent
from airflow_dq.explain.cause.presence import copies_of
from airflow_dq.explain.cause.risen import one_for_another
from airflow_dq.explain.cause.subset import part_of_numbers
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.wording import joined, name_words, number_words, quoted, share_words
from airflow_dq.states.base import Kind

_UNIQUE = 0.999
"""A column in which no more values recur is taken for one that tells rows apart."""
_LEAST = 0.01
"""A smaller share of copies or of lost time has no cause worth a name."""
_OF_ONE = 0.5
"""Where one value is more than this part of all that recur, no rows arrived again."""
_FEWEST = 10
"""Fewer rows show no end of their own."""
_DAYS = 5
"""Fewer partitions that follow each other may do so by chance."""
_ROUND = 1000
"""A number of rows is a multiple of it once in a thousand times by chance."""
_GONE = 0.05
"""Of values that made up less, or that leave less, nothing is told."""
_WITH_THEM = 0.5
"""Of the rows that had these values at least this share is gone with them: days differ in how many rows they have."""
_RECURRING = 0.3
"""With more new values than this every day, values come and go."""
_FULL = 0.9
"""Past partitions that reach at least so far into their day, as shares of the longest, are of one length."""


@hypothesis(Kind.STRING, Kind.NUMERIC, Kind.TIMESTAMP)
def copies(comparison: Comparison) -> Cause | None:
    """Values that tell rows apart occur twice: some rows arrived again."""
    distinct, past = comparison.value("unique_ratio"), comparison.series("unique_ratio")
    if distinct is None or not len(past) or past.min() < _UNIQUE:
        return None
    values = comparison.present[0]
    again = round((1.0 - distinct) * values)
    rows, before = comparison.rows
    # With as many rows as before, they are in place of others, and no copies; that all came again is told elsewhere.
    if again < _LEAST * values or rows <= before or (copies_of(comparison) or 1) > 1:
        return None
    if (comparison.value("mode_ratio") or 0.0) * values > _OF_ONE * again:
        # One value took the place of many.
        return None
    words = f"{again:,} of {rows:,} rows are there more than once"
    detail = f"{name_words(comparison.name)} repeats, of which every value was unique"
    return Cause("volume_change", "copies", words, 1.0, fact=words, detail=detail, rows=again, of_rows=True)


@hypothesis(Kind.TIMESTAMP)
def came_late(comparison: Comparison) -> Cause | None:
    """Rows from before the newest of the partition before, in a column whose partitions follow each other."""
    points, lowest, highest = comparison.points, comparison.series("min"), comparison.series("max")
    if points is None or len(lowest) != len(highest) or len(lowest) < _DAYS:
        return None
    until, values = float(highest[-1]), points[0].values
    share = float((values <= until).mean())
    # Where partitions overlap, old rows are usual; where all are old, the day is another one.
    if (lowest[1:] <= highest[:-1]).any() or not _LEAST <= share <= 1.0 - _LEAST:
        return None
    (rows, _), old = comparison.rows, round(share * comparison.present[0])
    newest = number_words("max", comparison.kind, [until])[0]
    words = f"{old:,} of {rows:,} rows are of an earlier partition's time"
    detail = f"{name_words(comparison.name)} up to {newest}"
    return Cause("volume_change", "late", words, 1.0, fact=words, detail=detail, rows=old, of_rows=True)


def limited(rows: int) -> Cause | None:
    """As many rows as a limit leaves: a round number, or a power of two; None of any other number."""
    is_round = rows >= _ROUND and rows % _ROUND == 0
    is_power = rows >= _ROUND and any((rows + more).bit_count() == 1 for more in (0, 1))
    words = f"exactly {rows:,}, as a limit leaves them"
    return Cause("volume_change", "limit", words, 1.0) if is_round or is_power else None


@hypothesis(Kind.TIMESTAMP)
def ended_early(comparison: Comparison) -> Cause | None:
    """Nothing after some time, in a column whose partitions all cover one span after another."""
    gone, high = _time_gone(comparison, kept="min"), comparison.value("max")
    if gone is None or high is None:
        return None
    until = number_words("max", comparison.kind, [high])[0]
    words = f"nothing came after {until}: the last {percent(gone)} of the usual time"
    return Cause("volume_change", "ended early", words, _fits(comparison, gone), fact=f"has nothing after {until}")


@hypothesis(Kind.TIMESTAMP)
def began_late(comparison: Comparison) -> Cause | None:
    """Nothing before some time, in a column whose partitions all cover one span after another."""
    gone, low = _time_gone(comparison, kept="max"), comparison.value("min")
    if gone is None or low is None:
        return None
    since = number_words("min", comparison.kind, [low])[0]
    words = f"nothing came before {since}: the first {percent(gone)} of the usual time"
    return Cause("volume_change", "began late", words, _fits(comparison, gone), fact=f"has nothing before {since}")


def _time_gone(comparison: Comparison, kept: str) -> float | None:
    """The share of the usual time that nothing came in, with fewer rows than usual; None where that is not so.

    :param kept: ``min`` or ``max``: the end of the span that lies where it was to be expected
    """
    lowest, highest = comparison.series("min"), comparison.series("max")
    low, high, at = comparison.value("min"), comparison.value("max"), comparison.value(kept)
    rows, before = comparison.rows[0], _usual_rows(comparison)
    if low is None or high is None or at is None or not _FEWEST <= rows < before:
        return None
    if len(lowest) != len(highest) or len(lowest) < 2:
        return None
    spans, ends = highest - lowest, comparison.series(kept)
    span, step = float(np.median(spans)), float(np.median(np.diff(ends)))
    if span <= 0.0 or spans.min() < _FULL * span or abs(at - float(ends[-1]) - step) > (1.0 - _FULL) * span:
        return None
    gone, usual = 1.0 - (high - low) / span, 1.0 - float(spans.min()) / span
    return None if gone < _LEAST + 2.0 * usual else gone


def cut_by_size(comparison: Comparison) -> Cause | None:
    """Only the largest numbers came, or the smallest, and as many rows: those of a query that was sorted, and cut."""
    part, points = part_of_numbers(comparison), comparison.points
    if part is None or points is None:
        return None
    now, before = points
    above = part.parameter == "highest"
    kept = float((before.values >= now.values[0]).mean() if above else (before.values <= now.values[-1]).mean())
    edge = number_words("min", comparison.kind, [float(now.values[0 if above else -1])])[0]
    bound = f"none {'below' if above else 'above'} {edge}"
    words = f"only the {part.parameter} {percent(kept)} of {name_words(comparison.name)} came, {bound}"
    score = part.score * (1.0 - min(1.0, abs(comparison.rows[0] / _usual_rows(comparison) - kept)))
    return Cause("volume_change", part.parameter, words, score)


def _fits(comparison: Comparison, gone: float) -> float:
    """How well the rows agree: as many are gone as time is, more or less, for a day is not the same at every hour."""
    missing = 1.0 - comparison.rows[0] / _usual_rows(comparison)
    return 1.0 - min(1.0, abs(missing - gone))


def _usual_rows(comparison: Comparison) -> float:
    """Rows of a usual partition: as many as before, or as on most days, where the one before is a thin one."""
    past = comparison.series("row_count")
    return max(float(comparison.rows[1]), float(np.median(past)) if len(past) else 0.0)


@hypothesis(Kind.STRING)
def values_gone(comparison: Comparison) -> Cause | None:
    """Values that came every day are gone with their rows; the others came as often as before."""
    values, (rows, before) = comparison.values, comparison.rows
    if values is None or rows >= _usual_rows(comparison) or comparison.usual_novelty > _RECURRING:
        return None
    if not all(side.exact for side in values):
        return None
    now, was = (side.all_shares for side in values)
    gone = {value: share for value, share in was.items() if value not in now and share * before >= _FEWEST}
    lost = sum(gone.values())
    if not rows or not _GONE <= lost <= 1.0 - _GONE or one_for_another(comparison) is not None:
        return None
    # Otherwise other values have taken their place: those of the same rows, written otherwise, are new.
    new = sum(share for value, share in now.items() if value not in was) - comparison.usual_novelty
    if rows > (1.0 - _WITH_THEM * lost) * _usual_rows(comparison) or new > (1.0 - _WITH_THEM) * lost:
        return None
    apart = sum(abs(now.get(value, 0.0) - share / (1.0 - lost)) for value, share in was.items() if value not in gone)
    chance = float((len(was) / rows) ** 0.5)
    name = name_words(comparison.name)
    said = "a value (hidden)" if comparison.hidden else joined([quoted(value) for value in gone])
    words = f"no row has {name} {said}, as {share_words(lost)} had before"
    score = 1.0 - min(1.0, max(0.0, apart / 2.0 - chance))
    detail = f"{_usual_rows(comparison) - rows:,.0f} fewer rows than usual"
    return Cause("volume_change", "values gone", words, score, fact=f"has no {said}", detail=detail)
