"""A dataset's partitions as a map: alike ones lie together, an odd one lies apart and is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element

from airflow_dq.novelty.map import Place, placed
from airflow_dq.report.svg import element
from airflow_dq.states.base import Kind
from airflow_dq.store.review_model import MetricHistory

WIDTH, HEIGHT, _MARGIN = 560.0, 260.0, 24.0
"""In pixels."""
_NAMED = 8
"""Odd partitions that are named beside their points; every point says its name when it is pointed at."""
_LETTER = 6.2
"""Width of a letter in pixels: room for a name on one side of its point."""


def partition_map(series: Sequence[MetricHistory], kinds: Mapping[str, Kind]) -> Element | None:
    """The map of the partitions that the series are over, oldest first; None where too few can be compared.

    :param series: metrics of columns and the table's number of rows, all over the same partitions
    :param kinds: the kinds of the columns
    """
    keys = [key for key, _ in series[0].values] if series else []
    values = {(one.column, one.metric): [value for _, value in one.values] for one in series}
    places = placed(values, kinds)
    if not places:
        return None
    odd = sorted((place for place in range(len(places)) if places[place].times > 1.0), key=lambda p: -places[p].times)
    said = f"{len(places)} partitions, {len(odd)} of them odd" + (f": {', '.join(keys[p] for p in odd)}" if odd else "")
    # The usual ones first: an odd one among them is on top.
    order = sorted(range(len(places)), key=lambda place: places[place].times)
    return element(
        "svg",
        element("title", said),
        *(_point(keys[place], places[place], place == len(places) - 1) for place in order),
        *(_name(keys[place], places[place]) for place in odd[:_NAMED]),
        *([] if len(places) - 1 in odd[:_NAMED] else [_name(keys[-1], places[-1])]),
        class_="chart map",
        viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
        role="img",
    )


def _point(key: str, place: Place, newest: bool) -> Element:
    x, y = _at(place)
    how = "odd" if place.times > 1.0 else "usual"
    tip = element("title", f"{key}: {how}, {place.times:.2g} times the limit{', the newest' if newest else ''}")
    if place.times > 1.0:
        return element("circle", tip, class_="now", cx=x, cy=y, r=6.5)
    return element("circle", tip, class_="last" if newest else "past", cx=x, cy=y, r=5.0 if newest else 3.6)


def _name(key: str, place: Place) -> Element:
    x, y = _at(place)
    left = x + 10 + _LETTER * len(key) > WIDTH
    named = "seen" if place.times > 1.0 else "newest"
    return element(
        "text", key, class_=named, x=x - 10 if left else x + 10, y=y + 4, text_anchor="end" if left else "start"
    )


def _at(place: Place) -> tuple[float, float]:
    return (
        WIDTH / 2 + place.x * (WIDTH / 2 - _MARGIN),
        HEIGHT / 2 - place.y * (HEIGHT / 2 - _MARGIN),
    )
