"""How unusual a deviation is: measured against the largest one of the history, or by its place among all; no odds.

A deviation is how far a value lies from what was expected of it one step ahead, in the unit of its series (or on the
scale that makes partitions comparable); those of the past partitions are what it is compared with.
"""

from __future__ import annotations

import math

_BEYOND_COMPARISON = 1_000_000
"""Above so many times the largest deviation a number tells no more than its size: past ones were rounding errors."""
_TOLERANCE = 1e-9
"""Relative; a ratio of two doubles is off by 1e-16, and 2.3 must not be written as 2.2 for that."""
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def evidence_words(deviation: float, worst: float, rank: int, count: int, since: str | None = None) -> str:
    """``45 times the largest deviation in 30 partitions``, ``the 2nd largest deviation in 30 partitions``.

    Numbers are rounded down: the words never claim more than was measured.

    :param deviation: how far the value is from what was expected, 0 or more
    :param worst: the largest deviation of the past partitions, 0 or more
    :param rank: place of the deviation among the past ones and itself, 1 for the largest
    :param count: number of past partitions that have a deviation
    :param since: key of the oldest of them, to be named; None where it is not known
    :return: words for a place inside a sentence; without a past partition that there is nothing to compare with
    """
    if count < 1:
        return "there is no past partition to compare it with"
    span = f"{count:,} partition{'' if count == 1 else 's'}{'' if since is None else f' since {since}'}"
    if deviation <= 0.0:
        return f"no deviation, as compared with {span}"
    if worst <= 0.0:
        return f"it never changed in {span}"
    if deviation > worst:
        return f"{times_of_largest(deviation, worst)} the largest deviation in {span}"
    if rank <= 1:
        return f"as large as the largest deviation in {span}"
    if rank > count:
        return f"smaller than every deviation in {span}"
    return f"the {ordinal(rank)} largest deviation in {span}"


def times_of_largest(deviation: float, worst: float) -> str:
    """By how much a deviation exceeds the largest one: ``45 times``, ``1.5 times``, ``slightly more than``.

    :param worst: above 0 and below the deviation
    """
    if deviation > _BEYOND_COMPARISON * worst:
        return f"more than {_BEYOND_COMPARISON:,} times"
    times = deviation / worst * (1.0 + _TOLERANCE)
    if times < 1.1:
        return "slightly more than"
    if times < 10.0:
        return f"{math.floor(times * 10.0) / 10.0:g} times"
    # Three digits say what there is to say.
    unit = 10 ** max(0, math.floor(math.log10(times)) - 2)
    return f"{math.floor(times / unit) * unit:,} times"


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``3rd``, ``11th``, ``21st``."""
    ending = "th" if number % 100 in (11, 12, 13) else _ENDINGS.get(number % 10, "th")
    return f"{number:,}{ending}"
