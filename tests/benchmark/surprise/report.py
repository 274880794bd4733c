"""What the surprises show, as Markdown and as a plot of their tails."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from airflow_dq.learn.array import BoolArray
from airflow_dq.learn.expect import pooled
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.report.svg import document, element
from airflow_dq.states.base import Kind
from tests.benchmark.surprise.fit import (
    FEWEST,
    Constants,
    Spread,
    budget_chance,
    exponents,
    fit,
    left_out,
    together,
)
from tests.benchmark.surprise.sample import Sample

LIMITS = (1.0, 1.5, 2.0, 3.0, 6.0, 10.0)
RATES = (0.05, 0.01, 0.003)
"""False-positive rates of a column at which its chance is looked for."""
SETTLED, LEAPS = (0.1, 0.2, 0.3), (0.5, 1.0, 2.0, 3.0)
"""The same in standard deviations of the column."""
CLOSE, FAR = (0.05, 0.1, 0.2), (0.3, 0.5, 0.8)
"""How far distances were, and are, as parts of their range."""
LIKELY, UNLIKELY = (2.5, 3.5, 5.0), (5.0, 8.0, 11.7, 16.6)
"""Standard errors of quantiles: what chance explains, and what it does not after 30, 14 and 7 partitions."""
STEADY, RISES, FALLS = (0.05, 0.1, 0.2), (0.5, 0.8, 1.0), (0.3, 0.5)
"""Largest past errors of levels, and moves, as parts of the level."""
_WIDTH, _HEIGHT, _EDGE = 480, 400, 60
_FAR, _RARE = 32.0, 1e-4
"""Ends of the axes, which begin at 1."""
_COLOURS = ("#c60", "#080", "#06c", "#808")
_STYLE = """text { font: 12px sans-serif; fill: #444 } .grid { stroke: #ddd } .law { stroke-dasharray: 4 3 }
polyline { fill: none; stroke-width: 1.5 } rect { fill: #fff }"""


def page(sample: Sample) -> str:
    """All tables about a sample."""
    fitted, others = fit(sample), left_out(sample)
    moving = sample.moving()
    parts = [
        "# Surprises of metrics, one step ahead\n",
        f"{len(sample)} series of {len(sample.tables)} tables, {len(moving)} of which had erred before.\n",
        "## The law\n",
        _constants(fitted, others),
        "### Exponent by number of past errors\n",
        _exponents(moving, fitted),
        "### Shares of series with a surprise above x, measured and (fitted law)\n",
        _tails(moving, fitted),
        "## From series to columns\n",
        _together(sample),
        "### Chance with which as many columns alarm as their rate says, equal shares\n",
        _chances(sample),
        "## Steady levels: those that moved by more than a part of themselves, and in how many places\n",
        _steady(sample),
        "## Settled places in standard deviations of their column: those that leapt, and in how many places\n",
        _leaps(sample.where(~_of_distances(sample)), SETTLED, LEAPS),
        "## Quantiles in standard errors: those that were further, and in how many places\n",
        _leaps(sample, LIKELY, UNLIKELY, of=("unlikely", "improbable")),
        "## Distances as parts of their range, of what was alike: those that were further, and in how many places\n",
        _leaps(sample.where(_of_distances(sample)), CLOSE, FAR),
        "## Heaviness by metric\n",
        _heaviness(moving, fitted, others),
    ]
    return "\n".join(parts)


def law(sample: Sample, constants: Constants, beyond: float) -> float:
    """The share of these series that the law says are surprised by more than this."""
    numbers, counts = np.unique(np.maximum(sample.samples, FEWEST), return_counts=True)
    chances = [min(1.0, constants.chance / (n + 1.0) * beyond ** -constants.exponent(int(n))) for n in numbers.tolist()]
    return float(np.average(chances, weights=counts)) if len(sample) else 0.0


def _constants(fitted: Constants, others: Sequence[Constants]) -> str:
    present = Constants(math.nan, pooled.TAIL, pooled.TAIL_GROWTH, pooled.HEAVINESS)
    views: Mapping[str, Callable[[Constants], float]] = {
        "chance of one series": lambda one: one.chance,
        "tail": lambda one: one.tail,
        "growth of the tail": lambda one: one.growth,
        "exponent after 7 errors": lambda one: one.exponent(7),
        "exponent after 14 errors": lambda one: one.exponent(14),
        "exponent after 30 errors": lambda one: one.exponent(30),
    }
    lines = []
    for name, view in views.items():
        now = "" if math.isnan(view(present)) else f"{view(present):.2f}"
        lines.append(f"| {name} | {now} | {view(fitted):.2f} | {Spread.of([view(one) for one in others])} |")
    head = "| constant | package | fitted | leaving one table out |"
    return "\n".join([head, "|---|---|---|---|", *lines, ""])


def _exponents(moving: Sample, fitted: Constants) -> str:
    lines = [
        f"| {number} | {count} | {found:.2f} | {fitted.exponent(number):.2f} |"
        for number, found, count in exponents(moving)
    ]
    return "\n".join(["| errors | surprises | exponent | fitted |", "|---|---|---|---|", *lines, ""])


def _tails(moving: Sample, fitted: Constants) -> str:
    lines = []
    for history, some in _histories(moving):
        shares = [
            f"{100 * float((some.times > limit).mean()):.2f} ({100 * law(some, fitted, limit):.2f})" for limit in LIMITS
        ]
        lines.append(f"| {history} | {len(some)} | {' | '.join(shares)} |")
    head = f"| history | series | {' | '.join(f'x = {limit:g}, %' for limit in LIMITS)} |"
    return "\n".join([head, "|---|---|" + "---|" * len(LIMITS), *lines, ""])


def _together(sample: Sample) -> str:
    lines = [
        f"| {one.history} | {one.beyond:g} | {one.surprised} of {one.columns} | {one.metrics} | {one.factor:.2f} |"
        for one in together(sample, LIMITS[1:])
    ]
    head = "| history | x | columns with a surprise above x | metrics | metrics for each such column |"
    return "\n".join([head, "|---|---|---|---|---|", *lines, ""])


def _chances(sample: Sample) -> str:
    found = {rate: budget_chance(sample, rate) for rate in RATES}
    histories = sorted({history for chances in found.values() for history in chances})
    lines = [f"| {n} | {' | '.join(f'{found[rate].get(n, 0.0):.3f}' for rate in RATES)} |" for n in histories]
    head = f"| history | {' | '.join(f'{100 * rate:g} % of columns' for rate in RATES)} |"
    return "\n".join([head, "|---|" + "---|" * len(RATES), *lines, "", f"The package has {pooled.CHANCE:g}.\n"])


def _steady(sample: Sample) -> str:
    lines = []
    for history, some in _histories(sample):
        for most in STEADY:
            steady = some.where((some["unsteady"] > 0.0) & (some["unsteady"] <= most))
            moved = steady["moved"]
            found = [steady.where(moved > part) for part in RISES] + [steady.where(moved < -part) for part in FALLS]
            shown = " | ".join(f"{len(one)} in {len(_places(one))}" for one in found)
            lines.append(f"| {history} | {most:g} | {len(steady)} in {len(_places(some))} | {shown} |")
    moves = [f"rose by {part:g}" for part in RISES] + [f"fell by {part:g}" for part in FALLS]
    head = f"| history | largest past error | series | {' | '.join(moves)} |"
    return "\n".join([head, "|---|---|---|" + "---|" * len(moves), *lines, ""])


def _of_distances(sample: Sample) -> BoolArray:
    bounded = [entry.name for entry in metrics_for(Kind.NUMERIC, pair=True) + metrics_for(Kind.STRING, pair=True)]
    return np.isin(sample["metric"], bounded)


def _leaps(
    sample: Sample, settled: Sequence[float], leaps: Sequence[float], of: tuple[str, str] = ("unsettled", "leapt")
) -> str:
    lines, (before, now) = [], of
    for history, some in _histories(sample):
        for most in settled:
            steady = some.where((some[before] > 0.0) & (some[before] <= most))
            shown = [steady.where(steady[now] > far) for far in leaps]
            counts = " | ".join(f"{len(one)} in {len(_places(one))}" for one in shown)
            lines.append(f"| {history} | {most:g} | {len(steady)} in {len(_places(some))} | {counts} |")
    head = f"| history | furthest before | series | {' | '.join(f'beyond {far:g}' for far in leaps)} |"
    return "\n".join([head, "|---|---|---|" + "---|" * len(leaps), *lines, ""])


def _places(sample: Sample) -> set[tuple[str, int]]:
    return set(zip(sample["table"].tolist(), sample["place"].tolist(), strict=True))


def _heaviness(moving: Sample, fitted: Constants, others: Sequence[Constants]) -> str:
    lines = []
    for name, factor in sorted(fitted.heaviness.items(), key=lambda item: -item[1]):
        now = pooled.HEAVINESS.get(name)
        spread = Spread.of([one.heaviness.get(name, 1.0) for one in others])
        series = int((moving["metric"] == name).sum())
        shown = "typical" if now is None else f"{now:.2f}"
        lines.append(f"| {name} | {series} | {shown} | {factor:.2f} | {spread} |")
    head = "| metric | series | package | fitted | leaving one table out |"
    return "\n".join([head, "|---|---|---|---|---|", *lines, ""])


def plot(sample: Sample, constants: Constants) -> str:
    """P(surprise > x) of each length of history against the law, both axes logarithmic, as an SVG document."""
    moving = sample.moving()
    places = np.geomspace(1.0, _FAR, 41).tolist()
    parts = [element("style", _STYLE), element("rect", width="100%", height="100%"), *_frame()]
    for number, (history, some) in enumerate(_histories(moving)):
        colour = _COLOURS[number % len(_COLOURS)]
        measured = [(x, float((some.times > x).mean())) for x in places]
        claimed = [(x, law(some, constants, x)) for x in places]
        parts += [_line(measured, colour, "measured"), _line(claimed, colour, "law")]
        label = f"{history} partitions of history"
        y = _EDGE + 16 * number
        parts.append(element("text", label, x=_WIDTH - 36, y=y, text_anchor="end", style=f"fill: {colour}"))
    size = {"viewBox": f"0 0 {_WIDTH} {_HEIGHT}", "width": _WIDTH, "height": _HEIGHT}
    return document(element("svg", *parts, **size))


def _frame() -> list[Element]:
    bottom = _y(_RARE)
    parts = [element("text", "Series whose next error exceeds x times the largest (dashed: the law)", x=_EDGE, y=24)]
    for share in (1.0, 0.1, 0.01, 0.001, 0.0001):
        parts.append(element("line", class_="grid", x1=_x(1.0), x2=_x(_FAR), y1=_y(share), y2=_y(share)))
        parts.append(element("text", f"{100 * share:g} %", x=_x(1.0) - 6, y=_y(share) + 4, text_anchor="end"))
    for times in (1.0, 2.0, 4.0, 8.0, 16.0, 32.0):
        parts.append(element("text", f"{times:g}", x=_x(times), y=bottom + 18, text_anchor="middle"))
    parts.append(element("text", "x", x=_WIDTH / 2, y=bottom + 40, text_anchor="middle"))
    return parts


def _line(points: Sequence[tuple[float, float]], colour: str, style: str) -> Element:
    shown = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points if y >= _RARE)
    return element("polyline", points=shown, class_=style, stroke=colour)


def _x(times: float) -> float:
    return _EDGE + math.log(times) / math.log(_FAR) * (_WIDTH - 1.5 * _EDGE)


def _y(share: float) -> float:
    return _EDGE / 1.5 + math.log(max(share, _RARE)) / math.log(_RARE) * (_HEIGHT - 1.7 * _EDGE)


def _histories(sample: Sample) -> list[tuple[int, Sample]]:
    return [(int(n), sample.where(sample["history"] == n)) for n in np.unique(sample["history"]).tolist()]
