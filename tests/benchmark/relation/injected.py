"""Errors within rows that no profile of one column shows: how many are caught where a relation exists."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from airflow_dq.options.learning import SynthesisOptions
from tests.benchmark.relation.planted import related
from tests.benchmark.relation.walk import Walk

Damage = Callable[[dict[str, np.ndarray], np.random.Generator], None]
READ = ("quantity", "price", "amount", "shipping", "fee", "total", "net", "cents")
"""Columns of which a relation exists."""


def _rows(columns: dict[str, np.ndarray], share: float, rng: np.random.Generator) -> np.ndarray:
    rows = len(columns["price"])
    return rng.choice(rows, max(1, round(share * rows)), replace=False)


def _swapped(columns: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    """Two columns change places in 2 % of the rows."""
    one, other = rng.choice(["price", "amount", "total", "net", "shipping"], 2, replace=False)
    chosen = _rows(columns, 0.02, rng)
    columns[one][chosen], columns[other][chosen] = columns[other][chosen].copy(), columns[one][chosen].copy()


def _changed(columns: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    """One part of a sum is another one in 1 % of the rows."""
    name = rng.choice(["shipping", "fee", "amount"])
    columns[name][_rows(columns, 0.01, rng)] += 1.0


def _permuted(columns: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    """The values of a column are permuted among 5 % of the rows."""
    name, chosen = rng.choice(READ), _rows(columns, 0.05, rng)
    columns[name][chosen] = columns[name][rng.permutation(chosen)]


DAMAGES: dict[str, Damage] = {
    "2 columns swapped in 2 %": _swapped,
    "part changed in 1 %": _changed,
    "permuted among 5 %": _permuted,
}


def report(days: int, trials: int, rows: int) -> list[str]:
    """How many of each error are caught after so many clean days, and false alarms on as many clean days more."""
    walk, caught, false = Walk(SynthesisOptions()), dict.fromkeys(DAMAGES, 0), 0
    for day in range(days):
        profile, _, _ = walk.judged(pa.table(related(rows, day)), f"{day:04d}")
        walk.learn(profile)
    for trial in range(trials):
        false += bool(walk.judged(pa.table(related(rows, 10_000 + trial)), "9999")[1])
        for name, damage in DAMAGES.items():
            columns = related(rows, 20_000 + trial)
            damage(columns, np.random.default_rng(trial))
            caught[name] += bool(walk.judged(pa.table(columns), "9999")[1])
    lines = [f"{name}: {number / trials:.2f} caught" for name, number in caught.items()]
    return [f"{rows:,} rows, {days} days before", *lines, f"clean: {false} of {trials} alarmed"]
