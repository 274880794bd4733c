"""Ways in which texts are written otherwise: another sign or word, a prefix, escapes, zeros or marks that are lost."""

from __future__ import annotations

import html
import re
import string
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from urllib.parse import quote, unquote

from airflow_dq.explain.wording import quoted

Rewrite = Callable[[str], str]
WORD = re.compile(r"[A-Za-z]+")
"""A word of letters within a text."""
_SIGNS = string.punctuation + " "
_MARK = "."
_ZERO = "0"
_CUT = 0.95
"""Of texts that end at a sign, as many at most are of one length: more were cut to that length."""
_COMMON = 0.5
"""A sign that so many values have is part of how they are written."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of writing a text otherwise."""

    fact: str
    """What is so with the column: ``has ',' in place of '.'``."""
    forth: Rewrite
    """What the rule makes of a text."""
    back: Rewrite | None = None
    """The text as it was; None where the rule loses something, and only texts that are known can be found again."""
    evident: bool = False
    """Whether it shows by itself, and of texts that are new every time none of before is needed to tell it."""


def rules(new: Mapping[str, float], before: Mapping[str, float]) -> Iterator[Rule]:
    """The rules that may have made the new values.

    :param new: shares of the values that are written otherwise
    :param before: those of the partition before
    """
    yield Rule("has '.0' behind whole numbers", _with_fraction, _without_fraction)
    yield Rule("has ',' between thousands", _grouped, _ungrouped)
    yield from _zeros_lost(new, before)
    yield from _other_sign(new, before)
    yield from _other_word(new, before)
    yield from _around(new, before)
    yield from _ESCAPES
    yield from _lost_at_signs(new, before)
    yield from _LOSSES


def with_word(old: str, new: str) -> Rewrite:
    """Write one word of letters for another."""
    whole = re.compile(rf"(?<![A-Za-z]){old}(?![A-Za-z])")
    return lambda text: whole.sub(new, text)


def _without_fraction(text: str) -> str:
    return text.removesuffix(".0")


def _with_fraction(text: str) -> str:
    return f"{text}.0" if text.isdecimal() else text


def _ungrouped(text: str) -> str:
    return text.replace(",", "")


def _grouped(text: str) -> str:
    whole, mark, rest = text.partition(_MARK)
    sign = "-" if whole.startswith("-") else ""
    digits = whole.removeprefix("-")
    return f"{sign}{int(digits):,}{mark}{rest}" if digits.isdecimal() else text


def _zeros_lost(new: Mapping[str, float], before: Mapping[str, float]) -> Iterator[Rule]:
    """Codes of one length, of which those that began with a zero are shorter now: a number has no such zero."""
    lengths = {len(value) for value in before}
    if len(lengths) != 1 or not all(value.isdecimal() for value in before):
        return
    (length,) = lengths
    # What was cut short anywhere else begins with a zero as often as before.
    if any(value.startswith(_ZERO) for value in new) or not any(value.startswith(_ZERO) for value in before):
        return
    lost = sum(share for value, share in before.items() if value.startswith(_ZERO))
    gone = sum(share for value, share in new.items() if len(value) < length)
    if 0.5 < gone / lost < 2.0:
        yield Rule(
            "has lost leading zeros",
            lambda text: text.lstrip(_ZERO) or _ZERO,
            lambda text: text.zfill(length) if text.isdecimal() else text,
        )


def _other_sign(new: Mapping[str, float], before: Mapping[str, float]) -> Iterator[Rule]:
    """A sign that was not there before, in place of one that was: ``,`` for ``.``, ``_`` for ``-``."""
    had = {sign for sign in _SIGNS if any(sign in value for value in before)}
    came = {sign for sign in _SIGNS if sign not in had and any(sign in value for value in new)}
    for sign, was in product(sorted(came), sorted(had)):
        yield Rule(f"has {quoted(sign)} in place of {quoted(was)}", _replacing(was, sign), _replacing(sign, was))


def _replacing(old: str, new: str) -> Rewrite:
    return lambda text: text.replace(old, new)


def _other_word(new: Mapping[str, float], before: Mapping[str, float]) -> Iterator[Rule]:
    """A word that every text had and none has now, with another one that every new text has: ``http`` for ``https``."""
    had, has = ([set(WORD.findall(text)) for text in side] for side in (before, new))
    if not had or not has:
        return
    went = set.intersection(*had) - set().union(*has)
    came = set.intersection(*has) - set().union(*had)
    for word, was in product(sorted(came), sorted(went)):
        if word.casefold() == was.casefold():
            # That a word is in another case is told as that.
            continue
        yield Rule(f"has {quoted(word)} in place of {quoted(was)}", with_word(was, word), with_word(word, was))


def _around(new: Mapping[str, float], old: Mapping[str, float]) -> Iterator[Rule]:
    """What all new values begin or end with, before what those of before do: ``v4.1.0`` for ``4.1.0``."""
    front = _beginning(new).removesuffix(_beginning(old))
    back = _ending(new).removeprefix(_ending(old))
    for before, behind in ((front, ""), ("", back), (front, back)):
        said = [f"{quoted(one)} {where}" for one, where in ((before, "before"), (behind, "behind")) if one.strip()]
        if len(said) == (before != "") + (behind != "") > 0:
            yield Rule(
                f"has {' and '.join(said)} its values",
                lambda text, before=before, behind=behind: f"{before}{text}{behind}",  # type: ignore[misc]
                lambda text, before=before, behind=behind: text.removeprefix(before).removesuffix(behind),  # type: ignore[misc]
                # Quotes that a reader has left, and the like: of letters and digits it may be that other texts came.
                evident=bool(before and behind) and set(before + behind) <= set(string.punctuation),
            )


def _beginning(texts: Collection[str]) -> str:
    """What all of some texts begin with."""
    if not texts:
        return ""
    first, last = min(texts), max(texts)
    return first[: next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]


def _ending(texts: Collection[str]) -> str:
    return _beginning([text[::-1] for text in texts])[::-1]


def _lost_at_signs(new: Mapping[str, float], before: Mapping[str, float]) -> Iterator[Rule]:
    """A sign that values had and no new one has: it is gone by itself, or with all that stood before or behind it."""
    lengths: dict[int, float] = defaultdict(float)
    for value, share in new.items():
        lengths[len(value)] += share
    cut = max(lengths.values(), default=0.0) > _CUT * sum(lengths.values())
    every = sum(before.values())
    for sign in _SIGNS:
        had = sum(share for value, share in before.items() if sign in value)
        if had < _COMMON * every or any(sign in value for value in new):
            continue
        yield Rule(f"has lost {quoted(sign)}", _replacing(sign, ""))
        if not cut:
            # What is of one length was cut to it, whatever stood there.
            yield Rule(f"has lost {quoted(sign)} and what stood behind it", _until(sign))
        yield Rule(f"has lost {quoted(sign)} and what stood before it", _behind(sign))


def _until(sign: str) -> Rewrite:
    return lambda text: text.partition(sign)[0]


def _behind(sign: str) -> Rewrite:
    return lambda text: text.partition(sign)[2]


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(symbol for symbol in decomposed if not unicodedata.combining(symbol))


def _without_other_letters(text: str) -> str:
    return text.encode("ascii", "ignore").decode()


_ESCAPES = (
    Rule("has HTML codes in place of signs", html.escape, html.unescape),
    Rule("has HTML codes in place of signs", lambda text: html.escape(text, quote=False), html.unescape),
    Rule(
        "has HTML codes in place of letters beyond ASCII",
        lambda text: text.encode("ascii", "xmlcharrefreplace").decode(),
        html.unescape,
    ),
    Rule("has URL codes in place of signs", quote, unquote),
    Rule("has URL codes in place of signs", lambda text: quote(text, safe=""), unquote),
)
"""Texts that were written for another medium."""
_LOSSES = (
    Rule("has lost accents", _plain),
    Rule("has '?' in place of letters beyond ASCII", lambda text: text.encode("ascii", "replace").decode()),
    Rule(
        "has '?' in place of each byte of letters beyond ASCII",
        lambda text: "".join(one if one.isascii() else "?" * len(one.encode()) for one in text),
    ),
    Rule("has lost letters beyond ASCII", _without_other_letters),
)
"""Letters beyond ASCII that became their plain ones, or a question mark."""
