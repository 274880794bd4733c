"""What a replay of clean tables shows, as Markdown and as a reliability plot."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from airflow_dq.report.svg import document, element
from tests.benchmark.clean.rate import Rate, by_table, over_tables, rate
from tests.benchmark.clean.replay import LONG, SHORT, Cause, Judged

WORST = 12
"""Tables and causes that are listed one by one."""
_WIDTH, _HEIGHT, _EDGE = 460, 420, 60
_LOW, _HIGH = 3e-4, 1.0
"""Ends of both axes; a share of zero is drawn at the lower one."""
_STYLE = """text { font: 12px sans-serif; fill: #444 } .grid { stroke: #ddd } .claim { stroke: #888;
stroke-dasharray: 4 3 } .short { stroke: #c60; fill: #c60 } .long { stroke: #06c; fill: #06c }
text.short, text.long { stroke: none } rect { fill: #fff }"""


def page(judged: Sequence[Judged], group: str) -> str:
    """All tables about one group of tables (simulated, corpus)."""
    targets = sorted({one.target for one in judged})
    parts = [f"## {group}\n", _claims(judged, targets)]
    for length in (SHORT, LONG):
        some = [one for one in judged if one.history == length and one.target == targets[0]]
        parts += [f"### Tables that alarm most, history {length}, target {targets[0]:g}\n", _tables(some)]
    named = [one for one in judged if one.causes]
    for target in targets[:1]:
        parts += [f"### What alarmed, target {target:g}\n", _causes([one for one in named if one.target == target])]
    if any(one.events for one in judged):
        parts += [f"### By what was special about the day, target {targets[0]:g}\n", _events(judged, targets[0])]
    return "\n".join(parts)


def _claims(judged: Sequence[Judged], targets: Sequence[float]) -> str:
    lines = []
    for length in (SHORT, LONG):
        for target in targets:
            some = [one for one in judged if one.history == length and one.target == target]
            plain, found = rate(one for one in some if not one.events), rate(some)
            low, high = over_tables(list(by_table(some).values()))
            lines.append(
                f"| {length} | {target:g} | {found} | {sum(one.only_warns for one in some)} "
                f"| {100 * low:.2f}-{100 * high:.2f} % | {plain} "
                f"| {'yes' if found.keeps(target) else 'no'} |"
            )
    head = "| history | claimed | alarmed (95 % interval) | of which only warn | by tables | on ordinary days | kept |"
    return "\n".join([head, "|---|---|---|---|---|---|---|", *lines, ""])


def _tables(judged: Sequence[Judged]) -> str:
    rates = sorted(by_table(judged).items(), key=lambda item: -item[1].share)
    quiet = sum(not one.alarms for _, one in rates)
    lines = [f"| {name} | {one} |" for name, one in rates[:WORST] if one.alarms]
    return "\n".join(["| table | alarmed |", "|---|---|", *lines, f"| {quiet} of {len(rates)} tables | never |", ""])


def _causes(judged: Sequence[Judged]) -> str:
    """Every cause once per partition, under several names of it; an alarm may have several causes."""
    views: dict[str, Callable[[Cause], str]] = {
        "rule": lambda one: one.rule,
        "rule, metric": lambda one: f"{one.rule} {one.metric}",
        "metric, kind, transform": lambda one: f"{one.metric or one.rule} of {one.kind}, {one.transform or '-'}",
        "column": lambda one: re.sub(r"_\d+", "", one.column) or "(table)",
    }
    parts = []
    for name, view in views.items():
        any_, alone, times = Counter[str](), Counter[str](), dict[str, list[float]]()
        for one in judged:
            named = {view(cause) for cause in one.causes}
            any_.update(named)
            if len(named) == 1:
                alone.update(named)
            for cause in one.causes:
                if cause.times is not None:
                    times.setdefault(view(cause), []).append(cause.times)
        lines = [
            f"| {what} | {n} | {alone[what]} | {_median(times.get(what))} |" for what, n in any_.most_common(3 * WORST)
        ]
        parts += [f"| {name} | partitions | alone | times the largest past |", "|---|---|---|---|", *lines, ""]
    return "\n".join(parts)


def _events(judged: Sequence[Judged], target: float) -> str:
    some = [one for one in judged if one.target == target]
    events = sorted({event for one in some for event in one.events})
    lines = [f"| {event} | {rate(one for one in some if event in one.events)} |" for event in events]
    lines.append(f"| none | {rate(one for one in some if not one.events)} |")
    return "\n".join(["| day | alarmed |", "|---|---|", *lines, ""])


def _median(times: Sequence[float] | None) -> str:
    return "" if not times else f"{float(np.median(times)):.2f}"


def reliability(judged: Sequence[Judged], title: str) -> str:
    """Claimed against achieved rates with their intervals, both logarithmic, as an SVG document."""
    targets = sorted({one.target for one in judged})
    parts = [element("style", _STYLE), element("rect", width="100%", height="100%"), *_frame(title)]
    for shift, length, style in ((-4.0, SHORT, "short"), (4.0, LONG, "long")):
        for target in targets:
            found = rate(one for one in judged if one.history == length and one.target == target)
            if found.judged:
                parts += _point(_x(target) + shift, found, style)
        y = _y(_LOW) - (30 if length == SHORT else 14)
        parts.append(element("text", f"{length} partitions", class_=style, x=_x(_HIGH), y=y, text_anchor="end"))
    size = {"viewBox": f"0 0 {_WIDTH} {_HEIGHT}", "width": _WIDTH, "height": _HEIGHT}
    return document(element("svg", *parts, **size))


def _frame(title: str) -> list[Element]:
    left, right, bottom = _x(_LOW), _x(_HIGH), _y(_LOW)
    parts = [element("text", title, x=_EDGE, y=24)]
    for value in (0.001, 0.003, 0.01, 0.05, 0.2, 1.0):
        parts.append(element("line", class_="grid", x1=left, x2=right, y1=_y(value), y2=_y(value)))
        parts.append(element("text", f"{100 * value:g} %", x=left - 6, y=_y(value) + 4, text_anchor="end"))
        parts.append(element("text", f"{100 * value:g} %", x=_x(value), y=bottom + 18, text_anchor="middle"))
    parts.append(element("line", class_="claim", x1=left, y1=bottom, x2=right, y2=_y(_HIGH)))
    parts.append(
        element("text", "claimed share of alarmed partitions", x=_WIDTH / 2, y=bottom + 40, text_anchor="middle")
    )
    parts.append(element("text", "achieved", x=left - 6, y=_y(_HIGH) - 10, text_anchor="end"))
    return parts


def _point(x: float, found: Rate, style: str) -> list[Element]:
    low, high = found.interval
    return [
        element("line", class_=style, x1=x, x2=x, y1=_y(low), y2=_y(high)),
        element("circle", element("title", str(found)), class_=style, cx=x, cy=_y(found.share), r=4),
    ]


def _x(value: float) -> float:
    return _EDGE + _place(value) * (_WIDTH - 1.5 * _EDGE)


def _y(value: float) -> float:
    return _HEIGHT - _EDGE - _place(value) * (_HEIGHT - 2 * _EDGE)


def _place(value: float) -> float:
    return (math.log(max(value, _LOW)) - math.log(_LOW)) / (math.log(_HIGH) - math.log(_LOW))
