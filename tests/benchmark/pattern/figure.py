"""What the figures of Auto-Validate, section 5.2, show, drawn of another lake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from airflow_dq.pattern import FmdvOptions, PatternIndex
from airflow_dq.pattern.contribution import sampled, strong_patterns
from airflow_dq.pattern.generalise import runs_of, tokens_of
from tests.benchmark.pattern.compare import Accepts, Learn, Outcome, Query, evaluate, product, told

VARIANTS = ("fmdv", "fmdv-v", "fmdv-h", "fmdv-vh")
SWEEPS: dict[str, tuple[float, ...]] = {
    "r": (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5),
    "m": (1, 5, 20, 50, 100),
    "tau": (2, 3, 5, 8),
    "theta": (0.0, 0.01, 0.05, 0.1, 0.2),
}
"""``r`` reaches as far as the index is complete, for few columns of this lake are feasible at the paper's .1."""
_CASES = 100
"""Queries whose F1 is shown, as in the paper."""


def cases(outcomes: Mapping[str, Outcome], folder: Path) -> None:
    """Figure 11: F1 query by query, in the order of the published method's."""
    import matplotlib.pyplot as plt

    found = {name: _f1(outcome)[:_CASES] for name, outcome in outcomes.items()}
    order = np.argsort(-found["fmdv-vh"], kind="stable")
    figure, axis = plt.subplots(figsize=(9, 3.5))
    for name in ("calibrated", "fmdv-vh", "coarse shapes, Fisher", "exact dictionary (TFDV)"):
        axis.plot(found[name][order], label=name, drawstyle="steps-mid")
    axis.set(xlabel="query", ylabel="F1")
    axis.legend()
    _save(figure, folder / "cases.svg")


def _f1(outcome: Outcome) -> Any:
    recall = np.array(outcome.recall)
    return np.where([good is True for good in outcome.good], 2 * recall / (1 + recall), 0.0)


def sensitivity(index: PatternIndex, queries: Sequence[Query], others: int, folder: Path) -> Iterator[str]:
    """Figure 12: precision and recall of each variant over r, m, tau and theta; drawn, and told."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, len(SWEEPS), figsize=(4 * len(SWEEPS), 6), sharey=True)
    for place, (name, values) in enumerate(SWEEPS.items()):
        for method in VARIANTS:
            found = []
            for value in values:
                options = replace(FmdvOptions(), **{name: int(value) if name in ("m", "tau") else value})
                learn = _within(product(index, method, options), method, options)
                found.append(evaluate(learn, queries, others).figures)
                yield f"{method} {name}={value}: {told(found[-1])}"
            for row, what in enumerate(("precision", "recall")):
                axes[row, place].plot(values, [one[what] for one in found], marker="o", label=method)
                axes[row, place].set(xlabel=name, ylabel=what if not place else "")
    axes[0, 0].legend()
    _save(figure, folder / "sensitivity.svg")


def _within(learn: Learn, method: str, options: FmdvOptions) -> Learn:
    """Without vertical cuts only values of fewer runs than tau are in an index that was built with it."""

    def shorter(train: Sequence[str], table: str) -> Accepts | None:
        if "v" not in method.partition("-")[2] and max(runs_of(tokens_of(value)) for value in train) >= options.tau:
            return None
        return learn(train, table)

    return shorter


def distribution(columns: Sequence[Sequence[str]], folder: Path) -> None:
    """Figure 13: how many patterns there are by their length, and in how many columns each is."""
    import matplotlib.pyplot as plt

    found: Counter[str] = Counter()
    for values in columns:
        found.update(strong_patterns(sampled(values)))
    lengths = Counter(pattern.count("<") - pattern.count("\\<") for pattern in found)
    popular = Counter(found.values())
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5))
    left.bar(list(lengths), list(lengths.values()))
    left.set(xlabel="classes in a pattern", ylabel="patterns")
    right.loglog(sorted(popular), [popular[count] for count in sorted(popular)], ".")
    right.set(xlabel="columns", ylabel="patterns in so many")
    _save(figure, folder / "distribution.svg")


def _save(figure: Any, file: Path) -> None:
    figure.tight_layout()
    figure.savefig(file)
