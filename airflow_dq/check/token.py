"""The words that a rule is made of: names, literals and signs, each with its place in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from airflow_dq.exceptions import ConfigurationError

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<number>(?:\d[\d_]*)?\.?\d+(?:[eE][+-]?\d+)?)
    |(?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")
    |(?P<quoted>`(?:[^`]|``)+`)
    |(?P<word>[^\W\d]\w*(?:\.[^\W\d]\w*)*)
    |(?P<sign><=>|<=|>=|<>|!=|==|\|\||[-+*/%(),<>=])
    """,
    re.VERBOSE,
)

Sort = Literal["number", "text", "name", "word", "sign", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a rule."""

    sort: Sort
    text: str
    """As it is meant: a text without its quotes, a word in the case it is written in."""
    place: int
    """Number of characters before it."""


def tokens(sql: str) -> tuple[Token, ...]:
    """The words of a rule, and one that stands for its end.

    A text is in single or, as Spark has it, double quotes, of which one within it is written twice; a backslash is a
    character like others.  A column's name is in backquotes where it is no plain word.

    :raises ConfigurationError: naming the place that no word begins at
    """
    found: list[Token] = []
    place = 0
    while place < len(sql):
        match = _TOKEN.match(sql, place)
        if match is None:
            quote = ": nothing closes this quote (within a text one is written twice)" if sql[place] in "'\"`" else ""
            raise problem(sql, place, f"{sql[place]!r} begins no word{quote}")
        text = match[0]
        match match.lastgroup:
            case "text":
                found.append(Token("text", text[1:-1].replace(text[0] * 2, text[0]), place))
            case "quoted":
                found.append(Token("name", text[1:-1].replace("``", "`"), place))
            case "number" | "word" | "sign" as sort:
                found.append(Token(sort, text, place))
        place += len(text)
    return (*found, Token("end", "the end", len(sql)))


class WrongSQLError(ConfigurationError):
    """A rule that can be read, and cannot be meant so: no other reader makes sense of it."""


def problem(sql: str, place: int, what: str, kind: type[ConfigurationError] = ConfigurationError) -> ConfigurationError:
    """What is wrong with a rule, and where: the text is shown up to that place."""
    return kind(f"The SQL {sql!r} cannot be read at character {place + 1}: {what}.")
