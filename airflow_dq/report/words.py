"""Counts, shares, statuses and timestamps as a person reads them; what every page and every text shares."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from airflow_dq.judge.verdict import Status
from airflow_dq.learn.constraint.base import Severity

# Characters that no XML document may contain, and lone surrogates, which no file can.
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_UNITS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"))
"""Seconds of each unit that a length of time is told in."""
_FAR_DAYS = 14
"""From this many days on a date says more than the number of days."""


def clean(text: str) -> str:
    """The text with every character that markup and a terminal cannot carry replaced by U+FFFD."""
    return _ILLEGAL.sub("\ufffd", text)


def spaced(name: str) -> str:
    """A stored name as words: ``column missing``."""
    return name.replace("_", " ")


def status_words(status: Status, severity: Severity | None = None) -> str:
    """A verdict's status as a person reads it (``warming up``); ``warning`` where all that was found only warns."""
    return "warning" if status is Status.FAIL and severity == "warn" else spaced(str(status))


def count(number: int, noun: str) -> str:
    """``1 partition``, ``2 partitions``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def count_or_no(number: int, noun: str) -> str:
    """``no alert``, ``1 alert``, ``6 alerts``."""
    return count(number, noun) if number else f"no {noun}"


def share(value: float, digits: int = 1) -> str:
    """A share in percent; a small one with one significant digit more than it has zeros."""
    if 0 < value < 0.001:
        return f"{100 * value:.2g}%"
    return f"{100 * value:.{digits}f}%"


def capitalized(text: str) -> str:
    """The text with a capital at its beginning; the rest stays, because names are in it."""
    return text[:1].upper() + text[1:]


def timestamp_words(at: datetime) -> str:
    """``2026-11-28 08:40 UTC``."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def iso_timestamp(at: datetime) -> str:
    """``2026-11-28T08:40:00+00:00``, for machines."""
    return at.astimezone(UTC).isoformat(timespec="seconds")


def distance_words(at: datetime, now: datetime) -> str:
    """``3 h ago``, ``in 2 d``, or the date when it is far away."""
    seconds = (now - at).total_seconds()
    if abs(seconds) >= _FAR_DAYS * 86400:
        return f"{at.astimezone(UTC):%Y-%m-%d}"
    for size, unit in _UNITS:
        if abs(seconds) >= size:
            words = f"{abs(seconds) / size:.0f} {unit}"
            return f"{words} ago" if seconds > 0 else f"in {words}"
    return "just now"
