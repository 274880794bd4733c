"""Errors of growing size in columns of every kind: one draw for all sizes, so that a larger error contains a smaller.

``VALUES`` makes a column's clean values of one day; ``ERRORS`` says what happens to it, by how much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Generator = np.random.Generator
DAY, HOUR = 86_400_000_000, 3_600_000_000
"""In microseconds."""
_START = 1_700_006_400_000_000
_WORDS = np.array(
    ["order", "paid", "late", "parcel", "red", "blue", "green", "large", "note", "call", "refund", "gift"]
)
CODES = 40


def codes(rng: Generator, rows: int) -> Any:
    """Codes of which few are frequent."""
    weight = 1.0 / np.arange(1, CODES + 1)
    return [f"c{i:03}" for i in rng.choice(CODES, rows, p=weight / weight.sum()).tolist()]


def moments(rng: Generator, rows: int, day: int) -> Any:
    """Microseconds of one day, most at noon."""
    hours = np.clip(rng.normal(13.0, 3.0, rows), 0.0, 23.999)
    return pa.array(_START + day * DAY + (hours * HOUR).astype("int64"), pa.timestamp("us"))


VALUES: dict[str, Callable[[Generator, int, int], Any]] = {
    "normal": lambda rng, rows, day: rng.normal(0.0, 1.0, rows),
    "normal at 1,000": lambda rng, rows, day: rng.normal(1000.0, 1.0, rows),
    "skewed": lambda rng, rows, day: rng.lognormal(3.0, 1.0, rows),
    "heavy tail": lambda rng, rows, day: rng.standard_t(3, rows),
    "ids": lambda rng, rows, day: 10**6 + rows * day + np.arange(rows),
    "codes": lambda rng, rows, day: codes(rng, rows),
    "text": lambda rng, rows, day: [" ".join(some) for some in rng.choice(_WORDS, (rows, 4)).tolist()],
    "moments": moments,
    "flag": lambda rng, rows, day: rng.random(rows) < 0.2,
}
"""By kind: values from a generator, the number of rows, and the day's number."""


@dataclass(frozen=True, slots=True)
class Error:
    """One way in which a column goes wrong, at growing sizes."""

    name: str
    sizes: tuple[float, ...]
    """Growing; in standard deviations, as a factor, in hours, or as a share of the rows."""
    kinds: tuple[str, ...]
    apply: Callable[[pa.Array, float, Generator], pa.Array]
    """The wrong values, with the same generator at every size."""


def _shift(values: pa.Array, size: float, rng: Generator) -> pa.Array:
    numbers = values.to_numpy(zero_copy_only=False)
    return pa.array(numbers + size * numbers.std())


def _factor(values: pa.Array, size: float, rng: Generator) -> pa.Array:
    return pa.array(values.to_numpy(zero_copy_only=False) * size)


def _early(values: pa.Array, size: float, rng: Generator) -> pa.Array:
    return pc.add(values.cast(pa.int64()), -round(size * HOUR)).cast(pa.timestamp("us"))


def _hit(count: int, size: float, rng: Generator) -> Any:
    """Which rows are hit: at least one; those of a smaller share are among them."""
    return rng.permutation(count) < max(1, round(size * count))


def _nulls(values: pa.Array, size: float, rng: Generator) -> pa.Array:
    return pa.array(values.to_pylist(), values.type, mask=_hit(len(values), size, rng))


def _new_codes(values: pa.Array, size: float, rng: Generator) -> pa.Array:
    return pc.if_else(pa.array(_hit(len(values), size, rng)), pa.scalar("X999"), values)


def _upper(values: pa.Array, size: float, rng: Generator) -> pa.Array:
    return pc.if_else(pa.array(_hit(len(values), size, rng)), pc.utf8_upper(values), values)


def _emptied(values: pa.Array, size: float, rng: Generator) -> pa.Array:
    return pc.if_else(pa.array(_hit(len(values), size, rng)), pa.scalar(""), values)


def _flipped(values: pa.Array, size: float, rng: Generator) -> pa.Array:
    return pc.or_(values, pa.array(_hit(len(values), size, rng)))


def _repeated(values: pa.Array, size: float, rng: Generator) -> pa.Array:
    return pc.if_else(pa.array(_hit(len(values), size, rng)), values[0], values)


NUMBERS = ("normal", "normal at 1,000", "skewed", "heavy tail")
ERRORS = (
    Error("shift (std)", (0.5, 1, 2, 3, 5, 10, 20, 50, 100), NUMBERS, _shift),
    Error("factor up", (1.1, 1.5, 2, 5, 10, 100, 1000), NUMBERS, _factor),
    Error("factor down (1/x)", (1.25, 2, 10, 100), NUMBERS, lambda values, size, rng: _factor(values, 1 / size, rng)),
    Error("nulls", (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 1.0), tuple(VALUES), _nulls),
    Error("new code", (0.003, 0.01, 0.03, 0.1, 0.3, 0.5), ("codes",), _new_codes),
    Error("upper case", (0.003, 0.01, 0.03, 0.1, 0.3, 1.0), ("codes", "text"), _upper),
    Error("emptied", (0.003, 0.01, 0.03, 0.1, 0.3, 1.0), ("codes", "text"), _emptied),
    Error("one value repeated", (0.01, 0.03, 0.1, 0.3, 1.0), ("ids", "text", "moments"), _repeated),
    Error("early (hours)", (0.25, 0.5, 1, 2, 4, 8, 24), ("moments",), _early),
    Error("set to true", (0.01, 0.03, 0.1, 0.3, 1.0), ("flag",), _flipped),
)
LOST = (0.05, 0.11, 0.2, 0.3, 0.5, 0.7, 0.9)
"""Shares of the rows that are lost."""
TEST_RECORDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.2, 0.5)
"""Shares of the rows that are test records."""
_TEST: dict[str, Any] = {"skewed": 0.0, "codes": "test", "text": "test", "flag": False}
"""What a test record holds; the other columns hold what any record does."""


def lose(table: pa.Table, size: float, rng: Generator) -> pa.Table:
    """The table without a share of its rows."""
    return table.filter(pa.array(~_hit(table.num_rows, size, rng)))


def add_test_records(table: pa.Table, size: float, rng: Generator) -> pa.Table:
    """The table with test records in place of a share of its rows."""
    hit = pa.array(_hit(table.num_rows, size, rng))
    columns = {}
    for name, values in zip(table.column_names, table.columns, strict=True):
        columns[name] = pc.if_else(hit, pa.scalar(_TEST[name], values.type), values) if name in _TEST else values
    return pa.table(columns)
