"""Which values have a pattern beyond doubt, by a look at their bytes: most of a column, in a tenth of RE2's time.

What is not accepted here is no exception yet: the rule itself is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.pattern import Pattern, PatternRule
from airflow_dq.pattern.language import Characters, Constant, Element, Number
from airflow_dq.states.array import string_bytes

Flags = NDArray[np.bool_]
_ASCII = pa.array([chr(code) for code in range(128)], pa.large_string())
_BLANK = np.array([code < 128 and chr(code).isspace() for code in range(256)])
_WIDEST = 64
"""Characters of a value that are looked at one by one: of longer ones RE2 is as fast."""


@dataclass(frozen=True, slots=True, eq=False)
class FixedPattern:
    """A pattern of so many characters, each of some ASCII ones."""

    allowed: NDArray[np.uint8]
    """Of each byte the kinds of place that may hold it, a bit for each."""
    asked: NDArray[np.uint8]
    """Of each place its kind."""

    def accepts(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Flags:
        """Value by value, whether it has the pattern."""
        width = len(self.asked)
        right = np.asarray(np.diff(offsets) == width)
        rows = np.flatnonzero(right)
        whole = data[offsets[0] : offsets[-1]]
        table = whole if len(rows) == len(right) else data[(offsets[rows][:, None] + np.arange(width)).ravel()]
        kinds = _translated(table, self.allowed).reshape(-1, width)
        # Wrong places are few: to look for them takes a fraction of asking each value for all of its own.
        wrong = np.flatnonzero((kinds & self.asked) == 0)
        right[rows[wrong // width]] = False
        return right


@dataclass(frozen=True, slots=True, eq=False)
class RunPattern:
    """A pattern of one run of ASCII characters, of which one may be asked for."""

    allowed: NDArray[np.uint8]
    """Of each byte, whether the run may hold it: 2 where it is one that every value needs."""
    least: int
    most: int

    def accepts(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Flags:
        """Value by value, whether it has the pattern; none of them is empty."""
        lengths = np.diff(offsets)
        right = np.asarray((lengths >= self.least) & (lengths <= self.most))
        kinds = _translated(data[offsets[0] : offsets[-1]], self.allowed)
        others = np.flatnonzero(kinds == 0)
        right[np.searchsorted(offsets - offsets[0], others, side="right") - 1] = False
        if self.allowed.max() > 1:
            right &= np.maximum.reduceat(kinds, offsets[:-1] - offsets[0]) > 1
        return right


class QuickPattern:
    """The patterns of a rule that bytes can tell."""

    def __init__(self, rule: PatternRule) -> None:
        """Take the rule; of a pattern of another form nothing is accepted.

        What is usual is accepted where its form shows that it conforms, too: then the wide patterns need not be asked.
        """
        most = np.iinfo(np.int64).max if rule.max_length is None else rule.max_length
        wide = [Pattern.parse(pattern).elements for pattern in rule.patterns]
        usual = [Pattern.parse(pattern).elements for pattern in rule.usual] or wide
        sure = [one for one in usual if any(implies(one, other) for other in wide)]
        found = (_quick(elements, rule.min_length, most) for elements in sure)
        self._patterns = [one for one in found if one is not None]

    def accepts(self, values: pa.LargeStringArray) -> Flags:
        """Value by value, whether it conforms beyond doubt.

        :param values: strings without nulls, none of them empty
        """
        right = np.zeros(len(values), np.bool_)
        if not self._patterns or not len(values):
            return right
        data, offsets = string_bytes(values)
        for pattern in self._patterns:
            right |= pattern.accepts(data, offsets)
            if right.all():
                break
        return right


def _quick(elements: Sequence[Element], least: int, most: int) -> FixedPattern | RunPattern | None:
    """The quick form of a pattern; None where it has none, or where a blank value might have the pattern."""
    if len(elements) == 1 and isinstance(elements[0], Characters) and elements[0].least != elements[0].most:
        run = elements[0]
        allowed, longest = _members(run.members), most if run.most is None else min(most, run.most)
        if (allowed & _BLANK).any():
            return None
        return RunPattern(allowed.astype(np.uint8), max(least, run.least), longest)
    if (needing := _needing(elements)) is not None:
        return RunPattern(needing, max(least, 1), most)
    places = _places(elements)
    if places is None or not least <= len(places) <= min(most, _WIDEST):
        return None
    kinds = list({place.tobytes(): place for place in places}.values())
    if len(kinds) > 8 or all((place & _BLANK).any() for place in places):
        return None
    bits = {place.tobytes(): np.uint8(1 << number) for number, place in enumerate(kinds)}
    kinds_of = np.zeros(256, np.uint8)
    for place in kinds:
        kinds_of[place] |= bits[place.tobytes()]
    return FixedPattern(kinds_of, np.array([bits[place.tobytes()] for place in places], np.uint8))


def _needing(elements: Sequence[Element]) -> NDArray[np.uint8] | None:
    """Of each byte, what it is to a run of which one character is asked for; None of a pattern of another form."""
    if len(elements) != 3:
        return None
    before, one, after = elements
    if not (isinstance(before, Characters) and isinstance(after, Characters)):
        return None
    needed = _places([one]) or []
    if (before.least, before.most, after.least, after.most, len(needed)) != (0, None, 0, None, 1):
        return None
    first, allowed = _members(before.members), _members(after.members)
    # Whatever stands before the first of those that are asked for is none of them.
    if not np.array_equal(first | needed[0], allowed) or (needed[0] & _BLANK).any():
        return None
    return allowed.astype(np.uint8) + needed[0]


def _places(elements: Sequence[Element]) -> list[Flags] | None:
    """What each place of a value may hold; None where values differ in length, or hold more than ASCII."""
    places: list[Flags] = []
    for element in elements:
        if isinstance(element, Constant) and element.text.isascii():
            places += [np.arange(256) == ord(character) for character in element.text]
        elif isinstance(element, Characters) and element.least == element.most:
            places += [_members(element.members)] * element.least
        else:
            return None
    return places


@lru_cache(maxsize=256)
def _members(members: tuple[str, ...]) -> Flags:
    """Which bytes are one of the characters: none that begins or goes on with one beyond ASCII."""
    one = pc.match_substring_regex(_ASCII, rf"\A{Characters(members).expression}\z")
    return np.concatenate([one.to_numpy(zero_copy_only=False), np.zeros(128, np.bool_)])


def implies(narrow: Sequence[Element], wide: Sequence[Element]) -> bool:
    """Whether the form of two patterns shows that whatever has the one has the other; False where it is not plain."""
    if narrow == wide:
        return True
    if len(narrow) == len(wide) == 1 and isinstance(narrow[0], Characters) and isinstance(wide[0], Characters):
        inner, outer = narrow[0], wide[0]
        longest = outer.most is None or (inner.most is not None and inner.most <= outer.most)
        return longest and inner.least >= outer.least and _within(_members(inner.members), _members(outer.members))
    if len(wide) == 1 and isinstance(wide[0], Characters) and (wide[0].least, wide[0].most) == (1, None):
        needing = _needing(narrow)
        if needing is not None:
            return _within(needing > 0, _members(wide[0].members))
    places, steps = _places(narrow), _steps(wide)
    if places is None or steps is None:
        return False
    # The wide pattern as a machine: where in it one may be after each place, whatever character stands there.
    at = _reached({0}, steps)
    for place in places:
        at = {
            after
            for step in at
            if step < len(steps) and _within(place, steps[step].allowed)
            for after in ((step, step + 1) if steps[step].repeats else (step + 1,))
        }
        at = _reached(at, steps)
    return len(steps) in at


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """A character of a wide pattern."""

    allowed: Flags
    optional: bool
    repeats: bool


def _steps(elements: Sequence[Element]) -> list[_Step] | None:
    """A pattern's characters one by one; None of one that is not plain, or too long to be worth it."""
    steps: list[_Step] = []
    for element in elements:
        if isinstance(element, Constant) and element.text.isascii():
            steps += [_Step(np.arange(256) == ord(character), False, False) for character in element.text]
        elif isinstance(element, Characters) and element.least <= _WIDEST:
            allowed = _members(element.members)
            steps += [_Step(allowed, False, False)] * element.least
            if element.most is None:
                steps.append(_Step(allowed, True, True))
            else:
                steps += [_Step(allowed, True, False)] * min(element.most - element.least, _WIDEST)
        elif isinstance(element, Number):
            # Without decimals: less than it is, which shows no less.
            digit, sign = _members(("digit",)), _members(("+", "-"))
            steps += [_Step(sign, True, False), _Step(digit, False, False), _Step(digit, True, True)]
        else:
            return None
    return steps


def _reached(at: set[int], steps: Sequence[_Step]) -> set[int]:
    """With what lies behind optional steps."""
    found = set(at)
    for step in range(len(steps)):
        if step in found and steps[step].optional:
            found.add(step + 1)
    return found


def _within(narrow: Flags, wide: Flags) -> bool:
    return not (narrow & ~wide).any()


def _translated(data: NDArray[np.uint8], table: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Each byte's entry, as the standard library looks it up: ten times as fast as an index of an array."""
    return np.frombuffer(data.tobytes().translate(table.tobytes()), np.uint8)
