"""Compares ways of learning a pattern on a lake of string columns: `python -m tests.benchmark.pattern.compare LAKE`.

LAKE holds ``load.py`` (``columns``, ``bench``, ``split``).  Precision is the share of the rules that accept their own
future; recall the share of the other benchmark columns that a rule refuses, 0 without a rule or with a false alarm
(Auto-Validate, section 5.1).  ``--sensitivity DIR`` draws both over r, m, tau and theta (Figure 12).
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from airflow_dq.pattern import FmdvOptions, PatternIndex, learn_pattern
from airflow_dq.pattern.significance import fisher

METHODS = ("calibrated", "fmdv", "fmdv-v", "fmdv-h", "fmdv-vh")
SWEEPS: dict[str, tuple[float, ...]] = {
    "r": (0.0, 0.02, 0.05, 0.1, 0.2, 0.5),
    "m": (1, 5, 20, 100),
    "tau": (2, 4, 6, 8),
    "theta": (0.0, 0.01, 0.05, 0.1, 0.2),
}
GROK = (
    r"[+-]?\d+",
    r"[+-]?\d+\.\d+",
    r"\d{4}-\d{2}-\d{2}",
    r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?",
    r"\d{1,2}/\d{1,2}/\d{2,4}",
    r"\d{1,2}:\d{2}(:\d{2})?",
    r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    r"(\d{1,3}\.){3}\d{1,3}",
    r"([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}",
    r"[a-z]+://\S+",
    r"[\w.+-]+@[\w.-]+\.[a-z]+",
    r"(/[\w.-]+)+/?",
    r"v?\d+\.\d+\.\d+",
)
"""Named patterns in the manner of Grok's: a column whose training matches one is validated by it."""

Accepts = Callable[[Sequence[str]], bool]
Learn = Callable[[Sequence[str], str], Accepts | None]


@dataclass(frozen=True, slots=True)
class Query:
    """A benchmark column."""

    table: str
    train: list[str]
    future: list[str]


def shape(value: str) -> str:
    """Runs of letters, digits or both as one sign each."""
    return re.sub(r"[^\W_]+", lambda run: "L" if run[0].isalpha() else "D" if run[0].isdigit() else "N", value)


def dictionary(least: float) -> Learn:
    """The values seen: all later ones (TFDV's rule), or a share of them, are among these."""

    def learn(train: Sequence[str], table: str) -> Accepts:
        seen = set(train)
        return lambda values: sum(value in seen for value in values) >= least * len(values)

    return learn


def shapes(strict: bool) -> Learn:
    """The shapes seen: strictly, or by Fisher's test."""

    def learn(train: Sequence[str], table: str) -> Accepts:
        seen = set(map(shape, train))

        def accepts(values: Sequence[str]) -> bool:
            bad = sum(shape(value) not in seen for value in values)
            return not bad if strict else fisher(0, len(train), bad, len(values)) >= 0.01

        return accepts

    return learn


def grok(train: Sequence[str], table: str) -> Accepts | None:
    """The first named pattern that all training values have."""
    for text in GROK:
        pattern = re.compile(text)
        if all(map(pattern.fullmatch, train)):
            return lambda values: all(map(pattern.fullmatch, values))
    return None


def product(index: PatternIndex, method: Any, options: FmdvOptions) -> Learn:
    """The package."""

    def learn(train: Sequence[str], table: str) -> Accepts | None:
        rule = learn_pattern(train, index=index.without(table), method=method, options=options)
        return None if rule is None else lambda values: rule.test(values).accepted

    return learn


def evaluate(learn: Learn, queries: Sequence[Query], others: int) -> dict[str, float]:
    """Precision, recall, rules and CPU milliseconds a column.

    :param others: other columns that each rule is tried on
    """
    good, recall, seconds, rules = 0, 0.0, [], 0
    for place, query in enumerate(queries):
        began = time.process_time()
        accepts = learn(query.train, query.table)
        seconds.append(time.process_time() - began)
        if accepts is None:
            continue
        rules += 1
        if not accepts(query.future):
            continue
        good += 1
        drawn = np.random.default_rng([0, place]).permutation(len(queries))[: others + 1]
        recall += float(np.mean([not accepts(queries[j].future) for j in drawn if j != place]))
    return {
        "rules": rules,
        "precision": good / rules if rules else float("nan"),
        "recall": recall / len(queries),
        "ms": 1e3 * float(np.median(seconds)),
        "ms p95": 1e3 * float(np.percentile(seconds, 95)),
    }


def lake(path: Path, limit: int) -> tuple[list[tuple[str, list[str]]], list[Query]]:
    """Columns by table, and the benchmark's machine queries."""
    spec = importlib.util.spec_from_file_location("lake_loader", path / "load.py")
    assert spec is not None
    assert spec.loader is not None
    load = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(load)
    columns = load.columns("dev", fields=["col_id", "source", "table", "values"])
    bench = load.bench("dev", columns)["queries"]
    table = {c["col_id"]: f"{c['source']}\t{c['table'].split('~')[0]}" for c in columns}
    queries = [Query(table[q["col_id"]], *load.split(q["values"])) for q in bench if q["kind"] == "machine"]
    return [(table[c["col_id"]], c["values"]) for c in columns], queries[: limit or None]


def sweep(index: PatternIndex, queries: Sequence[Query], others: int, folder: Path) -> Iterator[str]:
    """Precision and recall over each option, drawn and told."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(SWEEPS), figsize=(4 * len(SWEEPS), 3.5), sharey=True)
    for axis, (name, values) in zip(axes, SWEEPS.items(), strict=True):
        found = []
        for value in values:
            options = replace(FmdvOptions(), **{name: value})
            found.append(evaluate(product(index, "fmdv-vh", options), queries, others))
            yield f"{name}={value}: {found[-1]}"
        for what in ("precision", "recall"):
            axis.plot(values, [one[what] for one in found], marker="o", label=what)
        axis.set_xlabel(name)
    axes[0].legend()
    figure.tight_layout()
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "sensitivity.svg")


def main() -> None:
    """Build the index, compare, and draw when asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("lake", type=Path)
    parser.add_argument("--queries", type=int, default=0, help="only so many")
    parser.add_argument("--others", type=int, default=60, help="other columns that each rule is tried on")
    parser.add_argument("--sensitivity", type=Path, help="folder for the plots")
    given = parser.parse_args()
    columns, queries = lake(given.lake, given.queries)
    began = time.process_time()
    index = PatternIndex.build(columns)
    print(f"index: {time.process_time() - began:.1f} s, {len(index)} patterns, {len(index.to_bytes())} bytes")
    ways: dict[str, Learn] = {"exact dictionary (TFDV)": dictionary(1.0), "dictionary, 90 %": dictionary(0.9)}
    ways |= {"coarse shapes": shapes(True), "coarse shapes, Fisher": shapes(False), "named patterns (Grok)": grok}
    ways |= {method: product(index, method, FmdvOptions()) for method in METHODS}
    for name, learn in ways.items():
        told = evaluate(learn, queries, given.others)
        print(f"{name:26}", "  ".join(f"{key} {value:.3f}" for key, value in told.items()), flush=True)
    for line in sweep(index, queries, given.others, given.sensitivity) if given.sensitivity else ():
        print(line, flush=True)


if __name__ == "__main__":
    main()
