"""What a column's values look like, twice: what later values may be, and what most of them are.

The *wide* patterns generalise far: another digit, a sign, any character where few values were seen.  They seldom cry
wolf, and a value outside them is odd by itself.  The *usual* ones stay close to the values seen.  A later
value outside them is nothing; a set of values that is mostly outside is another column's, or has changed its format.

How often later values fall outside is estimated by cross-validation over the distinct values, in their order: what
two thirds of them say of the rest.  A value that comes again is of no new form, so each counts once.  A column that
keeps showing new forms is judged leniently by its own record.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.pattern.language import Pattern, one_of
from airflow_dq.pattern.number import number_patterns, parsed
from airflow_dq.pattern.shape import Shape, free_pattern, shape, shape_patterns, tokens

_NUMERIC = 0.8
"""Share of numbers from which a column is one of numbers, with something else among them."""
_SHAPES = 4
"""Shapes that are told apart; what has more of them is described by its characters."""
_COVERED = 0.97
"""Share of the values that these shapes must cover."""
_FEW = 8
"""Distinct values below which a shape has not been seen often enough to be all there is."""
_FOLDS = 3
"""Thirds: half of the values says less than all of them do, of a column that is sorted next to nothing, and of each
fold more an expression is to be made, a millisecond of the five that learning may take."""
_UNORDERED = 20
"""One neighbour in so many may break the order: headers among the values, or where another series of ids begins."""
_LENGTHS = 3
"""Numbers of parts that lists have, from which on the next list may have any."""
_STRAY = 20
"""One value in so many must have as many parts: fewer are damaged, or another thing that stands among the values."""
_HEAD = 40
"""Characters that order ids: what counts up stands in them."""
_RUNS = re.compile(r"[0-9]{1,15}|[^0-9]+")


def _natural(value: str) -> list[tuple[str, int]]:
    """Orders ``B2`` before ``B10``: ids that are handed out one after the other."""
    return [("0", int(run)) if run[0] in string.digits else (run, 0) for run in _RUNS.findall(value[:_HEAD])]


def _is_ordered(body: Sequence[str]) -> bool:
    """Whether distinct values ascend, or ascend or descend naturally, but for few; most are found not to early."""
    up = down = plain = len(body) // _UNORDERED
    before = _natural(body[0])
    for i in range(1, len(body)):
        now = _natural(body[i])
        ascends = before <= now
        up, down, plain = up - (not ascends), down - ascends, plain - (body[i - 1] >= body[i])
        if up < 0 and down < 0 and plain < 0:
            return False
        before = now
    return True


Form = Literal["wide", "usual", "characters"]
"""``characters``: what is usual where no shape is, namely how values begin and end and what they are made of."""


class Fit:
    """The distinct values of a column, taken apart once, and the patterns of any part of them."""

    def __init__(self, body: Sequence[str]) -> None:
        """Take values apart.

        :param body: distinct values in the order of their first occurrence, without null words
        """
        self._body = body
        self._array = pa.array(body, pa.large_string())
        numbers = [parsed(value) for value in body]
        numeric = sum(n is not None for n in numbers) >= _NUMERIC * len(body)
        self._numbers = numbers if numeric else [None] * len(body)
        self.rows = [
            tokens(value) if number is None else None for value, number in zip(body, self._numbers, strict=True)
        ]
        self._shapes = [() if row is None else shape(row) for row in self.rows]
        self.numeric = numeric
        self._drifting = len(body) > 2 and _is_ordered(body)
        whole = [int(n.whole) for n in self._numbers if n and n.whole.isdigit()]
        self._ascending = len(whole) > 2 and whole == sorted(whole)

    @cached_property
    def listed(self) -> bool:
        """Whether values are lists of two parts, of three, of four: shapes differ in how often one separator comes."""
        lengths: dict[tuple[str, ...], Counter[int]] = {}
        for form, values in Counter(self._shapes).items():
            between = tuple("".join(symbols) for part, symbols in groupby(form, bool) if part)
            for separator in set(between):
                rest = tuple(one for one in between if one != separator)
                lengths.setdefault((separator, *rest), Counter())[len(between) - len(rest)] += values
        least = len(self._body) / _STRAY
        return any(sum(values >= least for values in found.values()) >= _LENGTHS for found in lengths.values())

    def patterns(self, form: Form, chosen: Sequence[int] | None = None) -> list[Pattern]:
        """The patterns of the values, in one of three forms.

        :param chosen: places of the values that are looked at; None: all
        """
        places = range(len(self._body)) if chosen is None else chosen
        numbers = [n for i in places if (n := self._numbers[i]) is not None]
        textual = [i for i in places if self.rows[i] is not None]
        rows, shapes = [self.rows[i] or [] for i in textual], [self._shapes[i] for i in textual]
        wide = form == "wide"
        found = number_patterns(numbers, wide, self._ascending) if numbers else []
        if not rows or (numbers and len(rows) * 50 < len(places)):
            return found
        if form == "characters" or (wide and (self.listed or self._too_many_shapes(shapes, bool(numbers)))):
            return [*found, *free_pattern(rows, self._drifting, wide)]
        return [*found, *shape_patterns(rows, shapes, wide, self._drifting, _SHAPES)]

    def _too_many_shapes(self, rows: Sequence[Shape], among_numbers: bool) -> bool:
        shapes = Counter(rows)
        covered = sum(count for _, count in shapes.most_common(_SHAPES))
        once = sum(count == 1 for count in shapes.values())
        # Good and Turing: the share of shapes seen once is the share of values whose shape has not been seen.
        many = len(shapes) > 1 and len(shapes) * 6 > len(rows)
        return (
            many
            or (len(rows) < _FEW and not among_numbers)
            or covered < _COVERED * len(rows)
            or once * 30 > len(rows) + 15
        )

    def missed(self, form: Form) -> int:
        """How many of the distinct values are outside what the rest of them says."""
        size = len(self._body)
        inside = 0
        if size < _FOLDS:
            return 0
        for fold in range(_FOLDS):
            start, end = fold * size // _FOLDS, (fold + 1) * size // _FOLDS
            expression = one_of(self.patterns(form, [*range(start), *range(end, size)]))
            inside += pc.match_substring_regex(self._array.slice(start, end - start), expression).true_count
        return size - inside
