"""What is asked of a number: a lower and an upper bound, as data that can be stored, shown and exported."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from airflow_dq.exceptions import ConfigurationError

Number = int | float
"""A finite number; whole numbers stay exact, however large they are."""

FORMS = "'>=0.9', '>0', '<=10', '<10', '==1', a number, or [lowest, highest]"
"""How bounds may be written, for messages."""
_NUMBER = r"[+-]?(?:\d[\d_]*)?\.?\d+(?:[eE][+-]?\d+)?"
_COMPARISON = re.compile(rf"\s*(>=|<=|==|=|>|<)?\s*({_NUMBER})\s*")


@dataclass(frozen=True, slots=True)
class Bounds:
    """``lower <= value <= upper``, without the bound itself where a side is ``open``; None: no bound on that side."""

    lower: Number | None = None
    upper: Number | None = None
    lower_open: bool = False
    upper_open: bool = False

    def __post_init__(self) -> None:
        """Refuse bounds that nothing, or everything, lies within.

        :raises ConfigurationError: naming the bounds
        """
        for side in (self.lower, self.upper):
            if side is not None and (isinstance(side, bool) or not isinstance(side, int | float) or not _finite(side)):
                raise ConfigurationError(f"{side!r} is no bound: give a finite number.")
        if self.lower is None and self.upper is None:
            raise ConfigurationError("Bounds without any bound ask nothing: give a lower or an upper one.")
        if self.lower is None or self.upper is None:
            return
        if self.lower > self.upper or (self.lower == self.upper and (self.lower_open or self.upper_open)):
            raise ConfigurationError(
                f"No number lies within {self.words}: the lower bound must not be above the upper one."
            )

    @classmethod
    def of(cls, given: Any) -> Bounds:
        """Bounds as they are written in Python or YAML: text, a number, a pair, or bounds.

        >>> Bounds.of(">=0.9")
        Bounds(lower=0.9, upper=None, lower_open=False, upper_open=False)

        :raises ConfigurationError: when it is none of these
        """
        if isinstance(given, Bounds):
            return given
        if isinstance(given, int | float) and not isinstance(given, bool):
            return cls(given, given)
        if isinstance(given, list | tuple) and len(given) == 2:
            return cls(*given)
        found = _COMPARISON.fullmatch(given) if isinstance(given, str) else None
        if found is None:
            raise ConfigurationError(f"{given!r} are no bounds; allowed: {FORMS}.")
        sign, number = found[1] or "==", number_of(found[2])
        if sign in ("==", "="):
            return cls(number, number)
        if sign.startswith(">"):
            return cls(lower=number, lower_open=sign == ">")
        return cls(upper=number, upper_open=sign == "<")

    def holds(self, value: Number) -> bool:
        """Whether a number lies within; whole numbers and floats are compared exactly."""
        if self.lower is not None and (value < self.lower or (self.lower_open and value == self.lower)):
            return False
        return self.upper is None or not (value > self.upper or (self.upper_open and value == self.upper))

    @property
    def words(self) -> str:
        """``>= 0.9``, ``1,000 to 50,000``, ``exactly 1``."""
        low, high = (None if side is None else shown(side) for side in (self.lower, self.upper))
        if low is not None and self.lower == self.upper:
            return f"exactly {low}"
        lower = None if low is None else f"{'>' if self.lower_open else '>='} {low}"
        upper = None if high is None else f"{'<' if self.upper_open else '<='} {high}"
        if lower is None or upper is None:
            return lower or upper or ""
        closed = not (self.lower_open or self.upper_open)
        return f"{low} to {high}" if closed else f"{lower} and {upper}"


def number_of(text: str) -> Number:
    """A number as it is written: whole ones stay exact."""
    plain = text.replace("_", "")
    return int(plain) if re.fullmatch(r"[+-]?\d+", plain) else float(plain)


def shown(number: Number) -> str:
    """A number in a sentence, with all of its digits."""
    if isinstance(number, float) and number.is_integer() and abs(number) < 1e15:
        number = int(number)
    return f"{number:,}" if isinstance(number, int) else f"{number:.12g}"


def _finite(number: Number) -> bool:
    return isinstance(number, int) or math.isfinite(number)


def require_range(low: str | float, high: str | float) -> None:
    """Refuse sides of a range of values that nothing lies between: of two types, or the wrong way round.

    :param low: a number, or a text, which may be a date or timestamp
    :raises ConfigurationError: naming both
    """
    if isinstance(low, str) != isinstance(high, str) or isinstance(low, bool) != isinstance(high, bool):
        raise ConfigurationError(f"low ({low!r}) and high ({high!r}) are of different types.")
    ours, theirs = (_moment(low), _moment(high)) if isinstance(low, str) and isinstance(high, str) else (None, None)
    above = ours > theirs if ours is not None and theirs is not None else low > high  # type: ignore[operator]
    if above:
        raise ConfigurationError(f"low ({low}) is above high ({high}).")


def _moment(text: str) -> datetime | None:
    """The moment that a text names, in UTC where it names no zone."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
