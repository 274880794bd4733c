"""What patterns add to a whole program: `python -m tests.benchmark.pattern.effect CORPUS [--only TABLE]`.

CORPUS holds ``load.py`` (``meta``, ``iter_sequences``): tables of which partitions come again and again.  Some of each
are judged by two programs of the history before them, one with patterns and one without.  Told are the columns of
strings that alarm in partitions as they are, and how many of the planted errors are seen, by kind and share of rows.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import Profile, profile_table
from airflow_dq.program import Program, evaluate, synthesize

SHARES = (0.005, 0.02, 0.1, 0.5)
HISTORY, POINTS, COLUMNS = 20, 4, 5
"""Past partitions, partitions that are judged, and columns of each table: all of them take hours."""
ROWS = 2_000
"""Of a partition at most, the same ones each time: what is compared is on and off."""
FPR = 1e-3
LETTERS = "abcdefghijklmnopqrstuvwxyz"
Values = list[str | None]


def typed(value: str, r: np.random.Generator) -> str:
    """One character too many, too few, or another one."""
    place, letter, way = int(r.integers(len(value) + 1)), LETTERS[r.integers(26)], int(r.integers(3))
    return value[:place] + letter * (way < 2) + value[place + (way > 0) :]


def padded(value: str, r: np.random.Generator) -> str:
    """Blanks before or behind."""
    return f" {value}" if r.random() < 0.5 else f"{value}  "


def cased(value: str, r: np.random.Generator) -> str:
    """Capitals for small letters."""
    return value.swapcase()


def planted(values: Values, others: Sequence[Values], r: np.random.Generator) -> Iterator[tuple[str, float, Values]]:
    """Every kind of error in every share of a column's values, where it changes one.

    :param others: columns of the same partition, whose values are foreign here
    """
    for share in SHARES:
        chosen = [i for i in np.flatnonzero(r.random(len(values)) < share) if values[i]]
        for kind, change in {"typing": typed, "padding": padded, "case": cased}.items():
            found = list(values)
            for i in chosen:
                found[i] = change(str(values[i]), r)
            if found != values:
                yield kind, share, found
        foreign = [value for other in others for value in other if value]
        if foreign and chosen:
            found = list(values)
            for i in chosen:
                found[i] = foreign[r.integers(len(foreign))]
            yield "foreign", share, found


def profile_of(columns: dict[str, Values]) -> Profile:
    """A partition's profile."""
    return profile_table(pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()}))


def judge(program: Program, history: Sequence[Profile], columns: dict[str, Values]) -> dict[str, bool]:
    """Of each column, whether it alarms."""
    verdict = evaluate(program, profile_of(columns), history, columns=list(columns))
    return {name: verdict.columns[name].status == "fail" for name in columns}


class Tally:
    """Alarms by what was judged, without patterns and with them."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._seen: defaultdict[tuple[str, float], list[tuple[bool, bool]]] = defaultdict(list)

    def add(self, what: str, share: float, told: tuple[bool, bool]) -> None:
        """Note one column of one partition."""
        self._seen[what, share].append(told)

    def lines(self) -> Iterator[str]:
        """As a table, and how many of the two alone alarmed."""
        for (what, share), told in sorted(self._seen.items()):
            off, on = np.array(told, float).T
            only = f"{int((on > off).sum())} only with, {int((off > on).sum())} only without"
            yield f"{what:8} {share:4.0%}  without {off.mean():.4f}  with {on.mean():.4f}  of {len(told)} ({only})"


def read(frame: Any, names: Sequence[str]) -> dict[str, Values]:
    """A partition's columns: an empty cell is missing."""
    return {name: [value or None for value in frame[name].tolist()[:ROWS]] for name in names}


def walk(table: str, batches: Sequence[dict[str, Values]], tally: Tally) -> None:
    """Judge some partitions of a table, as they are and with errors."""
    profiles = [profile_of(batch) for batch in batches]
    for place in np.unique(np.linspace(HISTORY, len(batches) - 1, POINTS).astype(int)):
        history, now = profiles[place - HISTORY : place], batches[place]
        programs = [
            synthesize(history, SynthesisOptions(target_fpr=FPR, scope="column", patterns=patterns))
            for patterns in (False, True)
        ]
        clean = [judge(program, history, now) for program in programs]
        for name in now:
            tally.add("clean", 0.0, (clean[0][name], clean[1][name]))
            r = np.random.default_rng([int(place), len(name)])
            others = [values for other, values in now.items() if other != name]
            for kind, share, changed in planted(now[name], others, r):
                off, on = (judge(program, history, {name: changed})[name] for program in programs)
                tally.add(kind, share, (off, on))


def main() -> None:
    """Walk the tables and tell what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--only", default="", help="tables, joined by commas")
    given = parser.parse_args()
    spec = importlib.util.spec_from_file_location("corpus_loader", given.corpus / "load.py")
    assert spec is not None
    assert spec.loader is not None
    load = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(load)
    tally = Tally()
    for table, sequence in load.iter_sequences(str(given.corpus)):
        if given.only and table not in given.only.split(","):
            continue
        kinds = load.meta(str(given.corpus), table)["columns"]
        frames = [frame for _, frame in sequence]
        names = [name for name in kinds if kinds[name] != "numeric" and all(name in frame for frame in frames)]
        names = sorted(np.random.default_rng(7).permutation(names)[:COLUMNS].tolist())
        if len(frames) > HISTORY and names:
            walk(table, [read(frame, names) for frame in frames[-HISTORY * 2 :]], tally)
            print(f"{table}: {', '.join(names)}", flush=True)
    for line in tally.lines():
        print(line, flush=True)


if __name__ == "__main__":
    main()
