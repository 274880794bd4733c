"""What values that break a pattern look like: each cause undoes its accident, and asks the pattern again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.explain.rewriting import WORD, with_word
from airflow_dq.explain.wording import quoted
from airflow_dq.pattern import Pattern, PatternRule
from airflow_dq.pattern.language import Characters, Constant, Element, Number

CONVINCING = 0.7
"""Least share of the shown rows that a cause must explain to be named."""
_DATES = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%Y%m%d", "%d-%m-%Y", "%d %b %Y", "%b %d, %Y")
_TIMES = ("", " %H:%M:%S", "T%H:%M:%S", "T%H:%M:%SZ", " %H:%M", "T%H:%M:%S.%f", " %H:%M:%S.%f", "T%H:%M:%S%z")
_DIGITS = re.compile(r"[0-9]+")
_LONGEST_DATE = 35
"""Characters of the longest text that is read as a date with a time and a zone."""
_LONGEST_PREFIX = 20
"""Characters in front of a value that are taken for a prefix."""


class Exceptions:
    """A few values that break a rule, as the causes look at them."""

    def __init__(self, rule: PatternRule, column: str, examples: Sequence[str], usual: str | None) -> None:
        """Take the rule.

        :param examples: the values that break it
        :param usual: a value that conforms; None where none is known
        """
        self.rule, self.column, self.usual = rule, column, usual
        # What has a pattern that is possible, but none that is usual, breaks the rule only in that.
        self._has_pattern = rule.conforming
        self._has_pattern = rule.usual_of if self.conform(examples) else rule.conforming

    def conform(self, values: Sequence[str]) -> bool:
        """Whether any of some values has what the examples lack: the pattern, or a usual one."""
        return bool(pc.any(self._has_pattern(pa.array(values, pa.large_string()))).as_py())

    @cached_property
    def beginnings(self) -> str:
        """An RE2 expression of what a value of one of the patterns begins with."""
        every = (_beginnings(Pattern.parse(pattern).elements) for pattern in self.rule.patterns)
        return rf"\A(?:{'|'.join(one for found in every for one in found)})\z"

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of letters in what is constant in the patterns."""
        elements = (one for pattern in self.rule.patterns for one in Pattern.parse(pattern).elements)
        return frozenset(word for one in elements if isinstance(one, Constant) for word in WORD.findall(one.text))

    def begins(self, value: str) -> bool:
        """Whether a value is the beginning of one that conforms."""
        return bool(pc.match_substring_regex(pa.scalar(value, pa.large_string()), self.beginnings).as_py())


def cause_of(rule: PatternRule, column: str, examples: Sequence[tuple[str, int]], usual: str | None) -> str | None:
    """What most of the exceptions look like, in words; None where they have no cause in common.

    :param examples: values that break the rule, with their rows
    :param usual: a value that conforms
    """
    looked, found = Exceptions(rule, column, [value for value, _ in examples], usual), Counter[str]()
    for value, rows in examples:
        words = next((said for cause in _CAUSES if (said := cause(looked, value)) is not None), None)
        if words is not None:
            found[words] += rows
    shown = sum(rows for _, rows in examples)
    ((words, rows),) = found.most_common(1) or [("", 0)]
    return words if rows and rows >= CONVINCING * shown else None


def _header(looked: Exceptions, value: str) -> str | None:
    same = value.strip().casefold() == looked.column.strip().casefold()
    return "a header row among the data" if same else None


def _padded(looked: Exceptions, value: str) -> str | None:
    bare = value.strip()
    return "padded with blanks" if bare != value and looked.conform([bare]) else None


def _in_quotes(looked: Exceptions, value: str) -> str | None:
    quotes = len(value) > 2 and value[0] in "\"'" and value[-1] == value[0]
    return "values in quotes" if quotes and looked.conform([value[1:-1]]) else None


def _other_case(looked: Exceptions, value: str) -> str | None:
    forms = {value.upper(), value.lower(), value.swapcase(), value.title(), value.capitalize()} - {value}
    return "letters in another case" if forms and looked.conform(sorted(forms)) else None


def _other_date(looked: Exceptions, value: str) -> str | None:
    if looked.usual is None:
        return None
    now, before = _date_format(value), _date_format(looked.usual)
    return f"another date format, {now} in place of {before}" if now and before and now != before else None


def _escaped(looked: Exceptions, value: str) -> str | None:
    """JSON or a text in quotes that was written as a text once more."""
    if not (len(value) > 2 and value[0] == value[-1] == '"' and '\\"' in value):
        return None
    bare = value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return "values in quotes, with those inside of them escaped" if looked.conform([bare]) else None


def _other_word(looked: Exceptions, value: str) -> str | None:
    """A word that all values had is another one: a key that was renamed, another protocol."""
    own = set(WORD.findall(value))
    for old in looked.words - own:
        for new in own - looked.words:
            if looked.conform([with_word(new, old)(value)]):
                return f"{quoted(new)} in place of {quoted(old)}"
    return None


def _zeros_lost(looked: Exceptions, value: str) -> str | None:
    """A number in a code was written as a number: the zeros that it began with are gone."""
    old, new = ([*_DIGITS.finditer(text)] for text in (looked.usual or "", value))
    for run, was in zip(new, old, strict=False):
        padded = value[: run.start()] + run[0].zfill(len(was[0])) + value[run.end() :]
        if was[0].startswith("0") and padded != value and looked.conform([padded]):
            return "leading zeros lost"
    return None


def _cut(looked: Exceptions, value: str) -> str | None:
    short = looked.usual is None or len(value) < len(looked.usual)
    return "values cut short" if short and looked.begins(value) else None


def _new_prefix(looked: Exceptions, value: str) -> str | None:
    for length in range(1, min(_LONGEST_PREFIX, len(value) - 1) + 1):
        if looked.conform([value[length:]]):
            return f"a new prefix {quoted(value[:length])}"
    if looked.usual is None:
        return None
    old, new = _first_run(looked.usual), _first_run(value)
    # The same behind another first word: put the old one in its place.
    if old and new and old != new and looked.conform([old + value[len(new) :]]):
        return f"a new prefix {quoted(new)} in place of {quoted(old)}"
    return None


_CAUSES: tuple[Callable[[Exceptions, str], str | None], ...] = (
    _header,
    _padded,
    _in_quotes,
    _other_case,
    _other_date,
    _escaped,
    _new_prefix,
    _other_word,
    _zeros_lost,
    _cut,
)
"""The nearest first: what is undone by the least change."""


def _first_run(value: str) -> str:
    """The letters that a value begins with, or its digits."""
    first = value[:1]
    same = str.isalpha if first.isalpha() else str.isdigit
    end = next((place for place, one in enumerate(value) if not same(one)), len(value))
    return value[:end]


def _date_format(value: str) -> str | None:
    """The format of a date or a moment as text; None where it is none."""
    if not 6 <= len(value) <= _LONGEST_DATE:
        return None
    for day in _DATES:
        for hour in _TIMES:
            try:
                datetime.strptime(value, day + hour)
            except ValueError:
                continue
            return _readable(day + hour)
    return None


def _readable(format: str) -> str:
    words = {
        "%Y": "YYYY",
        "%m": "MM",
        "%d": "DD",
        "%H": "hh",
        "%M": "mm",
        "%S": "ss",
        "%b": "Mon",
        "%f": "f",
        "%z": "z",
    }
    for code, word in words.items():
        format = format.replace(code, word)
    return format


def _beginnings(elements: Sequence[Element]) -> list[str]:
    """Expressions of all proper beginnings: some whole elements, and a part of the next one."""
    found, whole = [], ""
    for element in elements:
        found.append(whole + _part(element))
        whole += element.expression
    return found


def _part(element: Element) -> str:
    """An expression of a part of an element, from its start."""
    if isinstance(element, Constant):
        parts = [Constant(element.text[:length]).expression for length in range(1, len(element.text))]
        return f"(?:{'|'.join(parts)})?" if parts else ""
    if isinstance(element, Number):
        return r"[+-]?[0-9]*\.?"
    assert isinstance(element, Characters)
    one = Characters(element.members).expression
    if element.most is None:
        return f"{one}*"
    return f"{one}{{0,{element.most - 1}}}" if element.most > 1 else ""
