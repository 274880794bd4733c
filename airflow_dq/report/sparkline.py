"""A metric over the newest partitions as a line no larger than a word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from xml.etree.ElementTree import Element

from airflow_dq.explain.wording import metric_words, natural_range, number_words
from airflow_dq.report.axis import fit
from airflow_dq.report.course import Course, Point
from airflow_dq.report.svg import element
from airflow_dq.states.base import Kind
from airflow_dq.store.review_model import MetricHistory

WIDTH, HEIGHT, _MARGIN = 150.0, 34.0, 4.0
"""In pixels: as high as two lines of text, so that a table of them stays one."""
_SHORT = {"complete_ratio": "complete", "dist_val_count": "distinct", "str_len": "length", "row_count": "rows"}
"""Names that fit beside the line; others are called what they are called everywhere."""


@dataclass(frozen=True, slots=True)
class Sparkline:
    """The line, the metric's name before it and the newest partition's value behind it."""

    name: str
    drawing: Element
    newest: str


def sparkline(series: MetricHistory, kind: Kind = Kind.NUMERIC) -> Sparkline:
    """The line with a dot for the newest partition.

    :param kind: kind of the column, which says how its values are written
    """
    known = [value for _, value in series.values if value is not None]
    newest = series.values[-1][1] if series.values else None
    text = "–" if newest is None else number_words(series.metric, kind, [newest])[0]
    name = metric_words(series.metric, False)
    low, high = (
        (number_words(series.metric, kind, [edge])[0] for edge in (min(known), max(known))) if known else ("", "")
    )
    now = text if newest is not None else "no value"
    described = f"{name}: {low} to {high} in {len(known)} partitions, now {now}" if known else f"{name}: no value"
    return Sparkline(_SHORT.get(series.metric, name), _drawing(series, described), text)


def _drawing(series: MetricHistory, described: str) -> Element:
    parts: list[Element] = []
    lines = _lines([value for _, value in series.values])
    for line in lines:
        if len(line) > 1:
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in line)
            parts.append(element("polyline", class_="series", points=points))
        elif line:
            parts.append(element("circle", class_="past", cx=line[0][0], cy=line[0][1], r=1.6))
    if lines[-1]:
        x, y = lines[-1][-1]
        parts.append(element("circle", class_="last", cx=x, cy=y, r=2.6))
    return element(
        "svg",
        element("title", described),
        *parts,
        class_="chart",
        viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
        role="img",
    )


def banded(course: Course, described: str) -> Element:
    """A metric's course as a line inside of the range that was expected of each partition."""
    points = [*course.past, course.now]
    bounds = [edge for point in points if point.band is not None for edge in point.band if edge is not None]
    usual = [point.value for point in course.past if point.value is not None and point.learned]
    axis = fit(usual + bounds, course.now.value, natural_range(course.metric, course.kind))
    step = (WIDTH - 2 * _MARGIN) / max(1, len(points) - 1)

    def x(place: int) -> float:
        return _MARGIN + place * step

    def y(value: float) -> float:
        return HEIGHT - _MARGIN - axis.position(value) * (HEIGHT - 2 * _MARGIN)

    parts = [element("polygon", class_="band", points=outline) for outline in band_outlines(points, x, y, 0.0, HEIGHT)]
    known = [
        (x(place), y(point.value)) for place, point in enumerate(points) if point.value is not None and point.learned
    ]
    if len(known) > 1:
        parts.append(element("polyline", class_="series", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in known)))
    if course.now.value is not None:
        parts.append(element("circle", class_="last", cx=known[-1][0], cy=known[-1][1], r=2.6))
    view = f"0 0 {WIDTH:.0f} {HEIGHT:.0f}"
    return element("svg", element("title", described), *parts, class_="chart", viewBox=view, role="img")


def band_outlines(
    points: Sequence[Point], x: Callable[[int], float], y: Callable[[float], float], top: float, bottom: float
) -> list[str]:
    """The outline of each stretch of partitions of which something was expected, for a polygon.

    :param top: where a side without a bound ends, as ``bottom`` below
    """
    outlines = []
    for expected, run in groupby(enumerate(points), key=lambda pair: pair[1].band is not None):
        if not expected:
            continue
        upper, lower = [], []
        for place, point in run:
            low, high = point.band or (None, None)
            upper.append((x(place), top if high is None else y(high)))
            lower.append((x(place), bottom if low is None else y(low)))
        if len(upper) == 1:
            # A single partition's range is as wide as its mark.
            (at, high_y), (_, low_y) = upper[0], lower[0]
            upper, lower = [(at - 3, high_y), (at + 3, high_y)], [(at - 3, low_y), (at + 3, low_y)]
        # Counts that never changed have a range of no height; it must still be seen.
        edge = [*((a, b - 0.8) for a, b in upper), *((a, b + 0.8) for a, b in reversed(lower))]
        outlines.append(" ".join(f"{a:.1f},{b:.1f}" for a, b in edge))
    return outlines


def _lines(values: list[float | None]) -> list[list[tuple[float, float]]]:
    """The points of each stretch without a gap; the last one is empty when the newest partition has no value."""
    known = [value for value in values if value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    # Halves before the difference: the range of two huge values may be no float.
    span = high / 2 - low / 2
    step = (WIDTH - 2 * _MARGIN) / max(1, len(values) - 1)
    lines: list[list[tuple[float, float]]] = [[]]
    for place, value in enumerate(values):
        if value is None:
            lines.append([])
            continue
        level = 0.5 if span == 0 else (value / 2 - low / 2) / span
        lines[-1].append((_MARGIN + place * step, HEIGHT - _MARGIN - level * (HEIGHT - 2 * _MARGIN)))
    return lines
