"""Columns of numbers written as text: signs, grouped thousands, decimals, a unit before or after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from airflow_dq.pattern.language import Characters, Constant, Element, Pattern

_WHOLE = re.compile(
    r"(?P<lead> *)(?P<before>[$€£¥#<>~±(]?)(?P<gap> *)(?P<sign>[+-]?)"
    r"(?:(?P<grouped>[0-9]{1,3}(?:(?P<mark>[, '\u00a0\u202f])[0-9]{3})+)|(?P<digits>[0-9]*))"
    r"(?:(?P<point>[.,])(?P<decimals>[0-9]+))?(?P<power>[eE][+-]?[0-9]+)?(?P<after>[%)]?)(?P<trail> *)"
)


_MINOR = 0.3
"""Share of numbers without decimals up to which these are unusual among the others."""
_FEW = 8
"""Distinct numbers below which another sign or number of decimals is still usual."""
_NEXT_TO_NONE = 3
"""Distinct numbers up to which any other way of writing one is possible: zeros may be all that there is so far of
amounts with grouped thousands."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A value that is a number, in parts."""

    lead: int
    before: str
    gap: int
    sign: str
    whole: str
    mark: str
    point: str
    decimals: int
    power: bool
    after: str
    trail: int


def parsed(value: str) -> Parsed | None:
    """The parts of a number; None when the value is none."""
    if len(value) > 60 or not (m := _WHOLE.fullmatch(value)):
        return None
    whole = m["grouped"] or m["digits"]
    if not whole and not m["decimals"]:
        return None
    return Parsed(
        len(m["lead"]),
        m["before"],
        len(m["gap"]),
        m["sign"],
        whole,
        m["mark"] or "",
        m["point"] or "",
        len(m["decimals"] or ""),
        bool(m["power"]),
        m["after"],
        len(m["trail"]),
    )


def _spaces(counts: list[int]) -> list[Element]:
    high = max(counts)
    if not high:
        return []
    return [Characters((" ",), 0, high + 8)]


def _grouped(marks: set[str]) -> list[Element]:
    mark = tuple(sorted(marks))
    return [Characters(("digit",), 1, 3), Characters(mark, 1, 1), Characters(("digit", *mark), 3, 21)]


def _any_number(head: Sequence[Element], tail: Sequence[Element]) -> list[Pattern]:
    sign = Characters(("-",), 0, 1)
    wholes: list[list[Element]] = [[Characters(("digit",), 1, 12)], _grouped({","})]
    decimals: list[list[Element]] = [[], [Constant("."), Characters(("digit",), 1, 9)]]
    return [Pattern((*head, sign, *whole, *more, *tail)) for whole in wholes for more in decimals]


def number_patterns(numbers: Sequence[Parsed], wide: bool, ascending: bool = False) -> list[Pattern]:
    """Patterns of a column of numbers.

    :param wide: what later values may be as well: another digit, a sign, no decimals
    """
    head = _spaces([n.lead for n in numbers])
    for before in [{n.before for n in numbers}]:
        if any(before):
            head.append(Characters(tuple(sorted(b for b in before if b)), 0 if "" in before else 1, 1))
    head += _spaces([n.gap for n in numbers])
    signs = {n.sign for n in numbers}
    marks = {n.mark for n in numbers if n.mark}
    points = {n.point for n in numbers if n.point}
    lengths = sorted(len(n.whole) for n in numbers)
    low, high = lengths[0], lengths[-1]
    few = len(numbers) < 20
    padded = low > 1 and any(n.whole[0] == "0" for n in numbers)
    same = low == high and (low >= 4 or padded) and not points and not marks and not any(signs)
    sign: list[Element] = []
    if any(signs) or (points and (wide or len(numbers) < _FEW)):
        sign = [Characters(tuple(sorted({s for s in signs if s} or {"-"})), 0, 1)]
    if wide:
        low, high = 0 if low == 0 else 1, high + (int(few) if same else 2 if few else 1)
    elif not same:
        low = max(1, low - (2 if few else 1)) if low > 3 else min(low, 1)
        # The largest is close to having one digit more, or will be.
        largest = max((int(n.whole) for n in numbers if n.whole.isdigit()), default=0)
        high += 2 if few and high > 3 else int(few or high < 2 or ascending or largest * 2 >= 10**high)
    wholes: list[list[Element]] = [[Characters(("digit",), low, high)]] if high else [[]]
    if marks:
        # A number that is grouped has no more than three digits before its first mark; a year among them has four.
        plain = max([4, *(len(n.whole) for n in numbers if not n.mark)]) if wide else 3
        wholes = [_grouped(marks)]
        # One below a thousand is written in the same way, and how many are says how large the numbers are: in a column
        # sorted by them all later ones may be.
        if wide or len(numbers) < _FEW or not all(n.mark for n in numbers):
            wholes.append([Characters(("digit",), 1, plain)])
    elif wide and not same and lengths[-1] in (3, 4) and not points:
        # Small numbers written with grouping look like these until one reaches a thousand.
        wholes.append(_grouped({","}))
    tail: list[Element] = []
    after = {n.after for n in numbers}
    if any(after):
        tail.append(Characters(tuple(sorted(a for a in after if a)), 0 if "" in after else 1, 1))
    tail += _spaces([n.trail for n in numbers])
    found = []
    places = [n.decimals for n in numbers if n.decimals]
    if wide or len(numbers) - len(places) > _MINOR * len(numbers):
        found += [Pattern((*head, *sign, *whole, *tail)) for whole in wholes if whole]
    if places and (wide or len(places) > 0.1 * len(numbers)):
        few_places, many = min(places), max(places)
        if wide or few_places != many or len(numbers) < _FEW:
            few_places, many = 1, many * 3 // 2 + 1
        point = Characters(tuple(sorted(points)), 1, 1) if len(points) > 1 else Constant(next(iter(points)))
        found += [
            Pattern((*head, *sign, *whole, point, Characters(("digit",), few_places, many), *tail)) for whole in wholes
        ]
    if any(n.power for n in numbers) or (wide and places and max(places) >= 10):
        found.append(
            Pattern(
                (
                    *head,
                    *sign,
                    Characters(("digit", "."), 1, 24),
                    Characters(("e", "E"), 1, 1),
                    Characters(("+", "-"), 0, 1),
                    Characters(("digit",), 1, 3),
                    *tail,
                )
            )
        )
    if wide and len(numbers) <= _NEXT_TO_NONE:
        found += _any_number(head, tail)
    return [p for p in found if p.elements]
