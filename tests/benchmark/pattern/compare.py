"""Compares ways of learning a pattern on a lake of string columns: `python -m tests.benchmark.pattern.compare LAKE`.

LAKE holds ``load.py`` (``columns``, ``bench``, ``split``).  Precision is the share of the rules that accept their own
future; recall the share of the other benchmark columns that a rule refuses, 0 without a rule or with a false alarm
(Auto-Validate, section 5.1).  ``--figures DIR`` draws what the paper's Figures 11 to 13 show.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from airflow_dq.pattern import FmdvOptions, PatternIndex, learn_pattern
from airflow_dq.pattern.significance import fisher

METHODS = ("calibrated", "fmdv", "fmdv-v", "fmdv-h", "fmdv-vh")
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a way of learning on the queries."""

    good: list[bool | None]
    """Of each query, whether its rule accepts its own future; None without a rule."""
    recall: list[float]
    """Of each query, the share of other columns that are refused; 0 without a good rule."""
    seconds: list[float]
    """CPU time of learning."""

    @property
    def rules(self) -> int:
        """Queries with a rule."""
        return sum(one is not None for one in self.good)

    @property
    def figures(self) -> dict[str, float]:
        """Precision, recall, rules and CPU milliseconds a column."""
        return {
            "rules": self.rules,
            "precision": sum(one is True for one in self.good) / self.rules if self.rules else float("nan"),
            "recall": float(np.mean(self.recall)),
            "ms": 1e3 * float(np.median(self.seconds)),
            "ms p95": 1e3 * float(np.percentile(self.seconds, 95)),
        }

    def half(self, which: int) -> dict[str, float]:
        """The figures of every second query, from the first or the second on."""
        return Outcome(self.good[which::2], self.recall[which::2], self.seconds[which::2]).figures


def evaluate(learn: Learn, queries: Sequence[Query], others: int) -> Outcome:
    """Try a way of learning on each query.

    :param others: other columns that each rule is tried on
    """
    found = Outcome([], [], [])
    for place, query in enumerate(queries):
        began = time.process_time()
        accepts = learn(query.train, query.table)
        found.seconds.append(time.process_time() - began)
        good = None if accepts is None else accepts(query.future)
        found.good.append(good)
        drawn = np.random.default_rng([0, place]).permutation(len(queries))[: others + 1]
        refused = [not accepts(queries[j].future) for j in drawn if j != place] if accepts and good else [False]
        found.recall.append(float(np.mean(refused)))
    return found


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


def indexed(columns: Sequence[tuple[str, list[str]]], file: Path | None) -> PatternIndex:
    """The lake's index: as a file has it, or built."""
    if file is not None and file.exists():
        return PatternIndex.load(file)
    began = time.process_time()
    index = PatternIndex.build(columns)
    print(
        f"index: {time.process_time() - began:.1f} s, {len(index)} patterns, {len(index.to_bytes())} bytes", flush=True
    )
    if file is not None:
        index.save(file)
    return index


def ways(index: PatternIndex) -> dict[str, Learn]:
    """Every way that is compared."""
    found: dict[str, Learn] = {"exact dictionary (TFDV)": dictionary(1.0), "dictionary, 90 %": dictionary(0.9)}
    found |= {"coarse shapes": shapes(True), "coarse shapes, Fisher": shapes(False), "named patterns (Grok)": grok}
    return found | {method: product(index, method, FmdvOptions()) for method in METHODS}


def main() -> None:
    """Build the index, compare, and draw when asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("lake", type=Path)
    parser.add_argument("--queries", type=int, default=0, help="only so many")
    parser.add_argument("--others", type=int, default=60, help="other columns that each rule is tried on")
    parser.add_argument("--figures", type=Path, help="folder for the plots")
    parser.add_argument("--index", type=Path, help="file of the lake's index: read when it is there, else written")
    given = parser.parse_args()
    columns, queries = lake(given.lake, given.queries)
    index = indexed(columns, given.index)
    outcomes = {}
    for name, learn in ways(index).items():
        outcomes[name] = evaluate(learn, queries, given.others)
        print(f"{name:26}", told(outcomes[name].figures), flush=True)
    for which in (0, 1):
        print(f"calibrated, half {which + 1}        ", told(outcomes["calibrated"].half(which)), flush=True)
    if given.figures:
        from tests.benchmark.pattern import figure

        given.figures.mkdir(parents=True, exist_ok=True)
        figure.cases(outcomes, given.figures)
        figure.distribution([values for _, values in columns], given.figures)
        for line in figure.sensitivity(index, queries, given.others, given.figures):
            print(line, flush=True)


def told(figures: dict[str, float]) -> str:
    """Figures on one line."""
    return "  ".join(f"{name} {value:.3f}" for name, value in figures.items())


if __name__ == "__main__":
    main()
