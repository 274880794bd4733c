"""Types that a check may ask a column to have: the kinds that it is profiled as, and the types that sources have."""

from __future__ import annotations

import re
from difflib import get_close_matches

from airflow_dq.exceptions import ConfigurationError

KINDS = ("numeric", "string", "boolean", "timestamp", "binary", "nested", "null")
"""How columns are profiled; see :class:`airflow_dq.states.base.Kind`."""
_NUMBERS = (*(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "halffloat", "float", "double")
TYPES = (*_NUMBERS, "bool", "date32[day]", "date64[ms]", "month_day_nano_interval", "large_string", "large_binary")
"""Those that Arrow has a single word for."""
_MADE = re.compile(r"[a-z]\w*[(<\[].*[)>\]]|interval .*|variant|void|geometry|geography", re.DOTALL)
"""Those that are made of others or have arguments, such as ``timestamp[us, tz=UTC]``; and Spark's that have no values
outside of it."""


def require_type(given: object) -> None:
    """Refuse a word that no column's type is: the check would fail for ever, whatever the column is.

    :raises ConfigurationError: naming it, what was meant perhaps, and what is allowed
    """
    if not isinstance(given, str):
        raise ConfigurationError(f"type is {given!r}; give a text.")
    if given in KINDS or given in TYPES or _MADE.fullmatch(given):
        return
    near = get_close_matches(given, (*KINDS, *TYPES), 1)
    guess = f"did you mean {near[0]!r}? " if near else ""
    raise ConfigurationError(
        f"there is no type {given!r}; {guess}allowed: {', '.join(KINDS)}, or a type as the profile names it, such as "
        "int64, double, date32[day], timestamp[us], decimal128(10, 2) or list<string>."
    )
