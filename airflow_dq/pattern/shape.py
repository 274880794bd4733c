"""Patterns of values by their shape: runs of letters and digits between symbols."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from functools import lru_cache

from airflow_dq.pattern.language import Characters, Constant, Element, Pattern

_CHUNK = re.compile(r"[^\W_]+| +|[\W_]")
_RUN = re.compile(r"[0-9]+|[A-Za-z]+|[^0-9A-Za-z]+")
_ALNUM_TAIL = re.compile(r"[^\W_]+\Z")
_LETTERS = string.ascii_letters
LONGEST = 400
"""Characters of a value that can have a shape: longer ones are documents."""
_FEW = 8
"""Distinct values below which what they share may be chance."""
_GROWING = 3
"""Digits more that a number may get where values count up: from ports below a hundred to those of five digits."""
_TEXT_UNUSUAL = 0.4
"""Where a larger share of the values than this has no frequent shape, they may be text."""
_TEXT_WORDS = 3
"""Fewest words of a text, on average."""
_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
CALENDAR = frozenset(
    word[:size] for word in (*_MONTHS.split(), *_DAYS.split(), "am", "pm") for size in (3, 4, len(word))
)
"""Words of dates: one that was the same in all of training is another next month."""
Shape = tuple[str, ...]


def tokens(value: str) -> list[str]:
    return _CHUNK.findall(value)


def shape(chunks: Sequence[str]) -> Shape:
    return tuple(["" if c[0].isalnum() else c[0] for c in chunks])


@lru_cache(maxsize=1 << 16)
def kind(chunk: str) -> str:
    if not chunk.isascii():
        return "O"
    if chunk.isdigit():
        return "D"
    if chunk.isalpha():
        return "U" if chunk.isupper() else "L" if chunk.islower() else "M"
    return "X"


def _letters(kinds: set[str]) -> tuple[str, ...]:
    if kinds == {"U"}:
        return ("upper",)
    if kinds == {"L"}:
        return ("lower",)
    return ("letter",)


def _sized(members: tuple[str, ...], low: int, high: int) -> Characters:
    return Characters(members, low, high if high <= 1000 else None) if low <= 1000 else Characters(members, 1, None)


def element(chunks: set[str], support: int, wide: bool, drifting: bool) -> list[Element]:
    """What stands at one place of a shape.

    :param support: distinct values of the column
    """
    first = next(iter(chunks))
    if not first[0].isalnum():
        low, high = min(map(len, chunks)), max(map(len, chunks))
        if low == high and not (wide and first[0] == " " and low > 1):
            return [Constant(first)]
        return [Characters((first[0],), 1 if wide else low, high + 4 if wide else high)]
    kinds = set(map(kind, chunks))
    word = len(chunks) == 1 and kinds <= {"U", "L", "M"} and first.lower() not in CALENDAR
    if word and support >= 5 and not (drifting and len(first) <= 3):
        return [Constant(first)]
    low, high = min(map(len, chunks)), max(map(len, chunks))
    if kinds == {"D"}:
        fixed = support >= 20 and low > 3 if wide else low > 1 and support >= 8
        if low == high and fixed and (len(chunks) >= 4 or not wide):
            return [_sized(("digit",), low, high)]
        longer = _GROWING if drifting else 1
        return [_sized(("digit",), max(1, low - 2) if low > 3 and not wide else 1, high + longer)]
    if kinds <= {"U", "L", "M"}:
        case = _letters(kinds) if support >= 20 or not wide else ("letter",)
        if low == high and support >= 8 and len(chunks) >= (20 if wide else 8):
            return [_sized(case, low, high)]
        return [Characters(case if len(chunks) > 3 or not wide else ("alnum",), 1, None)]
    if "O" in kinds:
        return [
            Characters(
                ("letter", "other", "digit")
                if kinds & {"D", "X"} or any(map(str.isdigit, "".join(chunks)))
                else ("letter", "other"),
                1,
                None,
            )
        ]
    return _mixed(chunks, support, wide, drifting, low, high)


@lru_cache(maxsize=1 << 14)
def _runs(chunk: str) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """A token's runs of digits, of letters and of others, and which of them are digits."""
    runs = tuple(_RUN.findall(chunk))
    return runs, tuple(run[0].isdigit() for run in runs)


def _mixed(chunks: set[str], support: int, wide: bool, drifting: bool, low: int, high: int) -> list[Element]:
    split = list(map(_runs, chunks))
    rows = [runs for runs, _ in split]
    forms = {form for _, form in split}
    if (
        len(forms) == 1
        and len(rows[0]) <= 6
        and (len(chunks) >= 20 and not drifting if wide else len(rows[0]) <= 3 or len(chunks) >= 3)
    ):
        out: list[Element] = []
        for i in range(len(rows[0])):
            runs = {row[i] for row in rows}
            if len(rows[0]) > 3 and len(runs) == 1:
                out += element({next(iter(runs))}, 0, wide, drifting)
            else:
                out += element(runs, support, wide, drifting)
        return out
    text = "".join(chunks)
    case = {"U"} if text == text.upper() else {"L"} if text == text.lower() else {"M"}
    members: tuple[str, ...] = ("digit", *_letters(case))
    if members[1] == "letter" or (wide and support < 8):
        members = ("alnum",)
    elif len(set(text)) > 10 and re.fullmatch("[0-9a-f]+", text):
        members = ("hex",)
    elif len(set(text)) > 10 and re.fullmatch("[0-9A-F]+", text):
        members = ("HEX",)
    if low == high and len(chunks) >= (20 if wide else 4):
        return [_sized(members, low, high)]
    return [Characters(members, 1, None)]


def shape_patterns(
    rows: Sequence[list[str]], shapes: Sequence[Shape], wide: bool, drifting: bool, most: int = 4
) -> list[Pattern]:
    """One pattern for each frequent shape.

    :param shapes: of the rows
    """
    groups: dict[Shape, list[list[str]]] = {}
    for row, form in zip(rows, shapes, strict=True):
        groups.setdefault(form, []).append(row)
    best = sorted(groups.values(), key=len, reverse=True)[:most]
    return [
        Pattern(tuple(e for place in zip(*group, strict=True) for e in element(set(place), len(rows), wide, drifting)))
        for group in best
    ]


def free_pattern(rows: Sequence[list[str]], drifting: bool, wide: bool) -> list[Pattern]:
    """What all values begin and end with, and the characters between."""
    texts = ["".join(row) for row in rows]
    front, back = _shared(texts, drifting, wide)
    # At least one character stands between: a value is not all beginning and end.
    seen = set().union(*(text[front : len(text) - back] or text for text in texts))
    members = _members(seen, len(rows), wide)
    head = _beginning(texts[0][:front])
    tail = [Constant(texts[0][len(texts[0]) - back :])] if back else []
    needed = None if wide else _needed([text[front : len(text) - back] for text in texts], members)
    if needed is None:
        return [Pattern((*head, Characters(members, 1, None), *tail))]
    others = tuple(member for member in members if member != needed)
    one = Constant(needed) if len(needed) == 1 else Characters((needed,))
    until = [Characters(others, 0, None)] if others else []
    return [Pattern((*head, *until, one, Characters(members, 0, None), *tail))]


def _needed(texts: Sequence[str], members: Sequence[str]) -> str | None:
    """What every value has: the rarest symbol that all have, or else a letter; numbers have neither."""
    if len(texts) < _FEW:
        return None
    symbols = [member for member in members if len(member) == 1 and all(member in text for text in texts)]
    if symbols:
        return min(symbols, key=lambda symbol: sum(text.count(symbol) for text in texts))
    letters = [member for member in members if member in ("letter", "upper", "lower")]
    if letters and len(members) > 1 and all(any(c in _LETTERS for c in text) for text in texts):
        return letters[0]
    return None


def _beginning(text: str) -> list[Element]:
    """What all values begin with; its numbers are the day's, or what a sorted column has got to."""
    runs = re.findall("[0-9]+|[^0-9]+", text)
    # Only of ASCII: a superscript is a digit to Python, and none of the pattern's.
    return [_sized(("digit",), 1, len(run) + 1) if run[0] in string.digits else Constant(run) for run in runs]


def _common(texts: Sequence[str]) -> str:
    """What all begin with."""
    first, last = min(texts), max(texts)
    size = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:size]


def _shared(texts: Sequence[str], drifting: bool, wide: bool) -> tuple[int, int]:
    """How many characters all values begin and end with: no part of a number, where ids ascend no part of a word."""
    if len(texts) < (_FEW if wide else 3):
        return 0, 0
    least = min(map(len, texts)) - 1
    front = len(_common(texts)[:least].rstrip("0123456789"))
    goes_on = any(text[front].isalnum() for text in texts)
    token = _ALNUM_TAIL.findall(texts[0][:front])
    if goes_on and token and not token[0].isalpha():
        # Of digits and letters together nothing ends where the next value differs: 1f385, 1f3c2.
        front -= len(token[0])
    elif drifting or (wide and goes_on):
        # A word that all begin with ends there, or goes on in some: then only what stands before it is shared.
        front = len(texts[0][:front].rstrip(_LETTERS))
    if wide and len(texts) < 2 * _FEW:
        return front, 0
    back = len(_common([text[: front - 1 if front else None : -1] for text in texts])[: least - front])
    tail = texts[0][len(texts[0]) - back :].lstrip("0123456789") if back else ""
    if tail and tail[0].isalpha():
        tail = tail.lstrip(_LETTERS)
    return front, len(tail)


def _members(seen: set[str], support: int, wide: bool) -> tuple[str, ...]:
    """The classes of some characters."""
    if support < _FEW and wide:
        # So few values have not shown all characters either: what is printable, and what else they have.
        seen = seen | set("aA0!?_")
    members: list[str] = []
    if any(c.isascii() and c.isdigit() for c in seen):
        members.append("digit")
    upper, lower = any("A" <= c <= "Z" for c in seen), any("a" <= c <= "z" for c in seen)
    if upper or lower:
        members.append("letter" if (upper and lower) or support < 20 else "upper" if upper else "lower")
    symbols = sorted(c for c in seen if c.isascii() and c.isprintable() and not c.isalnum())
    members += ["symbol"] if wide and (len(symbols) >= 3 or support < 2 * _FEW) else symbols
    if any(not (c.isascii() and c.isprintable()) for c in seen):
        members.append("other")
    return tuple(members)


def is_free_text(rows: Sequence[list[str]], values: int, unusual: float) -> bool:
    """Whether values are sentences or names, each of another form.

    :param rows: tokens of the values that are no numbers
    :param values: distinct values
    :param unusual: share of the values outside what the others say
    """
    if unusual < _TEXT_UNUSUAL or len(rows) < 0.9 * values or values < 8:
        return False
    words = [sum(token.isalpha() for token in row) for row in rows]
    spaced = sum(" " in token for row in rows for token in row[:1] + row[1:2])
    return sum(words) >= _TEXT_WORDS * len(rows) and spaced > 0.5 * len(rows)
