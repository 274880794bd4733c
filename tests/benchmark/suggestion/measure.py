"""What suggested checks do afterwards: on later partitions that are clean, and on errors injected into them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from airflow_dq.backtest.suggested_check import suggest_checks
from airflow_dq.check.model import Check
from airflow_dq.corruption.clean_column import CleanColumn
from airflow_dq.corruption.procedure import injections_for
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.profile.check.answer import answer
from airflow_dq.states.base import Kind
from tests.benchmark.suggestion.paper import paper_checks

WAYS: dict[str, Callable[[str, Sequence[Profile]], list[Check]]] = {
    "ours": lambda name, history: [one.check for one in suggest_checks(history, name) if one.of],
    "paper, newest partition": lambda name, history: paper_checks(history[-1:]),
    "paper, all partitions": lambda name, history: paper_checks(history),
}
SEED = 1
"""Of the injected errors, as in the other benchmarks."""


@dataclass
class Outcome:
    """What became of the checks that one way suggested."""

    suggested: Counter[str] = field(default_factory=Counter)
    """By metric: number of checks."""
    judged: Counter[str] = field(default_factory=Counter)
    """By metric: a check on a later partition."""
    failed: Counter[str] = field(default_factory=Counter)
    ever: Counter[str] = field(default_factory=Counter)
    """By metric: checks that failed on any of the later partitions."""
    injected: Counter[str] = field(default_factory=Counter)
    """By type: errors."""
    caught: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def merge(self, other: Outcome) -> None:
        """Add another one's counts."""
        for name in ("suggested", "judged", "failed", "ever", "injected", "caught"):
            getattr(self, name).update(getattr(other, name))
        self.examples += other.examples


def holds(check: Check, profile: Profile) -> bool | None:
    """Whether a check holds; None where there is nothing to tell of, or it cannot be told."""
    value = answer(check, profile).value
    return None if value is None or check.error is None else check.error.holds(value)


def measure(
    name: str, history: Sequence[Profile], later: Sequence[tuple[str, pa.Table]], kinds: dict[str, Kind]
) -> dict[str, Outcome]:
    """Suggest by each way, and try.

    :param history: what the checks are suggested by
    :param later: key and rows of the partitions behind it, the next one first
    """
    found: dict[str, Outcome] = {}
    chosen = {way: suggest(name, history) for way, suggest in WAYS.items()}
    every = tuple({check.measure: check for checks in chosen.values() for check in checks}.values())
    profiles = [profile_table(table, key, ProfileOptions(sample_rows=0, checks=every)) for key, table in later]
    for way, checks in chosen.items():
        outcome = found[way] = Outcome()
        for check in checks:
            outcome.suggested[check.metric] += 1
            told = [held for one in profiles if (held := holds(check, one)) is not None]
            outcome.judged[check.metric] += len(told)
            outcome.failed[check.metric] += told.count(False)
            outcome.ever[check.metric] += False in told
            if False in told:
                outcome.examples.append(f"{name} {profiles[0].partition}: {check.id} {check.error}")
    for column, kind in kinds.items():
        if column in later[0][1].column_names:
            _inject(found, chosen, column, kind, later[0][1])
    return found


def _inject(
    found: dict[str, Outcome], chosen: dict[str, list[Check]], column: str, kind: Kind, table: pa.Table
) -> None:
    """The errors of one column of the next partition, and which way's checks of it fail."""
    about = {way: [check for check in checks if check.reads == (column,)] for way, checks in chosen.items()}
    every = tuple({check.measure: check for checks in about.values() for check in checks}.values())
    sampled = profile_table(table.select([column]), options=ProfileOptions(seed=SEED)).sample
    if sampled is None:
        return
    values = sampled.expand([column]).column(column).combine_chunks()
    clean = CleanColumn(kind, values)
    for injection in injections_for(kind):
        injected = injection.apply(clean, SEED, column)
        if injected is None or injected.repeat != 1 or injected.share < 1:
            continue
        broken = profile_table(pa.table({column: injected.values}), options=ProfileOptions(sample_rows=0, checks=every))
        for way, checks in about.items():
            found[way].injected[injection.type] += 1
            found[way].caught[injection.type] += any(holds(check, broken) is False for check in checks)
