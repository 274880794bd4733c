"""Text that was decoded wrongly: UTF-8 read as another encoding, or characters lost to the replacement character."""

from __future__ import annotations

from collections.abc import Callable

from airflow_dq.explain.cause.hypothesis import Cause, hypothesis, percent
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.undo import respelled
from airflow_dq.explain.wording import quoted
from airflow_dq.states.base import Kind

_LEAST = 0.002
"""A smaller share of such values has no cause worth a name."""
_SCORE = 0.95
"""Hardly anything else makes such characters."""
_LOST = "\ufffd"


@hypothesis(Kind.STRING)
def misread(comparison: Comparison) -> Cause | None:
    """UTF-8 that was read as Latin-1 or as Windows-1252: each character beyond ASCII became two or more."""
    risen, example = _risen(comparison, lambda text: read_again(text) != text)
    if example is None:
        return None
    words = f"UTF-8 read as Latin-1 in {percent(risen)} of the values: {quoted(read_again(example))} became"
    return Cause(
        "encoding",
        "",
        f"{words} {quoted(example)}",
        _SCORE,
        undo=respelled(read_again),
        fact="is UTF-8 that was read as Latin-1",
        detail=f"{quoted(read_again(example))} -> {quoted(example)}",
        rows=round(risen * comparison.present[0]),
    )


@hypothesis(Kind.STRING)
def lost(comparison: Comparison) -> Cause | None:
    """Characters that the reader could not decode and replaced."""
    risen, example = _risen(comparison, lambda text: _LOST in text)
    if example is None:
        return None
    words = f"characters that could not be decoded in {percent(risen)} of the values: {quoted(example)}"
    fact, rows = "has characters that could not be decoded", round(risen * comparison.present[0])
    return Cause("encoding", "lost", words, _SCORE, fact=fact, detail=f"as in {quoted(example)}", rows=rows)


def read_again(text: str) -> str:
    """The text as it was before UTF-8 was read as Windows-1252 or Latin-1; itself where that cannot have happened."""
    if text.isascii():
        return text
    for encoding in ("cp1252", "latin-1"):
        try:
            return text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return text


def _risen(comparison: Comparison, is_odd: Callable[[str], bool]) -> tuple[float, str | None]:
    """By how much the share of odd values has risen, and the most frequent of them; None where it has not."""
    if comparison.hidden or comparison.values is None:
        return 0.0, None
    now, before = (
        {text: share for text, share in side.all_shares.items() if is_odd(text)} for side in comparison.values
    )
    usual = sum(before.values())
    risen = sum(now.values()) - usual
    return (risen, next(iter(now))) if risen > max(_LEAST, usual) else (0.0, None)
