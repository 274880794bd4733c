"""Durations as people write them: ``26h``."""

from __future__ import annotations

import re
from datetime import timedelta

from airflow_dq.exceptions import ConfigurationError

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_PART = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhdw])\s*")


def seconds_of(given: object) -> float:
    """A duration in seconds: ``26h``, ``1d 2h``, ``90m``, a number of seconds, or a ``timedelta``.

    :raises ConfigurationError: when it is none of these, or not above 0
    """
    found = _read(given)
    if found is None or not found > 0:
        raise ConfigurationError(f"{given!r} is no duration; give one such as '26h', '1d 12h', '90m' or '30s'.")
    return found


def _read(given: object) -> float | None:
    if isinstance(given, timedelta):
        return given.total_seconds()
    if isinstance(given, int | float) and not isinstance(given, bool):
        return float(given)
    if not isinstance(given, str) or not re.fullmatch(rf"(?:{_PART.pattern})+", given):
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(given))


def duration_words(seconds: float) -> str:
    """``26 h``, ``3 d 4 h``, ``90 s``: two parts at most, so that hours of a long time are not lost in it."""
    sign, left = ("-" if seconds < 0 else ""), abs(seconds)
    if left < 120:
        return f"{sign}{left:.3g} s"
    if left < 7200:
        return f"{sign}{left / 60:.3g} min"
    if left < 48 * 3600:
        return f"{sign}{left / 3600:.3g} h"
    days, hours = divmod(left / 3600, 24)
    return f"{sign}{int(days)} d" + (f" {hours:.0f} h" if round(hours) else "")
