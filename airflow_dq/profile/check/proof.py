"""What no pattern can say of texts: check digits, whether they can be read, and what stands for a missing value."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from airflow_dq.check.placeholder import DAYS, NUMBERS, TEXTS
from airflow_dq.profile.check.number import alike, fractions
from airflow_dq.profile.column import logical_type

_CARD_DIGITS = 19
"""Most digits of a card's number (ISO/IEC 7812)."""
_SSN = re.compile(r"(\d{3})-?(\d{2})-?(\d{4})")


def proved(values: pa.LargeStringArray, name: str) -> pa.BooleanArray:
    """Whether each text is what its outline promises; null where it is null.

    :param name: a format of :data:`~airflow_dq.check.metric.PROVED`
    """
    encoded = values.dictionary_encode()
    flags = _PROOFS[name](encoded.dictionary)
    return flags.take(encoded.indices)


def placeholders(values: pa.Array) -> pa.BooleanArray:
    """Whether each value is one of those that often stand for a missing one; null where it is null."""
    if pt.is_large_string(values.type):
        trimmed = pc.utf8_lower(pc.utf8_trim_whitespace(values))
        found = pc.is_in(trimmed, value_set=pa.array(sorted(TEXTS), values.type))
    elif pt.is_integer(values.type) or pt.is_floating(values.type) or pt.is_decimal(values.type):
        whole = pt.is_integer(values.type)
        numbers = alike([values])[0] if whole else fractions(values)
        wanted = [number if whole else float(number) for number in NUMBERS]
        found = pc.is_in(numbers, value_set=pa.array(wanted, numbers.type))
    elif pt.is_date(values.type) or pt.is_timestamp(values.type):
        days = pc.strftime(values.cast(pa.timestamp("s"), safe=False), "%Y-%m-%d")
        found = pc.is_in(days, value_set=pa.array(DAYS, days.type))
    else:
        found = pa.repeat(False, len(values))
    return pc.if_else(values.is_valid(), found, pa.scalar(None, pa.bool_()))


def can_be_placeholder(data_type: pa.DataType) -> bool:
    """Whether values of this type ever stand for a missing one."""
    logical = logical_type(data_type)
    tests = (pt.is_string, pt.is_integer, pt.is_floating, pt.is_decimal, pt.is_date, pt.is_timestamp, pt.is_null)
    return any(test(logical) for test in tests)


def _each(test: Callable[[str], bool]) -> Callable[[pa.Array], pa.BooleanArray]:
    return lambda texts: pa.array([test(text) for text in texts.to_pylist()], pa.bool_())


def _luhn(texts: pa.LargeStringArray) -> pa.BooleanArray:
    """Whether the last digit is that which the others ask for (ISO/IEC 7812)."""
    digits = pc.replace_substring_regex(texts, "[ -]", "")
    whole = pc.match_substring_regex(digits, rf"^\d{{1,{_CARD_DIGITS}}}$")
    # Zeros in front change no check digit.
    padded = pc.ascii_lpad(pc.if_else(whole, digits, "0"), _CARD_DIGITS, "0")
    cells = np.array(padded.to_pylist(), f"S{_CARD_DIGITS}").view(np.uint8).reshape(len(texts), _CARD_DIGITS) - 48
    doubled = cells[:, -2::-2] * 2
    sums = cells[:, -1::-2].sum(axis=1) + (doubled - 9 * (doubled > 9)).sum(axis=1)
    return pc.and_(whole, pa.array(sums % 10 == 0))


def _iban(text: str) -> bool:
    """Whether the two check digits are right (ISO 13616)."""
    plain = text.replace(" ", "")
    moved = plain[4:] + plain[:4]
    if not moved.isascii() or not moved.isalnum():
        return False
    return int("".join(str(int(letter, 36)) for letter in moved)) % 97 == 1


def _json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _ssn(text: str) -> bool:
    """Whether it is a number that can have been given away: no part is all zeros, no area 666 or from 900 on."""
    found = _SSN.fullmatch(text)
    if found is None or found[1] in ("000", "666") or found[1] >= "900":
        return False
    return found[2] != "00" and found[3] != "0000"


_PROOFS: Mapping[str, Callable[[pa.Array], pa.BooleanArray]] = {
    "credit_card": _luhn,
    "iban": _each(_iban),
    "json": _each(_json),
    "ssn": _each(_ssn),
}
