"""The sweep as Markdown, JSON and a sheet of detection curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from airflow_dq.report.svg import document, element
from tests.benchmark.sweep.curve import Detection
from tests.benchmark.sweep.scene import Sundays
from tests.benchmark.sweep.trial import CLEAN, Curve

Curves = Mapping[Curve, Detection]
_WIDTH, _HEIGHT, _ACROSS, _MARGIN = 210, 130, 4, 34
_COLOURS = {7: "#c60", 14: "#393", 30: "#06c"}
_STYLE = "text { font: 10px sans-serif; fill: #444 } polyline { fill: none; stroke-width: 1.5 } .edge { stroke: #bbb }"


def thresholds(found: Curves) -> str:
    """Per error: the smallest size from which on at least 90 % are caught; ``!`` where a larger one was missed."""
    shapes = sorted({(curve.rows, curve.partitions) for curve in found})
    names = list(dict.fromkeys((curve.kind, curve.error) for curve in found if curve.error != CLEAN))
    head = ["column", "error", *(f"{rows:,} rows, {length}" for rows, length in shapes)]
    lines = []
    for kind, error in sorted(names):
        cells = [_cell(found.get(Curve(kind, error, *shape))) for shape in shapes]
        lines.append([kind, error, *cells])
    return markdown(head, lines)


def holes(found: Curves) -> str:
    """Where a larger error was missed although a smaller one was caught, in the same draw."""
    lines = []
    for curve, one in found.items():
        for repetition, (smaller, larger) in one.holes.items():
            where = [curve.kind, curve.error, f"{curve.rows:,}", str(curve.partitions), str(repetition)]
            lines.append([*where, f"{smaller:g}", f"{larger:g}"])
    head = ["column", "error", "rows", "partitions", "draw", "caught", "missed"]
    return markdown(head, sorted(lines)) if lines else "None.\n"


def clean(found: Curves) -> str:
    """How many of the clean days alarmed."""
    none = {curve: one for curve, one in found.items() if curve.error == CLEAN}
    return f"Clean days that alarm: {sum(one.caught[0.0] for one in none.values())} of " + (
        f"{sum(one.tried[0.0] for one in none.values())}.\n"
    )


def shares(found: Curves) -> str:
    """The share that is caught at each size, of curves with the same sizes."""
    sizes = sorted({size for one in found.values() for size in one.tried})
    lines = [
        [curve.kind, curve.error, *(f"{one.share(size):.2f}" if size in one.tried else "" for size in sizes)]
        for curve, one in found.items()
    ]
    return markdown(["scene", "error", *(f"{size:g}" for size in sizes)], lines)


def sundays(found: Sequence[Sundays]) -> str:
    """Alarms on clean days with thin Sundays."""
    return markdown(
        ["thin Sundays", "alarms on clean days", "longest row of alarms"],
        [
            [
                "every alarm accepted" if one.answered else "none answered",
                f"{one.alarms} of {one.judged}",
                str(one.in_a_row),
            ]
            for one in found
        ],
    )


def markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table."""
    rule = "|" + "---|" * len(head)
    return "\n".join([f"| {' | '.join(head)} |", rule, *(f"| {' | '.join(line)} |" for line in lines), ""])


def counts(found: Curves) -> list[dict[str, Any]]:
    """All counts, for a later comparison."""
    return [
        {
            "column": curve.kind,
            "error": curve.error,
            "rows": curve.rows,
            "partitions": curve.partitions,
            "caught": {f"{size:g}": [one.caught[size], one.tried[size]] for size in one.sizes},
            "holes": len(one.holes),
        }
        for curve, one in found.items()
    ]


def sheet(found: Curves) -> str:
    """One small picture per column and error: share caught by size, a line per history; dashed: the fewest rows."""
    names = sorted({(curve.kind, curve.error) for curve in found if curve.error != CLEAN})
    fewest = min(curve.rows for curve in found)
    parts: list[Element] = [element("style", _STYLE), element("rect", width="100%", height="100%", fill="#fff")]
    for place, (kind, error) in enumerate(names):
        left, top = _WIDTH * (place % _ACROSS), 20 + _HEIGHT * (place // _ACROSS)
        some = {curve: one for curve, one in found.items() if (curve.kind, curve.error) == (kind, error)}
        parts += _panel(left, top, f"{kind}: {error}", some, fewest)
    for place, (length, colour) in enumerate(_COLOURS.items()):
        parts.append(element("text", f"{length} partitions", x=10 + 100 * place, y=14, style=f"fill: {colour}"))
    height = 20 + _HEIGHT * (1 + (len(names) - 1) // _ACROSS)
    return document(element("svg", *parts, viewBox=f"0 0 {_WIDTH * _ACROSS} {height}", width=_WIDTH * _ACROSS))


def _panel(left: float, top: float, title: str, found: Curves, fewest: int) -> list[Element]:
    sizes = sorted({size for one in found.values() for size in one.tried})
    step = (_WIDTH - 2 * _MARGIN) / max(1, len(sizes) - 1)
    x = {size: left + _MARGIN + step * place for place, size in enumerate(sizes)}
    low, high = top + _HEIGHT - 28, top + 26
    parts = [
        element("text", title, x=left + 8, y=top + 14),
        element("line", class_="edge", x1=left + _MARGIN, x2=left + _WIDTH - _MARGIN, y1=low, y2=low),
        element("line", class_="edge", x1=left + _MARGIN, x2=left + _WIDTH - _MARGIN, y1=high, y2=high),
        element("text", "0", x=left + _MARGIN - 6, y=low + 3, text_anchor="end"),
        element("text", "1", x=left + _MARGIN - 6, y=high + 3, text_anchor="end"),
    ]
    # The first, the middle and the last size: more labels would overlap.
    for size in {sizes[0], sizes[len(sizes) // 2], sizes[-1]}:
        parts.append(element("text", f"{size:g}", x=x[size], y=low + 14, text_anchor="middle"))
    for curve, one in found.items():
        points = " ".join(f"{x[size]:.1f},{low - one.share(size) * (low - high):.1f}" for size in one.sizes)
        dashes = {"stroke_dasharray": "3 2"} if curve.rows == fewest and len({c.rows for c in found}) > 1 else {}
        parts.append(element("polyline", points=points, stroke=_COLOURS.get(curve.partitions, "#444"), **dashes))
    return parts


def _cell(one: Detection | None) -> str:
    if one is None:
        return ""
    start = one.caught_from
    return f"{'never' if start is None else f'{start:g}'}{'!' if one.holes else ''}"
