"""A dataset's newest partitions as one small picture: thirty marks, the odd ones in colour and named."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from xml.etree.ElementTree import Element

from airflow_dq.report.pages.mark import WOULD, WOULD_HAVE, Badge, badge
from airflow_dq.report.svg import element
from airflow_dq.store.summary import PartitionMark

MARKS = 30
"""Partitions in a strip: a month of days."""
_STEP, _WIDTH, HEIGHT = 6, 5, 18
"""In pixels: from one mark to the next, a mark, and how high it is."""
_OUTLINES = [f"M{_STEP * place} 0h{_WIDTH}v{HEIGHT}h-{_WIDTH}z" for place in range(MARKS)]
_badge = cache(badge)
"""A page has thirty thousand of a dozen."""


def strip_drawing(marks: Sequence[PartitionMark]) -> Element:
    """The strip, newest on the right; a partition that did not simply pass says which it is when it is pointed at.

    Those that passed are one path: a page of a thousand strips has thirty thousand marks.
    """
    marks = marks[-MARKS:]
    shown = [_shown(mark) for mark in marks]
    alike: dict[str, list[int]] = defaultdict(list)
    odd: list[Element] = []
    for place, (mark, one) in enumerate(zip(marks, shown, strict=True), MARKS - len(marks)):
        if mark.decision is None and one.tone.removesuffix(WOULD) in ("good", "plain", "wait"):
            alike[one.tone].append(place)
        else:
            odd.append(_named(mark, one, place))
    return element(
        "svg",
        element("title", strip_words(one.words for one in shown)),
        *(element("path", class_=colour, d=_path(places)) for colour, places in alike.items()),
        *odd,
        class_="marks",
        viewBox=f"0 0 {_STEP * MARKS - 1} {HEIGHT}",
        role="img",
    )


def _shown(mark: PartitionMark) -> Badge:
    if mark.verdict is not None or mark.replayed is None:
        return _badge(mark.verdict, mark.severity, mark.decision)
    told = _badge(mark.replayed, None, None)
    return Badge(WOULD_HAVE.get(mark.replayed, told.words), told.tone + WOULD)


def _named(mark: PartitionMark, shown: Badge, place: int) -> Element:
    tip = element("title", f"{mark.partition}: {shown.words}")
    colour = shown.tone if mark.decision is None else f"{shown.tone} decided"
    return element("rect", tip, class_=colour, x=_STEP * place, y=0, width=_WIDTH, height=HEIGHT, rx=1)


def strip_words(shown: Iterable[str]) -> str:
    """``28 passed, 2 failed``: what somebody hears who does not see it."""
    counts = Counter(shown)
    return ", ".join(f"{number} {words}" for words, number in counts.items()) or "no partition"


def _path(places: Iterable[int]) -> str:
    return "".join(map(_OUTLINES.__getitem__, places))
