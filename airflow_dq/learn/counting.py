"""Texts that count up: ids that a database hands out, bare or in a fixed frame (``ORD-9999``, ``17-A``).

Their digits say nothing but how far the number has come; how many digits there are changes on the day that it needs
one more, and that is no news.  What stands around the number never changes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from airflow_dq.pattern import Pattern, PatternRule
from airflow_dq.pattern.language import Characters, Constant, Element
from airflow_dq.pattern.null_word import ACCEPTED, is_null_word
from airflow_dq.pattern.number import parsed
from airflow_dq.pattern.shape import CALENDAR
from airflow_dq.pattern.text import present
from airflow_dq.profile.model import ColumnProfile
from airflow_dq.states.base import Kind
from airflow_dq.states.text_sample import TextSample

NEWEST = 4
"""Partitions that are looked at: that each of four goes on where the one before ended happens to no other column."""
NEARLY_ALL = 0.99
"""Of the values of a column of ids; a few may be written otherwise, or be there twice."""
DENSE = 10.0
"""Of the numbers from the least to the largest at least every tenth is there, and hardly any twice, where a partition
stands alone.  Of fifty that are drawn from so few, some are twice; and other tables take theirs from the sequence."""
IN_A_ROW = 1.1
"""Where other numbers stand beside them hardly one is left out: it may be two of them together that are never twice."""
NARROW = 0.05
"""Numbers of a single partition lie within this part of all that have so many digits: what a day of orders takes up."""
ENOUGH = 50
"""So many different numbers are there then, and wherever another number stands beside them: a few numbers in a row are
a list, and the days of a month grow too."""
MOST = 8
"""Frames of one column: more are names."""
FAR = 10_000
"""Partitions within which a rule's number may get another digit: days of a lifetime, hours of a year."""
SOON = 30
"""Partitions within which one that gets another digit is waited for: a month of days, whatever is late or comes in
one piece."""
_NUMBERS = re.compile("([0-9]+)")
_WORDS = re.compile("[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Place:
    """The numbers that stand at one place of a frame."""

    low: int
    high: int
    shortest: int
    """Digits, leading zeros included."""
    longest: int
    growth: int
    """How far the number comes in one partition; 0: it does not count."""

    def digits(self, partitions: int) -> int:
        """The most digits after so many more partitions."""
        return max(self.longest, len(str(self.high + partitions * self.growth)))

    @property
    def gets_longer(self) -> bool:
        """Whether some numbers have, or soon will have, a digit more than others had."""
        return self.growth > 0 and self.digits(SOON) > self.shortest

    @property
    def begins_anew(self) -> bool:
        """Whether they have, or soon will have, another first digit."""
        return self.gets_longer or str(self.high + SOON * self.growth)[0] != str(self.low)[0]

    @property
    def element(self) -> Characters:
        """What may stand there later.  A number that counts never has fewer digits than it had."""
        if self.growth:
            # Whoever wrote leading zeros left room: then there is one digit more when there is no room left.
            room = self.shortest > len(str(self.low)) and 2 * self.high < 10**self.longest
            return Characters(("digit",), self.shortest, self.longest if room else self.digits(FAR))
        fixed = self.shortest == self.longest and (
            self.low == self.high or self.longest > 3 or self.longest > len(str(self.low))
        )
        # A year and a code have their length, what is small and varies has none.
        return Characters(("digit",), self.longest if fixed else 1, self.longest + (not fixed))


@dataclass(frozen=True, slots=True)
class Frame:
    """The same text around numbers, of which one or more count up."""

    texts: tuple[str, ...]
    """What stands before the first number, between, and behind the last one."""
    places: tuple[Place, ...]

    @property
    def pattern(self) -> str:
        """As a person writes it: the texts, and from how many to how many digits may stand between."""
        elements: list[Element] = []
        for text, place in zip(self.texts, (*self.places, None), strict=True):
            elements += [Constant(text)] if text else []
            elements += [place.element] if place else []
        return str(Pattern(tuple(elements)))


@dataclass(frozen=True, slots=True)
class Count:
    """A column of ids: one frame, or one for each country, kind or shop."""

    frames: tuple[Frame, ...]

    @property
    def is_bare(self) -> bool:
        """Whether values are numbers and nothing else: how large they are is measured."""
        (frame, *others) = self.frames
        return not others and frame.texts == ("", "") and frame.places[0].shortest == len(str(frame.places[0].low))

    @property
    def begins_anew(self) -> bool:
        """Whether values soon begin otherwise than they did."""
        return any(not frame.texts[0] and frame.places[0].begins_anew for frame in self.frames)

    @property
    def more_digits(self) -> int:
        """Digits that values may soon have more than they had."""
        return max(sum(place.gets_longer for place in frame.places) for frame in self.frames)

    def rule(self, values: Iterable[str]) -> PatternRule:
        """The frames as patterns.

        :param values: what the column was learned from
        """
        counts = Counter(present(values))
        words = [value for value in counts if is_null_word(value)]
        patterns = tuple(frame.pattern for frame in self.frames)
        rule = PatternRule(
            patterns,
            null_words=tuple(dict.fromkeys([*words, *ACCEPTED])),
            values=counts.total(),
            distinct=len(counts),
            # A value of another form in all rows is one new value only, and a set without a usual one.
            usual=(*patterns, *(str(Constant(word)) for word in words)),
        )
        seen = rule.count(counts)
        return replace(rule, nonconforming=seen.nonconforming, unusual=seen.unusual)


def count_of(columns: Sequence[ColumnProfile | None]) -> Count | None:
    """How a column of texts counts up; None where it does not.

    In each of its frames numbers go on where they stopped, or each partition has numbers that leave few out.

    :param columns: the column in past partitions, oldest first
    """
    newest = [one for one in columns[-NEWEST:] if one is not None]
    framed = [found for one in newest if (found := _framed(one))]
    every = sorted({texts for found in framed for texts in found})
    if not framed or len(framed) < len(newest) or len(every) > MOST:
        return None
    unique = [_unique(one) if len(every) == 1 else 0.0 for one in newest]
    frames = []
    for texts in every:
        rows = [found[texts] for found in framed if texts in found]
        numbers = ([[row[place] for row in part] for part in rows] for place in range(len(texts) - 1))
        frame = Frame(texts, tuple(_place(one, len(texts) == 2, unique[: len(rows)]) for one in numbers))
        if not any(place.growth for place in frame.places):
            return None
        frames.append(frame)
    return Count(tuple(frames))


def _framed(column: ColumnProfile) -> dict[tuple[str, ...], list[list[str]]]:
    """The frames of nearly all different texts, and the numbers in each; nothing where there is none, or too many."""
    state = column.states.get(TextSample.key)
    if column.kind is not Kind.STRING or not isinstance(state, TextSample) or state.longer:
        return {}
    found: dict[tuple[str, ...], list[list[str]]] = {}
    for text in present(state.values.to_pylist()):
        if not is_null_word(text):
            parts = _NUMBERS.split(text)
            found.setdefault(tuple(parts[::2]), []).append(parts[1::2])
    left = sum(map(len, found.values()))
    stray = (1 - NEARLY_ALL) * left
    frames = dict(sorted(found.items(), key=lambda one: -len(one[1]))[:MOST])
    for texts in frames:
        left -= len(frames[texts])
        if len(texts) == 1 or _is_other(texts):
            return {}
        if left <= stray:
            return {one: rows for one, rows in frames.items() if len(rows) >= len(frames[texts])}
    return {}


def _is_other(frame: tuple[str, ...]) -> bool:
    """Whether numbers are parts of an amount, which falls as well as it rises, or of a date with a month's name."""
    amount = len(frame) > 2 and parsed("0".join(frame)) is not None
    return amount or any(word.lower() in CALENDAR for text in frame for word in _WORDS.findall(text))


def _unique(column: ColumnProfile) -> float:
    """How many values a column has where hardly any comes twice; else 0."""
    ratio, values = column.metrics.get("unique_ratio"), column.metrics.get("dist_val_count")
    if not isinstance(ratio, float) or not isinstance(values, float) or ratio < NEARLY_ALL:
        return 0.0
    return values


def _place(texts: Sequence[Sequence[str]], bare: bool, unique: Sequence[float]) -> Place:
    """What is known of one place.

    :param texts: of each partition
    :param bare: whether no other number stands in the frame
    :param unique: how many values each partition has, where they are different ones
    """
    known = [sorted(set(map(int, one))) for one in texts]
    spans = [1 + one[-1] - one[0] for one in known]
    low, high, every = min(one[0] for one in known), max(one[-1] for one in known), set().union(*known)
    lengths = [len(text) for one in texts for text in one]
    goes_on = len(known) > 1 and all(sum(after) > before[-1] * len(after) for before, after in pairwise(known))
    many = len(every) >= ENOUGH
    leave_few_out = all(
        span <= (DENSE if bare else IN_A_ROW) * values and len(one) >= NEARLY_ALL * len(rows)
        for span, values, one, rows in zip(spans, unique, known, texts, strict=True)
    )
    narrow = len(known) == 1 and spans[0] <= NARROW * 10 ** max(lengths)
    counts = (many and (goes_on or leave_few_out or narrow)) or (goes_on and bare and len(known) == NEWEST)
    growth = max(*spans, (high - low) // len(known)) if counts else 0
    return Place(low, high, min(lengths), max(lengths), growth)
