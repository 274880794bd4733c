"""Errors of growing size, each judged on the day after a clean history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from airflow_dq.profile import Profile, profile_table
from airflow_dq.program import Program, SynthesisOptions, evaluate, synthesize
from tests.benchmark.sweep.error import ERRORS, LOST, TEST_RECORDS, VALUES, add_test_records, lose

LENGTHS = (7, 14, 30)
SIZES = (200, 2_000)
TABLE = "table"
CLEAN = "nothing"


@dataclass(frozen=True, slots=True)
class Curve:
    """What is followed: an error in a kind of column, with so many rows, after so many partitions."""

    kind: str
    error: str
    rows: int
    partitions: int


@dataclass(frozen=True, slots=True)
class Shot:
    """One error of one size in one repetition, and whether it was caught."""

    curve: Curve
    size: float
    repetition: int
    caught: bool


def table(rows: int, day: int, seed: int) -> pa.Table:
    """One clean day with a column of each kind; the number of rows varies a little."""
    rng = np.random.default_rng([seed, rows, day])
    count = int(rng.poisson(rows))
    return pa.table({kind: make(rng, count, day) for kind, make in VALUES.items()})


def shots(
    rows: int, repetition: int, lengths: Sequence[int], options: SynthesisOptions, every: int = 1
) -> Iterator[Shot]:
    """Every error on one table, after histories of each length.

    :param every: only each so manieth size, the largest always
    """
    longest = max(lengths)
    past = [profile_table(table(rows, day, repetition), partition=_key(day)) for day in range(longest)]
    now = table(rows, longest, repetition)
    clean = profile_table(now, partition=_key(longest))
    wrong = list(_wrong(now, clean, repetition, every))
    for length in lengths:
        history = past[-length:]
        program = synthesize(history, options)
        yield Shot(Curve(TABLE, CLEAN, rows, length), 0.0, repetition, caught(program, clean, history, TABLE))
        for kind, error, size, profile in wrong:
            found = caught(program, profile, history, kind)
            yield Shot(Curve(kind, error, rows, length), size, repetition, found)


def caught(program: Program, now: Profile, history: Sequence[Profile], kind: str) -> bool:
    """Whether the partition fails for this column, or for the table as a whole.

    :param kind: TABLE: whether it fails at all
    """
    findings = evaluate(program, now, history).findings
    return any(kind == TABLE or not one.scope.columns or kind in one.scope.columns for one in findings)


def thinned(sizes: Sequence[float], every: int) -> list[float]:
    """Each so manieth of the sizes, counted from the largest."""
    return list(reversed(sizes[::-1][::every]))


def _wrong(now: pa.Table, clean: Profile, seed: int, every: int) -> Iterator[tuple[str, str, float, Profile]]:
    """Kind, error, size and the profile of the wrong partition."""
    for error in ERRORS:
        for kind in error.kinds:
            for size in thinned(error.sizes, every):
                values = error.apply(now.column(kind).combine_chunks(), size, np.random.default_rng(seed))
                # Only the column that changed: the others' profiles are the same.
                changed = profile_table(pa.table({kind: values}), partition=clean.partition).columns[kind]
                yield kind, error.name, size, replace(clean, columns={**clean.columns, kind: changed}, sample=None)
    for name, sizes, change in (("lost rows", LOST, lose), ("test records", TEST_RECORDS, add_test_records)):
        for size in thinned(sizes, every):
            changed_table = change(now, size, np.random.default_rng(seed))
            yield TABLE, name, size, profile_table(changed_table, partition=clean.partition)


def _key(day: int) -> str:
    return str(np.datetime64("2024-01-01") + day)
