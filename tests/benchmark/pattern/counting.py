"""Columns that count up: `python -m tests.benchmark.pattern.counting [--tables N] [--seed S]`.

Generated tables of ids that a database hands out, bare, in a frame, with leading zeros, several rows each, starting
anew every day; the number gets another digit on some day.  Told are the columns that alarm in partitions as they are,
on the day of the new digit and on others, and how many planted errors are seen, by kind and share of rows; while the
table warms up (1 and 4 past partitions) and after (9 and 21).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import Profile, profile_table
from airflow_dq.program import Program, evaluate, synthesize

DAYS, JUDGED = 28, (1, 4, 9, 21)
SHARES = (0.02, 0.1, 1.0)
FPR = 1e-3
WARM = 7
"""Past partitions from which on ranges are learned."""
Texts = list[str]
Make = Callable[[np.ndarray, int, np.random.Generator], Texts]


def framed(form: str) -> Make:
    """One number in a frame; ``m`` is a second counter."""
    return lambda ids, day, r: [form.format(n=n, m=3 * n + 17, d=f"202601{day + 1:02}") for n in ids]


def several(form: str) -> Make:
    """One to four rows of each id."""
    return lambda ids, day, r: [form.format(n=n, m=line) for n in ids for line in range(1, 1 + int(r.integers(1, 5)))]


def anew(form: str) -> Make:
    """Numbers from one on, every day."""
    return lambda ids, day, r: [form.format(n=n + 1, d=f"202601{day + 1:02}") for n in range(len(ids))]


def daily(form: str) -> Make:
    """The same number in all rows of a day."""
    return lambda ids, day, r: [form.format(n=day + 1)] * len(ids)


COUNTING: dict[str, Make] = {
    "plain": framed("{n}"),
    "prefix": framed("ORD-{n}"),
    "letter": framed("C{n}"),
    "suffix": framed("{n}-A"),
    "inside": framed("DE{n}/b"),
    "url": framed("https://shop.example/v2/orders/{n}?view=1"),
    "zeros": framed("INV/2026/{n:06}"),
    "zeros that overflow": framed("S{n:03}"),
    "two counters": framed("{n}-{m}"),
    "lines of an order": several("{n}/{m}"),
    "several rows": several("PO-{n}"),
    "anew every day": anew("T-{n}"),
    "day and number": anew("{d}-{n:04}"),
    "number of a day": anew("{n}/{d}"),
    "one a day": daily("week {n}"),
    "prefixes": lambda ids, day, r: [f"{('DE', 'FR', 'IT')[n % 7 % 3]}-{n}" for n in ids],
}
OTHER: dict[str, Make] = {
    "drawn": lambda ids, day, r: [f"ORD-{n}" for n in r.integers(1_000, 10_000, len(ids))],
    "code": lambda ids, day, r: [f"K{n}" for n in r.integers(1, 400, len(ids))],
    "price": lambda ids, day, r: [f"{n:.2f} EUR" for n in r.lognormal(3, 0.5, len(ids))],
    "hour": lambda ids, day, r: [f"{n // 60:02}:{n % 60:02}" for n in sorted(r.integers(0, 1440, len(ids)))],
}
"""Do not count: what is caught of these must not fall."""


def first_digit(text: str) -> int:
    """Where the last number begins."""
    end = max(i for i, c in enumerate(text) if c.isdigit())
    return max((i + 1 for i in range(end) if not text[i].isdigit()), default=0)


def without_prefix(text: str) -> str:
    """Nothing before the first digit."""
    return text.lstrip("".join(c for c in text if not c.isdigit()))


def lettered(text: str) -> str:
    """A letter in place of the last number's second digit."""
    place = min(first_digit(text) + 1, len(text) - 1)
    return text[:place] + "O" + text[place + 1 :]


ERRORS: dict[str, Callable[[str], str]] = {
    "another prefix": lambda text: "X" + text[1:] if not text[0].isdigit() else "X" + text,
    "no prefix": without_prefix,
    "cut by one": lambda text: text[:-1],
    "cut by half": lambda text: text[: len(text) // 2],
    "a digit more": lambda text: text[: (at := first_digit(text) + 1)] + "7" + text[at:],
    "letter in number": lettered,
    "another case": str.swapcase,
    "padding": lambda text: text + " ",
    "dash": lambda text: text[: (at := first_digit(text) + 1)] + "-" + text[at:],
}


def tables(seed: int) -> tuple[list[dict[str, Texts]], dict[str, set[int]]]:
    """The days of one table, and of each column the days with longer values than ever before."""
    r = np.random.default_rng(seed)
    rows, gaps = int(r.integers(60, 600)), int(r.choice([1, 1, 2, 5]))
    makes = {**COUNTING, **OTHER}
    # Each column gets its next digit on a day of its own.
    starts = {}
    for name in makes:
        digits = int(r.integers(4, 8)) if rows * gaps * DAYS < 9_000 else int(r.integers(5, 8))
        if name == "zeros that overflow" or name == "zeros":
            digits = 3 if rows * gaps < 400 else 4
        starts[name] = max(0, 10**digits - int(rows * (gaps + 1) / 2 * r.uniform(1, DAYS - 1)))
    days: list[dict[str, Texts]] = []
    at = dict(starts)
    for day in range(DAYS):
        size, table = max(20, int(rows * r.lognormal(0, 0.1))), {}
        for name, make in makes.items():
            ids = at[name] + np.cumsum(r.integers(1, gaps + 1, size))
            at[name] = int(ids[-1])
            table[name] = make(ids, day, r)
        days.append(table)
    news: dict[str, set[int]] = defaultdict(set)
    for name in makes:
        longest = [max(map(len, day[name])) for day in days]
        news[name] = {day for day in range(1, DAYS) if longest[day] > max(longest[:day])}
    return days, news


def profile_of(columns: dict[str, Texts], day: int) -> Profile:
    """A partition's profile."""
    rows = min(map(len, columns.values()))
    arrays = {name: pa.array(values[:rows], pa.string()) for name, values in columns.items()}
    return profile_table(pa.table(arrays), partition=f"2026-01-{day + 1:02}")


def judge(program: Program, history: Sequence[Profile], columns: dict[str, Texts], day: int) -> dict[str, list[str]]:
    """Of each column, which constraints alarm."""
    verdict = evaluate(program, profile_of(columns, day), history, columns=list(columns))
    found: dict[str, list[str]] = {name: [] for name in columns}
    for one in verdict.findings:
        for name in one.scope.columns:
            if name in found:
                found[name].append(one.metric or one.rule)
    return {name: found[name] if verdict.columns[name].status == "fail" else [] for name in columns}


def changed(values: Texts, change: Callable[[str], str], share: float, r: np.random.Generator) -> Texts:
    """Values, of which a share has an error."""
    return [change(value) if hit else value for value, hit in zip(values, r.random(len(values)) < share, strict=True)]


def walk(seed: int, verbose: bool) -> Iterator[tuple[str, str, str, bool]]:
    """What alarms: the phase, the column, what was done to it, and whether it alarmed."""
    days, news = tables(seed)
    profiles = [profile_of(day, number) for number, day in enumerate(days)]
    r = np.random.default_rng(seed + 1_000_000)
    some = sorted({*JUDGED, *(day for found in news.values() for day in found)})
    for day in (one for one in some if one > 0):
        phase = "warm" if day < WARM else "later"
        program = synthesize(profiles[:day], SynthesisOptions(target_fpr=FPR, scope="column"))
        found = judge(program, profiles[:day], days[day], day)
        for name, metrics in found.items():
            what = "new digit" if day in news[name] else "as ever"
            if day in news[name] or day in JUDGED:
                yield phase, name, what, bool(metrics)
            if metrics and verbose:
                print(f"  {seed} day {day} {what}: {name} {metrics} {days[day][name][-1]!r}", flush=True)
        if day not in JUDGED:
            continue
        for error, change in ERRORS.items():
            for share in SHARES:
                damaged = {name: changed(values, change, share, r) for name, values in days[day].items()}
                told = judge(program, profiles[:day], damaged, day)
                for name in days[day]:
                    if damaged[name] != days[day][name]:
                        yield phase, name, f"{error} {share:.0%}", bool(told[name])


def main() -> None:
    """Walk the tables and tell what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="tell every false alarm, and each column's figures")
    given = parser.parse_args()
    told: defaultdict[tuple[str, ...], list[bool]] = defaultdict(list)
    for seed in range(given.seed, given.seed + given.tables):
        for phase, name, what, alarm in walk(seed, given.verbose):
            group = "counts" if name in COUNTING else "other"
            told[group, phase, what].append(alarm)
            if given.verbose:
                told[f"  {name}", phase, what].append(alarm)
    for (group, phase, what), found in sorted(told.items()):
        print(f"{group:20} {phase:5} {what:22} {np.mean(found):.3f} of {len(found)}")


if __name__ == "__main__":
    main()
