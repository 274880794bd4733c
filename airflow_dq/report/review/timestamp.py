"""Moments as a person reads them: how long ago, with the exact time at hand."""

from __future__ import annotations

from datetime import UTC, datetime
from xml.etree.ElementTree import Element

from airflow_dq.report.markup import element

_UNITS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"))
_FAR_DAYS = 14
"""From this many days on a date says more than the number of days."""


def moment_words(moment: datetime) -> str:
    """``2026-11-28 08:40 UTC``."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def distance_words(moment: datetime, now: datetime) -> str:
    """``3 h ago``, ``in 2 d``, or the date when it is far away."""
    seconds = (now - moment).total_seconds()
    if abs(seconds) >= _FAR_DAYS * 86400:
        return f"{moment.astimezone(UTC):%Y-%m-%d}"
    for size, unit in _UNITS:
        if abs(seconds) >= size:
            words = f"{abs(seconds) / size:.0f} {unit}"
            return f"{words} ago" if seconds > 0 else f"in {words}"
    return "just now"


def moment(moment: datetime, now: datetime) -> Element:
    """The moment as markup: in words, exact on hover and for machines."""
    exact = moment.astimezone(UTC).isoformat(timespec="seconds")
    return element("time", distance_words(moment, now), datetime=exact, title=moment_words(moment))
