"""Columns of two tables as small whole numbers: what their rows are sliced by, and in what a change is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt
from numpy.typing import NDArray

Codes = NDArray[np.int64]
MOST_DISTINCT = 200
"""A column with more values is none to slice by."""
MOST_VALUES = 50
"""Most values of a column that are tried: each one more makes a find by chance likelier."""
_LEAST_SHARE = 0.002
"""A value in fewer rows, before and now, is not tried: 2 in 1,000 are no accident that a gate alarms about."""
_LEAST_SHARED = 0.5
"""A column whose partitions have less in common names the partition itself (a day, a round), and slices nothing."""
_BINS = 16
"""Equally likely bins of a column of numbers."""
_FEW = 40
"""Up to so many values, a column's distribution is that of its values."""
_HOUR, _DAY = 3_600.0, 86_400.0
"""Seconds."""
_LENGTHS = 24
"""Texts from this length on are of one length."""


Columns = tuple[pa.ChunkedArray, pa.ChunkedArray]
"""One column of the partition before, and of this one."""
Coding = Callable[[pa.ChunkedArray], Codes]
"""Codes of a column of any partition."""


@dataclass(frozen=True)
class Coded:
    """One column of both partitions, or two columns together."""

    name: str
    sides: tuple[Codes, Codes]
    """Before, and now."""
    size: int
    """Codes are below it."""
    values: tuple[Any, ...] = ()
    """The values of the first codes, for what rows are sliced by; all others share the last code."""
    coding: Coding | None = field(default=None, repr=False)
    """Codes the column of another partition; None for two columns."""
    parts: tuple[Coded, Coded] | None = field(default=None, repr=False)
    """Two columns that it is made of."""

    def together(self, one: Codes, two: Codes) -> Codes:
        """The codes of two columns together: a pair with a value that is not tried is not tried, and has the last."""
        assert self.parts is not None
        return _grid(*self.parts)[one, two]


def attribute(name: str, columns: Columns) -> Coded | None:
    """The column as one to slice by; None when it has too many values, only one, or is of no such type."""
    kind = columns[0].type
    if not _sliceable(kind) or any(side.type != kind for side in columns):
        return None
    both = pa.chunked_array([chunk for side in columns[:2] for chunk in side.chunks], type=kind)
    if _looks_distinct(both):
        return None
    counted = pc.value_counts(both)
    if not 1 < len(counted) <= MOST_DISTINCT:
        return None
    counts = counted.field("counts").to_numpy()
    order = np.argsort(-counts, kind="stable")[:MOST_VALUES]
    frequent = order[counts[order] >= _LEAST_SHARE * len(both)]
    chosen = counted.field("values").take(pa.array(frequent))
    values = tuple(chosen.to_pylist())
    coding = partial(_places, known=chosen)
    found = Coded(name, (coding(columns[0]), coding(columns[1])), len(values) + 1, values, coding)
    return found if _shared(found) >= _LEAST_SHARED else None


def distribution(name: str, columns: Columns) -> Coded | None:
    """The column as one whose distribution may change; None when it is of no such type.

    Null is a value of its own. Numbers fall into bins that are equally likely before; of timestamps the place in the
    day counts, for the next partition is of another one. Texts are told apart one by one while
    they are few, as numbers where all of them are written so, and by length and letter case else.
    """
    coding: Coding
    kind = columns[0].type
    if any(side.type != kind for side in columns):
        return None
    if pt.is_boolean(kind) or _is_text(kind):
        few = None if _looks_distinct(columns[0]) else _few_values(columns[0])
        written = few is None and all(_is_written_number(side) for side in columns)
        if few is not None:
            coding, size = partial(_places, known=few), len(few) + 1
        elif written:
            coding, size = _by_size(_written_number, columns[0])
        else:
            coding, size = _shape, 4 * (_LENGTHS + 1) + 1
    elif pt.is_integer(kind) or pt.is_floating(kind) or pt.is_decimal(kind):
        coding, size = _by_size(_numbers, columns[0])
    elif pt.is_timestamp(kind) or pt.is_date(kind):
        coding, size = _by_size(partial(_time_of_day, unit=_per_second(kind)), columns[0])
    else:
        return None
    return Coded(name, (coding(columns[0]), coding(columns[1])), size, coding=coding)


def crossed(first: Coded, second: Coded) -> Coded:
    """Both attributes together: each pair of their values is one."""
    values = tuple((one, two) for one in first.values for two in second.values)
    grid = _grid(first, second)
    before, now = (grid[one, two] for one, two in zip(first.sides, second.sides, strict=True))
    return Coded(f"{first.name}, {second.name}", (before, now), len(values) + 1, values, parts=(first, second))


def _grid(first: Coded, second: Coded) -> Codes:
    """The codes of all pairs."""
    rows, columns = len(first.values), len(second.values)
    numbers = np.full((first.size, second.size), rows * columns, dtype=np.int64)
    numbers[:rows, :columns] = np.arange(rows * columns).reshape(rows, columns)
    return numbers


def _sliceable(kind: pa.DataType) -> bool:
    return bool(pt.is_boolean(kind) or pt.is_integer(kind) or pt.is_date(kind) or _is_text(kind))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind))


def _per_second(kind: pa.DataType) -> float:
    if pt.is_date32(kind):
        return 1.0 / _DAY
    return {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[kind.unit if pt.is_timestamp(kind) else "ms"]


def _shared(coded: Coded) -> float:
    """What the distributions before and now have in common, from 0 to 1."""
    before, now = (np.bincount(side, minlength=coded.size) / max(1, len(side)) for side in coded.sides[:2])
    return float(np.minimum(before, now).sum())


def _looks_distinct(values: pa.ChunkedArray) -> bool:
    """Whether the first values say that there are too many: to count all of them is what costs."""
    head = values.slice(0, 20 * MOST_DISTINCT)
    return len(pc.unique(head)) > MOST_DISTINCT


def _few_values(values: pa.ChunkedArray) -> pa.Array | None:
    found = pc.unique(values)
    return found if len(found) <= _FEW else None


def _places(values: pa.ChunkedArray, known: pa.Array) -> Codes:
    """The place of each value among the known ones; the number of them where it is none."""
    return _codes(pc.fill_null(pc.index_in(values, value_set=known), len(known)))


def _is_written_number(values: pa.ChunkedArray) -> bool:
    """Whether all texts are numbers, as in columns of CSV files."""
    try:
        _written_number(values)
    except pa.ArrowInvalid:
        return False
    return True


def _written_number(values: pa.ChunkedArray) -> NDArray[np.float64]:
    return _numbers(pc.if_else(pc.equal(values, ""), None, values).cast(pa.float64()))


def _shape(values: pa.ChunkedArray) -> Codes:
    length = pc.min_element_wise(pc.utf8_length(values), _LENGTHS)
    upper = pc.not_equal(values, pc.utf8_lower(values))
    lower = pc.not_equal(values, pc.utf8_upper(values))
    case = pc.add(pc.multiply(upper.cast(pa.int64()), 2), lower.cast(pa.int64()))
    codes = pc.add(pc.multiply(length.cast(pa.int64()), 4), case)
    return _codes(pc.fill_null(codes, 4 * (_LENGTHS + 1)))


def _codes(values: pa.ChunkedArray) -> Codes:
    found: Codes = values.to_numpy().astype(np.int64)
    return found


def _numbers(values: pa.ChunkedArray) -> NDArray[np.float64]:
    """As floating-point numbers, NaN for null."""
    if pt.is_date32(values.type):
        values = values.cast(pa.int32())
    elif pt.is_timestamp(values.type) or pt.is_date64(values.type):
        values = values.cast(pa.int64())
    found: NDArray[np.float64] = pc.fill_null(values.cast(pa.float64(), safe=False), np.nan).to_numpy()
    return found


def _time_of_day(values: pa.ChunkedArray, unit: float) -> NDArray[np.float64]:
    return _within(_numbers(values), unit)


def _within(values: NDArray[np.float64], unit: float) -> NDArray[np.float64]:
    """Places in time from the beginning of the day that most of them are in, or of the hour when they fill no more.

    :param unit: how many of the values make a second
    """
    known = values[np.isfinite(values)]
    if not len(known):
        return values
    low, middle, high = np.quantile(known, [0.05, 0.5, 0.95])
    period = unit * (_HOUR if high - low <= 2.0 * _HOUR * unit else _DAY)
    return np.asarray(values - period * np.floor(middle / period))


def _by_size(numbers: Callable[[pa.ChunkedArray], NDArray[np.float64]], before: pa.ChunkedArray) -> tuple[Coding, int]:
    """Codes by size: each value while they are few, else bins that are equally likely before."""
    found = numbers(before)
    known = found[np.isfinite(found)]
    distinct = np.unique(known[: 20 * MOST_DISTINCT])
    if 0 < len(distinct) <= _FEW and len(distinct := np.unique(known)) <= _FEW:
        # Each value, and what lies between two of them, is a bin.
        edges = np.unique(np.concatenate([distinct, np.nextafter(distinct, np.inf)]))
    else:
        edges = np.unique(np.quantile(known, np.linspace(0.0, 1.0, _BINS + 1))) if len(known) else np.array([0.0])
        edges[-1] = np.nextafter(edges[-1], np.inf)

    def coding(values: pa.ChunkedArray) -> Codes:
        side = numbers(values)
        places = np.searchsorted(edges, side, side="right")
        places[np.isnan(side)] = len(edges) + 1
        return places.astype(np.int64)

    return coding, len(edges) + 2
