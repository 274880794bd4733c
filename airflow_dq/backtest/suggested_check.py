"""Checks that a dataset's past suggests: found in its older partitions, and tried on all of them.

The rules are those of Deequ's suggestions (Schelter et al., VLDB 2018, section 3.3); what it cannot do is to say on how
many partitions each would have held, and to leave out what the newer ones break.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.metric import NONE
from airflow_dq.check.model import Check
from airflow_dq.exceptions import SynthesisError
from airflow_dq.profile.check.answer import answer
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution

LEAST = 3
"""Fewer partitions say nothing of those to come."""
OLDER = 2 / 3
"""The share of the partitions that checks are found in; those after them have had no part in it."""
MOST_VALUES = 50
"""A set of more values is no set that a person looks through."""
SINGLES = 0.1
"""A column of which more values than this share occur once has no closed set of them (Deequ's)."""
LEAST_COMPLETE = 0.2
"""A column with fewer values than this share has hardly any (Deequ's)."""
ALIKE = 0.08
"""A share of distinct values this near 1 may be 1: 1.7 standard errors of Deequ's sketch."""
FEW_ROWS = 20
"""Of fewer rows all values differ by chance."""
FORMATS = ("uuid", "email", "url", "ipv4", "datetime", "date", "integer")
"""Formats that are looked for, the narrower one first."""
CONFIDENCE = 0.05
"""One minus the confidence of Wilson's interval."""


@dataclass(frozen=True, slots=True)
class SuggestedCheck:
    """A check, why it is suggested, and on how many partitions it would have held."""

    check: Check
    reason: str
    held: int
    of: int
    """Partitions of which it can be told; 0: of none, so that it is only a guess."""


def suggest_checks(profiles: Sequence[Profile]) -> list[SuggestedCheck]:
    """What might be declared of a dataset: nothing that one of the partitions breaks.

    :param profiles: good partitions, oldest first
    :raises SynthesisError: when there are fewer than :data:`LEAST`
    """
    if len(profiles) < LEAST:
        raise SynthesisError(
            f"{len(profiles)} partitions are profiled, and suggestions need {LEAST} or more: `airflow dq backfill`."
        )
    older = profiles[: max(LEAST - 1, math.ceil(OLDER * len(profiles)))]
    newest = profiles[-1].columns
    names = [name for name in newest if all(name in one.columns for one in older)]
    found = [_tried(check, reason, profiles) for name in names for check, reason in _candidates(name, older)]
    return [one for one in found if one is not None]


def completeness_bound(numerator: int, denominator: int) -> float:
    """The least share of values that a partition's are compatible with: Wilson's, rounded down to a hundredth."""
    from statsmodels.stats.proportion import proportion_confint

    low, _ = proportion_confint(numerator, denominator, alpha=CONFIDENCE, method="wilson")
    return math.floor(100 * float(low)) / 100


Candidate = tuple[Check, str]


def _candidates(name: str, older: Sequence[Profile]) -> Iterator[Candidate]:
    columns = [one.columns[name] for one in older]
    for rule in (_complete, _type, _non_negative, _unique, _set, _format, _length):
        candidate = rule(name, columns, older)
        if candidate is not None:
            yield candidate


def _tried(check: Check, reason: str, profiles: Sequence[Profile]) -> SuggestedCheck | None:
    """The check with the partitions that it holds on; None when one of them breaks it."""
    values = [value for one in profiles if (value := answer(check, one).value) is not None]
    held = sum(check.error is not None and check.error.holds(value) for value in values)
    return SuggestedCheck(check, reason, held, len(values)) if held == len(values) else None


def _complete(name: str, columns: Sequence[ColumnProfile], older: Sequence[Profile]) -> Candidate | None:
    check = Check("completeness", (name,), error=Bounds(1, 1))
    shares = [one for one in (answer(check, profile) for profile in older) if one.denominator]
    if not shares:
        return None
    if all(one.numerator == one.denominator for one in shares):
        return check, "every row has a value"
    least = min(one.value or 0.0 for one in shares)
    if least <= LEAST_COMPLETE:
        return None
    bound = min(completeness_bound(one.numerator or 0, one.denominator or 1) for one in shares)
    said = f"at least {least:.1%} of the rows have a value; Wilson's lower limit of the least complete partition"
    return Check("completeness", (name,), error=Bounds(lower=bound)), said


def _type(name: str, columns: Sequence[ColumnProfile], older: Sequence[Profile]) -> Candidate | None:
    kinds = {column.kind for column in columns} - {Kind.NULL}
    if len(kinds) != 1 or kinds == {Kind.STRING}:
        return None
    (kind,) = kinds
    return Check("type", (name,), type=str(kind)), f"it has always been {kind}"


def _non_negative(name: str, columns: Sequence[ColumnProfile], older: Sequence[Profile]) -> Candidate | None:
    lowest = [value for column in columns if isinstance(value := column.metrics.get("min"), float)]
    if not lowest or min(lowest) < 0 or any(column.kind not in (Kind.NUMERIC, Kind.NULL) for column in columns):
        return None
    return Check("min", (name,), error=Bounds(lower=0)), f"no value is below 0; the smallest is {min(lowest):g}"


def _unique(name: str, columns: Sequence[ColumnProfile], older: Sequence[Profile]) -> Candidate | None:
    check = Check("uniqueness", (name,), error=Bounds(1, 1))
    rows = min(profile.row_count for profile in older)
    shares = [answer(check, profile).value for profile in older]
    if rows < FEW_ROWS or any(share not in (None, 1.0) for share in shares):
        return None
    if all(share is None for share in shares):
        near = [column.metrics.get("unique_ratio") for column in columns]
        if not all(isinstance(one, float) and abs(1.0 - one) <= ALIKE for one in near):
            return None
        return check, "by an estimate nearly all values differ; not counted so far"
    return check, "no value occurs twice"


def _set(name: str, columns: Sequence[ColumnProfile], older: Sequence[Profile]) -> Candidate | None:
    values: set[str] = set()
    for column, profile in zip(columns, older, strict=True):
        state = column.states.get(CategoryDistribution.key)
        if column.kind is not Kind.STRING or profile.options.hides(name):
            return None
        if not isinstance(state, CategoryDistribution):
            continue  # no longer kept
        single = int((state.counts == 1).sum())
        if state.buckets is not None or len(state.values) > MOST_VALUES or single > SINGLES * state.total:
            return None
        values.update(state.values.to_pylist())
    if not values or len(values) > MOST_VALUES:
        return None
    return Check("isin", (name,), values=tuple(sorted(values))), f"there are {len(values)} values, and few occur once"


def _format(name: str, columns: Sequence[ColumnProfile], older: Sequence[Profile]) -> Candidate | None:
    if any(column.kind is not Kind.STRING for column in columns):
        return None
    for one in FORMATS:
        check = Check("format", (name,), format=one)
        shares = [value for profile in older if (value := answer(check, profile).value) is not None]
        if shares and min(shares) == 1.0:
            return check, f"every value is written as {one}"
    return None


def _length(name: str, columns: Sequence[ColumnProfile], older: Sequence[Profile]) -> Candidate | None:
    if any(column.kind is not Kind.STRING for column in columns):
        return None
    lengths: set[float] = set()
    for metric in ("min_length", "max_length"):
        check = Check(metric, (name,), error=NONE)
        lengths |= {value for profile in older if (value := answer(check, profile).value) is not None}
    if len(lengths) != 1 or not min(lengths):
        return None
    (length,) = lengths
    return Check("max_length", (name,), error=Bounds(length, length)), f"every value has {length:g} characters"
