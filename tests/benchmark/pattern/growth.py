"""How the Spark index grows with a lake: `python -m tests.benchmark.pattern.growth FOLDER 5000 20000 80000`.

Makes a lake of so many generated columns (four a table, which lie in FOLDER afterwards) and indexes its first so many
each time.  Told are CPU seconds of all processes, Spark's start left out, for a busy machine's clock says little.

``--piece`` keeps the index in a file and each count adds the tables that it lacks: where no run may take so long as the
largest lake does.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from tests.benchmark.pattern.make_prior import FAMILIES, digits, letters

COLUMNS = 4
_SEPARATORS = ("-", "_", "/", ":", ".", " ", "", "#")


def own_form(r: random.Random) -> Callable[[], str]:
    """A form of ids that hardly another table has: a prefix, parts between separators, perhaps a suffix."""
    prefix, separator = letters(r, r.randint(1, 4)), r.choice(_SEPARATORS)
    parts = [(r.choice(("digits", "letters", "both")), r.randint(1, 8)) for _ in range(r.randint(1, 3))]
    suffix = r.choice(("", "", letters(r, 2)))

    def part(kind: str, size: int) -> str:
        return (
            digits(r, size)
            if kind == "digits"
            else letters(r, size, "abcdefghijklmnop" + "0123456789" * (kind == "both"))
        )

    return lambda: separator.join([prefix, *(part(kind, size) for kind, size in parts)]) + suffix


def write_lake(folder: Path, tables: int, rows: int) -> list[Path]:
    """So many tables; half of their columns are of common forms, half of a table's own."""
    makes = list(FAMILIES.values())
    files = [folder / f"{number // 1000:03d}" / f"t{number:06d}.parquet" for number in range(tables)]
    for number, file in enumerate(files):
        if file.exists():
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        r = random.Random(number)
        table = {}
        for column in range(COLUMNS):
            make = own_form(r) if column % 2 else partial(r.choice(makes), r)
            table[f"c{column}"] = [make() for _ in range(rows)]
        pa.parquet.write_table(pa.table(table), file)
    return files


def cpu_seconds() -> float:
    """CPU time of this process and of all below it."""
    ticks, parents = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            parents[int(entry.name)] = int(fields[1])
            ticks[int(entry.name)] = sum(map(int, fields[11:15]))
    ours = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(ticks[process] for process in ours) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Make the lake, and index more and more of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("columns", type=int, nargs="+")
    parser.add_argument("--rows", type=int, default=60, help="of each table; a folder has tables of one length")
    parser.add_argument("--piece", type=Path, help="file of an index: the tables that it lacks are added to it")
    given = parser.parse_args()
    files = write_lake(given.folder, max(given.columns) // COLUMNS, given.rows)
    print(f"{len(files)} tables are there", flush=True)
    from airflow_dq.engine.spark.environment import spark_environment
    from airflow_dq.engine.spark.lake import LakeFile, index_lake
    from airflow_dq.engine.spark.session import open_session
    from airflow_dq.pattern import PatternIndex

    os.environ.update(spark_environment("local[2]"))
    os.environ["PYSPARK_SUBMIT_ARGS"] = "--master local[2] --conf spark.ui.enabled=false pyspark-shell"
    with open_session() as spark:
        # Workers and classes are loaded before the first measurement.
        index_lake(spark, {"first": LakeFile(str(files[0]), 0)}, PatternIndex.build(()), lambda index: None)
        for count in given.columns:
            before = PatternIndex.load(given.piece) if given.piece and given.piece.exists() else PatternIndex.build(())
            had = set(before.tables)
            lake = {str(file): LakeFile(str(file), 0) for file in files[: count // COLUMNS] if str(file) not in had}
            began, clock = cpu_seconds(), time.monotonic()
            index, unreadable = index_lake(spark, lake, before, lambda index: None)
            assert not unreadable
            seconds, size = cpu_seconds() - began, len(index.to_bytes())
            if given.piece:
                index.save(given.piece)
            print(
                f"{count} columns: {seconds:.0f} s CPU, {1e3 * seconds / (len(lake) * COLUMNS):.2f} ms a column, "
                f"{time.monotonic() - clock:.0f} s by the clock, {len(index)} patterns, {size} bytes",
                flush=True,
            )


if __name__ == "__main__":
    main()
