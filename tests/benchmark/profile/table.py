"""The benchmark's tables, written as Parquet from a seed: a long one, a wide one, a small one and many days of one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

SEED = 20_260_101
_FILE_CELLS = 8_000_000
"""Cells of one file: several files to a large table, as a job that writes in parallel leaves them."""
_DAY_US = 86_400_000_000
_FIRST_DAY_US = 20_454 * _DAY_US
_SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu"], ["n", "ra", "st", "le", "my", "to"]
_WORDS = np.array([first + last for first in _SYLLABLES[0] for last in _SYLLABLES[1]])

Generator = np.random.Generator
Column = Callable[[Generator, int, int], pa.Array]


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a table is, and which of the two sets of columns it has."""

    name: str
    rows: int
    columns: int
    days: int = 1

    def scaled(self, scale: float) -> Shape:
        """The same with a share of the rows, at least 2,000; the number of columns and days stays."""
        return Shape(self.name, max(min(2_000, self.rows), round(self.rows * scale)), self.columns, self.days)


TABLES = {
    shape.name: shape
    for shape in (
        Shape("A", 5_000_000, 12),
        Shape("W", 200_000, 200),
        Shape("W100", 200_000, 100),
        Shape("S", 2_000, 10),
        Shape("B", 50_000, 12, days=60),
        Shape("B1", 50_000, 12),
        Shape("R1", 1_000_000, 12),
        Shape("R2", 2_000_000, 12),
        Shape("R4", 4_000_000, 12),
        Shape("P", 500_000, 12),
        Shape("C", 5_000, 2_000),
        Shape("D", 2_000, 10, days=400),
    )
}
"""By name.  W100 and R1 ... R4 show how time grows with columns and rows, B1 is one day of B, P is for peers."""


def write(shape: Shape, folder: Path) -> Path:
    """Write a table once and return its folder; with several days, a folder ``day=...`` for each."""
    home = folder / f"{shape.name}-{shape.rows}x{shape.columns}x{shape.days}"
    done = home / "_complete.json"
    if done.exists() and json.loads(done.read_text()) == asdict(shape):
        return home
    for day in range(shape.days):
        target = home / f"day={day:03d}" if shape.days > 1 else home
        target.mkdir(parents=True, exist_ok=True)
        per_file = max(1, _FILE_CELLS // shape.columns)
        for number, start in enumerate(range(0, shape.rows, per_file)):
            rows = min(per_file, shape.rows - start)
            table = make(rows, shape.columns, np.random.default_rng([SEED, day, number]), start)
            pq.write_table(table, target / f"part-{number:05d}.parquet")
    done.write_text(json.dumps(asdict(shape)))
    return home


def make(rows: int, columns: int, random: Generator, start: int = 0) -> pa.Table:
    """``rows`` rows of the first ``columns`` columns; beyond twelve, the same kinds of column again and again."""
    kinds = list(_KINDS.items())
    arrays = {}
    for position in range(columns):
        name, column = kinds[position % len(kinds)]
        arrays[name if position < len(kinds) else f"{name}_{position}"] = column(random, rows, start)
    return pa.table(arrays)


def _id(random: Generator, rows: int, start: int) -> pa.Array:
    return pa.array(np.arange(start, start + rows, dtype=np.int64))


def _quantity(random: Generator, rows: int, start: int) -> pa.Array:
    return pa.array(random.poisson(3.0, rows).astype(np.int32))


def _price(random: Generator, rows: int, start: int) -> pa.Array:
    return pa.array(np.round(random.lognormal(3.0, 1.0, rows), 2))


def _score(random: Generator, rows: int, start: int) -> pa.Array:
    return pa.array(random.normal(size=rows), mask=random.random(rows) < 0.05)


def _country(random: Generator, rows: int, start: int) -> pa.Array:
    codes = random.zipf(1.6, rows) % 40
    return pa.DictionaryArray.from_arrays(codes, pa.array([f"C{code:02d}" for code in range(40)])).dictionary_decode()


def _created(random: Generator, rows: int, start: int) -> pa.Array:
    return pa.array(_FIRST_DAY_US + random.integers(0, _DAY_US, rows), pa.timestamp("us", "UTC"))


def _customer(random: Generator, rows: int, start: int) -> pa.Array:
    numbers = pa.array(random.integers(0, 10_000_000, rows)).cast(pa.string())
    return pc.binary_join_element_wise("CUST", pc.utf8_lpad(numbers, 8, "0"), "-")


def _comment(random: Generator, rows: int, start: int) -> pa.Array:
    lengths = random.integers(3, 13, rows)
    words = pa.DictionaryArray.from_arrays(random.integers(0, len(_WORDS), lengths.sum()), pa.array(_WORDS))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), words.dictionary_decode()), " ")


def _coupon(random: Generator, rows: int, start: int) -> pa.Array:
    codes = random.integers(0, 300, rows)
    texts = pa.array([f"SAVE-{code:03d}" for code in range(300)])
    return texts.take(pa.array(codes, mask=random.random(rows) < 0.8))


def _token(random: Generator, rows: int, start: int) -> pa.Array:
    digits = np.frombuffer(random.bytes(16 * rows).hex().encode(), np.uint8)
    return pa.StringArray.from_buffers(
        rows, pa.py_buffer(np.arange(0, 32 * rows + 1, 32, dtype=np.int32)), pa.py_buffer(digits)
    )


def _store(random: Generator, rows: int, start: int) -> pa.Array:
    return pa.array(random.zipf(1.3, rows) % 5_000)


def _paid(random: Generator, rows: int, start: int) -> pa.Array:
    return pa.array(random.random(rows) < 0.93)


_KINDS: dict[str, Column] = {
    "id": _id,
    "quantity": _quantity,
    "price": _price,
    "score": _score,
    "country": _country,
    "created": _created,
    "customer": _customer,
    "comment": _comment,
    "coupon": _coupon,
    "paid": _paid,
    "store": _store,
    "token": _token,
}
