"""The order of partition keys, and which texts may be one.

There is one order, that of :func:`order_key`: the store keeps what it returns beside each key and compares that, and so
does whoever sorts keys in Python.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import Decimal

from airflow_dq.exceptions import ConfigurationError

_NUMERAL = re.compile(r"[+-]?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,2})?", re.ASCII)
_TIMESTAMP = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d):?(\d\d)(?::?(\d\d)(?:\.(\d{1,12}))?)?(?:Z|([+-])(\d\d):?(\d\d))?", re.ASCII
)
_YEAR_LAST = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})(.*)", re.ASCII | re.DOTALL)
_DIGITS = re.compile(r"\d+", re.ASCII)
_NINES = str.maketrans("0123456789", "9876543210")
_FIRST = "\x01"
"""Sorts before whatever a key may go on with."""
_LAST = "\U0010ffff"
"""Sorts behind whatever a key may go on with."""
_BEFORE_DIGITS = "/"
_AFTER_ALL = "~"


def order_key(key: str) -> str:
    """A text that sorts as the key is meant to; no two keys have the same.

    Numbers within a key are numbers (``day9`` before ``day10``, ``1`` before ``2`` before ``10``), and so is a key that
    is one (``-5`` before ``0.25`` before ``0.5``).  Timestamps are ordered by the moment: one with an offset by that
    in UTC.  Dates with the year at the end are ordered as dates (``31.12.2023`` before ``01.01.2024``), apart from
    those that begin with it: with ``.`` the day comes first, with ``/`` and ``-`` the month, unless it cannot be one.

    >>> sorted(["10", "9", "1", "-3"], key=order_key)
    ['-3', '1', '9', '10']
    """
    # The key itself tells those apart that are one number or moment: 1 and 01.
    return f"{_sortable(key)}{_FIRST}{key}"


def key_span(first: str, last: str) -> tuple[str, str]:
    """The sort keys of all partitions from one to another: the lowest, and one that is above all of them.

    What goes on after the last key belongs to it, as the hours of a day do.

    >>> low, high = key_span("2026-01-31", "2026-02-01")
    >>> [low <= order_key(key) < high for key in ("2026-01-30T23", "2026-01-31T00", "2026-02-01T23", "2026-02-10")]
    [False, True, True, False]
    """
    return _sortable(first), f"{_sortable(last)}{_LAST}"


def _sortable(key: str) -> str:
    return _timestamp(key) or _year_last(key) or _numeral(key) or _natural(key)


def is_year_last(key: str) -> bool:
    """Whether a key is a date with the year at its end, of which the month and the day may be mistaken."""
    return _year_last(key) is not None


def require_trimmed(name: str, what: str) -> None:
    """Refuse blanks at the ends of a name: nobody sees them, and they make it another name, at another place.

    :param what: what it names, for the message
    :raises ConfigurationError: when there are any
    """
    if name != name.strip():
        raise ConfigurationError(
            f"{what[:1].upper()}{what[1:]} is {name!r}, which begins or ends with a blank: it would be another than "
            f"{name.strip()!r}, and stand elsewhere in the order. Take the blanks away."
        )


def _natural(text: str) -> str:
    return _DIGITS.sub(lambda digits: _number(digits.group()), text)


def _number(digits: str) -> str:
    """A whole number so that text sorts it: first how long it is, in digits that sort by themselves."""
    plain = digits.lstrip("0")
    return f"{'9' * (len(plain) // 9)}{len(plain) % 9}{plain}"


def _numeral(key: str) -> str | None:
    if _NUMERAL.fullmatch(key) is None:
        return None
    value = Decimal(key)
    whole, _, fraction = f"{abs(value):f}".partition(".")
    fraction = fraction.rstrip("0")
    size = f"{_number(whole)}.{fraction}" if fraction else _number(whole)
    return size if value >= 0 else f"-{size.translate(_NINES)}{_AFTER_ALL}"


def _timestamp(key: str) -> str | None:
    found = _TIMESTAMP.fullmatch(key)
    if found is None:
        return None
    day, hour, minute, second, fraction, sign, hours, minutes = found.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{hour}:{minute}:{second or '00'}")
        offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
        moment = moment + offset if sign == "-" else moment - offset
    except (ValueError, OverflowError):
        return None  # the 31st of February: a text like others
    return f"{_natural(moment.isoformat())}.{fraction or ''}"


def _year_last(key: str) -> str | None:
    found = _YEAR_LAST.fullmatch(key)
    if found is None:
        return None
    first, separator, second, year, rest = found.groups()
    day, month = int(first), int(second)
    if separator != "." and 1 <= day <= 12:
        day, month = month, day
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return None
    return f"{_BEFORE_DIGITS}{_natural(f'{year}-{month:02d}-{day:02d}{rest}')}"
