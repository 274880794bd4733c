"""Texts that are written otherwise by one rule: another decimal sign, leading zeros lost, ``.0`` behind whole numbers.

Each rule can be taken back.  A new value was made by it when the text that it is taken back to is a value of before, or
looks like one, and the rule makes the new value of that text again.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from airflow_dq.explain.cause.hypothesis import Cause, hypothesis, percent
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.undo import respelled
from airflow_dq.explain.wording import quoted
from airflow_dq.learn.distribution import ValueShares, shape
from airflow_dq.states.base import Kind

Rewrite = Callable[[str], str]
_NEW = 0.02
"""With less than this share of values that are written otherwise there is nothing to be explained."""
_USUAL = 0.5
"""Where more than this share of the values is new every time, it is their shapes that tell new ones."""
_MOST = 2000
"""Most values that are looked at on either side."""
_LONG = 64
"""Longer texts are prose, which no rule of one symbol explains."""
_SIGNS = string.punctuation + " "
WORD = re.compile(r"[A-Za-z]+")
"""A word of letters within a text."""
_MARK = "."
_ZERO = "0"


@dataclass(frozen=True, slots=True)
class _Rule:
    """One way of writing a text otherwise."""

    parameter: str
    fact: str
    """What is so with the column: ``has ',' in place of '.'``."""
    back: Rewrite
    """The text as it was."""
    forth: Rewrite
    """What the rule makes of a text."""


@hypothesis(Kind.STRING, trust=0.98)
def rewritten(comparison: Comparison) -> Cause | None:
    """Texts written otherwise by a rule that is taken back."""
    sides = comparison.values
    if comparison.hidden or sides is None or not sides[1].exact:
        return None
    now, before = (_few(side) for side in sides)
    usual = comparison.usual_novelty
    known = _Known(before, by_shape=usual > _USUAL)
    new = {value: share for value, share in now.items() if value not in known}
    mass = sum(new.values())
    noise = 0.0 if known.by_shape else usual
    if mass < _NEW + 2.0 * noise:
        return None
    found = [(_made(new, rule, known), rule) for rule in _rules(new, before)]
    explained, rule = max(found, key=lambda one: one[0], default=(0.0, None))
    return None if rule is None else _cause(comparison, rule, new, explained, min(1.0, explained / (mass - noise)))


def _cause(comparison: Comparison, rule: _Rule, new: Mapping[str, float], share: float, score: float) -> Cause:
    example = next((value for value in new if rule.back(value) != value), "")
    known = set() if comparison.values is None else comparison.values[1].all_shares.keys()
    back = rule.back
    return Cause(
        "rewritten",
        rule.parameter,
        f"{rule.parameter} in {percent(share)} of the values",
        score,
        undo=respelled(lambda value: value if value in known else back(value)),
        fact=rule.fact,
        detail=f"{quoted(back(example))} -> {quoted(example)}",
        rows=round(share * comparison.present[0]),
    )


def _few(side: ValueShares) -> dict[str, float]:
    """The most frequent values, with their shares."""
    chosen = list(side.all_shares.items())[:_MOST]
    return {value: share for value, share in chosen if len(value) <= _LONG}


class _Known:
    """The values of before, and what they look like."""

    def __init__(self, before: Mapping[str, float], *, by_shape: bool) -> None:
        self.by_shape = by_shape
        self._values = set(before)
        self._shapes = {shape(value) for value in before} if by_shape else set[str]()

    def __contains__(self, value: str) -> bool:
        return value in self._values or (self.by_shape and shape(value) in self._shapes)


def _made(new: Mapping[str, float], rule: _Rule, known: _Known) -> float:
    """The share of the values that the rule has made."""
    pairs = ((value, share, rule.back(value)) for value, share in new.items())
    return sum(share for value, share, was in pairs if was != value and rule.forth(was) == value and was in known)


def _rules(new: Mapping[str, float], before: Mapping[str, float]) -> Iterator[_Rule]:
    """The rules that may have made the new values."""
    yield _Rule("'.0' behind whole numbers", "has '.0' behind whole numbers", _without_fraction, _with_fraction)
    yield _Rule("',' between thousands", "has ',' between thousands", _ungrouped, _grouped)
    yield from _zeros_lost(new, before)
    yield from _other_sign(new, before)
    yield from _other_word(new, before)
    yield from _without_marks(before)


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


def _zeros_lost(new: Mapping[str, float], before: Mapping[str, float]) -> Iterator[_Rule]:
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
    if not 0.5 < gone / lost < 2.0:
        return
    yield _Rule(
        "leading zeros lost",
        "has lost leading zeros",
        lambda text: text.zfill(length) if text.isdecimal() else text,
        lambda text: text.lstrip(_ZERO) or _ZERO,
    )


def _other_sign(new: Mapping[str, float], before: Mapping[str, float]) -> Iterator[_Rule]:
    """A sign that was not there before, in place of one that was: ``,`` for ``.``, ``_`` for ``-``."""
    had = {sign for sign in _SIGNS if any(sign in value for value in before)}
    came = {sign for sign in _SIGNS if sign not in had and any(sign in value for value in new)}
    for sign in sorted(came):
        for was in sorted(had):
            yield _Rule(
                f"{quoted(sign)} in place of {quoted(was)}",
                f"has {quoted(sign)} in place of {quoted(was)}",
                lambda text, sign=sign, was=was: text.replace(sign, was),  # type: ignore[misc]
                lambda text, sign=sign, was=was: text.replace(was, sign),  # type: ignore[misc]
            )


def _other_word(new: Mapping[str, float], before: Mapping[str, float]) -> Iterator[_Rule]:
    """A word that every text had and none has now, with another one that every new text has: ``http`` for ``https``."""
    had, has = ([set(WORD.findall(text)) for text in side] for side in (before, new))
    if not had or not has:
        return
    went = set.intersection(*had) - set().union(*has)
    came = set.intersection(*has) - set().union(*had)
    for word in sorted(came):
        for was in sorted(went):
            said = f"{quoted(word)} in place of {quoted(was)}"
            yield _Rule(said, f"has {said}", with_word(word, was), with_word(was, word))


def with_word(old: str, new: str) -> Rewrite:
    """Write one word of letters for another."""
    whole = re.compile(rf"(?<![A-Za-z]){old}(?![A-Za-z])")
    return lambda text: whole.sub(new, text)


def _without_marks(before: Mapping[str, float]) -> Iterator[_Rule]:
    """Letters beyond ASCII that became their plain ones, or a question mark; only of values that come again."""
    marked = [value for value in before if not value.isascii()]
    for parameter, fact, lose in _LOSSES:
        made = {lose(value): value for value in marked}
        if made:
            yield _Rule(parameter, fact, lambda text, made=made: made.get(text, text), lose)  # type: ignore[misc]


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(symbol for symbol in decomposed if not unicodedata.combining(symbol))


_LOSSES: tuple[tuple[str, str, Rewrite], ...] = (
    ("accents lost", "has lost accents", _plain),
    (
        "'?' for letters",
        "has '?' in place of letters beyond ASCII",
        lambda text: text.encode("ascii", "replace").decode(),
    ),
    (
        "'?' for bytes",
        "has '?' in place of each byte of letters beyond ASCII",
        lambda text: "".join(one if one.isascii() else "?" * len(one.encode()) for one in text),
    ),
    ("letters lost", "has lost letters beyond ASCII", lambda text: text.encode("ascii", "ignore").decode()),
)
