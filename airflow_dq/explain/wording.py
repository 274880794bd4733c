"""Numbers, metrics and chances in words, for the person who is paged."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby

from airflow_dq.metrics.descriptor import ANY_NUMBER, Reason, Unit
from airflow_dq.metrics.registry import find_metric
from airflow_dq.states.base import Kind

_DIGITS = 4
"""Significant digits of a number in a sentence: enough to tell values apart that differ by what is material."""
_SYMBOLS = {"d": "9", "l": "a"}
_PLAIN_NAME = re.compile(r"[\w.\-]+")
"""A name that needs no quotes in a sentence."""
_RUN = 5
"""A run of one symbol is counted from this length on."""
_SHOWN, _BEFORE = 36, 12
"""Characters of one of two long texts that are shown beside each other, and those of them before their difference."""
_LONGEST = 40
"""Characters of a value that a sentence shows."""

_REASONS = {
    Reason.EMPTY_BATCH: "the partition has no rows",
    Reason.NO_VALUES: "there is no usable value in it",
    Reason.OVERFLOW: "it is too large for a number",
    Reason.NOT_APPLICABLE: "it does not apply to these values",
    Reason.NOT_COUNTED: "there are too many values to keep each",
    Reason.ENGINE_ERROR: "measuring it failed",
}


def metric_words(metric: str, pair: bool) -> str:
    """A metric in words; one that is not registered here is called by its name.

    :param pair: whether to say what a metric of two partitions compares with
    """
    known = find_metric(metric)
    if known is None:
        return metric.replace("_", " ")
    return known.phrase if pair else known.words


def reason_words(reason: Reason) -> str:
    """Why a metric has no value."""
    return _REASONS[reason]


def natural_range(metric: str, kind: Kind | None = None) -> tuple[float, float]:
    """What the metric can be at all: bounds beyond that mean nothing to a reader."""
    known = find_metric(metric, kind)
    return ANY_NUMBER if known is None else known.natural_range


def number_words(metric: str, kind: Kind, values: Sequence[float]) -> list[str]:
    """Values of one metric as text: four significant digits, more where two of them would look the same."""
    write = _writer(metric, kind)
    for digits in range(_DIGITS, 17):
        texts = [write(value, digits) for value in values]
        if len(set(texts)) == len(set(values)):
            break
    return texts


def _writer(metric: str, kind: Kind) -> Callable[[float, int], str]:
    known = find_metric(metric, kind)
    # What is measured beside the metrics of a profile (exceptions to a pattern) is told by its name.
    beside = Unit.SHARE if metric.endswith("_ratio") else Unit.NUMBER
    unit = beside if known is None else known.unit
    return _WRITERS.get((unit, kind), _WRITERS.get((unit, None), _plain))


def _plain(value: float, digits: int) -> str:
    """``9,061``, ``0.001234``, ``1.2e-09``."""
    size = abs(value)
    if value == round(value) and size < 1e15:
        return f"{round(value):,}"
    if not 1e-4 <= size < 1e15:
        return f"{value:.{digits}g}"
    places = max(0, digits - 1 - math.floor(math.log10(size)))
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _timestamp(value: float, digits: int) -> str:
    """Seconds since the epoch as a date and time in UTC."""
    try:
        timestamp = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)
    except OverflowError:
        return f"{_plain(value, digits)} s since 1970"
    exact = digits > _DIGITS and timestamp.microsecond
    return timestamp.replace(tzinfo=None).isoformat(" ", "microseconds" if exact else "seconds")


_WRITERS: dict[tuple[Unit, Kind | None], Callable[[float, int], str]] = {
    (Unit.SHARE, None): lambda value, digits: f"{_plain(100 * value, digits)}%",
    (Unit.COLUMN, Kind.TIMESTAMP): _timestamp,
    (Unit.SPAN, Kind.TIMESTAMP): lambda value, digits: f"{_plain(value, digits)} s",
}
"""How values in a unit are written: for a kind of column, or for all; other numbers are written as they are."""


def share_words(share: float) -> str:
    """A share as a percentage; one that is not 0 or 1 never looks as if it was."""
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    percent = 100.0 * share
    if percent < 0.1:
        return f"{percent:.1g}%" if percent >= 0.001 else "under 0.001%"
    return f"{percent:.1f}%" if 10.0 <= percent < 99.95 else f"{percent:.2f}%"


def times_words(now: float, before: float) -> str:
    """A ratio: ``x60``, ``x0.1``."""
    return f"x{_plain(float(f'{now / before:.3g}'), _DIGITS)}"


def scaled_words(factor: float) -> str:
    """A factor as a fact: ``60 times too large``, ``100 times too small``.

    :param factor: above 0, and not 1
    """
    times, way = (factor, "large") if factor > 1.0 else (1.0 / factor, "small")
    return f"{_plain(float(f'{times:.4g}'), _DIGITS)} times too {way}"


def joined(names: Sequence[str], most: int = 3) -> str:
    """Names as a sentence has them: ``a``, ``a and b``, ``a, b, c and 4 more``."""
    if len(names) > most:
        return listed(names, most)
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def name_words(name: str) -> str:
    """A column's name in a sentence: in quotes where it could be taken for words of its own."""
    return name if _PLAIN_NAME.fullmatch(name) else quoted(name)


def pattern_words(pattern: str) -> str:
    """A stored pattern with 9 for a digit, a for a letter and . for punctuation; long runs are counted: ``a{12}``."""
    parts = []
    for symbol, run in groupby(pattern):
        length, shown = len(list(run)), _SYMBOLS.get(symbol, symbol)
        parts.append(shown * length if length < _RUN else f"{shown}{{{length}}}")
    return "".join(parts)


def past_words(partitions: int) -> str:
    """``30 past partitions``."""
    return f"{partitions} past partition{'' if partitions == 1 else 's'}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Some of the names, and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def beside(one: str, other: str) -> tuple[str, str]:
    """Two texts, quoted: of long ones the part in which they begin to differ."""
    differ = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    first = max(0, min(differ - _BEFORE, max(len(one), len(other)) - _SHOWN))
    return quoted(_part(one, first)), quoted(_part(other, first))


def _part(text: str, first: int) -> str:
    last = first + _SHOWN
    return ("\u2026" if first else "") + text[first:last] + ("\u2026" if len(text) > last else "")


def quoted(text: str) -> str:
    """A value or a name from the data in a sentence: in quotes, cut when it is long, nothing that breaks a line."""
    shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return "'" + "".join(symbol if symbol.isprintable() else f"\\x{ord(symbol):02x}" for symbol in shown) + "'"
