"""Which segment the rows concerned are: what all of a column shows, said of the rows that it is so in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from airflow_dq.explain.cause.hypothesis import Cause
from airflow_dq.explain.comparison import Comparison, nine_in_ten
from airflow_dq.explain.mixture import lies_as
from airflow_dq.explain.segment import clock_words
from airflow_dq.explain.wording import name_words, number_words, quoted, scaled_words, share_words
from airflow_dq.learn.constraint.base import Constraint, Finding
from airflow_dq.learn.constraint.segment import UsualSegments
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.profile.check.segment import COMPLETE, MEAN, ROWS
from airflow_dq.states.base import Kind

_FACTORS = {"x10": 10.0, "x100": 100.0, "x1,000": 1e3, "x60": 60.0, "x1,000,000": 1e6}
"""The changes of unit that are made by mistake every day: a mean tells no rarer ones apart."""
_NAMED = 3
"""Segments that a headline names; more of them are no place."""
_MOST = 0.6
"""Of more of the rows it is not said where they are: then the rest is what is odd."""
_CLOSE = 1.4
"""A cause in some rows is the segment's when the segment has no more than so many times as many rows, or as few."""
_NEAR = 1.5
"""A mean that is undone must not be off what is usual by more: the factors of unit changes lie further apart."""
_USUAL = 1.25
"""A mean that is undone must not be off by more than so many times what nine in ten past ones were: a rate of exchange
of 12 is no ten where means have moved by some percent."""
_EXACT = 0.05
"""Where past means were off by more, a factor is no exact one: a rate of exchange of 11 is about ten."""
_ROUNDED = 0.01
"""What a mean that never moved may be off, in logs."""
_ELSEWHERE = 0.5
"""Where a half of all rows is wrong, each segment moves as far as this one; where one is, the others stay."""
_ALONE = 0.5
"""Of the rows that a table lacks, or has too many of, a segment explains at least this part when it is the reason."""
_MINUS = "the sign changed"
_SHOWN = ("unsigned", "rewritten")
"""Causes that the values of all the column show: that a segment's mean has moved says no more of them."""
_OF_SIZE = ("unit_change", "offset", "placeholder", "rounding")
"""Causes that say what became of numbers' size: a mean that has moved shows no other."""


@dataclass(frozen=True, slots=True)
class Place:
    """The segments in which one statistic of a column is not as always."""

    words: str
    """``country = 'DE'``."""
    statistic: str
    rows: int
    """Rows of the segments."""
    share: float
    """Of all rows."""
    observed: float
    """Of the segment that is furthest off, as the next ones."""
    usual: float
    lower: float
    upper: float
    past: tuple[float, ...]
    """What it has been in each past partition that has it."""
    times: bool = False
    """Whether it is a mean time of day, in seconds."""

    @property
    def strength(self) -> float:
        """How much has changed: by what segments it is seen best."""
        if self.statistic == COMPLETE:
            return abs(self.observed - self.usual)
        largest = max(abs(self.observed), abs(self.usual))
        return abs(self.observed - self.usual) / largest if largest else 0.0


def with_segments(
    partition: PartitionView,
    found: Iterable[tuple[Constraint, Finding]],
    causes: Mapping[str, Cause],
    compared: Mapping[str, Comparison],
) -> dict[str, Cause]:
    """The causes, said of the segment that their rows are; and causes of columns that only their segments tell.

    :param causes: what all of a column shows
    :param compared: the columns beside themselves in the past
    """
    places: dict[str, Place] = {}
    for constraint, finding in found:
        column = constraint.scope.column
        place = _place(constraint, finding, partition) if isinstance(constraint, UsualSegments) else None
        if column is not None and place is not None:
            known = places.get(column)
            if known is None or (place.strength, -place.rows) > (known.strength, -known.rows):
                places[column] = place
    told = dict(causes)
    for column, place in places.items():
        cause = _located(causes.get(column), place, compared.get(column))
        if cause is not None:
            told[column] = cause
    return told


def row_segment(partition: PartitionView, found: Iterable[tuple[Constraint, Finding]]) -> Cause | None:
    """The segment whose rows are too few or too many, where it alone explains most of what the table has so."""
    past = [one.row_count for one in partition.history.profiles]
    for constraint, finding in found:
        if not isinstance(constraint, UsualSegments) or finding.metric != ROWS or len(finding.examples) != 1:
            continue
        observed, (value,) = finding.observed, finding.examples
        if not isinstance(observed, float) or finding.lower is None or finding.upper is None:
            continue
        usual = float(np.nanmedian(constraint.past(partition, ROWS, value)))
        missing = float(np.median(past)) - partition.profile.row_count
        if not missing or (usual - observed) / missing < _ALONE:
            continue
        where = _words(constraint.by, (value,), hidden=partition.profile.options.hides(constraint.by))
        seen = f"{observed:,.0f}" if observed else "none"
        words = f"{seen} of them where {where}, usually {finding.lower:,.0f} to {finding.upper:,.0f}"
        return Cause("volume_change", "segment", words, 1.0, column=constraint.by)
    return None


def _place(constraint: UsualSegments, finding: Finding, partition: PartitionView) -> Place | None:
    statistic, rows = finding.metric or ROWS, finding.rows
    if statistic == ROWS or not rows or not isinstance(finding.observed, float):
        return None
    share = rows / max(1, partition.profile.row_count)
    if share > _MOST or len(finding.examples) > _NAMED or finding.seen is None:
        return None
    past = constraint.past(partition, statistic, finding.seen)
    if np.isnan(past).all() or finding.lower is None or finding.upper is None:
        return None
    words = _words(constraint.by, finding.examples, hidden=partition.profile.options.hides(constraint.by))
    known = tuple(past[~np.isnan(past)].tolist())
    usual = float(np.median(known))
    times = constraint.of_times(partition)
    moved = _moved_by(statistic, times, finding.observed, usual)
    if _moves_elsewhere(constraint, partition, statistic, finding.examples, moved):
        return None
    return Place(words, statistic, rows, share, finding.observed, usual, finding.lower, finding.upper, known, times)


def _moves_elsewhere(
    constraint: UsualSegments, partition: PartitionView, statistic: str, named: tuple[str, ...], moved: float
) -> bool:
    """Whether other segments have moved at least half as far: then what happened has not happened in these alone."""
    times, steps = constraint.of_times(partition), list[float]()
    for one in constraint.segments:
        now, past = constraint.now(partition, statistic, one), constraint.past(partition, statistic, one)
        if one not in named and not np.isnan(now) and not np.isnan(past).all():
            steps.append(_moved_by(statistic, times, now, float(np.nanmedian(past))))
    return bool(steps and moved) and float(np.median(steps)) / moved >= _ELSEWHERE


def _moved_by(statistic: str, times: bool, observed: float, usual: float) -> float:
    """How far a statistic has moved: a mean by its part, for segments differ; a share and a clock as they are."""
    moved = observed - usual
    return moved / abs(usual) if statistic == MEAN and not times and usual else moved


def _words(by: str, values: tuple[str, ...], *, hidden: bool) -> str:
    name = name_words(by)
    if hidden:
        return f"{name} has one of its values" if len(values) == 1 else f"{name} has one of {len(values)} of its values"
    if len(values) == 1:
        return f"{name} = {quoted(values[0])}"
    return f"{name} is one of {', '.join(map(quoted, values))}"


def _located(cause: Cause | None, place: Place, comparison: Comparison | None) -> Cause | None:
    """The cause of the column in its segment; None where neither says what happened there."""
    own = _of_place(place, comparison)
    if cause is None or cause.of_rows or cause.type in ("volume_change", "distribution_change"):
        # With other rows the segments' means are others, too.
        return own if cause is None else None
    about_size = cause.type in _OF_SIZE or place.statistic == COMPLETE
    if about_size and (cause.rows is None or _is_same(cause.rows, place)):
        same = own if own.type == cause.type else cause
        return replace(
            cause,
            parameter=same.parameter,
            detail=cause.detail or same.detail,
            rows=own.rows,
            segment=place.words,
            share=place.share,
        )
    if cause.type in _SHOWN:
        return None
    if cause.proof is not None and cause.proof.vanished == cause.proof.findings:
        return None
    return own


def _is_same(rows: int, place: Place) -> bool:
    """Whether rows that a cause concerns are those of the place: of missing values, those that the place has more."""
    there = (place.usual - place.observed) * place.rows if place.statistic == COMPLETE else float(place.rows)
    return there / _CLOSE <= rows <= there * _CLOSE


def _of_place(place: Place, comparison: Comparison | None) -> Cause:
    """What a segment's own statistic says."""
    if place.statistic == COMPLETE:
        missing = 1.0 - place.observed
        fact = f"is null in {share_words(missing)} of the rows" if missing else "has no null any more"
        detail = f"before {share_words(max(0.0, 1.0 - place.usual))}"
        rows = round(abs(place.usual - place.observed) * place.rows)
        kind = "increased_nulls" if place.observed < place.usual else "segment"
        return Cause(
            kind, "", f"{fact} where {place.words}", 1.0, fact=fact, detail=detail, rows=rows,
            segment=place.words, share=place.share,
        )  # fmt: skip
    if place.times:
        return _of_clock(place)
    name, factor = _factor(place, comparison)
    was, now = number_words("mean", Kind.NUMERIC, [place.usual, place.observed])
    detail = f"mean {was} -> {now}"
    if factor is None:
        fact, kind = "is not as usual", "segment"
    else:
        about = "about " if nine_in_ten(_moved(place)) > _EXACT else ""
        fact, kind = "has the opposite sign" if factor < 0 else f"is {about}{scaled_words(factor)}", "unit_change"
    return Cause(
        kind, name, f"{fact} where {place.words}: {detail}", 1.0, fact=fact, detail=detail, rows=place.rows,
        segment=place.words, share=place.share,
    )  # fmt: skip


def _of_clock(place: Place) -> Cause:
    """What a segment's mean time of day says: its clock is some hours ahead, or behind."""
    moved = (place.observed - place.usual) / 3600.0
    span = f"{max(0.5, round(2.0 * abs(moved)) / 2.0):g} h"
    late, (was, now) = moved > 0.0, map(clock_words, (place.usual, place.observed))
    fact = f"is about {span} too {'late' if late else 'early'} (another time zone?)"
    words = f"times are about {span} {'later' if late else 'earlier'} where {place.words}"
    return Cause(
        "time_shift", f"{span} {'later' if late else 'earlier'}", words, 1.0, fact=fact,
        detail=f"mean time {was} -> {now}", rows=place.rows, segment=place.words, share=place.share,
    )  # fmt: skip


def _is_near(mean: float, place: Place) -> bool:
    """Whether a mean is about what is usual; where means vary so much that ten times one is another, none tells."""
    if mean * place.usual <= 0.0:
        return False
    return abs(math.log(mean / place.usual)) <= min(math.log(_NEAR), _USUAL * nine_in_ten(_moved(place)) + _ROUNDED)


def _moved(place: Place) -> list[float]:
    """How far past means were from what is usual, in logs."""
    return [abs(math.log(one / place.usual)) for one in place.past if one * place.usual > 0.0] or [0.0]


def _factor(place: Place, comparison: Comparison | None) -> tuple[str, float | None]:
    """The change of unit that leaves the mean within its range, the one that leaves it nearest to what is usual.

    Not one that the numbers deny which were never there before.
    """
    known = {_MINUS: -1.0}
    for name, factor in _FACTORS.items():
        known |= {name: factor, f"/{name[1:]}": 1.0 / factor}
    points = None if comparison is None else comparison.nonzero
    fitting = [
        (name, one)
        for name, one in known.items()
        if place.lower <= place.observed / one <= place.upper
        and _is_near(place.observed / one, place)
        and (points is None or lies_as(*points, points[1].scaled(one, 0.0)))
    ]
    if not fitting:
        return "", None
    return min(fitting, key=lambda one: abs(place.observed / one[1] - place.usual))
