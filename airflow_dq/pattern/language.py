r"""The language of patterns: what a person reads and writes, and the RE2 expression that it means.

A pattern is a sequence of elements (Auto-Validate, section 2.1 and Figure 4).  A constant stands for itself; a class of
characters stands in angle brackets, with how many of them follow: ``<digit>{4}-<digit>{2}``, ``ORD-<digit>+``,
``<upper|digit|->{3,12}``.  ``<num>`` is a number with an optional sign and decimals.  ``\<`` and ``\\`` are the
characters ``<`` and ``\`` themselves, as ``\+``, ``\?`` and ``\{`` are behind a class.

Classes are ASCII: a Cyrillic letter among Latin ones is what a pattern should find.  Whatever is not printable ASCII
is ``<other>``; a letter of any alphabet is ``<letter|other>``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.pattern.text import readable

CLASSES = {
    "digit": "0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "letter": "A-Za-z",
    "alnum": "0-9A-Za-z",
    "hex": "0-9a-f",
    "HEX": "0-9A-F",
    "symbol": r"\x20-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "other": r"\x00-\x1f\x7f-\x{10ffff}",
    "any": r"\x00-\x{10ffff}",
}
"""Class -> the ranges of an RE2 bracket expression."""
NUMBER = "num"
_NUMBER_EXPRESSION = r"[+-]?[0-9]+(?:\.[0-9]+)?"
_LARGEST_REPEAT = 1000
"""RE2 refuses longer repetitions; a longer run is written ``+`` and held by the rule's length range."""
_LARGEST_PATTERN = 100_000
"""Characters of a written pattern: a constant of a megabyte is no pattern, and RE2's memory is 8 MB."""
_ELEMENT = re.compile(
    r"\\(?P<escaped>[<\\+?{])"
    r"|<(?P<classes>(?:[^<>\\]|\\.)+)>(?:(?P<plus>\+)|(?P<optional>\?)|\{(?P<least>[0-9]{1,4})(?P<most>,[0-9]{0,4})?\})?"
    r"|(?P<plain>[^<\\]+)",
    re.DOTALL,
)
_ESCAPES = {code: f"\\x{code:02x}" for code in range(128) if not chr(code).isalnum()}
_MEMBER = re.compile(r"\\(?P<escaped>.)|(?P<name>[A-Za-z]{2,})|(?P<single>.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Constant:
    """Characters that stand for themselves."""

    text: str

    def __str__(self) -> str:
        return self.text.replace("\\", "\\\\").replace("<", "\\<")

    @property
    def expression(self) -> str:
        """As RE2 reads it."""
        return _quoted(self.text)


@dataclass(frozen=True, slots=True)
class Characters:
    """From ``least`` to ``most`` characters, each of one of the classes or one of the single characters.

    ``most`` None: any number from there on.
    """

    members: tuple[str, ...]
    least: int = 1
    most: int | None = 1

    def __str__(self) -> str:
        members = "|".join(m if m in CLASSES else "\\" + m if m in "<>|\\" else m for m in self.members)
        if self.most is None:
            return f"<{members}>" + ("+" if self.least == 1 else f"{{{self.least},}}")
        if (self.least, self.most) == (0, 1):
            return f"<{members}>?"
        if self.least == self.most:
            return f"<{members}>" + (f"{{{self.least}}}" if self.least != 1 else "")
        return f"<{members}>{{{self.least},{self.most}}}"

    @property
    def expression(self) -> str:
        """As RE2 reads it."""
        inside = _bracketed(self.members)
        if self.most is None:
            return inside + ("+" if self.least == 1 else f"{{{self.least},}}")
        if self.least == self.most:
            return inside + (f"{{{self.least}}}" if self.least != 1 else "")
        return f"{inside}{{{self.least},{self.most}}}"


@dataclass(frozen=True, slots=True)
class Number:
    """A number: an optional sign, digits, optional decimals."""

    def __str__(self) -> str:
        return f"<{NUMBER}>"

    @property
    def expression(self) -> str:
        """As RE2 reads it."""
        return _NUMBER_EXPRESSION


Element = Constant | Characters | Number


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sequence of elements.  ``str`` writes it, :meth:`parse` reads what was written."""

    elements: tuple[Element, ...]

    @classmethod
    def parse(cls, text: str) -> Pattern:
        """Read a written pattern.

        :raises ConfigurationError: when it is no pattern: an unknown class, a bracket that is never closed
        """
        if not text or len(text) > _LARGEST_PATTERN:
            raise ConfigurationError(f"A pattern has 1 to {_LARGEST_PATTERN} characters; this one has {len(text)}.")
        if readable(text) != text:
            raise ConfigurationError(f"Pattern {text[:200]!a} has half of a surrogate pair, which is no character.")
        elements: list[Element] = []
        place = 0
        while place < len(text):
            found = _ELEMENT.match(text, place)
            if found is None:
                raise ConfigurationError(
                    f"Pattern {text[:200]!r}: not understood from {text[place : place + 20]!r} on. Write a class as "
                    r"<digit>, and the characters < and \ themselves as \< and \\."
                )
            element = _element(found, text)
            if isinstance(element, Constant) and elements and isinstance(elements[-1], Constant):
                element = Constant(elements.pop().text + element.text)  # type: ignore[union-attr]
            elements.append(element)
            place = found.end()
        return cls(tuple(elements))

    def __str__(self) -> str:
        text, before = "", None
        for element in self.elements:
            written = str(element)
            # What would say how many of the class right before it there are is a character here.
            counts = isinstance(before, Characters | Number) and text.endswith(">") and written[0] in "+?{"
            text, before = text + "\\" * counts + written, element
        return text

    @property
    def expression(self) -> str:
        """The RE2 expression of a whole value, without anchors."""
        return "".join(element.expression for element in self.elements)


def whole_value(patterns: tuple[str, ...], words: tuple[str, ...] = ()) -> str:
    """One RE2 expression that matches a whole value: one of the written patterns, or one of the words.

    :raises ConfigurationError: when one of them is no pattern
    """
    return r"\A(?:" + "|".join([*map(_expression, patterns), *map(_quoted, words)]) + r")\z"


def one_of(patterns: Iterable[Pattern]) -> str:
    """The same of patterns that need not be read first, each once."""
    return r"\A(?:" + "|".join(dict.fromkeys([pattern.expression for pattern in patterns])) + r")\z"


@lru_cache(maxsize=4096)
def _expression(text: str) -> str:
    return Pattern.parse(text).expression


def _element(found: re.Match[str], text: str) -> Element:
    if found["classes"] is None:
        return Constant(found["escaped"] or found["plain"])
    if found["classes"] == NUMBER and not (found["plus"] or found["optional"] or found["least"]):
        return Number()
    members = _members(found["classes"], text)
    if found["plus"]:
        return Characters(members, 1, None)
    if found["optional"]:
        return Characters(members, 0, 1)
    least = int(found["least"] or 1)
    if found["most"] == "," and least <= _LARGEST_REPEAT:
        return Characters(members, least, None)
    most = int(found["most"][1:] or 0) if found["most"] else least
    if not 0 <= least <= most <= _LARGEST_REPEAT or most == 0:
        raise ConfigurationError(
            f"Pattern {text[:200]!r}: {found[0]!r} repeats from {least} to {most} times; at most {_LARGEST_REPEAT} are "
            "possible. Write + for any number."
        )
    return Characters(members, least, most)


def _members(classes: str, text: str) -> tuple[str, ...]:
    members: list[str] = []
    place = 0
    while place < len(classes):
        found = _MEMBER.match(classes, place)
        name = found and (found["escaped"] or found["name"] or found["single"])
        if found is None or name is None or (found["name"] and name not in CLASSES) or found["single"] == "|":
            raise ConfigurationError(
                f"Pattern {text[:200]!r}: no class <{classes}>. Classes are {', '.join(CLASSES)} and {NUMBER}; "
                "several, or single characters, are joined by |."
            )
        members.append(name)
        place = found.end()
        if place < len(classes) and classes[place] != "|":
            raise ConfigurationError(f"Pattern {text[:200]!r}: members of <{classes}> are joined by |.")
        place += 1
    return tuple(members)


@lru_cache(maxsize=4096)
def _bracketed(members: tuple[str, ...]) -> str:
    return "[" + "".join(CLASSES[m] if m in CLASSES else _quoted(m) for m in members) + "]"


def _quoted(text: str) -> str:
    """Characters for RE2, inside brackets or outside: letters, digits and what is not ASCII need no escape."""
    return text.translate(_ESCAPES)
