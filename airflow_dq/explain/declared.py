"""What is said of a declared check: the value, out of how many rows, what was asked, and by whom."""

from __future__ import annotations

from airflow_dq.check.bounds import Bounds, shown
from airflow_dq.check.duration import duration_words
from airflow_dq.check.model import Check, fill
from airflow_dq.explain.wording import number_words, share_words
from airflow_dq.learn.constraint.declared import Declared
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.profile.check.measured import Measured
from airflow_dq.states.base import Kind
from airflow_dq.visible import visible


def declared_words(constraint: Declared, partition: PartitionView) -> str:
    """``share of rows that follow the rule 'a < b' is 98.70% (9,870 of 10,000); asked: >= 0.999 (check ...)``."""
    check, measured = constraint.declared, constraint.measured(partition)
    column = partition.column(check.columns[0]) if len(check.columns) == 1 else None
    return said_of_check(check, measured, Kind.NUMERIC if column is None else column.kind)


def said_of_check(check: Check, measured: Measured, kind: Kind = Kind.NUMERIC) -> str:
    """The value of a check that was measured, and what it asks; in its own words, where it has some.

    :param kind: of its column: how values in the column's unit are written
    """
    bounds = _broken(check, measured)
    value = value_words(check, measured, kind)
    asked = bounds_words(check, bounds, kind)
    if check.message is not None:
        counts = ("" if one is None else f"{one:,}" for one in (measured.numerator, measured.denominator))
        numerator, denominator = counts
        said = fill(check.message, value=value, bounds=asked, numerator=numerator, denominator=denominator)
    else:
        seen = f" ({measured.seen})" if measured.seen else ""
        said = f"{check.words} is {value}{_of(measured)}{seen}; asked: {asked}"
    owner = f", owner {check.owner}" if check.owner else ""
    return " ".join(visible(f"{said.rstrip('.')} (check {check.id}{owner}).").split())


def value_words(check: Check, measured: Measured, kind: Kind) -> str:
    """The value in its unit."""
    value = measured.value
    if value is None:
        return measured.problem or measured.nothing or "unknown"
    match check.entry.unit:
        case "share":
            return share_words(float(value))
        case "seconds":
            return duration_words(float(value))
        case "value" if kind is Kind.TIMESTAMP:
            return number_words("max", kind, [float(value)])[0]
        case _:
            return shown(value)


def bounds_words(check: Check, bounds: Bounds | None, kind: Kind) -> str:
    """What is asked, in the value's unit."""
    if bounds is None:
        return "nothing"
    if check.entry.unit == "seconds":
        sides = ((bounds.lower, "at least"), (bounds.upper, "at most"))
        return " and ".join(f"{word} {duration_words(float(side))}" for side, word in sides if side is not None)
    return bounds.words


def _broken(check: Check, measured: Measured) -> Bounds | None:
    """The bounds that the value lies outside of; where it does not, those that are asked for first."""
    asked = [one for one in (check.error, check.warn) if one is not None]
    outside = (one for one in asked if measured.value is not None and not one.holds(measured.value))
    return next(outside, asked[0] if asked else None)


def _of(measured: Measured) -> str:
    if measured.numerator is None or measured.denominator is None:
        return ""
    return f" ({measured.numerator:,} of {measured.denominator:,})"
