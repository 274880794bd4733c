"""A folder for keys on this machine: one bucket of all pieces at a time."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from airflow_dq.check.model import Check
from airflow_dq.engine.worker.keys import KEY_SCHEMA, counted_keys, key_table
from airflow_dq.profile.check.key_tally import Occurring
from airflow_dq.profile.check.many_keys import BUCKETS, Changes, partition_piece, total_piece
from airflow_dq.profile.check.tally import Tally

_SHARE = 4
"""Of the keys that are counted in memory a quarter is, before they are written: a million, in files of half a
megabyte.  Each batch is merged with those before, and with more of them that would take longer."""


class ArrowKeyFolder:
    """One dataset's pieces on this machine's file systems."""

    def __init__(self, root: Path, batches: Callable[[str], Iterable[pa.RecordBatch]]) -> None:
        """Take the folder, which need not be there yet.

        :param batches: reads a partition
        """
        self._root = root
        self._batches = batches

    def count(self, partition: str, check: Check) -> str:
        """Count the keys of a partition; see :meth:`airflow_dq.engine.key_folder.EngineKeys.count`."""
        name = partition_piece(partition)
        for number, tally in enumerate(_gathered(counted_keys(self._batches(partition), check))):
            self._write(name, key_table(tally), number)
        return name

    def write(self, tally: Tally) -> str:
        """Keep keys that are in memory; the name of the piece."""
        name = total_piece()
        self._write(name, key_table(tally))
        return name

    def merge(self, pieces: Sequence[str]) -> str:
        """Keep several pieces as one; its name."""
        name = total_piece()
        for bucket in range(BUCKETS):
            found = self._read(pieces, bucket).group_by(["view", "hash"]).aggregate([("n", "sum"), ("complete", "max")])
            columns = [found[one] for one in ("view", "hash", "n_sum", "complete_max")]
            columns.append(pa.array(np.full(len(found), bucket), pa.int32()))
            self._write(name, pa.table(columns, names=KEY_SCHEMA.names).cast(KEY_SCHEMA))
        return name

    def occurring(self, steps: Sequence[Sequence[str]]) -> list[dict[int, Occurring]]:
        """See :meth:`airflow_dq.profile.check.many_keys.KeyFolder.occurring`."""
        changes = Changes(len(steps))
        for bucket in range(BUCKETS):
            tables = [
                found.append_column("step", pa.array(np.full(len(found), step, np.int64)))
                for step, pieces in enumerate(steps)
                if len(found := self._read(pieces, bucket))
            ]
            if tables:
                _change(changes, pa.concat_tables(tables))
        return changes.running()

    def names(self) -> list[str]:
        """The pieces that there are."""
        return sorted(one.name for one in self._root.iterdir()) if self._root.is_dir() else []

    def drop(self, pieces: Sequence[str]) -> None:
        """Remove pieces."""
        for piece in pieces:
            shutil.rmtree(self._root / piece, ignore_errors=True)

    def _read(self, pieces: Sequence[str], bucket: int) -> pa.Table:
        """The keys of a bucket.

        :raises OSError: when a piece is not there
        """
        schema = KEY_SCHEMA.remove(KEY_SCHEMA.get_field_index("bucket"))
        tables = [schema.empty_table()]
        for piece in pieces:
            (self._root / piece).stat()
            files = sorted((self._root / piece / f"bucket={bucket}").glob("*.parquet"))
            tables += [pq.ParquetFile(file).read().cast(schema) for file in files]
        return pa.concat_tables(tables)

    def _write(self, name: str, table: pa.Table, number: int = 0) -> None:
        (self._root / name).mkdir(parents=True, exist_ok=True)
        buckets = table["bucket"]
        for bucket in pc.unique(buckets).to_pylist():
            folder = self._root / name / f"bucket={bucket}"
            folder.mkdir(exist_ok=True)
            rows = table.filter(pc.equal(buckets, bucket)).drop_columns(["bucket"])
            pq.write_table(rows, folder / f"{number:06d}.parquet")


def _gathered(tallies: Iterator[Tally]) -> Iterator[Tally]:
    """The keys of several batches together, as many as are written at once."""
    held: Tally | None = None
    for tally in tallies:
        if held is not None and held.filled + tally.filled > 1 / _SHARE:
            yield held
            held = None
        held = tally if held is None else held.merge(tally)
    if held is not None:
        yield held


def _change(changes: Changes, rows: pa.Table) -> None:
    """What the keys of one bucket change in each view and step."""
    each = rows.group_by(["view", "hash", "step"]).aggregate([("n", "sum"), ("complete", "max")])
    each = each.sort_by([("view", "ascending"), ("hash", "ascending"), ("step", "ascending")])
    view, hashes, step, number = (each[name].to_numpy() for name in ("view", "hash", "step", "n_sum"))
    complete = each["complete_max"].to_numpy()
    first = np.ones(len(each), np.bool_)
    first[1:] = (view[1:] != view[:-1]) | (hashes[1:] != hashes[:-1])
    counted = np.cumsum(number)
    # What was counted before the first row of each key.
    now = counted - (counted - number)[first][np.cumsum(first) - 1]
    for sign, times in ((1, now), (-1, now - number)):
        keys, places = np.unique(np.stack([view, step, times]), axis=1, return_inverse=True)
        found = np.bincount(places, minlength=keys.shape[1])
        singles = np.bincount(places, weights=complete & (times == 1), minlength=keys.shape[1])
        for (seen, after, often), one, single in zip(keys.T.tolist(), found.tolist(), singles.tolist(), strict=True):
            if often:
                changes.add(seen, after, often, sign * one, sign * int(single))
