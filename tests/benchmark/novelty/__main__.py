"""``python -m tests.benchmark.novelty DATA_DIR ...``: Table 1 and the figures of Redyuk et al., with ours beside.

Numbers go to ``novelty.json`` and plots to ``*.svg`` in the folder ``--out``.  Detectors whose libraries are missing
are left out, and said; so are plots without matplotlib.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.benchmark.novelty import figure
from tests.benchmark.novelty.baseline import tested
from tests.benchmark.novelty.data import ERRORS, MAGNITUDES, Dataset, chosen, corrupted
from tests.benchmark.novelty.detector import OTHERS, OWN, Judge, MissingLibraryError, judge
from tests.benchmark.novelty.outcome import Outcomes

FIRST = 8
TABLE_ERRORS = ("explicit", "implicit", "anomaly")
TABLE_MAGNITUDE = 30
PAIR_MAGNITUDE = 50


def main(arguments: Sequence[str] | None = None) -> int:
    """Walk through each data set once, and write what was found."""
    given = _parser().parse_args(arguments)
    found = Outcomes()
    for folder in given.data:
        data = Dataset.read(folder, given.partitions)
        for one in _walk(data, list(_judges(given.own)), given.each):
            found.add(*one)
        print(f"{data.name}: {len(data.frames)} partitions", flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    tables = found.tables()
    (given.out / "novelty.json").write_text(json.dumps(tables, indent=1))
    print("\n".join(found.lines()))
    for line in figure.draw(tables, given.out):
        print(line)
    return 0


def _judges(own: bool) -> Iterator[tuple[str, Judge]]:
    for name in OWN if own else (*OWN, *OTHERS):
        try:
            yield name, judge(name)
        except MissingLibraryError as error:
            print(f"left out: {error}", file=sys.stderr)


def _walk(data: Dataset, judges: list[tuple[str, Judge]], each: int | None) -> Iterator[tuple[object, ...]]:
    """Data set, place, detector, error, magnitude (0: clean) and the answer, for every decision."""
    profiles = [data.profile(frame) for frame in data.frames]
    for place in chosen(data, FIRST, each):
        cases = [("clean", 0, data.frames[place]), *_copies(data, place)]
        if place in data.dirty:
            cases.append(("real", 100, data.dirty[place]))
        for error, magnitude, frame in cases:
            profile = data.profile(frame)
            history = profiles[:place]
            for name, ask in judges:
                yield data.name, place, name, error, magnitude, ask(history, profile)
            for mode, past in (("last", 1), ("3 last", 3), ("all", place)):
                if error in ("clean", "real", *TABLE_ERRORS) and magnitude in (0, TABLE_MAGNITUDE, 100):
                    answer = tested(data.frames[place - past : place], frame, data.numeric)
                    yield data.name, place, f"statistical tests, {mode}", error, magnitude, answer


def _copies(data: Dataset, place: int) -> Iterator[tuple[str, int, object]]:
    """Every error in every magnitude, and every two errors of half the magnitude each."""
    frame = data.frames[place]
    for error in ERRORS:
        for magnitude in MAGNITUDES:
            copy = corrupted(data, frame, error, magnitude, place)
            if copy is not None:
                yield error, magnitude, copy
    for at, first in enumerate(ERRORS):
        for second in ERRORS[at + 1 :]:
            half = corrupted(data, frame, first, PAIR_MAGNITUDE // 2, place)
            both = None if half is None else corrupted(data, half, second, PAIR_MAGNITUDE // 2, place)
            if both is not None:
                yield f"{first}+{second}", PAIR_MAGNITUDE, both


def _parser() -> argparse.ArgumentParser:
    order = argparse.ArgumentParser(prog="python -m tests.benchmark.novelty", description=__doc__)
    order.add_argument("data", nargs="+", type=Path, metavar="DATA_DIR", help="a folder with META.json and *.csv.gz")
    order.add_argument("--each", type=int, default=None, help="corrupt so many partitions of a data set (default: all)")
    order.add_argument("--partitions", type=int, default=None, help="read so many partitions (default: all)")
    order.add_argument("--own", action="store_true", help="only what needs no other library")
    order.add_argument("--out", type=Path, default=Path("novelty-benchmark"), help="folder (default %(default)s)")
    return order


if __name__ == "__main__":
    sys.exit(main())
