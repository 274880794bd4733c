"""How numbers are distributed, as bars: this partition filled, the one that it is compared with as an outline."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from airflow_dq.explain.wording import number_words
from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.distribution import QuantilePoints
from airflow_dq.report.svg import element
from airflow_dq.states.base import Kind
from airflow_dq.states.number import NumberDistribution

BINS = 28
"""Bars: a bar of a small picture is three pixels wide."""
_FAR = 30.0
"""From this factor between the ends of positive numbers on, the bars are equally wide as factors."""
_LABELLED = 200
"""Width in pixels from which the ends are written below."""


@dataclass(frozen=True, slots=True)
class Bars:
    """Shares of both distributions between common edges."""

    edges: FloatArray
    now: FloatArray
    before: FloatArray | None
    by_factors: bool


def bars_of(now: NumberDistribution, before: NumberDistribution | None) -> Bars | None:
    """The bars; None when there are no numbers.

    They are made of equally likely points: a bar of less than a five-hundredth of the values may be missing.
    """
    if not now.total:
        return None
    points = QuantilePoints.of(now).values
    old = QuantilePoints.of(before).values if before is not None and before.total else None
    both = points if old is None else np.concatenate([points, old])
    low, high = float(both.min()), float(both.max())
    by_factors = low > 0 and high / low > _FAR
    if low == high:
        # One value: a bar in the middle.
        half = max(abs(low) * 0.5, 0.5)
        low, high = low - half, high + half
    edges = np.geomspace(low, high, BINS + 1) if by_factors else np.linspace(low, high, BINS + 1)
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    return Bars(edges, _shares(points, edges), None if old is None else _shares(old, edges), by_factors)


def _shares(points: FloatArray, edges: FloatArray) -> FloatArray:
    return np.asarray(np.histogram(points, edges)[0] / len(points))


def histogram(bars: Bars, kind: Kind, said: str, width: float = 110, height: float = 26) -> Element:
    """The picture.

    :param kind: how the ends are written
    :param said: what it is, for whoever does not see it
    """
    labelled = width >= _LABELLED
    bottom = height - (18 if labelled else 0)
    top = max(float(bars.now.max()), 0.0 if bars.before is None else float(bars.before.max()))
    step = width / BINS
    parts = [
        element(
            "rect", class_="bar-now", x=place * step + 0.5, y=bottom - tall, width=max(step - 1.0, 1.0), height=tall
        )
        for place, share in enumerate(bars.now.tolist())
        if (tall := _tall(share, top, bottom))
    ]
    if bars.before is not None:
        parts.append(element("path", class_="bar-before", d=_outline(bars.before.tolist(), top, bottom, step)))
    if labelled:
        low, high = number_words("mean", kind, [float(bars.edges[0]), float(bars.edges[-1])])
        parts += [
            element("line", class_="grid", x1=0, x2=width, y1=bottom, y2=bottom),
            element("text", low, x=0, y=height - 4),
            element("text", high, x=width, y=height - 4, text_anchor="end"),
        ]
        if bars.by_factors:
            parts.append(element("text", "log scale", x=width / 2, y=height - 4, text_anchor="middle"))
    name = "chart histogram" if labelled else "histogram"
    view = f"0 0 {width:.0f} {height:.0f}"
    return element("svg", element("title", said), *parts, class_=name, viewBox=view, role="img")


def _tall(share: float, top: float, bottom: float) -> float:
    """Height of a bar; a rare value is a line, and not nothing."""
    return max(1.0, share / top * (bottom - 2)) if share else 0.0


def _outline(shares: list[float], top: float, bottom: float, step: float) -> str:
    path = [f"M0 {bottom:.1f}"]
    for place, share in enumerate(shares):
        y = bottom - _tall(share, top, bottom)
        path.append(f"L{place * step:.1f} {y:.1f}L{(place + 1) * step:.1f} {y:.1f}")
    return "".join([*path, f"L{len(shares) * step:.1f} {bottom:.1f}"])
