"""What is said of a declared check: the value, out of how many rows, what was asked, and by whom."""

from __future__ import annotations

from airflow_dq.check.bounds import Bounds, shown
from airflow_dq.check.duration import duration_words
from airflow_dq.check.model import Check, fill
from airflow_dq.explain.wording import number_words, share_words
from airflow_dq.learn.constraint.base import Finding
from airflow_dq.learn.constraint.declared import Declared
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.profile.check.measured import Measured
from airflow_dq.states.base import Kind
from airflow_dq.visible import visible


def declared_words(constraint: Declared, finding: Finding, partition: PartitionView) -> str:
    """``share of rows that follow the rule 'a < b' is 98.70% (9,870 of 10,000); asked: >= 0.999 (check ...)``.

    In the check's own words, where it has some.
    """
    check, measured = constraint.declared, constraint.measured(partition)
    column = partition.column(check.columns[0]) if len(check.columns) == 1 else None
    kind = Kind.NUMERIC if column is None else column.kind
    value = value_words(check, measured, kind)
    if finding.lower is None and finding.upper is None:
        asked = bounds_words(check, check.error if finding.severity == "fail" else check.warn)
    else:
        asked = f"{_range_words(check, finding, kind)}, by {finding.expected} of {finding.partitions} past values"
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


def _range_words(check: Check, finding: Finding, kind: Kind) -> str:
    """``55 to 63``, ``at most 63``: what the history lets expect."""
    sides = [
        None if side is None else value_words(check, Measured(side), kind) for side in (finding.lower, finding.upper)
    ]
    low, high = sides
    if low is None or high is None:
        return f"at most {high}" if low is None else f"at least {low}"
    return f"exactly {low}" if low == high else f"{low} to {high}"


def bounds_words(check: Check, bounds: Bounds | None) -> str:
    """What is asked, in the value's unit."""
    if bounds is None:
        return "nothing"
    if check.entry.unit == "seconds":
        sides = ((bounds.lower, "at least"), (bounds.upper, "at most"))
        return " and ".join(f"{word} {duration_words(float(side))}" for side, word in sides if side is not None)
    return bounds.words


def _of(measured: Measured) -> str:
    if measured.numerator is None or measured.denominator is None:
        return ""
    return f" ({measured.numerator:,} of {measured.denominator:,})"
