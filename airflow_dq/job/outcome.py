"""What became of the partitions of a job, in words: the last lines of its log."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from airflow_dq.options.job import NULL_KEY
from airflow_dq.options.key import is_year_last
from airflow_dq.visible import visible

_NUMERAL = re.compile(r"[+-]?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?")
_NAMED = 5
"""Columns, and pairs of keys, that a line names one by one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one partition."""

    partition: str
    rows: int = 0
    profiled: int = 0
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Columns that are not profiled (in full), and why."""
    seconds: float = 0.0
    """Time that tasks spent on it."""
    error: str | None = None
    traceback: str | None = None
    """The stack of a failure that was not foreseen."""
    retryable: bool = True
    """Whether the failure may pass by itself."""

    def line(self, dataset: str) -> str:
        """One line of the job's log."""
        if self.error is not None:
            return visible(f"{dataset} {self.partition}: failed: {self.error}")
        why = "; ".join(f"{name}: {reason}" for name, reason in self.skipped.items())
        skipped = f"{len(self.skipped)} skipped" + (f" ({why})" if why else "")
        return visible(
            f"{dataset} {self.partition}: {self.rows} rows, {self.profiled} columns profiled, {skipped}, "
            f"{self.seconds:.1f} s"
        )


def summary(dataset: str, outcomes: Sequence[Outcome], seconds: float) -> str:
    """The whole job in one line: dataset, partitions, rows, columns profiled, columns skipped and why, seconds.

    :param outcomes: in the order of their keys
    :param seconds: the job's duration
    """
    good = [outcome for outcome in outcomes if outcome.error is None]
    keys = [outcome.partition for outcome in outcomes]
    span = keys[0] if len(keys) == 1 else f"{keys[0]} to {keys[-1]}" if keys else "none"
    columns = [outcome.profiled for outcome in good]
    profiled = " to ".join(str(count) for count in sorted({min(columns, default=0), max(columns, default=0)}))
    skipped: dict[str, str] = {}
    for outcome in good:
        skipped |= outcome.skipped
    named = [f"{name}: {reason}" for name, reason in list(skipped.items())[:_NAMED]]
    if len(skipped) > _NAMED:
        named.append(f"and {len(skipped) - _NAMED} more")
    return (
        f"{dataset}: {len(good)} of {len(outcomes)} partitions profiled ({span}), "
        f"{sum(outcome.rows for outcome in good)} rows, {profiled} columns profiled, {len(skipped)} skipped"
        + (f" ({'; '.join(named)})" if named else "")
        + f", {seconds:.0f} s"
    )


def remarks(keys: Sequence[str]) -> Iterator[str]:
    """What a reader should know about a job's partition keys."""
    if NULL_KEY in keys:
        yield f"rows without a partition key are kept as partition {NULL_KEY!r}, which is in no other one's history"
    if any(map(is_year_last, keys)):
        yield (
            "the keys end with the year and are ordered as dates, the month first unless it cannot be one (with dots: "
            "the day first); a key such as 2024-01-31 cannot be mistaken"
        )
    spelled: dict[Decimal, list[str]] = {}
    for key in keys:
        if _NUMERAL.fullmatch(key):
            spelled.setdefault(Decimal(key), []).append(key)
    clashes = [same for same in spelled.values() if len(same) > 1]
    for same in clashes[:_NAMED]:
        yield f"the keys {' and '.join(map(repr, same))} are one number, and are kept as {len(same)} partitions"
    if len(clashes) > _NAMED:
        yield f"{len(clashes) - _NAMED} more numbers are spelled in several ways"
