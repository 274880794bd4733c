"""Choosing a parameter's value on all datasets but one, and what the choice is worth on the one left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tests.benchmark.program.outcome import Outcome

Counts = Mapping[str, Mapping[str, Outcome]]
"""By dataset, then by the parameter's value."""
WORST = 1.3
"""The left-out rate of false alarms may be so many times that of the choice on its own data."""


def pooled(outcomes: Iterable[Outcome]) -> Outcome:
    """The counts of several datasets together."""
    total = Outcome()
    for one in outcomes:
        total.columns += one.columns
        total.column_alarms += one.column_alarms
        total.partitions += one.partitions
        total.partition_alarms += one.partition_alarms
        total.programs += one.programs
        total.clauses += one.clauses
        total.injected.update(one.injected)
        total.caught.update(one.caught)
    return total


def best(counts: Counts, values: Sequence[str], recall: float | None) -> str:
    """The value that is chosen on these datasets.

    :param recall: of the values with at least this recall the one with the fewest false alarms, or the one with the
        most recall when none has it; None: the one with the highest F1
    """
    found = {value: pooled(by_value[value] for by_value in counts.values()) for value in values}
    if recall is None:
        return max(values, key=lambda value: found[value].f1())
    able = [value for value in values if found[value].recall() >= recall]
    if not able:
        return max(values, key=lambda value: found[value].recall())
    return min(able, key=lambda value: (found[value].false_alarms, -found[value].recall()))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One dataset, judged by the value that the others chose."""

    dataset: str
    value: str
    here: Outcome
    """The dataset's counts at that value."""
    own: Outcome
    """Its counts at the value that all datasets together chose, itself among them."""


def leave_one_out(counts: Counts, values: Sequence[str], recall: float | None) -> tuple[str, list[LeftOut]]:
    """The value chosen on all datasets, and each dataset judged by what the others chose."""
    chosen = best(counts, values, recall)
    left = []
    for name, by_value in counts.items():
        others = {other: found for other, found in counts.items() if other != name}
        value = best(others, values, recall) if others else chosen
        left.append(LeftOut(name, value, by_value[value], by_value[chosen]))
    return chosen, left
