"""A check that compares a partition with another table: what is counted of both, and what that comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.model import Check
from airflow_dq.profile.check.count import group_of
from airflow_dq.profile.check.key_tally import Keys
from airflow_dq.profile.check.measured import NO_ROWS, NO_VALUES, Measured
from airflow_dq.profile.check.tally import Aggregates, Failed, Shares, Tally
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind

Sides = tuple[Tally, Tally]
"""What was counted of the partition, and of the other table."""


def mirrored(check: Check) -> Check:
    """The check that counts in the other table what the check counts in the partition."""
    columns = check.to_columns or check.columns
    return Check(check.metric, columns, to=check.to, where=check.to_where, error=Bounds(0))


def compared(check: Check, ours: Profile, theirs: Profile, passes: Iterable[Sides] | None = None) -> Measured:
    """What a check comes to.

    :param ours: the profile of the partition
    :param theirs: that of the other table, made with the :func:`mirrored` check
    :param passes: what was counted, where the keys are too many to be counted at once: a part of them each time
    """
    problem = _unlike(check, ours, theirs)
    if problem is not None:
        return Measured(problem=problem)
    counted = tally_of(ours, check), tally_of(theirs, mirrored(check))
    for tally, whose in zip(counted, ("", f"the other table {check.to!r}: "), strict=True):
        if isinstance(tally, Failed):
            return Measured(problem=f"{whose}{tally.problem}")
    found = _result(check, counted, [counted] if passes is None else passes)
    # The same partition has another value beside another table.
    return replace(found, timed=True)


def tally_of(profile: Profile, check: Check) -> Tally:
    """What was counted for a check of rows."""
    counted = profile.tallies.get(group_of(check) or "")
    return Failed("none of its rows was counted") if counted is None else counted


def _unlike(check: Check, ours: Profile, theirs: Profile) -> str | None:
    """Why the two cannot be compared."""
    for profile, names, whose in (
        (ours, check.reads, "the partition"),
        (theirs, mirrored(check).reads, f"the other table {check.to!r}"),
    ):
        missing = [name for name in names if name not in profile.columns]
        if missing:
            known = ", ".join(map(repr, list(profile.columns)[:20]))
            return f"{whose} has no column {', '.join(map(repr, missing))}; its columns are {known}"
    if not theirs.row_count:
        return f"the other table {check.to!r} has no row"
    if check.metric == "sum_difference":
        return None
    return _other_types(check.columns, check.to_columns or check.columns, ours, theirs, check.to)


def _other_types(
    names: Sequence[str], others: Sequence[str], ours: Profile, theirs: Profile, to: str | None
) -> str | None:
    for name, other in zip(names, others, strict=True):
        one, two = ours.columns[name], theirs.columns[other]
        if one.kind is not two.kind and Kind.NULL not in (one.kind, two.kind):
            return f"column {name!r} is {one.kind} and column {other!r} of the other table {to!r} is {two.kind}"
    return None


def _result(check: Check, counted: Sides, passes: Iterable[Sides]) -> Measured:
    ours, theirs = counted
    if isinstance(ours, Shares) and isinstance(theirs, Shares):
        if not theirs.rows:
            return Measured(problem=_no_row(check))
        return _difference(ours.rows, theirs.rows)
    if isinstance(ours, Aggregates) and isinstance(theirs, Aggregates):
        if not theirs.moments[0].count:
            return Measured(problem=f"the other table {check.to!r} has no value to sum up")
        if not ours.moments[0].count:
            return Measured(nothing=NO_VALUES if ours.rows else NO_ROWS)
        return _difference(ours.moments[0].sum, theirs.moments[0].sum)
    assert isinstance(ours, Keys)
    assert isinstance(theirs, Keys)
    if not theirs.rows:
        return Measured(problem=_no_row(check))
    return _found(check, ours.rows, passes)


def _no_row(check: Check) -> str:
    return f"the other table {check.to!r} has no row where {check.to_where}"


def _difference(ours: float, theirs: float) -> Measured:
    """How far two numbers lie apart, as a share of the one that is farther from 0."""
    largest = max(abs(ours), abs(theirs))
    return Measured(abs(ours - theirs) / largest if largest else 0.0, seen=f"{ours:,.12g} here, {theirs:,.12g} there")


def _found(check: Check, rows: int, passes: Iterable[Sides]) -> Measured:
    """The share of rows whose key the other table has."""
    found = counted = 0
    for ours, theirs in passes:
        assert isinstance(ours, Keys)
        assert isinstance(theirs, Keys)
        for side in (ours, theirs):
            if side.too_many:
                return side.measured(check)
        there = np.isin(ours.hashes, theirs.hashes, assume_unique=True)
        found += int(ours.counts[there].sum())
        counted += int(ours.counts.sum())
    null = rows - counted
    numerator = found + (null if check.nulls == "pass" else 0)
    denominator = counted + (null if check.nulls != "skip" else 0)
    return Measured.share(numerator, denominator, NO_VALUES if rows else NO_ROWS)
