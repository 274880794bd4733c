"""From one token to its generalisations, and from aligned values to the patterns that they share.

The hierarchy of Auto-Validate (section 2.1, Figure 4): a token is a number, a run of letters and digits, or a run of
symbols.  Symbols stand for themselves; the rest is a constant, a class of so many characters, a class of any number,
``<alnum>`` or ``<num>``.  A token of letters and digits generalises run by run as well.  The root ``<any>`` is left
out: it describes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

_TOKEN = re.compile(r"(?<![^\W_])(?<![0-9]\.)-?[0-9]+(?:\.[0-9]+)?(?![^\W_]|\.[0-9])|[^\W_]+|[\W_]+")
_RUN = re.compile(r"[0-9]+|[^\W0-9_]+")
_MIXED_RUNS = 4
"""A token of more letter and digit runs generalises as a whole only: nine forms a run would be 3,000 for four."""
TAU = 8
"""Values of fewer runs than this are indexed whole; longer ones are cut (section 3; the paper recommends 8)."""
LONGEST = 256
"""Characters of a value that is looked at: a longer one has no pattern that columns would share."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token, generalised."""

    forms: tuple[str, ...]
    """Written patterns, the most specific first."""
    runs: int
    """Consecutive sequences of letters or digits in it."""
    sort: str
    """``D`` digits, ``F`` number, ``L`` letters, ``N`` both; of symbols the symbols."""
    aligned: str
    """What values must share here to be aligned: the symbols, or nothing."""


def _constant(text: str) -> str:
    # A pattern is joined of forms: a class may stand before this one, and must not take it for a number of characters.
    return ("\\" if text[0] in "+?{" else "") + text.replace("\\", "\\\\").replace("<", "\\<")


def _forms_of(run: str) -> list[str]:
    name = "letter|other" if not run.isascii() else "digit" if run.isdigit() else "letter"
    return [_constant(run), f"<{name}>{{{len(run)}}}" if len(run) > 1 else f"<{name}>", f"<{name}>+"]


@lru_cache(maxsize=1 << 17)
def token_of(text: str) -> Token:
    """The generalisations of one token."""
    if not text[-1].isalnum():
        return Token((_constant(text),), 1, text, text)
    number = "." in text or text[0] == "-"
    digits = text.isdigit() and text.isascii()
    runs = _RUN.findall(text)
    forms = [_constant(text)]
    if number:
        forms += ["<num>"]
    else:
        if len(runs) <= _MIXED_RUNS:
            forms = ["".join(parts) for parts in product(*map(_forms_of, runs))]
        name = "alnum" if text.isascii() else "alnum|other"
        forms += [f"<{name}>{{{len(text)}}}" if len(text) > 1 else f"<{name}>", f"<{name}>+"]
        forms += ["<num>"] if digits else []
    sort = "F" if number else "D" if digits else "L" if len(runs) == 1 else "N"
    return Token(tuple(forms), max(1, len(runs)), sort, "")


def tokens_of(value: str) -> tuple[Token, ...]:
    """A value's tokens; none when it is too long to have a pattern."""
    return tuple(map(token_of, _TOKEN.findall(value))) if len(value) <= LONGEST else ()


def runs_of(tokens: Sequence[Token]) -> int:
    """How long a value is, as the paper counts: consecutive runs of letters, of digits and of symbols."""
    return sum(token.runs for token in tokens)


def skeleton(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The symbols, every other token blank: values of one skeleton are aligned position by position."""
    return tuple(token.aligned for token in tokens)


Mask = int
"""A set of values, one bit each."""


def align(rows: Sequence[tuple[Token, ...]]) -> list[dict[str, Mask]]:
    """Position by position, each generalisation with the set of values that it matches."""
    positions: list[dict[str, Mask]] = []
    for column in zip(*rows, strict=True):
        seen: dict[Token, Mask] = {}
        for place, token in enumerate(column):
            seen[token] = seen.get(token, 0) | 1 << place
        position: dict[str, Mask] = {}
        for token, mask in seen.items():
            for form in token.forms:
                position[form] = position.get(form, 0) | mask
        positions.append(position)
    return positions


def grow(
    positions: Sequence[dict[str, Mask]], rows: int, floor: int, known: Container[str] | None
) -> Iterator[list[tuple[str, Mask]]]:
    """Patterns of the first position, of the first two, and so on, each with the set of values that it matches.

    :param floor: least values that a pattern matches
    :param known: follow only patterns among these; None: all
    """
    level: list[tuple[str, Mask]] = [("", (1 << rows) - 1)]
    for position in positions:
        forms = [(form, mask) for form, mask in position.items() if mask.bit_count() >= floor]
        level = [
            (prefix + form, both)
            for prefix, seen in level
            for form, mask in forms
            if (both := seen & mask) and both.bit_count() >= floor and (known is None or prefix + form in known)
        ]
        yield level
