"""An alert as a picture: the metric over the past partitions, the learned range, and the value that broke it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.wording import natural_range
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.report.axis import Axis, AxisKind, fit
from airflow_dq.report.course import Course, Point
from airflow_dq.report.number import numbers, tick_labels
from airflow_dq.report.sparkline import band_outlines
from airflow_dq.report.style import css
from airflow_dq.report.svg import document, element

WIDTH, HEIGHT = 560, 230
"""In pixels, where a page does not ask for another size."""
NARROW, LOW = 300, 120
"""Size of a picture by itself: Airflow shows it 300 pixels wide, so that a wider one has small text, and above the
answers, which must be seen without scrolling."""
_TOP, _BOTTOM, _RIGHT = 16.0, 30.0, 12.0
"""Margins in pixels: at the bottom there is room for the keys' labels; the left one depends on the numbers."""
_DIGIT = 6.8
"""Width of a digit in pixels at the chart's font size: room for the axis labels."""
_DAY_KEY = 16
"""Longest key of a day (``day=2026-02-15``); what is longer tells the hour."""
_CROWD = 45
"""From this many partitions on, their dots are smaller."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """The plot area in pixels, and where things are in it."""

    left: float
    right: float
    top: float
    bottom: float
    slots: int
    axis: Axis

    def x(self, slot: float) -> float:
        return self.left + (slot + 0.5) * (self.right - self.left) / self.slots

    def y(self, value: float) -> float:
        return self.bottom - self.axis.position(value) * (self.bottom - self.top)


def history_chart(
    alert: Alert,
    partition: str | None,
    *,
    moving: bool = False,
    width: int = WIDTH,
    height: int = HEIGHT,
    course: Course | None = None,
) -> Element:
    """The chart of one alert about a metric, as an SVG element styled by ``theme.css`` and ``chart.css``.

    :param alert: the alert; its history is oldest first, its bounds are on the metric itself
    :param partition: key of the partition that was judged, drawn last and highlighted
    :param moving: True when the bounds hold for this partition only, because the metric is compared with an
        earlier partition: the learned range is then drawn beside this partition and not across the history
    :param width: in pixels; text keeps its size, so a narrow screen gets a narrow chart instead of small text
    :param height: in pixels
    :param course: the metric over all partitions, with what was expected of each: drawn in place of the alert's own
        history, with the weekends and what was not learned from marked
    """
    points = [Point(key, value) for key, value in alert.history] if course is None else list(course.past)
    observed = None if alert.observed is None or isinstance(alert.observed, Reason) else alert.observed
    bounds = [bound for bound in (alert.lower, alert.upper) if bound is not None]
    # What was not learned from is no part of what is usual; it is drawn as far as the axis reaches.
    usual = [point.value for point in points if point.value is not None and point.learned]
    edges = [edge for point in points if point.band for edge in point.band if edge is not None]
    limits = natural_range(alert.metric or "", alert.kind)
    axis = fit(usual + bounds + edges, observed, limits)
    ticks = axis.ticks()
    labels = list(zip(ticks, tick_labels(alert, ticks), strict=True))
    left = 12 + _DIGIT * max((len(text) for _, text in labels), default=1)
    frame = _Frame(left, width - _RIGHT, _TOP, height - _BOTTOM, len(points) + 1, axis)
    return element(
        "svg",
        element("title", alert.message),
        *(_weekends(frame, points) if course is not None else ()),
        *_axis(frame, labels),
        *(_band(frame, alert, moving) if course is None else _moving_band(frame, alert, points)),
        *_series(frame, alert, points),
        *_partition_labels(frame, points, partition, width),
        *_now(frame, alert, points, observed, partition),
        class_="chart",
        viewBox=f"0 0 {width} {height}",
        role="img",
    )


def standalone_chart(alert: Alert, partition: str | None, *, moving: bool = False) -> str:
    """The chart as an SVG file of its own that follows the reader's light or dark setting."""
    chart = history_chart(alert, partition, moving=moving, width=NARROW, height=LOW)
    # A size of its own, in both ways: without it, a browser chooses one.
    chart.set("width", str(NARROW))
    chart.set("height", str(LOW))
    size = f".chart {{ width: {NARROW}px; height: {LOW}px; }}"
    chart.insert(1, element("style", css("theme", "chart") + size))
    # Its own background: the page around it may be dark where the reader's system is light.
    chart.insert(2, element("rect", class_="card", width="100%", height="100%", rx=8))
    return document(chart)


def _axis(frame: _Frame, labels: list[tuple[float, str]]) -> list[Element]:
    parts = []
    for tick, text in labels:
        y = frame.y(tick)
        parts.append(element("line", class_="grid", x1=frame.left, x2=frame.right, y1=y, y2=y))
        parts.append(element("text", text, x=frame.left - 6, y=y + 4, text_anchor="end"))
    if frame.axis.kind is not AxisKind.LINEAR:
        parts.append(element("text", "log scale", x=frame.left + 4, y=frame.top + 8))
    return parts


def _band(frame: _Frame, alert: Alert, moving: bool) -> list[Element]:
    if alert.lower is None and alert.upper is None:
        return []
    top = frame.top if alert.upper is None else frame.y(alert.upper)
    bottom = frame.bottom if alert.lower is None else frame.y(alert.lower)
    # Counts that never changed have a range of no height; it must still be seen.
    middle, half = (top + bottom) / 2, max((bottom - top) / 2, 1.5)
    start = frame.x(frame.slots - 2) if moving else frame.left
    across = {"x1": start, "x2": frame.right}
    parts = [
        element("rect", class_="band", x=start, y=middle - half, width=frame.right - start, height=2 * half),
    ]
    for bound in (alert.lower, alert.upper):
        if bound is not None:
            parts.append(element("line", class_="edge", y1=frame.y(bound), y2=frame.y(bound), **across))
    return parts


def _moving_band(frame: _Frame, alert: Alert, points: Sequence[Point]) -> list[Element]:
    """What was expected of each partition, up to the one that was judged."""
    every = [*points, Point(None, None, (alert.lower, alert.upper))]
    outlines = band_outlines(every, frame.x, frame.y, frame.top, frame.bottom)
    return [element("polygon", class_="band", points=outline) for outline in outlines]


def _weekends(frame: _Frame, points: Sequence[Point]) -> list[Element]:
    """A stripe behind each Saturday and Sunday, where partitions are days."""
    keys = [point.partition for point in points]
    if len(set(keys)) < len(keys) or any(key is None or len(key) > _DAY_KEY for key in keys):
        return []
    wide = (frame.right - frame.left) / frame.slots
    return [
        element(
            "rect", class_="weekend", x=frame.x(slot - 0.5), y=frame.top, width=wide, height=frame.bottom - frame.top
        )
        for slot, point in enumerate(points)
        if point.is_weekend
    ]


def _series(frame: _Frame, alert: Alert, points: Sequence[Point]) -> list[Element]:
    lines: list[list[str]] = [[]]
    dots = []
    for slot, point in enumerate(points):
        if point.value is None:
            lines.append([])
            continue
        x, y = frame.x(slot), frame.y(point.value)
        said = f"{point.partition}: {numbers(alert, [point.value])[0]}"
        if not point.learned:
            # It says nothing of what is usual: a ring beside the line.
            tip = element("title", f"{said}, not learned from")
            dots.append(element("circle", tip, class_="apart", cx=x, cy=y, r=3.2))
            continue
        lines[-1].append(f"{x:.1f},{y:.1f}")
        small = 2.8 if frame.slots <= _CROWD else 1.8
        dots.append(element("circle", element("title", said), class_="past", cx=x, cy=y, r=small))
    paths = [element("polyline", class_="series", points=" ".join(line)) for line in lines if len(line) > 1]
    return [*paths, *dots]


def _partition_labels(frame: _Frame, points: Sequence[Point], partition: str | None, width: int) -> list[Element]:
    y = frame.bottom + 20
    parts = [element("text", _short(partition), class_="seen", x=frame.right, y=y, text_anchor="end")]
    keys = [point.partition for point in points]
    if keys:
        parts.append(element("text", _short(keys[0]), x=frame.left, y=y))
    if len(keys) > 8 and width >= 500:
        slot = len(keys) // 2
        parts.append(element("text", _short(keys[slot]), x=frame.x(slot), y=y, text_anchor="middle"))
    return parts


def _now(
    frame: _Frame, alert: Alert, points: Sequence[Point], observed: float | None, partition: str | None
) -> list[Element]:
    x = frame.x(frame.slots - 1)
    if observed is None:
        y = frame.bottom - 12
        cross = f"M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10"
        reason = "no value" if alert.observed is None else str(alert.observed)
        return [
            element("path", class_="cross", d=cross),
            element("text", reason, class_="seen", x=x - 12, y=y + 4, text_anchor="end"),
        ]
    y = frame.y(observed)
    parts = []
    slot = next((n for n in range(len(points) - 1, -1, -1) if points[n].value is not None and points[n].learned), None)
    if slot is not None and (before := points[slot].value) is not None:
        parts.append(element("line", class_="jump", x1=frame.x(slot), y1=frame.y(before), x2=x, y2=y))
    text = numbers(alert, [observed])[0]
    tip = element("title", f"{partition}: {text}")
    parts.append(element("circle", tip, class_="now", cx=x, cy=y, r=5.5))
    parts.append(element("text", text, class_="seen", x=x - 11, y=y + 4, text_anchor="end"))
    return parts


def _short(key: str | None, longest: int = 20) -> str:
    if key is None:
        return "this partition"
    return key if len(key) <= longest else f"{key[: longest // 2 - 1]}…{key[-longest // 2 :]}"
